"""A person's data: where it is, how their name and words go, how all of it goes, and how no byte of it is left."""
