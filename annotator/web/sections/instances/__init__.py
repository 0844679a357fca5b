"""The project's instances: searched, looked at, and changed many at once."""
