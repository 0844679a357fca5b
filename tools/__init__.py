"""What makes files of the repository again, and what checks the panel."""
