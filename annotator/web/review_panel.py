"""The review screen on a page: a component made of the token panel's modules, registered once (docs/review.md)."""

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.usecases.project.guidelines import Reading
from annotator.web.guidelines import guidelines_data, show_guidelines
from annotator.web.panel_component import panel_component

_PANEL = panel_component("review_panel", "review/main.js", "review/review.css")


def review(project: Project, user: User, csrf: str, reading: Reading, *, start: int | None, key: str) -> None:
    """The review screen. It asks our routes for work by itself; `start` is an annotation to open first.

    user: whose scores it may take from the browser's storage
    """
    data = {
        "project": project.id, "user": user.id, "start": start, "csrf": csrf, "routes": "/api/review",
        "guidelines": guidelines_data(reading, user),
    }  # fmt: skip
    _PANEL(data=data, key=key, on_progress_change=_nothing)
    show_guidelines(project, reading)


def train(project: Project, user: User, csrf: str, reading: Reading, *, key: str) -> None:
    """The screen for scoring a text of the training: as any other annotation, without what belongs to real work alone."""
    data = {
        "project": project.id, "user": user.id, "start": None, "csrf": csrf, "routes": "/api/training/review",
        "guidelines": guidelines_data(reading, user), "training": True,
    }  # fmt: skip
    _PANEL(data=data, key=key, on_progress_change=_nothing)
    show_guidelines(project, reading)


def _nothing() -> None:
    """A trigger is a reason to run the script again: the numbers in the sidebar follow."""
