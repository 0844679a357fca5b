"""Cases of ERASER's metrics with their numbers, each from a run of the scorer or by hand from its formulas.

"V" in the notes on the ERASER scorer (their section 3) marks numbers that were seen in a run of the ERASER repository's metrics.py
under Python 3.11 with scikit-learn 1.9; the others are hand arithmetic, written beside them.
"""

Spans = list[tuple[int, int, int]]  # key, start, end

# name, gold, predicted, threshold, micro (p, r, f1), macro (p, r, f1), source
IOU: list[tuple[str, Spans, Spans, float, tuple[float, float, float], tuple[float, float, float], str]] = [
    ("two halves of one gold span: recall is 2", [(0, 0, 10)], [(0, 0, 5), (0, 5, 10)], 0.5,
     (1, 2, 4 / 3), (1, 2, 4 / 3), "eraser.md 3.1, V"),
    ("one prediction over two gold spans counts once", [(0, 0, 2), (0, 2, 4)], [(0, 0, 4)], 0.5,
     (1, 0.5, 2 / 3), (1, 0.5, 2 / 3), "eraser.md 3.1, V"),
    ("at threshold 0 a prediction without gold is found", [], [(0, 0, 1)], 0.0, (1, 0, 0), (1, 0, 0), "eraser.md 3.1, V"),
    ("gold without prediction: recall 0, and no part in precision", [(0, 0, 2), (1, 0, 2)], [(0, 0, 2)], 0.5,
     (1, 0.5, 2 / 3), (1, 0.5, 2 / 3), "eraser.md 3.1; p = 1/1, r = 1/2, mean over keys (1 + 0)/2"),
    ("prediction without gold: precision 0, and no part in recall", [(0, 0, 2)], [(0, 0, 2), (1, 0, 2)], 0.5,
     (0.5, 1, 2 / 3), (0.5, 1, 2 / 3), "eraser.md 3.1; p = 1/2, r = 1/1"),
    ("the sentinel -1 counts in recall and is never found", [(0, -1, -1), (0, 0, 2)], [(0, 0, 2), (0, -1, -1)], 0.5,
     (0.5, 0.5, 0.5), (0.5, 0.5, 0.5), "eraser.md 3.1; 0/0 is 0"),
    ("exactly the threshold is enough", [(0, 0, 3)], [(0, 0, 1)], 1 / 3, (1, 1, 1), (1, 1, 1), "eraser.md 3.1; 1/3 >= 1/3"),
    ("micro counts spans, macro documents", [(0, 0, 1), (0, 2, 3), (0, 4, 5), (1, 0, 1)], [(0, 0, 1), (1, 0, 1)], 0.5,
     (1, 0.5, 2 / 3), (1, 2 / 3, 0.8), "hand: r = 2/4; (1/3 + 1)/2 = 2/3; 2 * (2/3) / (5/3) = 0.8"),
    ("nothing at all", [], [], 0.5, (0, 0, 0), (0, 0, 0), "eraser.md 3.1: 0 if the denominator is 0"),
]  # fmt: skip

# name, gold, predicted, exact micro f1, exact macro (p, r, f1), token micro f1, token macro (p, r, f1), source
PRF: list[tuple[str, Spans, Spans, float | None, tuple[float, ...], float | None, tuple[float, ...], str]] = [
    ("the sentinel matches itself exactly and has no tokens", [(0, -1, -1), (1, 0, 2)], [(0, -1, -1), (1, 0, 1)],
     0.5, (0.5, 0.5, 0.5), 2 / 3, (1, 0.5, 2 / 3), "eraser.md 3.2; tokens: p 1/1, r 1/2; key 0 has no token and is absent"),
    ("overlapping spans count their tokens once", [(0, 0, 4), (0, 2, 6)], [(0, 0, 6)],
     0, (0, 0, 0), 1, (1, 1, 1), "eraser.md 3.2; tokens 0 to 5 on both sides"),
    ("the macro F1 is a mean of F1s", [(0, 0, 4), (1, 0, 4)], [(0, 0, 1), (1, 0, 4)],
     0.5, (0.5, 0.5, 0.5), 10 / 13, (1, 0.625, 0.7), "hand: micro 2*5/(5+8); F1s 2*0.25/1.25 = 0.4 and 1"),
    ("selecting where there is no gold adds a row of zeros", [(0, 0, 2)], [(0, 0, 2), (1, 3, 5)],
     2 / 3, (0.5, 0.5, 0.5), 2 / 3, (0.5, 0.5, 0.5), "eraser.md 3.2; p 1/2, r 1"),
    ("a reversed span has no token: nothing is predicted", [(0, 0, 2)], [(0, 2, 0)],
     0, (0, 0, 0), None, (0, 0, 0), "eraser.md 3.2: the scorer divides by 0; not defined here"),
]  # fmt: skip

# name, truth, scores, auprc, average precision, ROC-AUC (None: not defined), source
SOFT: list[tuple[str, list[int], list[float], float, float | None, float | None, str]] = [
    ("equal scores with 20 % gold", [1, 0, 0, 0, 0], [1, 1, 1, 1, 1], 0.6, 0.2, 0.5, "eraser.md 3.3; (1 + 0.2)/2"),
    ("no gold", [0, 0, 0], [3, 2, 1], 0.5, None, None, "eraser.md 3.3, V with scikit-learn 1.9"),
    ("all gold", [1, 1], [0.2, 0.9], 1, None, None, "eraser.md 3.3"),
    ("gold first", [1, 1, 0, 0], [4, 3, 2, 1], 1, 1, 1, "hand"),
    ("gold last, raw negative scores", [0, 0, 1], [-1, -2, -3], 1 / 6, 1 / 3, 0, "hand: (0 + 1/3)/2; 1/3; 0"),
    ("gold first and third", [1, 0, 1], [3, 2, 1], 0.5 + (0.5 + 2 / 3) / 4, 0.5 + 1 / 3, 0.5,
     "hand: R .5 .5 1, P 1 .5 2/3: 0.5*(1+1)/2 + 0.5*(.5+2/3)/2; 0.5*1 + 0.5*2/3; 1 of 2 pairs"),
]  # fmt: skip

# The worked example at the end of eraser.md 3.4: full {Y .8, N .2}, removed {Y .5, N .5}, only {Y .7, N .3}, label Y.
ANSWER = {
    "comprehensiveness": 0.3,
    "sufficiency": 0.1,
    "comprehensiveness_entropy": -0.1927448,  # H(.8, .2) - H(.5, .5)
    "comprehensiveness_kl": 0.2231436,  # .5 ln(.5/.8) + .5 ln(.5/.2)
    "comprehensiveness_aopc": 0.28,  # removed Y = .8 .7 .6 .4 .1
    "comprehensiveness_aopc_points": [0.0, 0.1, 0.2, 0.4, 0.7],
    "paper": 0.2333333,  # the same sum through 6
}
