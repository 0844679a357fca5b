"""Asking for long work, seeing how far it is, stopping it. The work itself is done by a process of its own (jobs/)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from annotator.attribution.loaders import BUILT_IN, require_known_kind
from annotator.domain.jobs import Job, JobKind
from annotator.domain.people import User, has_right
from annotator.domain.projects import Project
from annotator.domain.self_explanations import METHOD as SELF_EXPLANATION
from annotator.domain.sufficient_sets import METHOD as SUFFICIENT_SETS
from annotator.errors import InvalidValue, NotAllowed
from annotator.language import _, listed, speaking, unknown, unsaid
from annotator.store import Store
from annotator.store import jobs as jobs_store
from annotator.store.people import roles_of
from annotator.usecases.access.rights import require
from annotator.usecases.models.attributions import AttributingOptions, offered_methods
from annotator.usecases.models.built_in_model import built_in_name
from annotator.usecases.models.model_places import models_folder, require_allowed_place, spec_of_trained
from annotator.usecases.models.parameter_words import parameter_words
from annotator.usecases.models.self_explanations import SelfExplanationOptions, require_askable
from annotator.usecases.suites.construction import suite_named
from annotator.usecases.suites.runs import SuiteOptions
from annotator.usecases.training.forecast import check_training, standing_of
from annotator.usecases.training.transformers import TrainingOptions

_ENDED_SHOWN = 5
_LOOKED_THROUGH = 1_000
_NO_MODEL = unsaid(
    "Give a model: built-in, spacy:FOLDER, transformers:FOLDER, transformers-zero-shot:FOLDER or "
    "transformers-writing:FOLDER."
)


Asks = Literal["quotes", "sets", "scores"]


@dataclass(frozen=True, slots=True)
class AskedAttribution:
    """What a job of kind "attribute" computes.

    template, asks: of a self-explanation: the prompt where it is not the standard one, and what the standard one asks for
    sets_of: of sufficient sets: the model whose quoted sets are judged instead
    """

    model: str
    method: str
    options: AttributingOptions
    template: str | None = None
    asks: Asks = "quotes"
    sets_of: str = ""


@dataclass(frozen=True, slots=True)
class AskedSuite:
    """What a job of kind "suite" runs, and on which model."""

    suite: str
    model: str
    options: SuiteOptions


@dataclass(frozen=True, slots=True)
class AskedTraining:
    """What a job of kind "train" trains, and what the model is called."""

    name: str
    options: TrainingOptions


@dataclass(frozen=True, slots=True)
class Queue:
    """The long work of a project: what runs or waits, in order, and what ended lately, the latest first."""

    open: tuple[Job, ...]
    ended: tuple[Job, ...]


def ask_to_attribute(store: Store, actor: User, project: Project, request: AskedAttribution) -> Job:
    """Attributions are to be computed; the same that waits already is answered instead.

    Raises: InvalidValue without a model, for one of no known kind, or for a method that does not exist; NotAllowed for a model
            in a place that the server does not allow
    """
    require(store, actor, project.id, "use models")
    _check_model(store, project, request.model)
    methods = computable()
    if request.method not in methods:
        raise InvalidValue(unknown(_("method"), request.method, listed([*methods])))
    return _add_job(store, actor, project, "attribute", request)


def computable() -> dict[str, str]:
    """What can be computed of a model that answers with labels, with a title for people: attributions, and its own sets."""
    return {**offered_methods(), SUFFICIENT_SETS: _("Sets that are enough (sufficient input subsets)")}


def title_in_words(job: Job) -> str:
    """What a job does, to whom looks at it; it is stored in English, which stays where what was asked cannot be read."""
    try:
        return _title(job.kind, job.options)
    except msgspec.MsgspecError:
        return job.title


def _add_job(store: Store, actor: User, project: Project, kind: JobKind, request: object) -> Job:
    options = msgspec.json.encode(request).decode()
    title = _stored_title(kind, options)
    with store.transaction():
        return jobs_store.add_job(store, project.id, kind, title, options, actor)


@speaking("en")
def _stored_title(kind: JobKind, options: str) -> str:
    return _title(kind, options)


def _title(kind: JobKind, options: str) -> str:
    match kind:
        case "attribute":
            request = msgspec.json.decode(options, type=AskedAttribution)
            if request.method == SELF_EXPLANATION:
                if request.asks == "scores":
                    return _("Shadow review by {model}", model=request.model)
                return _("Self-explanations of {model}", model=request.model)
            methods = computable() | offered_methods(writes=True)
            title = _("{method} of {model}", method=methods.get(request.method, request.method), model=request.model)
            if request.sets_of:
                title = _("{model}, asked about the sets of {other}", model=request.model, other=request.sets_of)
            return listed([title, *_title_details(request.options)])
        case "suite":
            suite = msgspec.json.decode(options, type=AskedSuite)
            return _("Suite '{suite}' on {model}", suite=suite.suite, model=suite.model)
        case "train":
            return _("Training of '{name}'", name=msgspec.json.decode(options, type=AskedTraining).name)
        case "measure":
            return _("Metrics of all models")


def _title_details(options: AttributingOptions) -> list[str]:
    """What tells a job apart from others of its model and method."""
    details = [parameter_words(name, value) for name, value in options.parameters.items()]
    details += [_("faithfulness")] if options.has_faithfulness else []
    return [*details, *([_("normalised AOPC")] if options.is_normalised else [])]


def ask_for_runs(
    store: Store, actor: User, project: Project, request: AskedAttribution, settings: Sequence[Mapping[str, object]]
) -> list[Job]:
    """A job for each of these settings of the method; see `ask_to_attribute`.

    What is to be deleted or trained again is so before the first alone: the others would undo what it computed.
    """
    first, *others = (
        replace(request, options=replace(request.options, parameters=parameters)) for parameters in settings
    )
    later = (replace(other, options=replace(other.options, is_anew=False, trains=False)) for other in others)
    return [ask_to_attribute(store, actor, project, of_run) for of_run in (first, *later)]


def ask_for_built_in(store: Store, actor: User, project: Project) -> Job:
    """The built-in model is to be trained on the present gold, and to answer and explain every text by its own weights."""
    return ask_to_attribute(
        store, actor, project, AskedAttribution(BUILT_IN, "linear", AttributingOptions(trains=True))
    )


def ask_to_explain_self(
    store: Store,
    actor: User,
    project: Project,
    model: str,
    options: SelfExplanationOptions,
    *,
    asks_scores: bool = False,
) -> Job:
    """A language model at the address of this server is to be asked for its answers and its reasons, or for a reviewer's scores.

    Raises: InvalidValue without a model or an address, or for a prompt that cannot be used; NotAllowed for scores where the
            person may not see all annotations
    """
    require(store, actor, project.id, "use models")
    if asks_scores:
        require(store, actor, project.id, "see all annotations")
    require_askable(project, model, options)
    request = AskedAttribution(
        model.strip(),
        SELF_EXPLANATION,
        AttributingOptions(split=options.split),
        options.template,
        "scores" if asks_scores else "sets" if options.asks_sets else "quotes",
    )
    return _add_job(store, actor, project, "attribute", request)


def ask_to_run_suite(store: Store, actor: User, project: Project, request: AskedSuite) -> Job:
    """A suite is to be run on a model.

    Raises: InvalidValue without a model, NotFound for a suite that the project does not have, NotAllowed as above
    """
    require(store, actor, project.id, "use models")
    _check_model(store, project, request.model)
    suite_named(store, project, request.suite)
    return _add_job(store, actor, project, "suite", request)


def _check_model(store: Store, project: Project, spec: str) -> None:
    if not spec.strip():
        raise InvalidValue(_(_NO_MODEL))
    if built_in_name(spec) is None:
        require_known_kind(spec_of_trained(store, project, spec))
    require_allowed_place(spec, models_folder(store, project))


def ask_to_train(store: Store, actor: User, project: Project, request: AskedTraining) -> Job:
    """A model is to be trained; the same that waits or runs already is answered instead.

    Raises: see `check_training`; InvalidValue also where another training of its name waits or runs, or one with other settings
            was stopped and is not to be begun again
    """
    check_training(store, actor, project, request.name, request.options)
    _require_the_same(store, actor, project, request)
    options = msgspec.json.encode(request).decode()
    title = _stored_title("train", options)
    with store.transaction():
        for job in jobs_store.open_jobs(store, project.id):
            if job.kind == "train" and job.options == options and not job.wants_stop:
                return job
            if job.kind == "train" and training_of(job).name == request.name:
                raise InvalidValue(
                    _("Training '{name}' is queued or running. Choose another name, or stop it.", name=request.name)
                )
        return jobs_store.add_job(store, project.id, "train", title, options, actor)


def _require_the_same(store: Store, actor: User, project: Project, request: AskedTraining) -> None:
    """Refuse to go on with other settings than those of the training of this name that was stopped, as its job knows them."""
    if request.options.is_anew or standing_of(store, actor, project, request.name) != "stopped":
        return
    trainings = (training_of(job) for job in jobs_store.ended_jobs(store, project.id, _LOOKED_THROUGH, "train"))
    last = next((other.options for other in trainings if other.name == request.name), request.options)
    if replace(last, is_anew=False) != request.options:
        raise InvalidValue(_("Stopped training '{name}' has other settings. Choose another name.", name=request.name))


def train_again(store: Store, actor: User, project: Project, job_id: int) -> Job:
    """What a training that ended was asked for is asked for once more: it goes on from its last whole epoch."""
    require(store, actor, project.id, "use models")
    job = _job_of(store, project, job_id)
    if job.kind != "train" or job.is_open:
        raise InvalidValue(_("Job {job_id} isn't a finished training.", job_id=job_id))
    return ask_to_train(store, actor, project, training_of(job))


def explains_itself(job: Job) -> bool:
    """Whether a job asks a language model for its own reasons."""
    return (
        job.kind == "attribute" and msgspec.json.decode(job.options, type=AskedAttribution).method == SELF_EXPLANATION
    )


def training_of(job: Job) -> AskedTraining:
    """What a job of kind "train" was asked to do."""
    return msgspec.json.decode(job.options, type=AskedTraining)


def ask_to_measure(store: Store, actor: User, project: Project) -> Job:
    """The numbers of every model are to be made anew."""
    require(store, actor, project.id, "use models")
    with store.transaction():
        return jobs_store.add_job(store, project.id, "measure", _stored_title("measure", "{}"), "{}", actor)


def stop_job(store: Store, actor: User, project: Project, job_id: int) -> None:
    """Stop a job: at once when it waits, else after the batch at hand; what it stored stays.

    Raises: NotAllowed unless it is the person's own, or they manage the project
    """
    require(store, actor, project.id, "use models")
    with store.transaction():
        job = _job_of(store, project, job_id)
        if not may_stop(store, actor, job):
            raise NotAllowed(_("Only {name} or a lead can stop this.", name=job.asked_by_name))
        jobs_store.ask_to_stop(store, job.id)


def _job_of(store: Store, project: Project, job_id: int) -> Job:
    job = jobs_store.get_job(store, job_id)
    if job.project_id != project.id:
        raise InvalidValue(_("No {what} number {number}.", number=job_id, what=_("job")))
    return job


def may_stop(store: Store, actor: User, job: Job) -> bool:
    """Whether it is the person's own, or they manage the project."""
    is_own = actor.id is not None and actor.id == job.asked_by
    return is_own or has_right(actor, roles_of(store, actor, job.project_id), "manage project")


def queue_of(store: Store, actor: User, project: Project, kind: JobKind | None = None) -> Queue:
    """What runs, waits and ended lately in a project. kind: of one kind alone."""
    require(store, actor, project.id, "use models")
    with store.snapshot():
        return Queue(
            tuple(job for job in jobs_store.open_jobs(store, project.id) if kind in (None, job.kind)),
            tuple(jobs_store.ended_jobs(store, project.id, _ENDED_SHOWN, kind)),
        )
