"""What a project is led by beside its rules: guidelines, the order of its texts, releases of its gold."""
