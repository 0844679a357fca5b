"""The sections of the Project page: each asks, calls one use case, and shows."""
