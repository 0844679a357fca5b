"""A project's contents as rows of tables: what `annotator.open` gives as DataFrames (docs/api.md lists the columns).

An instance is named by its key and split, tokens by their index in the instance. The columns of what models say are the
fields of our own JSON lines of model output, so that what was taken out can be put in again.
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from annotator.domain.instances import Annotation, GoldInstance, Instance
from annotator.domain.models import StoredOutput
from annotator.domain.sources import facts_of_annotators
from annotator.domain.tasks import Task
from annotator.domain.texts import RationaleSet

Row = dict[str, object]

_TEXTS = ("tokens", "n_selectable", "segments")
_RUN = ("key", "split", "model", "method", "params", "seed")


def instance_columns(task: Task) -> tuple[str, ...]:
    """Columns of `row_of_instance`."""
    links = ("parent", "perturbation_kind", "exhaustive", "target", "metadata")
    return ("key", "split", "language", task.result_kind, "state", "texts", *_TEXTS, *links)


def row_of_instance(instance: Instance, task: Task) -> Row:
    """An instance with its texts by segment, and its tokens."""
    return {
        "key": instance.key,
        "split": instance.split,
        "language": instance.language,
        task.result_kind: instance.result,
        "state": instance.state,
        "texts": {segment.name: segment.body.text for segment in instance.segments},
        **_tokens(instance),
        "parent": instance.parent_key,
        "perturbation_kind": instance.perturbation_kind,
        "exhaustive": instance.is_exhaustive,
        "target": instance.target,
        "metadata": dict(instance.metadata),
    }


def _tokens(instance: Instance) -> Row:
    """tokens: of all segments, selectable ones first; segments: the half-open range of token indices of each."""
    return {
        "tokens": [token for segment in instance.segments for token in segment.body.tokens()],
        "n_selectable": instance.layout.n_selectable,
        "segments": {segment.name: (segment.first_token, segment.end_token) for segment in instance.layout.segments},
    }


def gold_columns(task: Task) -> tuple[str, ...]:
    """Columns of `row_of_gold`."""
    return ("key", "split", "language", task.result_kind, *_TEXTS, "sets", "parent", "perturbation_kind")


def row_of_gold(gold: GoldInstance, task: Task) -> Row:
    """An instance with the sets that count for it: each a list of token indices, in the order of the sets."""
    instance = gold.instance
    return {
        "key": instance.key,
        "split": instance.split,
        "language": instance.language,
        task.result_kind: gold.result,
        **_tokens(instance),
        "sets": _indices(gold.sets),
        "parent": instance.parent_key,
        "perturbation_kind": instance.perturbation_kind,
    }


def _indices(sets: Sequence[RationaleSet]) -> list[list[int]]:
    return [list(rationale_set.token_indices) for rationale_set in sets]


def annotation_columns(task: Task) -> tuple[str, ...]:
    """Columns of `rows_of_annotations`."""
    return ("key", "split", "annotator", "round", "state", task.result_kind, "sets", "note", "created_at", "facts")


def rows_of_annotations(instance: Instance, annotations: Sequence[Annotation], task: Task) -> Iterator[Row]:
    """Each annotation of an instance. facts: what the file that it came from tells of the annotator."""
    facts = facts_of_annotators(instance.metadata)
    for annotation in annotations:
        yield {
            "key": instance.key,
            "split": instance.split,
            "annotator": annotation.annotator,
            "round": annotation.round_number,
            "state": annotation.state,
            task.result_kind: annotation.result,
            "sets": _indices(annotation.sets),
            "note": annotation.note,
            "created_at": annotation.created_at,
            "facts": facts.get(annotation.annotator) or None,
        }


def prediction_columns(task: Task) -> tuple[str, ...]:
    """Columns of `rows_of_predictions`."""
    return (*_RUN, "on", "threshold", task.result_kind, "probabilities")


def rows_of_predictions(stored: StoredOutput, task: Task) -> Iterator[Row]:
    """Each answer; its label is the stated one, else that of the highest probability."""
    for prediction in stored.output.predictions:
        yield {
            **_of_run(stored),
            "on": prediction.on,
            "threshold": prediction.threshold,
            task.result_kind: prediction.label,
            "probabilities": dict(prediction.probabilities) or None,
        }


ATTRIBUTION_COLUMNS = (
    *_RUN,
    "unit",
    "signed",
    "target",
    "layer",
    "scores",
    "partial",
    "ranking",
    "convergence",
    "facts",
)


def rows_of_attributions(stored: StoredOutput) -> Iterator[Row]:
    """Each attribution. scores: one a selectable token, or one a token; NaN where there is none, and then it is partial."""
    for attribution in stored.output.attributions:
        yield {
            **_of_run(stored),
            "unit": stored.run.unit,
            "signed": stored.run.is_signed,
            "target": attribution.label or None,
            "layer": attribution.layer,
            "scores": list(attribution.scores),
            "partial": any(map(math.isnan, attribution.scores)),
            "ranking": None if attribution.ranking is None else list(attribution.ranking),
            "convergence": attribution.convergence,
            "facts": dict(attribution.facts) or None,
        }


RATIONALE_COLUMNS = (*_RUN, "kind", "spans", "ranking", "quotes")


def rows_of_rationales(stored: StoredOutput) -> Iterator[Row]:
    """What runs select without scores. spans: half-open ranges of token indices; ranking: token indices by importance.

    quotes: where the spans are what the model quoted, how many quotes there were, and which are not in the text
    """
    for rationale in stored.output.rationales:
        yield {**_of_run(stored), **asdict(rationale)}


def _of_run(stored: StoredOutput) -> Row:
    return {
        "key": stored.key,
        "split": stored.split,
        "model": stored.run.model,
        "method": stored.run.method,
        "params": json.loads(stored.run.parameters),
        "seed": stored.run.seed,
    }
