"""What each kind of job does, and what it says when it is done. A new kind also needs a migration for its name."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import msgspec

from annotator.domain.jobs import Job, JobKind
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.self_explanations import METHOD as SELF_EXPLANATION
from annotator.errors import ModelError
from annotator.store import Store
from annotator.usecases.background import AskedAttribution, AskedSuite, ask_to_attribute, ask_to_measure, training_of
from annotator.usecases.inspect.measurement import is_out_of_date, measure
from annotator.usecases.models.alignment_proofs import questions_for_proof
from annotator.usecases.models.attributions import AttributingReport, LoadOptions, attribute, left_out_summary
from annotator.usecases.models.model_places import is_hub_allowed, models_folder, require_allowed_place
from annotator.usecases.models.related_models import aligned_with, cards_in
from annotator.usecases.models.self_explanations import SelfExplanationOptions, explain_self, self_explanation_summary
from annotator.usecases.suites.runs import run_suite
from annotator.usecases.training.forecast import report_summary, require_allowed_base
from annotator.usecases.training.transformers import train_transformer

_LEFT_OUT_SHOWN = 3
Progress = Callable[[int, int], None]
Doing = Callable[[Store, User, Project, Job, Progress], str]


def _attribute(store: Store, actor: User, project: Project, job: Job, progress: Progress) -> str:
    request = msgspec.json.decode(job.options, type=AskedAttribution)
    if request.method == SELF_EXPLANATION:
        return _explain_self(store, actor, project, request, progress)
    options = replace(request.options, load=_allowed(store, project, request.model, request.options.load))
    report = attribute(store, actor, project, request.model, request.method, options, progress=progress)
    if is_out_of_date(store, project):
        ask_to_measure(store, actor, project)
    if report.n_left_out:
        raise ModelError(_report(report))  # what is stored stays; but whoever asked did not get what they asked for
    return _report(report)


def _explain_self(store: Store, actor: User, project: Project, request: AskedAttribution, progress: Progress) -> str:
    options = SelfExplanationOptions(request.template, request.options.split)
    report = explain_self(store, actor, project, request.model, options, progress=progress)
    if is_out_of_date(store, project):
        ask_to_measure(store, actor, project)
    if report.n_left_out:
        raise ModelError(_report(report, self_explanation_summary(report)))
    return self_explanation_summary(report)


def _allowed(store: Store, project: Project, model: str, load: LoadOptions) -> LoadOptions:
    """How a model is loaded, as the server allows it now, whatever stood when the job was asked for."""
    require_allowed_place(model, models_folder(store, project))
    return replace(load, asks_hub=is_hub_allowed())


def _report(report: AttributingReport, done: str = "") -> str:
    """What was done, in words of its own where it has some, and what was left out."""
    done = done or (
        f"Computed {counted(report.n_attributions, 'attribution')} and {counted(report.n_answers, 'answer')}; "
        f"{counted(report.n_known, 'text')} had everything already."
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
