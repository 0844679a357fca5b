"""Releases: a project's gold frozen under a number, compared, cited and exported."""
