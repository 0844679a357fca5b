"""The order in which a project gives out its texts, in words too: what it is, could be, would bring, and setting it.

Positions are numbers that are written once, when an order is set: they stay when its model is removed. Nobody loses what they
hold: positions say who gets what next, and nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from annotator.assignment.orders import queue_position, queue_positions
from annotator.domain.people import User
from annotator.domain.project.queue_orders import FirstKind, ModelOrder, QueueOrder
from annotator.domain.projects import Project
from annotator.errors import Conflict, InvalidValue
from annotator.language import _, in_brackets, listed, several, together, unsaid
from annotator.store import Store
from annotator.store.annotate.instance_queue import QueueRow, positions_of, queue_rows, set_queue_positions
from annotator.store.events import Event, add_event, newest_of_actions
from annotator.store.instances import queue_keys, row_of, split_names
from annotator.store.jobs import open_jobs
from annotator.store.measurements import count_annotated_since
from annotator.store.models import list_runs
from annotator.store.projects import get_project_by_id, update_project
from annotator.store.trained_models import ids_learned_from, trainings_of
from annotator.usecases.access.rights import require
from annotator.usecases.gold import require_split
from annotator.usecases.inspect.stale_numbers import has_changed, has_new_answers
from annotator.usecases.queue.rankings import models_with_answers

# An order in words, as the page, commands and the record say it.


Detail = Mapping[str, Any]  # of an event

_FIRST: Mapping[FirstKind, str] = {
    "least confident": unsaid("lowest label probability by {models}"),
    "most confident": unsaid("highest label probability by {models}"),
    "models disagree": unsaid("disagreement of {models}"),
    "label disputed": unsaid("disagreement of {models} with the label"),
    "least plausible": unsaid("least plausible {method} of {models} by {number}"),
    "nothing found": unsaid("nothing found by {models} ({nothing}), random order"),
}


def order_words(order: QueueOrder) -> str:
    """A whole order.

    >>> order_words(QueueOrder("random", 3, ModelOrder("least confident", ("bert",), 15)))
    'first lowest label probability by bert (the first 15 %), then random (seed 3)'
    >>> order_words(QueueOrder())
    'as imported'
    """
    rest = _("as imported") if order.rest == "sequential" else _("random (seed {seed})", seed=order.seed)
    return rest if order.first is None else _("first {first}, then {rest}", first=first_words(order.first), rest=rest)


def first_words(first: ModelOrder) -> str:
    """What comes first."""
    words = _(
        _FIRST[first.kind], models=listed(first.models, "and"), method=first.method, number=_number_words(first),
        nothing=_nothing_words(first)
    )  # fmt: skip
    split = first.split or in_brackets(_("none"))
    share = f"{first.percent:g}"
    if first.percent == 100:
        return words if first.split is None else _("{first} (split {split})", first=words, split=split)
    if first.split is None:
        return _("{first} (the first {share} %)", first=words, share=share)
    return _("{first} (first {share} % of the split {split})", first=words, share=share, split=split)


def _number_words(first: ModelOrder) -> str:
    if first.layer is None:
        return first.number
    return _("{number}, layer {layer}", number=first.number, layer=first.layer)


def _nothing_words(first: ModelOrder) -> str:
    if first.label is None:
        return _("no token selected by {method}", method=first.method)
    return _("the prediction “{label}”", label=first.label)


def order_from(detail: Detail) -> QueueOrder:
    """An order as an event has written it (`dataclasses.asdict`)."""
    first = detail["first"]
    return QueueOrder(
        detail["rest"],
        detail["seed"],
        None if first is None else ModelOrder(**{**first, "models": tuple(first["models"])}),
    )


N_SHOWN = 10
ORDER_TEXTS = "order texts"  # as the record names it
_RULES = frozenset({"order", "seed"})


@dataclass(frozen=True, slots=True)
class NextText:
    """A text that would be given out, and why it comes now; reason "" of one that no model put there."""

    id: int
    key: str
    split: str
    text: str
    label: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What an order would bring.

    revision: of the order that is set now; setting another one with it is refused when somebody was faster
    n_free:   texts that could be given out now; n_known: of them those that have the number; n_first: those that come first
    texts:    the first ten that would be given out
    notes:    sentences about texts without a number, and about the model
    """

    order: QueueOrder
    revision: int
    n_free: int
    n_known: int
    n_first: int
    texts: tuple[NextText, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PresentOrder:
    """The order that is set.

    set_by, set_at: None where nobody changed it since the project was made
    before:         what it was before that
    n_waiting:      texts put first that are still to be given out
    gone:           models that put texts first and of which nothing is stored any more
    is_old:         answers or labels (of plausibility also gold) changed since texts were put first
    """

    order: QueueOrder
    revision: int
    set_by: str | None
    set_at: str | None
    before: QueueOrder | None
    n_waiting: int
    gone: tuple[str, ...]
    is_old: bool


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Instances that come first, in their order; of each its reason; how many of the free ones have a number."""

    ids: Sequence[int] = ()
    reason: Callable[[int], str] = lambda _: ""
    n_known: int = 0
    notes: tuple[str, ...] = ()


def present_order(store: Store, actor: User, project_id: int) -> PresentOrder:
    """The order that is set now, for the project's lead."""
    require(store, actor, project_id, "manage project")
    project = get_project_by_id(store, project_id)
    event = _last_change(store, project_id)
    first = project.settings.model_order
    known = models_with_answers(store, project) if first else {}
    detail = event.detail if event is not None and event.action == ORDER_TEXTS else {}
    return PresentOrder(
        order=project.settings.queue_order,
        revision=0 if event is None else event.id,
        set_by=None if event is None else event.actor,
        set_at=None if event is None else event.at,
        before=order_from(cast("Detail", detail["before"])) if "before" in detail else None,
        n_waiting=_n_waiting_first(store, project_id) if first else 0,
        gone=tuple(model for model in first.models if model not in known) if first else (),
        is_old=bool(first and event and _has_changed(store, project_id, first, event)),
    )


def preview_order(store: Store, actor: User, project_id: int, order: QueueOrder) -> Preview:
    """What an order would bring; nothing changes.

    Raises: as `set_order`
    """
    require(store, actor, project_id, "manage project")
    return _plan(store, project_id, order)[1]


def set_order(store: Store, actor: User, project_id: int, order: QueueOrder, *, revision: int | None = None) -> Preview:
    """Give texts their positions anew; answers what comes now. What people hold stays with them.

    What it takes is read and worked out before anybody has to wait; the positions are written in one transaction.

    revision: of the order that was shown to whoever sets this one; None: whatever it is
    Raises: Conflict where another order was set since that revision; NotFound for a model, a method, a number or a split that is
            not there; InvalidValue where the answers do not have what the order takes, or no waiting text would come first
    """
    require(store, actor, project_id, "manage project")
    drawn, preview = _plan(store, project_id, order)
    if order.first is not None and not preview.n_first:
        raise InvalidValue(together(_("No waiting text would come first."), *preview.notes))
    with store.transaction():
        require(store, actor, project_id, "manage project")
        _check_revision(store, project_id, preview.revision if revision is None else revision)
        project = get_project_by_id(store, project_id)
        former = project.settings.queue_order
        set_queue_positions(
            store, project_id, queue_positions(order.rest, order.seed, queue_keys(store, project_id), drawn.ids)
        )
        settings = replace(project.settings, order=order.rest, seed=order.seed, model_order=order.first)
        update_project(store, replace(project, settings=settings))
        add_event(
            store, actor.name, ORDER_TEXTS, "project", project_id, project_id=project_id,
            order=asdict(order), before=asdict(former), first=len(drawn.ids),
        )  # fmt: skip
    return preview


def _plan(store: Store, project_id: int, order: QueueOrder) -> tuple[_Drawn, Preview]:
    """What comes first, and what that means, as of one moment."""
    with store.snapshot():
        rows = queue_rows(store, project_id)
        drawn = _draw(store, get_project_by_id(store, project_id), order, rows)
        event = _last_change(store, project_id)
        texts = _next_texts(store, order, rows, drawn)
    free = {row.id for row in rows if row.is_free}
    n_first = sum(number in free for number in drawn.ids)
    revision = 0 if event is None else event.id
    return drawn, Preview(order, revision, len(free), drawn.n_known, n_first, texts, drawn.notes)


def _draw(store: Store, project: Project, order: QueueOrder, rows: Sequence[QueueRow]) -> _Drawn:
    """Which instances come first."""
    if order.first is None:
        return _Drawn()
    import numpy as np  # noqa: PLC0415  (the server starts without it)

    from annotator.assignment.ranks import first_rows  # noqa: PLC0415
    from annotator.metrics.er_test_alignment import n_chosen  # noqa: PLC0415
    from annotator.usecases.queue.rankings import rank  # noqa: PLC0415

    require_split(store, [project], order.first.split)
    texts = [row for row in rows if order.first.split in {None, row.split}]
    if not texts:
        return _Drawn(notes=(_("No text for a model to put first."),))
    ranked = rank(store, project, order.first, texts)
    is_free = np.array([text.is_free for text in texts], dtype=np.bool_)
    n_known = int((is_free & ~np.isnan(ranked.keys[0])).sum())
    ties = np.array([queue_position("random", order.seed, 0, t.key, t.split) for t in texts], dtype=np.int64)
    first = first_rows(ranked.keys, ties, is_free, n_chosen(n_known, order.first.percent))
    columns = {text.id: column for column, text in enumerate(texts)}
    remarks = [remark.sentence(is_free) for remark in ranked.remarks]
    notes = [*remarks, ranked.warning, *_training_notes(store, project.id, order.first.models, texts)]
    return _Drawn(
        [texts[column].id for column in first.tolist()],
        lambda instance_id: ranked.reason(columns[instance_id]),
        n_known,
        tuple(filter(None, notes)),
    )


def _training_notes(store: Store, project_id: int, models: Sequence[str], texts: Sequence[QueueRow]) -> list[str]:
    """Of models that were trained here: on how many of the waiting texts, and how many were annotated since."""
    notes = []
    trainings = trainings_of(store, project_id)
    for training in (trainings[model] for model in models if model in trainings):
        learned = ids_learned_from(store, training.id)
        n_learned = sum(text.is_free and text.id in learned for text in texts)
        if n_learned:
            notes.append(
                _(
                    "{model} was trained on {n} waiting texts and may be overconfident there.",
                    model=training.model,
                    n=f"{n_learned:,}",
                )
            )
        n_since = count_annotated_since(store, project_id, training.trained_at)
        if n_since:
            notes.append(
                several(
                    "{n} text was annotated after {model} was trained. Retrain it first.",
                    "{n} texts were annotated after {model} was trained. Retrain it first.",
                    n_since,
                    model=training.model,
                )
            )
    return notes


def _next_texts(store: Store, order: QueueOrder, rows: Sequence[QueueRow], drawn: _Drawn) -> tuple[NextText, ...]:
    """The first that would be given out, to somebody who has seen none of them."""
    names = [(row.id, row.key, row.split) for row in rows]
    positions = queue_positions(order.rest, order.seed, names, drawn.ids)
    first = set(drawn.ids)
    waiting = sorted((row for row in rows if row.is_free), key=lambda row: positions[row.id])[:N_SHOWN]
    return tuple(
        NextText(
            row.id, row.key, row.split, row_of(store, row.id).excerpt, row.result,
            drawn.reason(row.id) if row.id in first else "",
        )
        for row in waiting
    )  # fmt: skip


def _n_waiting_first(store: Store, project_id: int) -> int:
    positions = positions_of(store, project_id)
    return sum(row.is_free and positions[row.id] < 0 for row in queue_rows(store, project_id))


def _last_change(store: Store, project_id: int) -> Event | None:
    """The event that set the present order; None where nobody did since the project was made."""
    events = newest_of_actions(store, project_id, [ORDER_TEXTS, "change"])
    return next((event for event in events if event.action == ORDER_TEXTS or _changes_order(event)), None)


def _has_changed(store: Store, project_id: int, first: ModelOrder, event: Event) -> bool:
    """Whether the numbers may be others than at an event; of gold they are of plausibility alone."""
    changes = has_changed if first.kind == "least plausible" else has_new_answers
    return changes(store, project_id, event.id)


def _changes_order(event: Event) -> bool:
    settings = event.detail.get("settings")
    return isinstance(settings, list) and not _RULES.isdisjoint(settings)


def _check_revision(store: Store, project_id: int, revision: int) -> None:
    event = _last_change(store, project_id)
    if event is not None and event.id != revision:
        raise Conflict(
            _("Not saved: {name} changed this meanwhile. Copy your changes, reload and redo them.", name=event.actor)
        )


# What an order of a project could be made of: models with answers, methods, numbers that were measured, splits.


_GIVES_ANSWERS = frozenset({"attribute", "train"})
_RANDOM = "random"  # a method that stands for chance, and finds nothing


@dataclass(frozen=True, slots=True)
class OrderChoices:
    """What there is to choose from.

    models:   with stored answers to whole texts, by name, with how many seeds
    methods:  of models with stored attributions or rationales: (model, method)
    measured: plausibilities that were measured: (model, method, layer, metric)
    splits:   of the project's texts; empty where there is one alone
    n_free:   texts that wait to be given out
    answers_come: whether a model is computing some now, or waits for its turn
    """

    models: Mapping[str, int]
    methods: Sequence[tuple[str, str]]
    measured: Sequence[tuple[str, str, int | None, str]]
    splits: Sequence[str]
    n_free: int
    answers_come: bool


def choices_of(store: Store, actor: User, project: Project) -> OrderChoices:
    """For the project's lead."""
    require(store, actor, project.id, "manage project")
    from annotator.usecases.queue.rankings import measured_numbers  # noqa: PLC0415  (NumPy: the server starts without it)

    runs = [stored.run for stored in list_runs(store, project.id)]
    methods = dict.fromkeys((run.model, run.method) for run in runs if run.method not in {"", _RANDOM})
    splits = sorted(split_names(store, [project.id]))
    return OrderChoices(
        models={model: len(seeds) for model, seeds in models_with_answers(store, project).items()},
        methods=list(methods),
        measured=list(dict.fromkeys(number for number in measured_numbers(store, project) if number[1] != _RANDOM)),
        splits=splits if len(splits) > 1 else [],
        n_free=sum(row.is_free for row in queue_rows(store, project.id)),
        answers_come=any(job.kind in _GIVES_ANSWERS for job in open_jobs(store, project.id)),
    )
