"""What the project's built-in model answers to sets on the screen: what is sufficient, compact and comprehensive for it."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from annotator.attribution.bag_of_words import BagOfWords
from annotator.attribution.base import Input
from annotator.attribution.loading import BUILT_IN
from annotator.domain.instances import Instance
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.rationales import RationaleSet, check_spans
from annotator.errors import NotAllowed, NotFound
from annotator.metrics.ragged import Flags, Floats
from annotator.store import Store
from annotator.store.assignments import holds_instance
from annotator.store.instances import get_instance, project_of_instance
from annotator.store.projects import get_project_by_id
from annotator.store.reviews import reviews_instance
from annotator.usecases.built_in_model import models_folder
from annotator.usecases.rights import require_role

MOST_TOKENS = 60  # of a set whose tokens are taken out one by one
Shown = dict[str, Any]


def preview(store: Store, actor: User, instance_id: int, result: str | None, sets: Sequence[RationaleSet]) -> Shown:
    """What the model answers to the text, to each set alone, to each set less one token, and to the text without the sets.

    result: the label whose probabilities are told; None: the one that the model predicts
    Raises: NotAllowed where the project's rules do not let this person ask; NotFound without a trained model
    """
    project = get_project_by_id(store, project_of_instance(store, instance_id))
    _require_may_ask(store, actor, project, instance_id)
    instance = get_instance(store, instance_id)
    check_spans(sets, instance.layout)
    model = _model(store, project)
    return _Asked(model, instance, result, sets).answer()


def _require_may_ask(store: Store, actor: User, project: Project, instance_id: int) -> None:
    roles = require_role(store, actor, project.id)
    asked = project.settings.model_previews
    if asked == "nobody":
        raise NotAllowed("The lead has switched the model's answers off (Project, Rules).")
    if actor.is_administrator or "lead" in roles:
        return
    number = actor.id or 0
    if "reviewer" in roles and reviews_instance(store, instance_id, number):
        return
    if asked == "annotators" and holds_instance(store, instance_id, number):
        return
    raise NotAllowed(
        "The model's answers are for reviewers of this text; the lead may open them to annotators (Project, Rules)."
    )


def _model(store: Store, project: Project) -> BagOfWords:
    folder = models_folder(store, project) / BUILT_IN
    if not BagOfWords.is_saved(folder):
        raise NotFound(
            "The project has no trained model yet. A researcher or the lead trains one with: annotator attribute "
            f"--project '{project.name}' --model {BUILT_IN} --method linear"
        )
    return _loaded(folder, _changed_at(folder))


def _changed_at(folder: Path) -> int:
    return max((path.stat().st_mtime_ns for path in folder.iterdir()), default=0)


@lru_cache(maxsize=4)
def _loaded(folder: Path, _changed_at_ns: int) -> BagOfWords:
    return BagOfWords.load(folder, name=BUILT_IN)


class _Asked:
    """One question to the model, all changed texts in one batch."""

    def __init__(self, model: BagOfWords, instance: Instance, result: str | None, sets: Sequence[RationaleSet]) -> None:
        self.model = model
        self.result = result
        self.text = Input.of(instance)
        self.sets = [[token for token in s.token_indices if token < self.text.n_selectable] for s in sets]

    def answer(self) -> Shown:
        inputs = [self.text, self._without_sets()]
        for tokens in self.sets:
            inputs.append(self._only(tokens))
            inputs += [self._only([other for other in tokens if other != token]) for token in self._tried(tokens)]
        p = self.model.probabilities(inputs)
        label = self._label(p[0])
        shown: Shown = {"model": self.model.name, "label": label, "full": self._told(p[0], label), "sets": []}
        shown["rest"] = self._told(p[1], label)
        place = 2
        for tokens in self.sets:
            tried = self._tried(tokens)
            less = [[token, self._told(p[place + 1 + n], label)["p"]] for n, token in enumerate(tried)]
            shown["sets"].append(self._told(p[place], label) | {"less": less})
            place += 1 + len(tried)
        return shown

    def _label(self, p: Floats) -> str:
        return self.result if self.result in self.model.labels else self.model.labels[int(np.argmax(p))]

    def _told(self, p: Floats, label: str) -> Shown:
        best = int(np.argmax(p))
        return {"p": round(float(p[self.model.labels.index(label)]), 4), "predicted": self.model.labels[best]}

    @staticmethod
    def _tried(tokens: Sequence[int]) -> Sequence[int]:
        return tokens if 1 < len(tokens) <= MOST_TOKENS else ()

    def _only(self, tokens: Sequence[int]) -> Input:
        return self.text.kept(self._mask(tokens))

    def _without_sets(self) -> Input:
        return self.text.kept(~self._mask([token for tokens in self.sets for token in tokens]))

    def _mask(self, tokens: Sequence[int]) -> Flags:
        mask = np.zeros(self.text.n_selectable, dtype=np.bool_)
        mask[list(tokens)] = True
        return mask
