"""Notices by mail and webhook: set by an administrator, chosen by each person, sent by a thread of the server."""
