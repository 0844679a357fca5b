"""What models make of a suite: asking one, failure rates by capability and test, and the cases behind each number."""

from collections.abc import Mapping, Sequence

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.suites import StoredSuite
from annotator.errors import AnnotatorError
from annotator.language import _, listed, several
from annotator.usecases.databases import Store
from annotator.usecases.models.live_models import model_choices
from annotator.usecases.suites.construction import known_models, remove_suite, remove_test, suites_of
from annotator.web.frame import as_text
from annotator.web.presses import pressed
from annotator.web.sections import jobs, model_labels
from annotator.web.session import Visit

_MOST_MODELS = 3
_MOST_SILENT = 5


def show(store: Store, visit: Visit, project: Project) -> None:
    """The chosen suite."""
    suites = suites_of(store, visit.user, project)
    if not suites:
        st.info(
            _(
                "There is no suite of tests yet. Make one under “Make a test”, from ready-made tests or your own, or import one "
                "under “Files”."
            ),
            icon=":material/fact_check:",
        )
        return
    suite = choose_suite(suites, "results")
    _ask_a_model(store, visit, project, suite)
    with st.container():  # always there, so that what stands below keeps its place
        jobs.show_open(store, visit, project)
        _tell_last(store, visit, project)
    _show_table(store, visit, project, suite)
    _offer_removal(store, visit, project, suite)


def _tell_last(store: Store, visit: Visit, project: Project) -> None:
    """What came of the last run."""
    last = next((job for job in jobs.ended(store, visit, project) if job.kind == "suite"), None)
    if last is not None and last.state == "done":
        st.caption(as_text(last.told))
    elif last is not None:
        st.warning(as_text(f"{last.title}: {last.told}"), icon=":material/error:")


def choose_suite(suites: Sequence[StoredSuite], where: str) -> StoredSuite:
    """One of several suites."""
    by_name = {suite.name: suite for suite in suites}
    key = f"tests_suite_{suites[0].project_id}_{where}"
    if st.session_state.get(key) not in by_name:
        st.session_state[key] = suites[0].name
    chosen = st.selectbox(
        _("Suite"), list(by_name), key=key, persist_state="session",
        format_func=lambda name: (
            _(
                "{suite} ({tests}, {cases})", suite=name, tests=counted(len(by_name[name].tests), "test"),
                cases=counted(by_name[name].n_cases, "case"),
            )
        ),
    )  # fmt: skip
    return by_name[chosen]


def _ask_a_model(store: Store, visit: Visit, project: Project, suite: StoredSuite) -> None:
    model, name, seed, button = st.columns([3, 2, 1, 1.2], vertical_alignment="bottom")
    choices = model_choices(store, visit.user, project)
    key = f"tests_model_{project.id}"
    typed = st.session_state.get(key) or ""
    chosen = model.selectbox(
        _("Model"), list(dict.fromkeys([*choices.specs, *filter(None, [typed])])), key=key, accept_new_options=True,
        help=_(
            "built-in: a small classifier of words and their parts, trained on this project's gold. Models that were trained "
            "here stand below it. Others are written spacy:FOLDER or transformers:FOLDER."
        ),
    )  # fmt: skip
    spec = choices.specs.get(chosen or "", (chosen or "").strip())
    kept_as = name.text_input(_("Keep its answers as"), key="tests_model_name", placeholder=_("its own name"))
    of_seed = seed.text_input(
        _("Seed"), key="tests_model_seed", placeholder=_("none"),
        help=_(
            "The seed of its training. Models with one name and several seeds are shown together, with the deviation over "
            "seeds."
        ),
    )  # fmt: skip
    if choices.silent:
        st.caption(as_text(_silent_words(choices.silent)))
    labels_said = model_labels.ask(store, visit, project, spec, key="tests_labels")
    is_pressed = pressed(
        _("Run the tests"),
        container=button,
        type="primary",
        icon=":material/play_arrow:",
        key="tests_run",
        width="stretch",
        disabled=labels_said is None or not spec,
    )
    if is_pressed and labels_said is not None:
        _run(store, visit, project, suite, spec, (kept_as.strip(), of_seed.strip()), labels_said.renamed)


def _silent_words(names: Sequence[str]) -> str:
    """Whose answers are here though they cannot be asked."""
    more = len(names) - _MOST_SILENT
    shown = listed([f"“{name}”" for name in names[:_MOST_SILENT]])
    if more > 0:
        shown = _("{names} and {n} more", names=shown, n=f"{more:,}")
    return several(
        "{names} has answers in this project, but it was not trained here. Write where it lies (transformers:FOLDER), or "
        "import predictions for the suite under “Files”.",
        "{names} have answers in this project, but they were not trained here. Write where one lies (transformers:FOLDER), "
        "or import predictions for the suite under “Files”.",
        len(names),
        names=shown,
    )


def _run(
    store: Store, visit: Visit, project: Project, suite: StoredSuite, spec: str, kept_as: tuple[str, str],
    renamed: Mapping[str, str],
) -> None:  # fmt: skip
    """kept_as: the name and the seed under which its answers are kept."""
    # NumPy and spaCy come with it, and the page is shown without them.
    from annotator.usecases.background import AskedSuite, ask_to_run_suite  # noqa: PLC0415
    from annotator.usecases.suites.runs import SuiteOptions  # noqa: PLC0415

    try:
        ask_to_run_suite(store, visit.user, project, AskedSuite(suite.name, spec, SuiteOptions(*kept_as, renamed)))
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    st.rerun()


def _show_table(store: Store, visit: Visit, project: Project, suite: StoredSuite) -> None:
    from annotator.usecases.suites.results import suite_results  # noqa: PLC0415  (NumPy)
    from annotator.web.sections.suites.table import show_results  # noqa: PLC0415

    models = known_models(store, visit.user, project, suite)
    shown, compared = _choose_models(suite, models)
    show_results(visit, project, suite_results(store, visit.user, project, suite, compared), shown)
    if not models:
        st.info(_("No model has answered yet. Run the tests above, or import predictions under “Files”."))


def _choose_models(suite: StoredSuite, models: Sequence[str]) -> tuple[list[str], tuple[str, str] | None]:
    """Which models stand in the table, and which two are compared."""
    if len(models) < 2:
        return list(models), None
    left, right = st.columns([3, 2])
    key = f"tests_models_{suite.id}"
    st.session_state[key] = [m for m in st.session_state.get(key, models[:_MOST_MODELS]) if m in models]
    shown = left.multiselect(
        _("Models"),
        list(models),
        key=key,
        persist_state="session",
        max_selections=_MOST_MODELS,
        placeholder=_("Choose options"),
    )
    pairs = [(first, other) for first in shown for other in shown if first != other]
    compared = right.selectbox(
        _("Difference"), [None, *pairs], key=f"tests_compared_{suite.id}", index=1 if pairs else 0,
        format_func=_difference_of,
        help=_(
            "How much more often the first one named fails, in percentage points, over the cases that the test applies to "
            "with both."
        ),
    )  # fmt: skip
    return shown, compared


def _difference_of(pair: tuple[str, str] | None) -> str:
    return _("none") if pair is None else _("{second} minus {first}", first=pair[0], second=pair[1])


def _offer_removal(store: Store, visit: Visit, project: Project, suite: StoredSuite) -> None:
    with st.expander(_("Remove a test")):
        st.caption(_("The models' answers to it are removed as well. The record keeps that it existed."))
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        names = [test.name for test in suite.tests]
        chosen = left.selectbox(
            _("Test"),
            [*names, None],
            index=0,
            key=f"tests_remove_{suite.id}",
            format_func=lambda test: _("the whole suite") if test is None else test,
        )
        if pressed(
            _("Remove"), container=right, key=f"tests_remove_go_{suite.id}", icon=":material/delete:", width="stretch"
        ):
            if chosen is None:
                remove_suite(store, visit.user, project, suite.name)
            else:
                remove_test(store, visit.user, project, suite.name, chosen)
            st.session_state["tests_done"] = _("“{name}” was removed.", name=suite.name if chosen is None else chosen)
            st.rerun()
