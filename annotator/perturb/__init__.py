"""Changed versions of texts, and texts from templates: pure functions."""
