"""ERASER's documents, annotations and predictions."""
