"""What goes in and out on the Project page: files to import, with their problems, and exports."""
