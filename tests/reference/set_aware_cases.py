"""Hand arithmetic for the set-aware numbers: counts of tokens written out at the end of each row."""

# predicted, gold sets, best F1, which set, best IoU, whole set, recall over sets, coverage
CASES = [
    ([0, 1], [[0, 1], [4, 5]], 1.0, 0, 1.0, 1.0, 0.5, 0.5),  # the first set exactly; 2 of 4 tokens of the union
    ([4, 5, 6], [[0, 1], [5, 6]], 0.8, 1, 2 / 3, 1.0, 0.5, 0.5),  # 2 · 2 / (2 + 3); 2 / 3
    ([0, 4], [[0, 1], [4, 5]], 0.5, 0, 1 / 3, 0.0, 0.0, 0.5),  # half of each: the first of equals, no whole set
    ([0, 1, 2], [[0, 1], [1, 2]], 0.8, 0, 2 / 3, 1.0, 1.0, 1.0),  # overlapping sets; the union has 3 tokens
    ([], [[3]], 0.0, 0, 0.0, 0.0, 0.0, 0.0),  # nothing predicted
    ([7], [[0, 1, 2]], 0.0, 0, 0.0, 0.0, 0.0, 0.0),  # nothing shared
]

# docs/index.md, "Great food, friendly waiters, and we will come again.": tokens 0-1, 3-4, 7-10
INDEX_SETS = [[0, 1], [3, 4], [7, 8, 9, 10]]
