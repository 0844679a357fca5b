"""Models of the papers that transformers does not have: classes for its Auto loaders, made when torch is there."""
