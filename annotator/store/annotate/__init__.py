"""What annotators work on: their annotations, what they hold and may be shown, their talk."""
