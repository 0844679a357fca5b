"""Contrast sets: originals and their changed versions."""
