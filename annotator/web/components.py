"""The Streamlit components that the panel draws, each registered once: marking, review, Perturb, Saliency, a version, a link.

Their modules come from our own route, and what they ask for and send stands in docs/panel.md.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec
import streamlit as st

from annotator.domain.instances import Draft
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.language import _, unsaid
from annotator.usecases.annotate.panel_messages import ShownProject, ShownWork
from annotator.usecases.project.guidelines import Reading
from annotator.web.guidelines import guidelines_data, show_guidelines
from annotator.web.routes.panel import DraftBody
from annotator.web.routes.static import panel_address, panel_sheets

# The module is fetched by its address and not handed over as text, so that its parts can import one another.
_LOADER = """
const panel = import(new URL("ADDRESS", location.origin));
export default async function (component) {
  return (await panel).default({ ...component, data: component.data[0] });
}
"""


def panel_component(name: str, entry: str, *sheets: str) -> Callable[..., Any]:
    """A component that one of the panel's modules draws; register it once, when its own module is loaded.

    entry: the module, such as "annotate/main.js"; sheets: what it needs beside the panel's own style sheet
    """
    css = panel_sheets(("shared/panel.css", *sheets))
    component = st.components.v2.component(name, css=css, js=_LOADER.replace("ADDRESS", panel_address(entry)))

    def mount(*, data: Mapping[str, object], **options: Any) -> Any:
        # In a dictionary Streamlit looks for data frames, for which it loads pandas and pyarrow; in a list it does not.
        return component(data=[data], **options)

    return mount


def _nothing() -> None:
    """A trigger is a reason to run the script again: what it does then it sees, and the numbers in the sidebar follow."""


def _mount_for_work(
    panel: Callable[..., Any],
    project: Project,
    user: User,
    csrf: str,
    reading: Reading,
    data: Mapping[str, object],
    key: str,
) -> None:
    """A panel for one's own work, and the guidelines. user: whose drafts it may take from the browser's storage."""
    shared = {"project": project.id, "user": user.id, "csrf": csrf, "guidelines": guidelines_data(reading, user)}
    panel(data={**shared, **data}, key=key, on_progress_change=_nothing)
    show_guidelines(project, reading)


_MARKING = panel_component("token_panel", "annotate/main.js")


def mark(project: Project, user: User, csrf: str, reading: Reading, *, start: int | None, key: str) -> None:
    """The panel for marking. It asks our routes for work by itself; `start` is an instance to open first."""
    data = {"mode": "mark", "start": start, "routes": "/api/panel", "work": None}
    _mount_for_work(_MARKING, project, user, csrf, reading, data, key)


def train_annotator(project: Project, user: User, csrf: str, reading: Reading, *, key: str) -> None:
    """The panel for marking a text of the training: as any other work, without what belongs to real work alone."""
    data = {"mode": "train", "start": None, "routes": "/api/training", "work": None}
    _mount_for_work(_MARKING, project, user, csrf, reading, data, key)


def read(work: ShownWork, project: ShownProject, *, is_brief: bool = False, key: str) -> None:
    """The panel for looking: nothing can be changed, nothing is fetched. is_brief: without the numbers below the text."""
    data = {
        "mode": "read", "project": project.id, "start": None, "csrf": "", "routes": "", "work": msgspec.to_builtins(work),
        "brief": is_brief,
    }  # fmt: skip
    _MARKING(data=data, key=key, on_progress_change=_nothing)


_REVIEW = panel_component("review_panel", "review/main.js", "review/review.css")


def review(project: Project, user: User, csrf: str, reading: Reading, *, start: int | None, key: str) -> None:
    """The review screen. It asks our routes for work by itself; `start` is an annotation to open first."""
    _mount_for_work(_REVIEW, project, user, csrf, reading, {"start": start, "routes": "/api/review"}, key)


def train_reviewer(project: Project, user: User, csrf: str, reading: Reading, *, key: str) -> None:
    """The screen for scoring a text of the training: as any other annotation, without what belongs to real work alone."""
    data = {"start": None, "routes": "/api/training/review", "training": True}
    _mount_for_work(_REVIEW, project, user, csrf, reading, data, key)


_PERTURB = panel_component("perturb_panel", "perturb/main.js", "perturb/perturb.css")


def perturb(project_id: int, user_id: int | None, csrf: str, *, key: str) -> None:
    """The screen. It asks our routes by itself, and reads from the address what to open first.

    user_id: whose drafts it may take from the browser's storage
    """
    data = {"project": project_id, "user": user_id, "csrf": csrf, "routes": "/api/perturb"}
    _PERTURB(data=data, key=key, on_progress_change=_nothing)


_SALIENCY = panel_component("saliency_panel", "saliency/main.js", "saliency/saliency.css")


def saliency(
    project_id: int, user_id: int | None, csrf: str, *, start: int | None, measured: str, may_import: bool, may_write: bool,
    labels: Sequence[str], at_rest: str, key: str,
) -> None:  # fmt: skip
    """The screen. It asks our routes by itself.

    user_id: in whose name this tab keeps what is typed; start: an instance to open first; measured: changes with the numbers
    may_import: whether the person can import texts; may_write: whether they can write changed versions
    labels: with which a typed text becomes a test; none where the project asks for answers, or is archived
    at_rest: why nothing of the project changes now; "" while it is at work
    """
    data = {
        "project": project_id, "user": user_id, "csrf": csrf, "start": start, "measured": measured, "may_import": may_import,
        "may_write": may_write, "labels": list(labels), "at_rest": at_rest,
        "routes": "/api/saliency",
    }  # fmt: skip
    _SALIENCY(data=data, key=key)


_EDIT = panel_component("edit_panel", "annotate/edit.js")
_WORDS = {
    "store": unsaid("Store as gold"),
    "reason": unsaid("Reason"),
    "reason_hint": unsaid("why this version is the gold"),
    "reason_missing": unsaid("Say briefly why."),
}


def edit(work: ShownWork, project: ShownProject, *, key: str) -> Draft | None:
    """The panel with a version to begin with; answers what the person stored in this run, the reason in its note."""
    data = {
        "project": project.id, "settings": msgspec.to_builtins(project), "work": msgspec.to_builtins(work),
        "words": {name: _(words) for name, words in _WORDS.items()},
    }  # fmt: skip
    answer = _EDIT(data=data, key=key, on_version_change=_nothing)
    return None if answer.version is None else _as_draft(answer.version)


def _as_draft(version: Any) -> Draft:
    try:
        return msgspec.convert(version, DraftBody).as_draft()
    except msgspec.ValidationError as error:
        raise InvalidValue(_("Can't read the message: {error}.", error=error)) from error


_LINK_BUTTON = panel_component("copy_link", "page/copy_link.js")


def copy_link(params: Mapping[str, Sequence[str]], *, key: str) -> None:
    """The button. params: of the address that the link leads to; the browser knows the server and the page."""
    _LINK_BUTTON(data={"query": urlencode(params, doseq=True, safe="/,")}, key=key)
