"""The training that comes before the first text of whoever comes in by a door, where the project has one."""

from dataclasses import dataclass

from annotator.store import Store
from annotator.store.qualification.rules import items_for, newest_rules

_NOBODY = 0  # no account has this number: what a worker could be trained on who is not there yet


@dataclass(frozen=True, slots=True)
class TrainingFirst:
    """n_texts: of a try; 0 where no training text can be given, so that nobody comes to work."""

    n_texts: int
    tries: int


def training_first(store: Store, project_id: int) -> TrainingFirst | None:
    """What somebody who comes in does before they get work; None where nothing stands before it."""
    rules = newest_rules(store, project_id, "annotators").rules
    if not rules.is_on:
        return None
    texts = {item.instance_id for item, _n_before in items_for(store, project_id, "annotators", _NOBODY)}
    return TrainingFirst(min(rules.texts, len(texts)), rules.tries)
