"""Models: attributions, previews, training, and how far they are to be trusted."""
