"""Which rationale sets count for an instance: pure functions over annotations."""
