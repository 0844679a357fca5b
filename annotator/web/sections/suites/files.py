"""Suites as files: take one along, read one in, read back what a model predicted for its texts."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import streamlit as st

from annotator.domain.file_problems import on_page
from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError, ImportRefused
from annotator.language import _
from annotator.usecases.databases import Store
from annotator.usecases.suites.construction import suites_of
from annotator.usecases.suites.files import left_out_words
from annotator.web.buttons import press, pressed
from annotator.web.frame import as_text, confirm_and_rerun
from annotator.web.sections.suites.results import choose_suite
from annotator.web.sections.tables import file_stem, show_problem_table
from annotator.web.session import Visit

_MOVED, _LEFT, _SUITES = "tests_moved_suite", "tests_left_out", "tests_suites_among_predictions"
_NAMED = "tests_named_after"  # the file whose name was proposed for the suite


def show(store: Store, visit: Visit, project: Project) -> None:
    """Three ways; the forms are described in docs/formats.md."""
    suites = suites_of(store, visit.user, project)
    if suites:
        suite = choose_suite(suites, "files")
        _take(store, visit, project, suite.name)
        _read_predictions(store, visit, project, suite.name)
    _read_suite(store, visit, project)
    _show_left_out(project)


def _take(store: Store, visit: Visit, project: Project, name: str) -> None:
    st.subheader(_("Download suite"), anchor=False)
    st.caption(_("JSONL, one case per line."))
    if pressed(_("Prepare file"), key="tests_export"):
        from annotator.usecases.suites.files import export_suite  # noqa: PLC0415  (NumPy)

        with tempfile.TemporaryDirectory(prefix="annotator-suite-") as folder:
            path = Path(folder) / "suite.jsonl"
            n = export_suite(store, visit.user, project, name, path)
            st.session_state["tests_ready_file"] = (project.id, name, n, path.read_bytes())
    ready = st.session_state.get("tests_ready_file")
    if ready and ready[:2] == (project.id, name):
        file = f"{file_stem(name, 'suite')}.jsonl"
        words = _("Download {file} ({cases})", file=file, cases=counted(ready[2], "case"))
        st.download_button(as_text(words), ready[3], file, key="tests_take")


def _read_predictions(store: Store, visit: Visit, project: Project, name: str) -> None:
    st.subheader(_("Import predictions"), anchor=False)
    st.caption(_("JSONL: `test`, `case`, `position`, `label`, `probabilities` per text; optional `seed`, `model`."))
    files = st.file_uploader(_("Predictions"), accept_multiple_files=True, key="tests_predictions")
    left, right = st.columns(2, vertical_alignment="bottom")
    model = left.text_input(_("Model (if not in the file)"), key="tests_predictions_model")
    update = right.checkbox(_("Overwrite stored runs with the file's"), key="tests_predictions_update")
    if files and pressed(_("Import predictions"), type="primary", key="tests_predictions_go"):
        from annotator.usecases.suites.files import import_suite_predictions  # noqa: PLC0415

        def read(paths: Sequence[Path]) -> str:
            done = import_suite_predictions(
                store, visit.user, project, name, paths, model=model, update=update
            )  # fmt: skip
            return _(
                "Runs of “{model}”: {new} new, {changed} changed, {unchanged} unchanged.",
                model=done.model,
                new=done.n_new,
                changed=done.n_changed,
                unchanged=done.n_unchanged,
            )

        _with_files(files, read)
    suite = next((file for file in files if file.file_id in st.session_state.get(_SUITES, ())), None)
    if suite is not None:
        st.button(
            as_text(_("Import {file} as a suite", file=suite.name)), key="tests_move", icon=":material/fact_check:",
            on_click=_take_as_suite, args=(suite,),
        )  # fmt: skip


def _take_as_suite(file: Any) -> None:
    """A suite that was given among predictions is imported as what it is."""
    st.session_state[_MOVED] = file
    press("tests_import_go")


def _read_suite(store: Store, visit: Visit, project: Project) -> None:
    st.subheader(_("Import suite"), anchor=False)
    file = st.file_uploader(_("Cases (JSONL)"), key="tests_import")
    moved = st.session_state.get(_MOVED)
    if file is None and moved is not None:
        file = moved
        st.caption(as_text(_("“{file}” was chosen under predictions above.", file=moved.name)))
    if file is not None and st.session_state.get(_NAMED) != file.file_id:
        st.session_state[_NAMED] = file.file_id
        st.session_state["tests_import_name"] = PurePosixPath(file.name).stem
    left, right = st.columns(2, vertical_alignment="bottom")
    name = left.text_input(_("Suite name"), key="tests_import_name")
    skip = right.checkbox(_("Skip invalid rows"), key="tests_import_skip")
    left, right = st.columns(2)
    renamed = _pairs(
        left.text_input(
            _("Labels named differently in the project"),
            key="tests_import_rename",
            placeholder="0=negative, 2=positive",
        )
    )
    expected = _pairs(
        right.text_input(
            _("Default expectations"),
            key="tests_import_expect",
            placeholder="reducers=not_up, negation=not:negative",
            help=_("DIR: not_up or not_down. MFT: a label, or not: with a label."),
        )
    )
    if file and pressed(_("Import suite"), type="primary", key="tests_import_go"):
        from annotator.usecases.suites.files import import_suite  # noqa: PLC0415

        def read(paths: Sequence[Path]) -> str:
            done = import_suite(
                store, visit.user, project, paths[0], name.strip(), renamed=renamed, expected=expected,
                skip_invalid=skip,
            )  # fmt: skip
            st.session_state[_LEFT] = (project.id, done)
            st.session_state.pop(_MOVED, None)
            return _("“{suite}” has {cases}.", suite=done.suite.name, cases=counted(done.suite.n_cases, "case"))

        _with_files([file], read)


def _show_left_out(project: Project) -> None:
    """What was not taken of the suite that was imported last in this visit, and why."""
    project_id, done = st.session_state.get(_LEFT, (None, None))
    if project_id != project.id or not done.problems:
        return
    with st.container(border=True):
        st.warning(as_text(on_page(left_out_words(done))), icon=":material/info:")
        show_problem_table(done.problems)
        st.button(_("Close"), key="tests_left_close", on_click=lambda: st.session_state.pop(_LEFT, None))


def _pairs(written: str) -> dict[str, str]:
    """NAME=VALUE, with commas between; what is no pair yet counts for nothing."""
    pairs = [part.partition("=") for part in written.split(",")]
    return {name.strip(): value.strip() for name, _equals, value in pairs if name.strip() and value.strip()}


def _with_files(files: Sequence[Any], read: Callable[[Sequence[Path]], str]) -> None:
    """The uploaded files on the disk, each under its own name in a folder of its own; problems as a table."""
    try:
        with tempfile.TemporaryDirectory(prefix="annotator-suite-") as name:
            paths = []
            for number, file in enumerate(files):
                path = Path(name) / str(number) / PurePosixPath(file.name).name
                path.parent.mkdir()
                path.write_bytes(file.getbuffer())
                paths.append(path)
            done = read(paths)
    except ImportRefused as refusal:
        names = {problem.value for problem in refusal.problems if problem.remedy == "suite"}
        st.session_state[_SUITES] = {file.file_id for file in files if PurePosixPath(file.name).name in names}
        st.error(as_text(on_page(str(refusal))), icon=":material/error:")
        if _MOVED in st.session_state:  # the button was pressed above, out of sight of this
            st.toast(as_text(_("{problems} “Import suite” is below.", problems=refusal)), icon=":material/error:")
        show_problem_table(refusal.problems)
        return
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    confirm_and_rerun(done)
