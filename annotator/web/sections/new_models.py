"""Training a model from the page: the same as `annotator train`, in the background; what came of it, and what is next."""

import streamlit as st

from annotator.domain.jobs import Job
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.language import _, together, unsaid
from annotator.usecases.background import AskedTraining, ask_to_train, queue_of, train_again, training_of
from annotator.usecases.databases import Store
from annotator.usecases.training.architectures import architectures_for
from annotator.usecases.training.forecast import (
    Forecast,
    TrainedModel,
    forecast,
    last_event,
    missing_package,
    missing_words,
    standing_of,
    trained_models,
)
from annotator.web.cached_numbers import ValueCache
from annotator.web.frame import as_text
from annotator.web.presses import pressed
from annotator.web.sections import built_in_offer, jobs, model_cards, training_form
from annotator.web.session import Visit, database_path

_LEARNS = {
    "label": unsaid("A model learns the labels of this project from its gold."),
    "answer": unsaid("A model learns to answer the questions of this project from its gold."),
}
_NEXT = unsaid(
    "It is trained in the background, also when this page is closed, "
    "and other work waits until it has ended. The top of this page shows the progress; a training that is stopped can go on "
    "from its last whole epoch. How long it takes depends on the model, the texts and the machine."
)
_ASKED = unsaid("The training waits for its turn; the top of this page shows how far it is.")
_NO_QUESTION = unsaid(
    "This project asks for answers, but its texts have no question (a segment that cannot be marked), so no model can be "
    "trained here to give them."
)


def show(store: Store, visit: Visit, project: Project, *, is_open: bool) -> None:
    """The form, what came of the last trainings, and the cards; nothing where nobody looks (is_open False).

    What was chosen in the form stays while it is closed.
    """
    if not is_open:
        return
    built_in_offer.offer(store, visit, project, where="train")
    if not architectures_for(project, has_base=False):
        st.info(_(_NO_QUESTION), icon=":material/info:")
        return
    if package := missing_package():
        st.info(as_text(missing_words(package)), icon=":material/info:")
    else:
        _show_form(store, visit, project)
    models = trained_models(store, visit.user, project)
    _show_ended(store, visit, project, models)
    model_cards.show(store, visit, project, models)


def _show_form(store: Store, visit: Visit, project: Project) -> None:
    st.caption(together(_(_LEARNS[project.task.result_kind]), _(_NEXT)))
    given = training_form.ask(store, visit, project)
    refusal = st.container()  # always there: what stands below keeps its place, and so its state
    if sentence := st.session_state.pop("train_asked", None):
        st.toast(as_text(sentence), icon=":material/check:")
    try:
        is_anew = _ask_anew(store, visit, project, given.name)
        request = given.request(is_anew=is_anew)
        foreseen = _foreseen(store, visit, project, request)
    except AnnotatorError as error:
        refusal.warning(as_text(str(error)), icon=":material/error:")
        pressed(_("Train"), type="primary", key="train_go", icon=":material/model_training:", disabled=True)
        return
    refusal.markdown(as_text(foreseen.summary()))
    if pressed(_("Train"), type="primary", key="train_go", icon=":material/model_training:"):
        _ask(store, visit, project, request)


@st.cache_resource(show_spinner=False)
def _forecasts() -> ValueCache:
    return ValueCache(most=100)


def _foreseen(store: Store, visit: Visit, project: Project, request: AskedTraining) -> Forecast:
    """Kept until something happens in the project: of ten thousand texts it takes a second, and each change of the form asks."""
    options = request.options.data
    key = (str(database_path()), project.id, options, last_event(store, visit.user, project))
    return _forecasts().get_or_make(key, Forecast, lambda: forecast(store, visit.user, project, options), lambda _n: 1)


def _ask_anew(store: Store, visit: Visit, project: Project, name: str) -> bool:
    """Where the name is a model's already, or that of a training that was stopped, whether it begins anew."""
    if any(training_of(job).name == name for job in queue_of(store, visit.user, project, "train").open):
        return False  # it is under way: its folder says nothing
    standing = standing_of(store, visit.user, project, name)
    if standing == "free":
        return False
    if standing == "there":
        return st.checkbox(
            as_text(_("Replace the model '{name}', which is there already", name=name)),
            key=f"train_replace_{project.id}_{name}",
            help=_("The predictions and attributions of the old one are removed."),
        )  # fmt: skip
    return st.checkbox(
        as_text(_("Begin '{name}' again from the start", name=name)), key=f"train_anew_{project.id}_{name}",
        help=_(
            "A training of this name was stopped. With the same texts and settings it goes on from its last whole "
            "epoch; with others it has to begin again."
        ),
    )  # fmt: skip


def _ask(store: Store, visit: Visit, project: Project, request: AskedTraining) -> None:
    try:
        ask_to_train(store, visit.user, project, request)
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    st.session_state["train_asked"] = _(_ASKED)
    st.rerun()


def _show_ended(store: Store, visit: Visit, project: Project, models: tuple[TrainedModel, ...]) -> None:
    """What came of the last trainings, and what can be done next about the last of each name."""
    queue = queue_of(store, visit.user, project, "train")
    names = {training_of(job).name for job in queue.open}
    by_name = {model.name: model for model in models}
    for job in queue.ended:
        name = training_of(job).name
        jobs.show_line(job)
        if name not in names:
            _offer_next(store, visit, project, job, by_name.get(name))
        names.add(name)


def _offer_next(store: Store, visit: Visit, project: Project, job: Job, model: TrainedModel | None) -> None:
    with st.container(horizontal=True, gap="small"):
        if job.state == "done":
            if model is not None:
                st.button(
                    _("Compute its attributions"), key=f"train_compute_{job.id}", icon=":material/calculate:",
                    on_click=_fill_in, args=(model.spec,),
                )  # fmt: skip
                st.button(
                    _("Show its card"), key=f"train_card_of_{job.id}", icon=":material/description:",
                    on_click=model_cards.choose, args=(project, model.name),
                )  # fmt: skip
        elif pressed(
            _("Go on") if job.state == "stopped" else _("Try again"),
            key=f"train_again_{job.id}",
            icon=":material/play_arrow:",
        ):
            _again(store, visit, project, job)


def _again(store: Store, visit: Visit, project: Project, job: Job) -> None:
    try:
        train_again(store, visit.user, project, job.id)
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    st.session_state["train_asked"] = _(_ASKED)
    st.rerun()


def _fill_in(spec: str) -> None:
    """The form under “Compute attributions” with the model in it, in the place of this one, so that it is seen."""
    st.session_state["compute_model"] = spec
    st.session_state["compute_open"] = True
    st.session_state["train_open"] = False
