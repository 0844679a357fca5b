"""Rounds and their reviews, and what is asked of them."""
