"""What an import knows and writes, many rows at once; and what our own export carries of people's work, out and back."""
