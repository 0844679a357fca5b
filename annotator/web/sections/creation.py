"""Create a project from a task template, with a task of one's own, or with the rules of another project."""

import os
from dataclasses import replace

import streamlit as st

from annotator.domain.file_problems import on_page
from annotator.domain.numbers import counted
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import TASKS, get_task
from annotator.errors import ImportRefused, InvalidValue
from annotator.language import _, listed, several, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.project.creation import NewProject, begin_project, pasted_file
from annotator.usecases.project.exhaustive_passes import copy_project, projects_to_copy
from annotator.usecases.project.projects import parse_task
from annotator.usecases.transfer.several_files import FileReport
from annotator.web.addresses import IN_WINDOW
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, confirm_and_rerun, refusals_shown
from annotator.web.project_warnings import labels_in
from annotator.web.sections.people.roles import keep_links
from annotator.web.sections.tables import show_problem_table
from annotator.web.sections.transfer.export import keep_stored
from annotator.web.sections.transfer.file_import import keep_files
from annotator.web.session import Visit, current_visit, page_store

BEGUN = "project_begun"  # the project that was just made and the part to open, until its page was shown
_REFUSED = "create_refused"  # the project as it was asked for, and what is wrong with its files
_CUSTOM = "custom"
_COPY = "rules of "  # before the name of a project; no task can be called so
_SEGMENT_WORDS = {  # as the columns of a file are called, in other languages with what that means
    "text": unsaid("text"), "sentence1": unsaid("sentence1"), "sentence2": unsaid("sentence2"),
    "passage": unsaid("passage"), "title": unsaid("title"), "question": unsaid("question"),
    "premise": unsaid("premise"), "hypothesis": unsaid("hypothesis"), "document": unsaid("document"),
    "query": unsaid("query"), "choices": unsaid("choices"),
}  # fmt: skip
_RESULTS = {"label": unsaid("a label"), "answer": unsaid("an answer text")}


def dialog() -> None:
    """The same form over the page."""
    st.session_state.pop(_REFUSED, None)  # of a form that was closed
    st.dialog(_("New project"), width="medium")(_show_in_dialog)()


def _show_in_dialog() -> None:
    """A dialog runs again by itself, so it opens the database by itself."""
    with page_store() as store:
        show(store, current_visit(store))


def show(store: Store, visit: Visit) -> None:
    """A project of a task, or with the rules of one that the person leads."""
    sources = {project.name: project for project in projects_to_copy(store, visit.user)}
    templates = [*TASKS, _CUSTOM, *(_COPY + name for name in sources)]
    # Outside the form, since what the form asks for follows from it.
    chosen = st.selectbox(_("Template"), templates, format_func=_described, key="create_template")
    if chosen.startswith(_COPY):
        _show_copying(store, visit, sources[chosen.removeprefix(_COPY)])
    else:
        _show_creating(store, visit, chosen)


def _show_copying(store: Store, visit: Visit, source: Project) -> None:
    st.caption(_("Copies settings, guidelines and word lists, not texts."))
    with st.form("create_copy", border=False):
        name = st.text_input(_("Project name"), key="create_copy_name")
        has_people = st.checkbox(_("Same people and roles"), key="create_copy_people")
        if submitted(_("Create"), type="primary", key="create_copy_go") is None:
            return
    try:
        project = copy_project(store, visit.user, source.id, name, has_people=has_people)
    except InvalidValue as error:
        st.error(as_text(str(error)))
        return
    _open(project)


def _open(project: Project, part: str = "Import", done: str = "", *, is_kept: bool = False) -> None:
    """Its page, at what comes next."""
    st.session_state[BEGUN] = (project.id, part)
    st.query_params["project"] = str(project.id)
    if done:
        confirm_and_rerun(done, is_kept=is_kept)
    st.rerun()


def _show_creating(store: Store, visit: Visit, template: str) -> None:
    """One page until people can work: name, labels, first texts, people. Everything can be changed later."""
    result = TASKS[template].result_kind if template in TASKS else _result_field()
    with st.form("create", border=False):
        left, right = st.columns([3, 1])
        name = left.text_input(_("Project name"), key="create_name")
        language = right.text_input(
            _("Language"), "en", key="create_language", help=_("For files that name no language: en, zh, de …")
        )
        segments = _segment_fields() if template == _CUSTOM else ""
        labels = _labels_field() if result == "label" else ()
        settings = _people_fields()
        files, people = _first_fields(_columns(template, result))
        is_asked = submitted(_("Create"), type="primary", key="create_go") is not None
    if is_asked:
        st.session_state.pop(_REFUSED, None)
        with refusals_shown():
            task = parse_task(segments, result) if template == _CUSTOM else get_task(template)
            new = NewProject(
                name, task, labels, language.strip() or "en", settings, files, people, alone=IN_WINDOW in os.environ
            )
            try:
                _begin(store, visit, new)
            except ImportRefused as refusal:
                st.session_state[_REFUSED] = (new, refusal)
    if _REFUSED in st.session_state:
        _show_refused(store, visit)


def _begin(store: Store, visit: Visit, new: NewProject) -> None:
    begun = begin_project(store, visit.user, new)
    if begun.invited:
        keep_links(begun.project, begun.invited)
    if _REFUSED in st.session_state:
        refused, _refusal = st.session_state.pop(_REFUSED)
        keep_files(begun.project, refused.files)
        n_invited = len(begun.invited)
        done = (
            several(
                "{n} link is under People, shown only now.", "{n} links are under People, shown only now.", n_invited
            )
            if n_invited
            else ""
        )
        return _open(begun.project, "Import", done)
    if begun.texts is None:
        return _open(begun.project, "People" if begun.invited else "Import")
    report = begun.texts
    keep_stored(begun.project, [FileReport(new.files[0][0], "", report)])
    n_accepted = report.n_annotations - report.n_reference
    done = together(
        _("{texts} imported.", texts=counted(report.n_new, "text")),
        _("{annotations} accepted.", annotations=counted(n_accepted, "annotation")) if n_accepted else "",
        _("Labels: {labels}.", labels=listed(begun.project.labels)) if begun.project.labels else "",
        *map(on_page, report.notes),
        several("{n} warning is under Import.", "{n} warnings are under Import.", n)
        if (n := report.n_warnings)
        else "",
    )
    is_kept = bool(n or report.widened.n)
    return _open(begun.project, "People" if begun.invited else "Progress", done, is_kept=is_kept)


def _show_refused(store: Store, visit: Visit) -> None:
    """What is wrong with the files; Import, which the project has, can mend much of it on its page and gets them."""
    new, refusal = st.session_state[_REFUSED]
    reason = f" {on_page(refusal.problems[0].reason)}" if refusal.n_problems == 1 else ""
    st.error(as_text(_("{n}; no project was created.", n=counted(refusal.n_problems, "problem")) + reason))
    if pressed(_("Create it and go on under Import"), key="create_without"):
        with refusals_shown():
            _begin(store, visit, replace(new, files=()))
    if reason == "" or refusal.problems[0].line is not None:
        show_problem_table(refusal.problems)


def _columns(template: str, result: str) -> str:
    """The head of a table that the template takes."""
    if template not in TASKS:
        return f"text,{result}"
    task = TASKS[template]
    return ",".join([*(spec.name for spec in task.segments), *(["target"] if task.has_target else []), result])


def _first_fields(columns: str) -> tuple[list[tuple[str, bytes]], str]:
    """The first texts, in files or pasted, and the first people."""
    left, middle, right = st.columns(3)
    uploads = left.file_uploader(
        _("Texts"), accept_multiple_files=True, key="create_files",
        help=_("Files with equal columns, or a zip. All are stored, or none.")
    )  # fmt: skip
    pasted = middle.text_area(_("Or paste rows"), key="create_pasted", placeholder=columns, height=104)
    people = right.text_area(
        _("People to invite, one per line"), key="create_invited", placeholder=_("Ada\nBo\nCleo, reviewer"), height=104,
        help=_("Sign-in names; for another role: name, role.")
    )  # fmt: skip
    files = [(file.name, file.getvalue()) for file in uploads or ()]
    return [*files, pasted_file(pasted)] if pasted.strip() else files, people


def _result_field() -> str:
    return st.radio(
        _("Result"),
        list(_RESULTS),
        format_func=lambda result: _(_RESULTS[result]),
        horizontal=True,
        key="create_result",
    )


def _segment_fields() -> str:
    """The segments, written as the command line takes them."""
    marked = st.text_input(
        _("Markable segments (comma-separated)"), "text", key="create_segments",
        help=_("Use column names; name:optional for segments that may be empty.")
    )  # fmt: skip
    shown = st.text_input(
        _("Display-only segments (comma-separated)"), placeholder=_("question"), key="create_shown_segments"
    )
    return ",".join([marked, *(f"{name}:unselectable" for name in shown.split(",") if name.strip())])


def _labels_field() -> tuple[str, ...]:
    text = st.text_input(
        _("Labels (comma-separated; empty: from first import)"), key="create_labels",
        help=_("Texts can't be assigned without labels.")
    )  # fmt: skip
    return labels_in(text)


def _people_fields() -> ProjectSettings:
    """How many annotate and review; a few people begin with one of each, and the benchmark's authors had three reviewers."""
    left, right = st.columns(2)
    annotators = left.number_input(_("Annotators per text"), 1, 100, 1, key="create_annotators")
    reviewers = right.number_input(
        _("Reviewers per annotation"), 0, 100, 1, key="create_reviewers", help=_("0: no review.")
    )
    return ProjectSettings(annotators_per_instance=annotators, reviewers_per_annotation=reviewers)


def _described(template: str) -> str:
    if template == _CUSTOM:
        return _("custom: your own segments")
    if template.startswith(_COPY):
        return _("rules of {name}", name=template.removeprefix(_COPY))
    segments = listed([_(_SEGMENT_WORDS[spec.name]) for spec in TASKS[template].segments])
    return _("{task}: {segments}", task=_(TASKS[template].title), segments=segments)
