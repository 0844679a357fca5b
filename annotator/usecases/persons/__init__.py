"""A person and their data: taken along, made nameless, erased."""
