"""One module a format: reads a file to domain values, and writes one from them. No database, no tokenisation."""
