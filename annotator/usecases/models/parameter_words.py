"""The parameters of attribution methods in words: their names and values are stored as methods declare them."""

import json

from annotator.language import _, listed, unsaid

_NAMES = {
    "attention": unsaid("attention"), "baseline": unsaid("baseline"), "evaluations": unsaid("evaluations"),
    "features": unsaid("features"), "fixed_threshold": unsaid("fixed threshold"), "from": unsaid("from"),
    "heads": unsaid("heads"), "kernel_width": unsaid("kernel width"), "layer": unsaid("layer"),
    "longest": unsaid("longest"), "magnitude": unsaid("magnitude"), "merge": unsaid("merge"),
    "output": unsaid("output"), "penalty": unsaid("penalty"), "perturbed": unsaid("perturbed"),
    "prompt": unsaid("prompt"), "query_first": unsaid("query first"), "removal": unsaid("removal"),
    "rule": unsaid("rule"), "samples": unsaid("samples"), "search": unsaid("search"), "sets_of": unsaid("sets of"),
    "steps": unsaid("steps"), "threshold": unsaid("threshold"), "too_long": unsaid("too long"),
}  # fmt: skip
_VALUES = {
    "all": unsaid("all"), "blank": unsaid("blank"), "constant": unsaid("constant"), "continue": unsaid("continue"),
    "cover": unsaid("cover"), "cut": unsaid("cut"), "default": unsaid("default"), "delete": unsaid("delete"),
    "embeddings": unsaid("embeddings"), "exact": unsaid("exact"), "first": unsaid("first"), "last": unsaid("last"),
    "mask": unsaid("mask"), "max": unsaid("max"), "mean": unsaid("mean"), "none": unsaid("none"),
    "piece": unsaid("subword"), "probability": unsaid("probability"), "question": unsaid("question"),
    "refuse": unsaid("refuse"), "side": unsaid("side"), "signed max": unsaid("signed max"), "sum": unsaid("sum"),
    "target": unsaid("target"), "windows": unsaid("windows"), "word": unsaid("word"), "zero": unsaid("zero"),
}  # fmt: skip


def parameter_words(name: str, value: object) -> str:
    """A parameter with its value, from JSON.

    >>> parameter_words("kernel_width", 25), parameter_words("too_long", "refuse")
    ('kernel width 25', 'too long refuse')
    """
    return _("{parameter} {value}", parameter=_(_NAMES.get(name, name.replace("_", " "))), value=value_words(value))


def choice_words(value: str) -> str:
    """A value that can be chosen; what models and libraries call by a name of their own stays.

    >>> choice_words("mean"), choice_words("logit")
    ('mean', 'logit')
    """
    return _(_VALUES.get(value, value))


def value_words(value: object) -> str:
    """A parameter's value, from JSON, as people write it.

    >>> [value_words(value) for value in (None, True, 500, 0.001, "all", [1, "b"])]
    ['not set', 'yes', '500', '0.001', 'all', '1, b']
    """
    if value is None:
        return _("not set")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return listed([value_words(part) for part in value])
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return choice_words(str(value))
