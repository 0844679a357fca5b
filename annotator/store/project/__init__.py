"""What belongs to a project beside its rules: guidelines, labels in use, how far it is."""
