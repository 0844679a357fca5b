"""Predictors and explainers: what a model answers for tokens, and how much each token counts for it."""
