"""`annotator evaluate`: the metrics of four papers, from files or of a project."""
