"""What every reader of rows shares: columns, lines, CSV, JSON, spans, archives and the problems of a file."""
