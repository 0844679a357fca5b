"""The part *Crowd doors* of People: links for workers of a platform, what became of them, and their codes."""
