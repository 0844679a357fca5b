"""What a model answers to sets on the screen (sufficient? compact? comprehensive?), and how they fit stored attributions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from annotator.attribution.base import Answerer, HasLimit, Input, with_target
from annotator.domain.instances import Instance
from annotator.domain.models import Prediction
from annotator.domain.people import User
from annotator.domain.projects import NO_MODEL, Project, preview_model_kind
from annotator.domain.texts import RationaleSet, check_spans
from annotator.errors import Conflict, ModelError, NotAllowed, NotFound
from annotator.language import _
from annotator.metrics.ragged import Flags
from annotator.store import Store
from annotator.store.annotate.assignments import holds_instance
from annotator.store.instances import get_instance, project_of_instance
from annotator.store.projects import get_project_by_id
from annotator.store.review.reviews import reviews_instance
from annotator.usecases.access.rights import require_role
from annotator.usecases.models.model_trust import Trainings, seen_by, seen_summary
from annotator.usecases.models.preview_fit import compare
from annotator.usecases.models.preview_messages import ShownAnswer, ShownPreview, ShownSetAnswer
from annotator.usecases.models.preview_models import asking
from annotator.usecases.models.project_model import ProjectModel

MOST_TOKENS = 60  # of a set whose tokens are taken out one by one
MOST_TRIED = 200  # of all sets together: each is an input more for the model


def preview(
    store: Store, actor: User, instance_id: int, result: str | None, sets: Sequence[RationaleSet]
) -> ShownPreview:
    """What the model answers to the text, to each set alone, to each set less one token, and to the text without the sets;
    and how each set fits the attributions that are stored of the text.

    result: the label whose probabilities are told; None: the one that the model predicts
    Raises: NotAllowed where the project's rules do not let this person ask; NotFound, ModelError or Conflict where there is
            neither an answer nor an attribution: without one of them the other is told, with the reason as `trouble`
    """
    project = get_project_by_id(store, project_of_instance(store, instance_id))
    is_lead = _require_may_ask(store, actor, project, instance_id)
    instance = get_instance(store, instance_id)
    check_spans(sets, instance.layout)
    compared = tuple(compare(store, project, instance, result, sets))
    shown = ShownPreview(None, preview_model_kind(project.settings.preview_model), None, attributions=compared)
    try:
        with asking(store, project, is_lead=is_lead) as model:
            shown = _Asked(model, instance, result, sets).answer(shown)
        if shown.kind == "built-in" and shown.model is not None:
            shown = _with_trust(store, project, shown, shown.model, instance.id)
    except (NotFound, ModelError, Conflict) as error:
        if not compared:
            raise
        if project.settings.preview_model != NO_MODEL:
            shown = replace(shown, trouble=str(error))
    return shown


def _with_trust(store: Store, project: Project, shown: ShownPreview, model: str, instance_id: int) -> ShownPreview:
    """How often the model is right about what it did not learn from, and whether it learned from this text."""
    trainings = Trainings.of(store, project.id)
    seen = seen_by(store, trainings, instance_id).get(model)
    return replace(shown, trust=trainings.summary(model), seen=seen_summary(seen))


def _require_may_ask(store: Store, actor: User, project: Project, instance_id: int) -> bool:
    """Whether they are a lead; raises NotAllowed where they may not ask."""
    roles = require_role(store, actor, project.id)
    who_may_ask = project.settings.model_previews
    if who_may_ask == "nobody":
        raise NotAllowed(_("The lead has switched the model's answers off (Project, Rules)."))
    if actor.is_administrator or "lead" in roles:
        return True
    number = actor.id or 0
    if "reviewer" in roles and reviews_instance(store, instance_id, number):
        return False
    if who_may_ask == "annotators" and holds_instance(store, instance_id, number):
        return False
    raise NotAllowed(
        _("The model's answers are for reviewers of this text; the lead may open them to annotators (Project, Rules).")
    )


class _Asked:
    """One question to the model, all changed texts in one batch."""

    def __init__(
        self, model: ProjectModel, instance: Instance, result: str | None, sets: Sequence[RationaleSet]
    ) -> None:
        self.model = model
        self.result = result
        self.text = Input.of(instance)
        self.sets = [[token for token in s.token_indices if token < self.text.n_selectable] for s in sets]
        self.tried = self._tried()

    def answer(self, shown: ShownPreview) -> ShownPreview:
        """What is shown, with what the model answers."""
        inputs = [self.text, self._without_sets()]
        for tokens, tried in zip(self.sets, self.tried, strict=True):
            inputs.append(self._only(tokens))
            inputs += [self._only([other for other in tokens if other != token]) for token in tried]
        answers = iter(self.model.answers(inputs))
        full, rest = next(answers), next(answers)
        label = self._label(full)
        return replace(
            shown,
            model=self.model.name,
            label=label,
            unseen=self._n_unseen(),
            full=_answer(full, label),
            rest=_answer(rest, label),
            sets=tuple(_set_answer(tried, answers, label) for tried in self.tried),
        )

    def _label(self, full: Prediction) -> str:
        """The label on the screen, where the model knows it; else its own. Of a reading model always its own answer."""
        is_known = not isinstance(self.model.predictor, Answerer) and self.result in self.model.labels
        return (self.result if is_known else full.label) or ""

    def _n_unseen(self) -> int:
        """How many words of the whole text are past the model's limit."""
        predictor = self.model.predictor
        return int((~predictor.seen(self.text)).sum()) if isinstance(predictor, HasLimit) else 0

    def _tried(self) -> list[Sequence[int]]:
        """The tokens of each set that are taken out one by one, in the order of the sets as long as there is room."""
        left = MOST_TRIED
        tried: list[Sequence[int]] = []
        for tokens in self.sets:
            fits = 1 < len(tokens) <= min(MOST_TOKENS, left)
            tried.append(tokens if fits else ())
            left -= len(tokens) if fits else 0
        return tried

    def _only(self, tokens: Sequence[int]) -> Input:
        return self._kept(self._mask(tokens))

    def _without_sets(self) -> Input:
        return self._kept(~self._mask([token for tokens in self.sets for token in tokens]))

    def _kept(self, mask: Flags) -> Input:
        return self.text.kept(with_target(self.model.predictor, self.text, mask))

    def _mask(self, tokens: Sequence[int]) -> Flags:
        mask = np.zeros(self.text.n_selectable, dtype=np.bool_)
        mask[list(tokens)] = True
        return mask


def _set_answer(tried: Sequence[int], answers: Iterator[Prediction], label: str) -> ShownSetAnswer:
    """The next answer, to the set alone, and as many as tokens were tried."""
    alone = _answer(next(answers), label)
    less = tuple((token, _answer(next(answers), label).p) for token in tried)
    return ShownSetAnswer(alone.p, alone.predicted, less)


def _answer(answer: Prediction, label: str) -> ShownAnswer:
    """p: None where the model answers otherwise and says nothing of this label (a reading model)."""
    p = answer.probabilities.get(label)
    return ShownAnswer(None if p is None else round(p, 4), answer.label or "")
