"""What belongs to a project beside its rules."""
