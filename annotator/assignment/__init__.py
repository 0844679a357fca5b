"""In which order instances are given out, and how a data set is split: pure and seeded."""
