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


# What each rule of a project is called in sentences about its changes.


RULE_NAMES: Mapping[str, str] = {
    "order": unsaid("the order of the texts"),
    "seed": unsaid("the seed of the order"),
    "model_order": unsaid("what comes first"),
    "annotators_per_instance": unsaid("the number of annotators"),
    "reviewers_per_annotation": unsaid("the number of reviewers"),
    "result_mode": unsaid("what annotators do with the label"),
    "may_be_empty": unsaid("whether “no rationale” may be submitted"),
    "sets_may_cross_segments": unsaid("whether sets may cross segments"),
    "required_segments": unsaid("the segments that labels require"),
    "forbidden_segments": unsaid("the segments that labels forbid"),
    "lease_minutes": unsaid("how long a text is kept for somebody"),
    "idle_after_seconds": unsaid("when a pause counts as idle"),
    "sufficiency_threshold": unsaid("the threshold of the sufficiency score"),
    "compactness_threshold": unsaid("the threshold of the compactness score"),
    "comprehensiveness_threshold": unsaid("the threshold of the comprehensiveness score"),
    "are_scores_pooled": unsaid("how scores are averaged"),
    "max_rounds": unsaid("the number of rounds"),
    "away_after_days": unsaid("after how many days work goes to somebody else"),
    "gold_policy": unsaid("the gold policy"),
    "is_exhaustive": unsaid("whether gold is exhaustive"),
    "researchers_see_submitted": unsaid("what researchers see"),
    "model_previews": unsaid("who sees what a model answers"),
    "are_carried_sets_proposed": unsaid("whether gold sets are carried over"),
    "are_first_sets_proposed": unsaid("whether the sets of the first pass are proposed"),
    "proposed_word_lists": unsaid("the word lists that propose sets"),
    "checkers_per_perturbation": unsaid("the number of checkers"),
    "checkers_see_author": unsaid("whether checkers see the author"),
    "perturbations_per_kind": unsaid("the target for each kind"),
    "own_perturbation_kinds": unsaid("the kinds of the project’s own"),
    "preview_method": unsaid("the method for previews"),
    "preview_model": unsaid("the model for previews"),
    "preview_labels": unsaid("the labels of the model for previews"),
    "preview_prompt": unsaid("the prompt for previews"),
    "preview_words": unsaid("the words of labels in it"),
    "import_columns": unsaid("the columns of files"),
    "import_left_columns": unsaid("the columns that are not read"),
    "import_metadata_columns": unsaid("the columns with marks that are metadata"),
    "import_labels": unsaid("the labels of files"),
    "pay_rate": unsaid("what work is paid at"),
}
