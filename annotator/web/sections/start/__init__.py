"""The start page: what waits, and notices."""
