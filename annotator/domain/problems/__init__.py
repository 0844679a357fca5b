"""What is wrong with a file: problems in groups, and their remedies in the words of whoever reads them."""
