"""The demonstration database."""
