"""One function for each thing a person does: it checks the right to do it, is one transaction, and returns values."""
