"""Computing attributions from the page: the fields of each method, the project's long work, numbers up to date."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.jobs import Job, JobKind
from annotator.domain.projects import Project
from annotator.domain.sufficient_sets import METHOD as SUFFICIENT_SETS
from annotator.errors import InvalidValue
from annotator.language import _, unsaid
from annotator.scoring.sufficient_sets import SufficientNumbers
from annotator.usecases.background import (
    AskedAttribution,
    ask_for_runs,
    ask_to_measure,
    computable,
    may_stop,
    queue_of,
    stop_job,
    title_in_words,
)
from annotator.usecases.databases import Store
from annotator.usecases.inspect.measurement import is_measured, is_out_of_date
from annotator.usecases.inspect.saliency_sets import (
    has_sets,
    pile_rows,
    question_rows,
    set_numbers,
    set_ways,
    summary,
    way_words,
)
from annotator.usecases.models import attributions
from annotator.usecases.models.parameter_words import choice_words
from annotator.usecases.models.self_explanations import models_that_gave_sets
from annotator.usecases.training.forecast import last_event
from annotator.web.buttons import pressed
from annotator.web.cached_numbers import cache_of
from annotator.web.frame import as_text, refusals_shown
from annotator.web.sections import labels as model_labels
from annotator.web.sections.tables import choose, show_numbers
from annotator.web.session import Visit, current_visit, database_path, page_store, shown_time

# The long work of a project: what runs and waits, with a way to stop it, and what came of the last.


_LOOKS_EVERY = 1.0  # seconds, while something runs
_KEPT = unsaid("Results so far are kept; the next run resumes there.")
_ICONS = {"done": ":material/check_circle:", "failed": ":material/error:", "stopped": ":material/stop_circle:"}


def show_open(store: Store, visit: Visit, project: Project, where: str = "") -> bool:
    """What runs and waits, kept up to date while one looks; answers whether there is anything. The page runs anew at its end.

    where: names a second place of a page where it is shown, too
    """
    jobs = queue_of(store, visit.user, project).open
    if jobs:
        _open_jobs(project, where)
    return bool(jobs)


@st.fragment(run_every=_LOOKS_EVERY)
def _open_jobs(project: Project, where: str) -> None:
    with page_store() as store:
        visit = current_visit(store)
        jobs = queue_of(store, visit.user, project).open
        for job in jobs:
            _show_one(store, visit, project, job, where)
    if not jobs:
        st.rerun(scope="app")


def _show_one(store: Store, visit: Visit, project: Project, job: Job, where: str) -> None:
    bar, button = st.columns([6, 1], vertical_alignment="center")
    bar.progress(min(job.n_done / max(job.n_of, 1), 1.0), as_text(_how_far(job)))
    if not may_stop(store, visit.user, job):
        return
    if pressed(_("Stop"), container=button, key=f"stop_job_{where}{job.id}", width="stretch", disabled=job.wants_stop,
                     help=_(_KEPT)):  # fmt: skip
        with refusals_shown():
            stop_job(store, visit.user, project, job.id)


def _how_far(job: Job) -> str:
    if job.state == "waiting":
        return _("{job}: queued", job=title_in_words(job))
    if job.wants_stop:
        return _("{job}: stopping …", job=title_in_words(job))
    if job.n_of == 0:
        return _("{job}: starting", job=title_in_words(job))
    if job.kind == "train":
        return _("{job}: step {n} of up to {all}", job=title_in_words(job), n=f"{job.n_done:,}", all=f"{job.n_of:,}")
    return _("{job}: {n} of {all}", job=title_in_words(job), n=f"{job.n_done:,}", all=f"{job.n_of:,}")


def show_ended(store: Store, visit: Visit, project: Project) -> None:
    """What came of the last work, the latest first."""
    for job in queue_of(store, visit.user, project).ended:
        show_line(job)


def show_line(job: Job) -> None:
    """What came of a job that ended."""
    when = shown_time(job.ended_at) if job.ended_at else ""
    st.markdown(f"{_ICONS[job.state]} {as_text(f'{title_in_words(job)} ({job.asked_by_name}, {when}): {job.told}')}")


def ended(store: Store, visit: Visit, project: Project, kind: JobKind | None = None) -> tuple[Job, ...]:
    """The last work that ended, the latest first. kind: of one kind alone."""
    return queue_of(store, visit.user, project, kind).ended


def last_ended(store: Store, visit: Visit, project: Project) -> str:
    """What changes whenever long work has ended; "" before the first."""
    return next((f"{job.id} {job.ended_at}" for job in queue_of(store, visit.user, project).ended), "")


# The fields of a method's own parameters, generated from what the method declares.


_TITLES = {  # of the parameters that a method may declare, by what is stored
    "attention": unsaid("Attention"),
    "baseline": unsaid("Baseline"),
    "evaluations": unsaid("Evaluations"),
    "features": unsaid("Features"),
    "from": unsaid("From"),
    "heads": unsaid("Heads"),
    "kernel_width": unsaid("Kernel width"),
    "layer": unsaid("Layer"),
    "magnitude": unsaid("Magnitude"),
    "merge": unsaid("Merge"),
    "output": unsaid("Output"),
    "penalty": unsaid("Penalty"),
    "perturbed": unsaid("Perturbed"),
    "rationale": unsaid("Rationale"),
    "removal": unsaid("Removal"),
    "samples": unsaid("Samples"),
    "steps": unsaid("Steps"),
    "vectors": unsaid("Vectors"),
    "weights": unsaid("Weights"),
}

Settings = dict[str, attributions.Value]


def ask(method: str) -> list[Settings] | None:
    """What was chosen, one for each run that is wanted; None where a field cannot be read.

    Only what differs from the method's defaults is told, so that the same choice is the same run.
    """
    parameters = attributions.offered_parameters(method)
    with st.container(horizontal=True, gap="small"):
        given = [(parameter, _field(method, parameter)) for parameter in parameters]
    try:
        values = [_read(parameter, text) for parameter, text in given]
    except InvalidValue as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return None
    return [_settings(parameters, chosen) for chosen in product(*values)]


def _settings(parameters: tuple[attributions.Parameter, ...], chosen: tuple[attributions.Value, ...]) -> Settings:
    pairs = zip(parameters, chosen, strict=True)
    return {parameter.name: value for parameter, value in pairs if value != _start(parameter)}


def _start(parameter: attributions.Parameter) -> attributions.Value:
    """What stands in the field at first; where the model decides, the word for that."""
    default = parameter.default
    return default if isinstance(default, str | int) else attributions.FOLLOWS_MODEL


def _field(method: str, parameter: attributions.Parameter) -> attributions.Value:
    title, says = _(_TITLES[parameter.name]), _(parameter.says)
    key, start = f"compute_{method}_{parameter.name}", _start(parameter)
    if not parameter.choices:
        help_words = as_text(_("{says}. Allowed: {may_be}.", says=says, may_be=parameter.may_be))
        return st.number_input(title, parameter.least, None, int(start), key=key, help=help_words, width=200)
    if parameter.is_number:
        sentence = _("{says}. Allowed: {may_be}, comma-separated.", says=says, may_be=parameter.may_be)
        return st.text_input(title, str(start), key=key, help=as_text(sentence), width=200)
    options = dict.fromkeys((str(start), *parameter.choices))
    return st.selectbox(
        title, list(options), list(options).index(str(start)), key=key, help=as_text(_("{says}.", says=says)),
        width=200, format_func=choice_words,
    )  # fmt: skip


def _read(parameter: attributions.Parameter, given: attributions.Value) -> list[attributions.Value]:
    """The values of a field: one, or of a text with commas several."""
    parts = [part.strip() for part in str(given).split(",")]
    known = [part for part in parts if part] or [str(_start(parameter))]
    values: list[attributions.Value] = [part if part == _start(parameter) else parameter.read(part) for part in known]
    return list(dict.fromkeys(values))


_NEXT = unsaid("Runs in the background; you can close this page.")

_ZERO_SHOT, _WRITING = "transformers-zero-shot:", "transformers-writing:"

_TOO_LONG: dict[attributions.TooLong, str] = {
    "refuse": unsaid("skip"),
    "cut": unsaid("truncate the end"),
    "windows": unsaid("use windows"),
}


def show(store: Store, visit: Visit, project: Project) -> None:
    """Choose a model and a method; it goes into the queue. Below: what came of the last."""
    request = _asked(store, visit, project)
    settings = ask(request.method)
    labels_said = model_labels.ask(store, visit, project, request.model, key="compute_labels", may_delete=True)
    st.caption(_(_NEXT))
    show_open(store, visit, project, where="compute")
    is_lacking = labels_said is None or settings is None
    is_pressed = pressed(
        _("Compute"), type="primary", key="compute_go", icon=":material/play_arrow:", disabled=is_lacking
    )
    if is_pressed and labels_said is not None and settings is not None:
        options = replace(request.options, renamed=labels_said.renamed, is_anew=labels_said.is_anew)
        request = replace(request, options=options)
        with refusals_shown():
            ask_for_runs(store, visit.user, project, request, settings)
            st.rerun()
    show_ended(store, visit, project)
    _show_set_numbers(store, visit, project)


# A model's own sets over all texts, once there are some (docs/sufficient.md).


def _show_set_numbers(store: Store, visit: Visit, project: Project) -> None:
    """The reviewers' three questions, the piles and how the sets match; counted only while the part is open."""
    if not has_sets(store, visit.user, project):
        return
    part = st.expander(
        _("Sets that are enough: all texts"), icon=":material/table:", key="sets_open", on_change="rerun"
    )
    if not part.open:
        return
    with part:
        ways = set_ways(store, visit.user, project)
        way = next(iter(ways))
        if len(ways) > 1:
            way = st.selectbox(_("Model"), list(ways), format_func=way_words, key=f"sets_way_{project.id}")
        key = (str(database_path()), project.id, way, ways[way], last_event(store, visit.user, project))
        numbers = cache_of("set numbers", 100).get_or_make(
            key, SufficientNumbers, lambda: set_numbers(store, visit.user, project, way), lambda _numbers: 1
        )
        with st.container(horizontal=True):
            for name, rows in (("questions", question_rows(numbers)), ("piles", pile_rows(numbers))):
                cells = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
                if cells:
                    show_numbers(cells, (), key=f"sets_{name}_{project.id}", right=rows[0][1:])
        st.caption(as_text(summary(numbers)))


def _asked(store: Store, visit: Visit, project: Project) -> AskedAttribution:
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    model = left.text_input(
        _("Model"), "built-in", key="compute_model",
        help=_(
            "built-in, spacy:FOLDER, transformers:FOLDER, transformers-zero-shot:FOLDER (scores labels) "
            "or transformers-writing:FOLDER (generates)."
        )
    ).strip()  # fmt: skip
    if model.startswith(_WRITING):
        method, options = _ask_writing(middle)
    else:
        method, options = _ask_of_labels(project, middle, right, models_that_gave_sets(store, visit.user, project))
    method, _colon, sets_of = method.partition(":")
    return AskedAttribution(model, method, _with_prompt(project, model, options), sets_of=sets_of)


def _ask_of_labels(
    project: Project, middle: DeltaGenerator, right: DeltaGenerator, gave_sets: Sequence[str]
) -> tuple[str, attributions.AttributingOptions]:
    """The method and the options of a model that answers with a label or a stretch of the text.

    gave_sets: models whose sets this one can be asked about; the method is then followed by a colon and that model
    """
    methods = computable()
    methods |= {f"{SUFFICIENT_SETS}:{name}": _("Sets of {model}: are they enough?", model=name) for name in gave_sets}
    method = middle.selectbox(_("Method"), list(methods), format_func=methods.__getitem__, key="compute_method")
    with_faithfulness = right.checkbox(
        _("Faithfulness"), key="compute_faithfulness",
        help=_("Predictions on rationale only, rest only, and at ERASER's thresholds."),
    )  # fmt: skip
    is_normalised = right.checkbox(
        _("Normalised AOPC"), key="compute_normalised",
        help=_(
            "Comparable between models. Up to 5·n² reduced texts for n tokens; skips texts above {most} "
            "tokens.", most=attributions.MOST_TOKENS
        )
    )  # fmt: skip
    trains = right.checkbox(
        _("Retrain"), key="compute_trains",
        help=_("Removes the old predictions and attributions.")
    )  # fmt: skip
    whose, part, length, amount = st.columns([3, 2, 2, 1], vertical_alignment="bottom")
    labels = attributions.choosable_labels(project)
    label = next(iter(labels))
    if len(labels) > 1:
        label = whose.selectbox(
            _("Label to explain"), list(labels), format_func=labels.__getitem__, key="compute_label"
        )
    split = _ask_split(part)
    too_long = choose(
        _("Texts too long for the model"), _TOO_LONG, column=length, key="compute_too_long",
        help=_("Transformers only. Windows overlap by half; predictions are averaged.")
    )  # fmt: skip
    load = attributions.LoadOptions(threads=_ask_threads(amount), too_long=too_long)
    return method, attributions.AttributingOptions(
        label=label,
        split=split,
        has_faithfulness=with_faithfulness,
        trains=trains,
        load=load,
        is_normalised=is_normalised,
    )


def _ask_writing(middle: DeltaGenerator) -> tuple[str, attributions.AttributingOptions]:
    """Those of a model that writes: it has no labels, gives no probabilities and is not read in windows."""
    methods = attributions.offered_methods(writes=True)
    method = middle.selectbox(_("Method"), list(methods), format_func=methods.__getitem__, key="compute_written_method")
    part, length, amount = st.columns([3, 3, 2], vertical_alignment="bottom")
    split = _ask_split(part)
    ways = [way for way in _TOO_LONG if way != "windows"]
    too_long = choose(
        _("Texts too long for the model"), _TOO_LONG, ways, column=length, key="compute_written_too_long",
        help=_("Truncates only the end of the text.")
    )  # fmt: skip
    load = attributions.LoadOptions(threads=_ask_threads(amount), too_long=too_long)
    return method, attributions.AttributingOptions(split=split, load=load)


def _ask_split(column: DeltaGenerator) -> str | None:
    return column.text_input(_("Only this split"), key="compute_split", placeholder=_("all")).strip() or None


def _ask_threads(column: DeltaGenerator) -> int:
    help_words = _("One leaves the machine responsive.")
    return int(column.number_input(_("Threads"), 1, 64, 1, key="compute_threads", help=help_words))


def _with_prompt(
    project: Project, model: str, options: attributions.AttributingOptions
) -> attributions.AttributingOptions:
    """What a language model reads besides, and what it calls the labels."""
    load = options.load
    if model.startswith(_WRITING):
        help_words = _("Must contain {text} once. Generates at the end or a final {label}.")
        prompt = st.text_area(_("Prompt"), load.prompt, key="compute_start", height=80, help=help_words)
        title = _("Maximum length (subwords)")
        longest = st.number_input(title, 1, 500, load.longest_answer, key="compute_longest", width=220)
        load = replace(load, prompt=prompt, longest_answer=int(longest), label_words=_ask_label_words(project))
    if model.startswith(_ZERO_SHOT):
        help_words = _("Must contain {text} once and end with {label}.")
        prompt = st.text_area(_("Prompt"), load.prompt, key="compute_prompt", height=80, help=help_words)
        load = replace(load, prompt=prompt, label_words=_ask_label_words(project))
    return replace(options, load=load)


def _ask_label_words(project: Project) -> dict[str, str]:
    """What a label is called in the prompt, where that is another word."""
    words = {}
    with st.container(horizontal=True, gap="small"):
        for label in project.labels:
            words[label] = st.text_input(
                _("Words for “{label}”", label=as_text(label)), key=f"compute_words_{project.id}_{label}", placeholder=label,
                width=220,
            )  # fmt: skip
    return {label: given.strip() for label, given in words.items() if given.strip()}


# Bringing the numbers of models up to date: those that texts are ordered by.


_NEVER = unsaid("No metrics yet: k is 20 % of the tokens.")
_CHANGED = unsaid("Gold or model output has changed since.")


def offer_to_measure(store: Store, visit: Visit, project: Project) -> None:
    """Offer to measure where nothing was measured yet, or something happened since."""
    if not is_out_of_date(store, project):
        return
    words, button = st.columns([5, 1], vertical_alignment="center")
    words.info(_(_CHANGED if is_measured(store, project) else _NEVER), icon=":material/update:")
    if pressed(
        _("Measure"), container=button, type="primary", width="stretch", key=f"measure_go_{project.id}",
        help=_("Measure all models")
    ):  # fmt: skip
        ask_to_measure(store, visit.user, project)
        st.rerun()
