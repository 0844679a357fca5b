"""Models that were trained alike: of an aligned model its twin without alignment, and its control on shuffled rationales.

Their cards tell it: everything that was asked of the training is the same but for what makes the twin or the control.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotator.language import _
from annotator.training.card import Card
from annotator.training.loop import FittingOptions

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


def kin_of(name: str, cards: Mapping[str, Card]) -> Kin | None:
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


def why_without_kin(card: Card) -> str:
    """Why nothing is known of a model's twin and control; "" where its card tells how it was trained."""
    if card.asked:
        return ""
    before = _(
        "This model was trained before its card told everything that was asked of its training. So neither a twin without "
        "alignment nor a control on shuffled rationales can be recognised"
    )
    if card.parameters.get("alignment") is None:
        again = _("Train it again to have it stand beside an aligned model.")
        return _("{before}, and it is nobody's twin. {again}", before=before, again=again)
    again = _("Train it again to see what its alignment brought.")
    return _("{before}, or trained with a button here. {again}", before=before, again=again)


def aligned_with(name: str, cards: Mapping[str, Card]) -> tuple[str, ...]:
    """The aligned models that a model says something about: itself, or those whose twin or control it is."""
    of_all = [kin for other in cards if (kin := kin_of(other, cards)) is not None and kin.is_aligned]
    related = tuple(kin.name for kin in of_all if not kin.is_control and name in (kin.name, kin.twin, kin.control))
    return related or tuple(kin.name for kin in of_all if kin.name == name)


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
    model = {name: value for name, value in training["model"].items() if name not in _OF_THE_MACHINE}
    fitting = dict(training["fitting"])
    if fitting["alignment"] is None:
        del fitting["one_in"]
        fitting.pop("task_loss_on", None)
    return {"model": model, "data": training["data"], "fitting": fitting}
