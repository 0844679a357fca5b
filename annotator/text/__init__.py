"""Tokenisers by language, sentences, offsets, and the alignment of a source's own tokens with its text."""
