"""Verdicts that are missing since random attributions of a model were not measured."""

from collections.abc import Iterable, Iterator, Sequence

from annotator.scoring.chance_verdicts import Judged
from annotator.scoring.table import Column, MetricRow
from annotator.usecases.inspect.metric_names import title_in_words


def unmeasured(
    columns: Sequence[tuple[Column, Sequence[Judged]]], rows: Sequence[MetricRow], shown: Iterable[int]
) -> Iterator[tuple[list[str], list[str]]]:
    """Titles of columns, and the models of the rows shown that have no verdict on these; models with the same share a line."""
    titles_by_model: dict[str, dict[str, None]] = {}
    places = list(shown)
    for column, verdicts in columns:
        for at in places:
            if verdicts[at].is_unmeasured:
                titles_by_model.setdefault(rows[at].model, {})[title_in_words(column.definition)] = None
    models_by_titles: dict[tuple[str, ...], list[str]] = {}
    for model, titles in titles_by_model.items():
        models_by_titles.setdefault(tuple(titles), []).append(model)
    for titles_of, models in models_by_titles.items():
        yield list(titles_of), models
