"""Models trained on the gold of a project."""
