"""The connection to a database, and its files: opened, shared, replaced, missed."""
