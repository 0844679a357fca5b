"""The program's own JSON lines, which hold a whole project, and the canonical form of a value."""
