"""Models trained on a project's own gold (extra `models`)."""
