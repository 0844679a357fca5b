"""What an order of a project could be made of: models with answers, methods, numbers that were measured, splits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.annotate.instance_queue import queue_rows
from annotator.store.instances import split_names
from annotator.store.jobs import open_jobs
from annotator.store.models import list_runs
from annotator.usecases.access.rights import require
from annotator.usecases.queue.members import models_with_answers

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
