"""What our own export carries of people's work: read as its records, and written back as it was."""
