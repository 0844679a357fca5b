"""What reviewers do: scores, rounds, and what is shown of them."""
