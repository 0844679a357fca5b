"""What the program thinks about: frozen values with their invariants. Imports nothing of ours but the errors."""
