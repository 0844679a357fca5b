"""The fine-grained interpretability benchmark's texts, gold, predictions and saliency."""
