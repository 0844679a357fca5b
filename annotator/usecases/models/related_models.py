"""Models that were trained alike: the twin without alignment, the control on shuffled rationales, and their commands.

Their cards tell it: everything that was asked of the training is the same but for what makes the twin or the control.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, fields
from itertools import count
from pathlib import Path
from typing import Any

from annotator.language import _
from annotator.training.alignment import USUAL_BY, USUAL_STEPS, AlignmentOptions
from annotator.training.card import Card
from annotator.training.loop import FittingOptions
from annotator.training.trainable_models import LSTM_PRESETS, NewModel
from annotator.usecases.models.alignment_gains import OWN

_OF_THE_MACHINE = ("labels", "device", "threads", "asks_hub")  # say nothing of what is learned
NO_RATIONALES = {"source": "gold", "word_lists": [], "share": 100.0, "choice": "random", "confidence_of": []}
_SHUFFLED = "shuffled"


@dataclass(frozen=True, slots=True)
class Kin:
    """A model's relatives among those of its folder. twin, control: None where there is none.

    is_control: it learned from shuffled rationales itself
    """

    name: str
    is_aligned: bool
    is_control: bool
    twin: str | None
    control: str | None


def cards_in(folder: Path) -> dict[str, Card]:
    """The cards of the models in a folder that tell how they were asked for, by name."""
    cards = {path.name: Card.read(path) for path in sorted(folder.glob("*/"))}
    return {name: card for name, card in cards.items() if card is not None and card.asked}


def related_models_of(name: str, cards: Mapping[str, Card]) -> Kin | None:
    """The relatives of a model; None where no card tells how it was trained."""
    if name not in cards:
        return None
    training = cards[name].asked
    is_aligned = training["fitting"]["alignment"] is not None
    is_control = is_aligned and training["data"]["rationales"]["source"] == _SHUFFLED
    return Kin(
        name,
        is_aligned,
        is_control,
        _one_like(cards, without_alignment(training)) if is_aligned else None,
        _one_like(cards, with_shuffled_rationales(training)) if is_aligned and not is_control else None,
    )


def trained_method(names: Iterable[str], cards: Mapping[str, Card]) -> str:
    """The attribution method that models were aligned by; the usual one of those that were not."""
    for name in names:
        alignment = cards[name].asked["fitting"]["alignment"] if name in cards else None
        if alignment is not None:
            by: str = alignment.get("by", USUAL_BY)
            return {"extractor": OWN}.get(by, by)
    return USUAL_BY


def why_without_kin(card: Card) -> str:
    """Why nothing is known of a model's twin and control; "" where its card tells how it was trained."""
    if card.asked:
        return ""
    before = _("This old model's card doesn't identify its baseline or control")
    again = _("Retrain it to compare it.")
    return _("{before}. {again}", before=before, again=again)


def aligned_with(name: str, cards: Mapping[str, Card]) -> tuple[str, ...]:
    """The aligned models that a model says something about: itself, or those whose twin or control it is."""
    every = [models for other in cards if (models := related_models_of(other, cards)) is not None and models.is_aligned]
    related = tuple(
        aligned.name
        for aligned in every
        if not aligned.is_control and name in (aligned.name, aligned.twin, aligned.control)
    )
    return related or tuple(aligned.name for aligned in every if aligned.name == name)


def without_alignment(training: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked of the twin."""
    changed = deepcopy(dict(training))
    usual = FittingOptions()
    changed["fitting"] |= {"alignment": None, "one_in": usual.one_in, "task_loss_on": usual.task_loss_on}
    changed["data"]["rationales"] = dict(NO_RATIONALES)
    return changed


def with_shuffled_rationales(training: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked of the control."""
    changed = deepcopy(dict(training))
    changed["data"]["rationales"]["source"] = _SHUFFLED
    return changed


def _one_like(cards: Mapping[str, Card], training: Mapping[str, Any]) -> str | None:
    wanted = _learned(training)
    return next((name for name, card in cards.items() if _learned(card.asked) == wanted), None)


def _learned(training: Mapping[str, Any]) -> dict[str, Any]:
    """Without what depends on the machine, and of a model that is not aligned without what only alignment reads."""
    of_model = {"keeps_head": False} | training["model"]
    model = {name: value for name, value in of_model.items() if name not in _OF_THE_MACHINE}
    if model.get("vectors") is None:  # as of the rationaliser below
        model.pop("vectors", None)
    fitting = dict(training["fitting"])
    if fitting["alignment"] is not None:  # cards from before know no other methods
        fitting["alignment"] = {"by": USUAL_BY, "steps": USUAL_STEPS} | fitting["alignment"]
    if fitting["alignment"] is None:
        del fitting["one_in"]
        fitting.pop("task_loss_on", None)
    if fitting.get("rationaliser") is None:  # cards from before there was one do not name it
        fitting.pop("rationaliser", None)
    return {"model": model, "data": {"since": None} | training["data"], "fitting": fitting}


# The command that trains the twin or the control of a model, as whoever has its card can write it.


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
        "base": "--base", "keeps_head": "--keep-head", "architecture": "--architecture", "output": "--output",
        "special": "--special-token",
        "too_long": "--too-long", "is_query_first": "--query-first", "device": "--device", "threads": "--threads",
        "asks_hub": "--allow-model-hub", "vectors": "--vectors",
    },
    "data": {"split": "--split", "validation": "--validation", "gold_policy": "--gold-policy", "since": "--since"},
    "rationales": {
        "source": "--rationales", "word_lists": "--word-list", "share": "--share", "choice": "--choose",
        "confidence_of": "--confidence-of",
    },
    "alignment": {
        "criterion": "--align", "form": "--align-form", "over": "--align-over", "strength": "--strength",
        "scale": "--scale", "delta": "--delta", "of_several": "--of-several", "by": "--align-by", "steps": "--align-steps",
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
    words += [
        word for name, of in LSTM_PRESETS.items() if of == given["model"].get("shape") for word in ("--preset", name)
    ]
    if alignment is not None and not alignment["has_graph"]:
        words.append("--no-graph")
    return shlex.join([*words, *(["--folder", str(folder)] if folder is not None else [])])


def _usual() -> dict[str, dict[str, Any]]:
    alignment = {field.name: field.default for field in fields(AlignmentOptions) if field.name != "criterion"}
    return {
        "model": asdict(NewModel(())), "data": {"split": None, "validation": None, "gold_policy": None, "since": None},
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
