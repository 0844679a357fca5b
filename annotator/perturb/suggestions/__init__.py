"""The functions that find suggestions, by subject. Each enters itself in the register (annotator/perturb/suggested_texts.py)."""
