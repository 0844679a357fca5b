"""What sentences of the record have in common: values as people write them, and words that may follow."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from annotator.language import _, listed, parted, unsaid

Detail = Mapping[str, Any]
Sentences = Mapping[str, Callable[[Detail], str]]


def values_listed(values: Iterable[object]) -> str:
    """Values in one line."""
    return listed([str(value) for value in values])


def with_note(words: str, note: object) -> str:
    """The words, and a note in brackets where there is one."""
    return _("{words} ({note})", words=words, note=note) if note else words


def with_value(what: str, value: object) -> str:
    """The words, and what they announce where there is anything."""
    return _("{what}: {value}", what=what, value=value) if value else what


def with_more(words: str, more: str) -> str:
    """The words, and what else is to be said, if anything."""
    return _("{words}; {more}", words=words, more=more) if more else words


def in_a_row(words: Iterable[str]) -> str:
    """Several words that belong together, with semicolons between them instead of the stops of those that are sentences.

    >>> in_a_row(["returned round 1", "Set A reaches 3.", "Set B is missing."])
    'returned round 1; Set A reaches 3; Set B is missing'
    """
    return reduce(with_more, (part.rstrip(".。") for part in words))


def value_words(value: object) -> str:
    """A value of JSON as people write it.

    >>> value_words({"a": [1, None], "b": True}), value_words([])
    ('a 1, –; b yes', 'none')
    """
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, Mapping):
        return parted(f"{name} {value_words(inner)}" for name, inner in value.items()) or _("none")
    if isinstance(value, list | tuple):
        return listed([value_words(inner) for inner in value]) or _("none")
    return "–" if value is None else str(value)


def token_words(spans: Sequence[Sequence[int]]) -> str:
    """Tokens by their numbers."""
    return listed([str(start) if end == start + 1 else f"{start}–{end - 1}" for start, end in spans])


# What each rule of a project is called in sentences about its changes: as the field where it is set, if there is one.


RULE_NAMES: Mapping[str, str] = {
    "order": unsaid("text order"),
    "seed": unsaid("Seed"),
    "model_order": unsaid("priority"),
    "annotators_per_instance": unsaid("Annotators per text"),
    "reviewers_per_annotation": unsaid("Reviewers per annotation"),
    "result_mode": unsaid("annotators' handling of the label"),
    "may_be_empty": unsaid("Allow “No rationale in the text”"),
    "sets_may_cross_segments": unsaid("Sets can cross segments"),
    "required_segments": unsaid("segments required by labels"),
    "forbidden_segments": unsaid("segments forbidden by labels"),
    "lease_minutes": unsaid("Reservation (minutes)"),
    "idle_after_seconds": unsaid("Idle (seconds)"),
    "sufficiency_threshold": unsaid("sufficiency score threshold"),
    "compactness_threshold": unsaid("compactness score threshold"),
    "comprehensiveness_threshold": unsaid("comprehensiveness score threshold"),
    "are_scores_pooled": unsaid("Average scores over all sets instead of per set"),
    "max_rounds": unsaid("number of rounds"),
    "away_after_days": unsaid("Absent after (days)"),
    "gold_policy": unsaid("gold policy"),
    "is_exhaustive": unsaid("exhaustive gold"),
    "researchers_see_submitted": unsaid("Researchers see annotations not accepted yet"),
    "proposed_model": unsaid("Model whose sets are suggested"),
    "help_for": unsaid("Help while annotating"),
    "model_previews": unsaid("Who sees predictions for sets"),
    "are_carried_sets_proposed": unsaid("Suggest the original's gold sets for perturbed versions"),
    "are_first_sets_proposed": unsaid("first-pass sets proposed"),
    "proposed_word_lists": unsaid("Word lists that suggest sets"),
    "checkers_per_perturbation": unsaid("Checkers"),
    "checkers_see_author": unsaid("Show authors of perturbed versions to checkers"),
    "perturbations_per_kind": unsaid("target per type"),
    "own_perturbation_kinds": unsaid("Custom types, comma-separated"),
    "preview_method": unsaid("preview method"),
    "preview_model": unsaid("preview model"),
    "preview_labels": unsaid("preview model labels"),
    "preview_prompt": unsaid("preview prompt"),
    "preview_words": unsaid("Label words"),
    "import_columns": unsaid("Columns"),
    "import_left_columns": unsaid("Columns to skip"),
    "import_metadata_columns": unsaid("Marks kept as metadata"),
    "import_labels": unsaid("Labels named differently in the project"),
    "pay_rate": unsaid("pay rates"),
}
