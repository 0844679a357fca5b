"""What CheckList's released suite for sentiment expects (Ribeiro et al. 2020), where its cases as JSON do not say it.

Its expectations are functions in Python, which no file of cases holds: the label is null in every DIR test, and in the MFT
tests whose texts may get any label but one. What is written here follows the tests' names and the paper's description.
"""

from collections.abc import Mapping

from annotator.domain.suites import Expectation

LABELS: Mapping[str, str] = {"0": "negative", "1": "neutral", "2": "positive"}
NEUTRAL = "1"
_NOT_NEGATIVE = "not:0"

# By test: what is expected of the probability of the label that is predicted for the original.
DIRECTIONS: Mapping[str, Expectation] = {
    "intensifiers": "not_down",
    "reducers": "not_up",
    '"used to" should reduce': "not_up",
}
NOT_FOR_NEUTRAL = frozenset(
    {"intensifiers", "reducers"}
)  # where the original is predicted neutral, nothing is expected
# By test: the labels, where they are null.
EXPECTED: Mapping[str, str] = {
    "simple negations: not negative": _NOT_NEGATIVE,
    "simple negations: I thought x was negative, but it was not (should be neutral or positive)": _NOT_NEGATIVE,
    "Hard: Negation of negative with neutral stuff in the middle (should be positive or neutral)": _NOT_NEGATIVE,
}
