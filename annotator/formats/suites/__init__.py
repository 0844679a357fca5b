"""Suites of functional tests and the predictions for them."""
