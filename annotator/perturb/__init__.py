"""Changed versions of instances: what was changed, what of the rationale stays, and what might be changed."""
