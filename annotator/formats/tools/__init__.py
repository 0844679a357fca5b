"""Files of labelling tools: Label Studio, doccano, Argilla."""
