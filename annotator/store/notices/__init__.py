"""Notices to people: the inbox of each, what leaves the server, and how."""
