"""Changed versions that people write: the originals, the drafts, and what becomes of them."""
