"""The command that trains the twin or the control of a model, as whoever has its card can write it."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from itertools import count
from pathlib import Path
from typing import Any

from annotator.training.alignment import AlignmentOptions
from annotator.training.card import Card
from annotator.training.loop import FittingOptions
from annotator.training.trainable_models import NewModel
from annotator.usecases.models.trained_kin import NO_RATIONALES, with_shuffled_rationales, without_alignment

_LONGEST = 50  # of a name that gets a word behind it; 61 letters make a name


def control_command(card: Card, cards: Mapping[str, Card], folder: Path | None = None) -> str:
    """The command that trains a model's control. folder: where the models lie, if not among the project's."""
    return _command(
        card, with_shuffled_rationales(card.asked), _free(f"{card.name[:_LONGEST]}-shuffled", cards), folder
    )


def twin_command(card: Card, cards: Mapping[str, Card], folder: Path | None = None) -> str:
    """The command that trains a model's twin without alignment."""
    return _command(card, without_alignment(card.asked), _free(f"{card.name[:_LONGEST]}-none", cards), folder)


def _free(wanted: str, taken: Mapping[str, Card]) -> str:
    return next(name for n in count(1) if (name := wanted if n == 1 else f"{wanted}-{n}") not in taken)


_OF_CHOICES = frozenset({"--choose", "--task-loss-on"})  # whose values have blanks, which commands write as hyphens

# The option of `annotator train` for each that may be training for; a test trains what they say.
_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "model": {
        "base": "--base", "architecture": "--architecture", "output": "--output", "special": "--special-token",
        "too_long": "--too-long", "is_query_first": "--query-first", "device": "--device", "threads": "--threads",
        "asks_hub": "--allow-model-hub",
    },
    "data": {"split": "--split", "validation": "--validation", "gold_policy": "--gold-policy"},
    "rationales": {
        "source": "--rationales", "word_lists": "--word-list", "share": "--share", "choice": "--choose",
        "confidence_of": "--confidence-of",
    },
    "alignment": {
        "criterion": "--align", "form": "--align-form", "over": "--align-over", "strength": "--strength",
        "scale": "--scale", "delta": "--delta", "of_several": "--of-several",
    },
    "fitting": {
        "one_in": "--one-in", "task_loss_on": "--task-loss-on", "epochs": "--epochs", "patience": "--patience",
        "learning_rate": "--learning-rate", "batch_size": "--batch-size", "weight_decay": "--weight-decay",
        "warm_up": "--warm-up", "balances_labels": "--balance", "seed": "--seed",
    },
}  # fmt: skip


def _command(card: Card, training: Mapping[str, Any], name: str, folder: Path | None) -> str:
    words = ["annotator", "train", "--project", str(card.data["project"]), "--name", name]
    usual = _usual()
    alignment = training["fitting"]["alignment"]
    given = {
        "model": training["model"],
        "data": training["data"],
        "alignment": alignment or {},
        "rationales": training["data"]["rationales"],
        "fitting": training["fitting"],
    }
    for part, values in given.items():
        for option, written in _OPTIONS[part].items():
            if option in values and values[option] != usual[part].get(option):
                words += _words(written, values[option])
    if alignment is not None and not alignment["has_graph"]:
        words.append("--no-graph")
    return shlex.join([*words, *(["--folder", str(folder)] if folder is not None else [])])


def _usual() -> dict[str, dict[str, Any]]:
    alignment = {field.name: field.default for field in fields(AlignmentOptions) if field.name != "criterion"}
    return {
        "model": asdict(NewModel(())), "data": {"split": None, "validation": None, "gold_policy": None},
        "alignment": alignment, "rationales": dict(NO_RATIONALES), "fitting": asdict(FittingOptions()),
    }  # fmt: skip


def _words(option: str, value: Any) -> Iterator[str]:
    """An option as it is written; once for each of several values, and alone where it is only said or not.

    >>> list(_words("--choose", "least confident")), list(_words("--strength", 1.0)), list(_words("--balance", True))
    (['--choose', 'least-confident'], ['--strength', '1'], ['--balance'])
    """
    for item in value if isinstance(value, list) else [value]:
        yield option
        match item:
            case bool():
                pass
            case float():
                yield f"{item:g}" if float(f"{item:g}") == item else repr(item)
            case _:
                yield str(item).replace(" ", "-") if option in _OF_CHOICES else str(item)
