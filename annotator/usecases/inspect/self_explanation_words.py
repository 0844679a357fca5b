"""What is to be known of rows that hold a model's own reasons, wherever the table of metrics is shown."""

from collections.abc import Iterable

from annotator.domain.self_explanations import METHOD
from annotator.language import _, listed, unsaid
from annotator.scoring.table import MetricRow

_WORDS = unsaid(
    "{models}: what is scored are words that the model quoted when it was asked for its reasons: what it says of itself, and "
    "never gold. Whether its answer came from them is not known: faithfulness needs probabilities, which such an answer does not "
    "give."
)


def self_explanation_lines(rows: Iterable[MetricRow]) -> list[str]:
    """A line that names the models whose own reasons are among the rows; none where there are none."""
    models = dict.fromkeys(row.model for row in rows if row.method == METHOD)
    return [_(_WORDS, models=listed(list(models)))] if models else []
