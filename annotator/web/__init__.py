"""The server, its routes, signing in, and what frames every page."""
