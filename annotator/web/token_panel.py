"""The token panel on a page: one component, registered once; its modules come from our own route (docs/panel.md)."""

import msgspec

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.usecases.annotate.panel_messages import ShownProject, ShownWork
from annotator.usecases.project.guidelines import Reading
from annotator.web.guidelines import guidelines_data, show_guidelines
from annotator.web.panel_component import panel_component

_PANEL = panel_component("token_panel", "annotate/main.js")


def mark(project: Project, user: User, csrf: str, reading: Reading, *, start: int | None, key: str) -> None:
    """The panel for marking. It asks our routes for work by itself; `start` is an instance to open first.

    user: whose drafts it may take from the browser's storage
    """
    data = {
        "mode": "mark", "project": project.id, "user": user.id, "start": start, "csrf": csrf, "routes": "/api/panel",
        "work": None, "guidelines": guidelines_data(reading, user),
    }  # fmt: skip
    _PANEL(data=data, key=key, on_progress_change=_nothing)
    show_guidelines(project, reading)


def train(project: Project, user: User, csrf: str, reading: Reading, *, key: str) -> None:
    """The panel for marking a text of the training: as any other work, without what belongs to real work alone."""
    data = {
        "mode": "train", "project": project.id, "user": user.id, "start": None, "csrf": csrf, "routes": "/api/training",
        "work": None, "guidelines": guidelines_data(reading, user),
    }  # fmt: skip
    _PANEL(data=data, key=key, on_progress_change=_nothing)
    show_guidelines(project, reading)


def read(work: ShownWork, project: ShownProject, *, is_brief: bool = False, key: str) -> None:
    """The panel for looking: nothing can be changed, nothing is fetched. is_brief: without the numbers below the text."""
    data = {
        "mode": "read", "project": project.id, "start": None, "csrf": "", "routes": "", "work": msgspec.to_builtins(work),
        "brief": is_brief,
    }  # fmt: skip
    _PANEL(data=data, key=key, on_progress_change=_nothing)


def _nothing() -> None:
    """A trigger is a reason to run the script again: the numbers in the sidebar follow."""
