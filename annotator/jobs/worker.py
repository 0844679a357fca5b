"""Doing what the queue asks for, one job after another, in this process; what each kind of job does, and says at its end.

A job's use case stores as it goes and does nothing twice, so that a job may be cut off at any moment and begun again.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from annotator.domain.jobs import Job, JobKind, JobState
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.self_explanations import METHOD as SELF_EXPLANATION
from annotator.domain.sufficient_sets import METHOD as SUFFICIENT_SETS
from annotator.errors import AnnotatorError, ModelError, StoreError
from annotator.store import Store, open_store
from annotator.store import jobs as jobs_store
from annotator.store.people import get_user_by_id
from annotator.store.projects import get_project_by_id
from annotator.usecases.background import AskedAttribution, AskedSuite, ask_to_attribute, ask_to_measure, training_of
from annotator.usecases.inspect.measurement import is_out_of_date, measure
from annotator.usecases.inspect.saliency_sets import save_pile_lists
from annotator.usecases.models.alignment_proofs import questions_for_proof
from annotator.usecases.models.attributions import AttributingReport, LoadOptions, attribute, left_out_summary
from annotator.usecases.models.model_places import is_hub_allowed, models_folder, require_allowed_place
from annotator.usecases.models.related_models import aligned_with, cards_in
from annotator.usecases.models.self_explanations import SelfExplanationOptions, explain_self, self_explanation_summary
from annotator.usecases.models.shadow_review import shadow_review, shadow_review_summary
from annotator.usecases.models.sufficient_sets import (
    SufficientOptions,
    ask_itself,
    find_sufficient_sets,
    own_sets_summary,
)
from annotator.usecases.suites.runs import run_suite
from annotator.usecases.training.forecast import report_summary, require_allowed_base
from annotator.usecases.training.transformers import train_transformer

# What each kind of job does, and what it says when it is done. A new kind also needs a migration for its name.


_LEFT_OUT_SHOWN = 3
Progress = Callable[[int, int], None]
Doing = Callable[[Store, User, Project, Job, Progress], str]


def _attribute(store: Store, actor: User, project: Project, job: Job, progress: Progress) -> str:
    request = msgspec.json.decode(job.options, type=AskedAttribution)
    if request.method == SELF_EXPLANATION:
        return _explain_self(store, actor, project, request, progress)
    options = replace(request.options, load=_allowed(store, project, request.model, request.options.load))
    if request.method == SUFFICIENT_SETS:
        return _find_sufficient_sets(store, actor, project, replace(request, options=options), progress)
    report = attribute(store, actor, project, request.model, request.method, options, progress=progress)
    if is_out_of_date(store, project):
        ask_to_measure(store, actor, project)
    if report.n_left_out:
        raise ModelError(_summary(report))  # what is stored stays; but whoever asked did not get what they asked for
    return _summary(report)


def _explain_self(store: Store, actor: User, project: Project, request: AskedAttribution, progress: Progress) -> str:
    if request.asks == "scores":
        reviewed = shadow_review(store, actor, project, request.model, progress=progress)
        if reviewed.n_left_out:
            raise ModelError(_summary(reviewed, shadow_review_summary(reviewed)))
        return shadow_review_summary(reviewed)
    split = request.options.split
    options = SelfExplanationOptions(request.template, split, request.asks == "sets")
    report = explain_self(store, actor, project, request.model, options, progress=progress)
    judged = ask_itself(store, actor, project, request.model, report.model, split, progress=progress)
    done = " ".join([self_explanation_summary(report), *([own_sets_summary(judged)] if judged is not None else [])])
    if is_out_of_date(store, project):
        ask_to_measure(store, actor, project)
    if report.n_left_out:
        raise ModelError(_summary(report, done))
    return done


def _find_sufficient_sets(
    store: Store, actor: User, project: Project, request: AskedAttribution, progress: Progress
) -> str:
    of_request = request.options
    options = SufficientOptions(
        split=of_request.split, renamed=of_request.renamed, load=of_request.load, is_anew=of_request.is_anew,
        sets_of=request.sets_of,
    )  # fmt: skip
    report = find_sufficient_sets(store, actor, project, request.model, options, progress=progress)
    if not request.sets_of:
        save_pile_lists(store, actor, project, report.model, report.parameters)
    n_sets = 0 if report.numbers is None else report.numbers.model.n_sets
    done = f"{counted(n_sets, 'set')} of {counted(report.n_known + report.n_examined, 'text')}, on Saliency."
    if report.n_left_out:
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in report.reasons.items())
        raise ModelError(f"{counted(report.n_left_out, 'text')} left out: {reasons}. {done}")
    return done


def _allowed(store: Store, project: Project, model: str, load: LoadOptions) -> LoadOptions:
    """How a model is loaded, as the server allows it now, whatever stood when the job was asked for."""
    require_allowed_place(model, models_folder(store, project))
    return replace(load, asks_hub=is_hub_allowed())


def _summary(report: AttributingReport, done: str = "") -> str:
    """What was done, in words of its own where it has some, and what was left out."""
    done = done or (
        f"Computed {counted(report.n_attributions, 'attribution')}"
        + (f" and {counted(report.n_answers, 'prediction')}" if report.n_answers else "")
        + (f"; {counted(report.n_known, 'text')} had everything already." if report.n_known else ".")
    )
    if not report.n_left_out:
        return done
    first = " ".join(f"{key}: {reason}" for key, reason in report.left_out[:_LEFT_OUT_SHOWN])
    return f"{left_out_summary(report)} {done} {'The first: ' if report.n_left_out > 1 else ''}{first}"


def _measure(store: Store, actor: User, project: Project, _: Job, progress: Progress) -> str:
    n_runs = measure(store, actor, project, progress=progress)
    return f"{counted(n_runs, 'run was', 'runs were')} measured."


def _suite(store: Store, actor: User, project: Project, job: Job, progress: Progress) -> str:
    request = msgspec.json.decode(job.options, type=AskedSuite)
    options = replace(request.options, load=_allowed(store, project, request.model, request.options.load))
    report = run_suite(store, actor, project, request.suite, request.model, options, progress=progress)
    known = f" {counted(report.n_known, 'test was', 'tests were')} answered before." if report.n_known else ""
    return f"{report.model} answered {counted(report.n_tests, 'test')}, {counted(report.n_texts, 'text')}.{known}"


def _train(store: Store, actor: User, project: Project, job: Job, progress: Progress) -> str:
    request = training_of(job)
    require_allowed_base(store, project, request.options.model.base)
    asks_hub = request.options.model.base is not None and is_hub_allowed()
    options = replace(request.options, model=replace(request.options.model, asks_hub=asks_hub))
    report = train_transformer(store, actor, project, request.name, options, progress=progress)
    return report_summary(report) + _ask_for_proof(store, actor, project, request.name)


def _ask_for_proof(store: Store, actor: User, project: Project, name: str) -> str:
    """Ask for what tells whether an alignment brought anything, beside the twin and the control that there are."""
    questions = [
        question
        for aligned in aligned_with(name, cards_in(models_folder(store, project)))
        for question in questions_for_proof(store, actor, project, aligned)
    ]
    for of in questions:
        ask_to_attribute(store, actor, project, AskedAttribution(of.model, of.method, of.options))
    return " What the alignment brought is being computed; the card tells it then." if questions else ""


KINDS: Mapping[JobKind, Doing] = {"attribute": _attribute, "measure": _measure, "suite": _suite, "train": _train}


_LOOKS_EVERY = 0.3  # seconds
_TELLS_EVERY = 0.5
_IDLE_SECONDS = 60.0
_MOST_STARTS = 3
_GIVEN_UP = (
    "The process that was doing this ended unexpectedly {n} times: it was killed, or the machine has too little memory. What "
    "was stored until then stays. Choose a smaller model, fewer samples or a machine with more memory, and ask for it again."
)


class _Stopped(Exception):
    """Somebody asked the job to stop."""


def work(path: Path, *, idle_seconds: float = _IDLE_SECONDS) -> int:
    """Do the jobs of a database until none came for a while; answers how many were begun.

    idle_seconds: how long it waits for another one, since what it has loaded makes the next one quicker
    """
    n_begun = 0
    idle_since = time.monotonic()
    while True:
        job = _claimed(path)
        if job is not None:
            _do(path, job)
            n_begun += 1
            idle_since = time.monotonic()
        elif time.monotonic() - idle_since >= idle_seconds:
            return n_begun
        else:
            time.sleep(_LOOKS_EVERY)


def release_own(path: Path) -> None:
    """What this process has begun waits again: it is about to end, for no fault of the job."""
    with suppress(StoreError), open_store(path) as store, store.transaction():
        jobs_store.release_jobs_of(store, os.getpid(), is_counted=False)


def _claimed(path: Path) -> Job | None:
    with open_store(path) as store, store.transaction():
        return jobs_store.claim_job(store, os.getpid())


def _do(path: Path, job: Job) -> None:
    """Do a job, and note how it ended. A defect ends the job too, with its name, and not the process."""
    with open_store(path) as store:
        try:
            message = _report(store, path, job)
            state: JobState = "done"
        except _Stopped:
            state, message = (
                "stopped",
                "Stopped. What was stored until then stays; if you ask again, it goes on from there.",
            )
        except AnnotatorError as error:
            state, message = "failed", str(error)
        except Exception as error:  # whoever asked reads its name; the process raises it, so that the log has all of it
            _end(store, job, "failed", f"This is a mistake in the program, not yours: {type(error).__name__}: {error}")
            raise
        _end(store, job, state, message)


def _report(store: Store, path: Path, job: Job) -> str:
    if job.n_starts > _MOST_STARTS:
        raise AnnotatorError(_GIVEN_UP.format(n=_MOST_STARTS))
    with _pulse(path, job) as progress:
        # Who asked, as they are now: somebody who lost the right since is refused by the use case.
        actor = LOCAL_OPERATOR if job.asked_by is None else get_user_by_id(store, job.asked_by)
        return KINDS[job.kind](store, actor, get_project_by_id(store, job.project_id), job, progress)


def _end(store: Store, job: Job, state: JobState, message: str) -> None:
    """Note it; a database that is busy for long (an import writes) is waited for, since the work itself is done."""
    for is_last in (False, False, False, True):
        try:
            with store.transaction():
                jobs_store.end_job(store, job.id, os.getpid(), state, message)
        except StoreError:
            if is_last:
                raise
        else:
            return


@contextmanager
def _pulse(path: Path, job: Job) -> Iterator[Callable[[int, int], None]]:
    """Signs of life while a job is done; what is yielded takes its progress, and raises _Stopped when it is to stop.

    They go over a connection and a thread of their own: the job may be reading one state of the database, or computing long.
    """
    pulse = _Pulse(path, job.id)
    thread = threading.Thread(target=pulse.beat, daemon=True)
    thread.start()
    try:
        yield pulse.take
    finally:
        pulse.is_over.set()
        thread.join()


class _Pulse:
    """How far a job is, from the thread that does it to the thread that tells."""

    def __init__(self, path: Path, job_id: int) -> None:
        self.path = path
        self.job_id = job_id
        self.is_over = threading.Event()
        self.is_to_stop = threading.Event()
        self.progress = (0, 0)

    def take(self, done: int, of: int) -> None:
        self.progress = (done, of)
        if self.is_to_stop.is_set():
            raise _Stopped

    def beat(self) -> None:
        """Tell until it is over, and then once more. A database that is busy or full for a moment is told the next time."""
        is_over = False
        while not is_over:
            is_over = self.is_over.wait(_TELLS_EVERY)
            with suppress(StoreError), open_store(self.path) as store:
                self._tell(store)

    def _tell(self, store: Store) -> None:
        with store.transaction():
            is_ours = jobs_store.note_progress(store, self.job_id, os.getpid(), *self.progress)
        if not is_ours or jobs_store.is_to_stop(store, self.job_id):
            self.is_to_stop.set()
