"""The fine-grained interpretability benchmark's scores, from its own files."""
