"""Self-explanations on the Saliency page: a language model's own reasons for its answers."""
