"""Which encodings files may be in, for pages and commands (formats/rows/encodings.py)."""

from annotator.formats.rows.encodings import ENCODINGS, UTF8, Sample, is_text, marked, recoded, recoded_bytes, samples

__all__ = ["ENCODINGS", "UTF8", "Sample", "is_text", "marked", "recoded", "recoded_bytes", "samples"]
