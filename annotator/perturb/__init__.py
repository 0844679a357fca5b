"""Changed versions of texts, what of their rationale stays, and texts from templates: pure functions."""
