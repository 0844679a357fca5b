"""The part *Recruitment links* of People: links for workers of a platform, what became of them, and their codes."""
