"""Recruitment links: links by which workers of a platform come in, do a few texts, and get a completion code."""
