"""What a model answers to sets on the screen (sufficient? compact? comprehensive?), and how they fit stored attributions."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import UNSET, UnsetType

from annotator.attribution.base import Answerer, HasLimit, Input, with_target
from annotator.domain import projects
from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.measurements import Measurement
from annotator.domain.models import Attribution, Output, Prediction
from annotator.domain.people import User
from annotator.domain.texts import RationaleSet, check_spans
from annotator.errors import Conflict, ModelError, NotAllowed, NotFound
from annotator.language import _
from annotator.metrics.ragged import Flags
from annotator.scoring.gold import GoldRow, GoldTable, gold_row
from annotator.scoring.runs import ScoringOptions, score_attributions
from annotator.store import Store
from annotator.store.annotate.assignments import holds_instance, work_in_hand
from annotator.store.annotate.proposals import note_help
from annotator.store.instances import get_instance, project_of_instance
from annotator.store.measurements import measurements_of, runs_with_output
from annotator.store.models import StoredRun, list_runs, outputs_of_run
from annotator.store.projects import get_project_by_id
from annotator.store.review.reviews import find_reviewed_annotation
from annotator.usecases.access.rights import require_role
from annotator.usecases.models.model_trust import Trainings, seen_by, seen_summary
from annotator.usecases.models.preview_models import asking
from annotator.usecases.models.project_model import ProjectModel

# The share of a text that is selected: the project's mean RLR, as it was when a run was measured last.


UNMEASURED = 0.2


def measured_ratios(
    store: Store, project_id: int, run_ids: Iterable[int], n_sides: int, policy: str | None = None
) -> list[float]:
    """One ratio a side, from the first of some runs that was measured, else from any; none where none was.

    policy: measured with the gold of this policy alone
    """
    made = {key: m for key, m in measurements_of(store, project_id).items() if policy in {None, m.gold_policy}}
    ordered: list[Measurement] = [made[run_id] for run_id in run_ids if run_id in made] or list(made.values())
    given = ordered[0].parameters.get("ratios") if ordered else None
    ratios = [float(ratio) for ratio in given] if isinstance(given, list) else []
    return ratios[:n_sides] if len(ratios) >= n_sides else []


# How sets on the screen fit the attributions that are stored of their text: the numbers of the Saliency screen, set by set.


MOST_COMPARED = 3
_RANDOM = "random"  # as a method it is what others are measured by, and tells nothing of a set
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class SetFit:
    """F1 and IoU of a set with the top k, average precision of the ranking against the set; None where undefined."""

    f1: float | None
    iou: float | None
    ap: float | None


@dataclass(frozen=True, slots=True)
class Compared:
    """Sets beside one attribution. k: how many tokens of each side are its top, n: how many the side has."""

    run: int
    model: str
    method: str
    seed: int | None
    layer: int | None
    label: str
    k: tuple[int, ...]
    n: tuple[int, ...]
    sets: tuple[SetFit, ...]


def compare(
    store: Store, project: projects.Project, instance: Instance, result: str | None, sets: Sequence[RationaleSet]
) -> list[Compared]:
    """Each set beside the attributions of the newest methods, or of the one that the lead named; [] where there is none.

    result: the label of which an attribution is taken where there are several; else the first
    """
    if project.settings.preview_method == projects.NO_METHOD:
        return []
    rows = _rows(project, instance, sets)
    if not rows:
        return []
    compared: list[Compared] = []
    for stored in _newest(store, project, instance):
        output = outputs_of_run(store, stored.id, [instance.id]).get(instance.id)
        attribution = _wanted(output.attributions if output is not None else (), result)
        if attribution is not None:
            n_sides = len(rows[0].sides)
            ratios = measured_ratios(store, project.id, [stored.id], n_sides) or [UNMEASURED] * n_sides
            compared.append(_compared(stored, attribution, GoldTable(rows).with_ratios(ratios)))
        if len(compared) == MOST_COMPARED:
            break
    return compared


def _newest(store: Store, project: projects.Project, instance: Instance) -> list[StoredRun]:
    """The first seed of each group of runs that has something for the instance, the group made last first."""
    wanted, with_output = project.settings.preview_method, set(runs_with_output(store, instance.id))
    groups: dict[tuple[str, str, str], list[StoredRun]] = {}
    for stored in list_runs(store, project.id):
        is_wanted = stored.run.method == wanted or (wanted == projects.NEWEST_METHODS and stored.run.method != _RANDOM)
        if is_wanted and stored.id in with_output:
            groups.setdefault(stored.run.group, []).append(stored)
    newest_first = sorted(groups.values(), key=lambda runs: -max(stored.id for stored in runs))
    return [runs[0] for runs in newest_first]


def _wanted(attributions: Sequence[Attribution], result: str | None) -> Attribution | None:
    """Of the last layer, the one of the result on the screen, or of no label, else the first.

    Never chosen by the label that the file gave: an annotator who is to give the label must not learn it from here.
    """
    last = max((a.layer for a in attributions if a.layer is not None), default=None)
    of_layer = [a for a in attributions if a.layer == last]
    fitting = [a for a in of_layer if a.label in {result, ""}]
    return next(iter(fitting or of_layer), None)


def _rows(project: projects.Project, instance: Instance, sets: Sequence[RationaleSet]) -> list[GoldRow]:
    """A row for each set, as if it were the instance's only one."""
    row = gold_row(GoldInstance(instance, (), None), project.task, keep_tokens=False, is_exhaustive=False)
    tokens = [tuple(t for t in rationale_set.token_indices if t < row.n_tokens) for rationale_set in sets]
    return [replace(row, id=number, sets=(of_set,) if of_set else ()) for number, of_set in enumerate(tokens)]


def _compared(stored: StoredRun, attribution: Attribution, table: GoldTable) -> Compared:
    outputs = {row.id: Output(row.id, (), (attribution,)) for row in table.rows}
    scored = score_attributions(table, outputs, {}, attribution.layer, ScoringOptions())
    values = scored.values
    sets = zip(values["sets.best_f1"], values["sets.best_iou"], values["editing.average_precision"], strict=True)
    return Compared(
        stored.id,
        stored.run.model,
        stored.run.method,
        stored.run.seed,
        attribution.layer,
        attribution.label,
        tuple(table.sides.n_selected[0].tolist()),
        tuple(table.sides.lengths[0].tolist()),
        tuple(SetFit(*(None if math.isnan(v) else round(float(v), _DIGITS) for v in of_set)) for of_set in sets),
    )


# What panels are told of sets on the screen (docs/panel.md, "The model's answers"): the field names are those of the message.


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """The probability of the label, and what is predicted; p None: another answer, and nothing is known of this one."""

    p: float | None
    predicted: str


@dataclass(frozen=True, slots=True)
class ShownSetAnswer:
    """The same of a set alone; less: (token, probability without it) for each of its tokens."""

    p: float | None
    predicted: str
    less: tuple[tuple[int, float | None], ...]


@dataclass(frozen=True, slots=True)
class ShownPreview:
    """What a model answers to the text and its sets, and how these fit the attributions that are stored of it.

    model:       None where none could be asked, and the fields from `label` to `sets` are UNSET; trouble: why
    unseen:      how many words of the whole text are past the model's limit
    trust, seen: sentences, of the built-in model alone
    """

    model: str | None
    kind: projects.ModelKind
    trouble: str | None
    label: str | UnsetType = UNSET
    unseen: int | UnsetType = UNSET
    full: ShownAnswer | UnsetType = UNSET
    rest: ShownAnswer | UnsetType = UNSET
    sets: tuple[ShownSetAnswer, ...] | UnsetType = UNSET
    trust: str | UnsetType | None = UNSET
    seen: str | UnsetType | None = UNSET
    attributions: tuple[Compared, ...] = ()


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
    shown = ShownPreview(None, projects.preview_model_kind(project.settings.preview_model), None, attributions=compared)
    try:
        with asking(store, project, is_lead=is_lead) as model:
            shown = _Asked(model, instance, result, sets).answer(shown)
        if shown.kind == "built-in" and shown.model is not None:
            shown = _with_trust(store, project, shown, shown.model, instance.id)
    except (NotFound, ModelError, Conflict) as error:
        if not compared:
            raise
        if project.settings.preview_model != projects.NO_MODEL:
            shown = replace(shown, trouble=str(error))
    _note_look(store, actor, project, instance_id)
    return shown


def _note_look(store: Store, actor: User, project: projects.Project, instance_id: int) -> None:
    """Whoever has the text in hand had help of the model from now on."""
    in_hand = work_in_hand(store, instance_id, actor.id or 0)
    if in_hand is not None:
        with store.transaction():
            note_help(store, in_hand.id, "model", projects.preview_model_name(project.settings.preview_model))


def _with_trust(
    store: Store, project: projects.Project, shown: ShownPreview, model: str, instance_id: int
) -> ShownPreview:
    """How often the model is right about what it did not learn from, and whether it learned from this text."""
    trainings = Trainings.of(store, project.id)
    seen = seen_by(store, trainings, instance_id).get(model)
    return replace(shown, trust=trainings.summary(model), seen=seen_summary(seen))


def _require_may_ask(store: Store, actor: User, project: projects.Project, instance_id: int) -> bool:
    """Whether they are a lead; raises NotAllowed where they may not ask."""
    roles = require_role(store, actor, project.id)
    who_may_ask = project.settings.model_previews
    if who_may_ask == "nobody":
        raise NotAllowed(_("The lead has turned predictions off (Project, Previews)."))
    number = actor.id or 0
    in_hand, holds = work_in_hand(store, instance_id, number), holds_instance(store, instance_id, number)
    if holds and not projects.may_have_help(project, None if in_hand is None else in_hand.arm):
        raise NotAllowed(_("This text is annotated without help."))
    if actor.is_administrator or "lead" in roles:
        return True
    if "reviewer" in roles and find_reviewed_annotation(store, instance_id, number) is not None:
        return False
    if who_may_ask == "annotators" and holds:
        return False
    raise NotAllowed(_("Predictions are for reviewers only (Project, Previews)."))


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
