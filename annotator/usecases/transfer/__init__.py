"""Import and export: files to a project and back."""
