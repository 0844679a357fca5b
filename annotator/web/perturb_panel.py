"""The Perturb screen on a page: a component with routes of its own (docs/perturb.md)."""

from annotator.web.panel_component import panel_component

_PANEL = panel_component("perturb_panel", "perturb/main.js", "perturb/perturb.css")


def perturb(project_id: int, user_id: int | None, csrf: str, *, key: str) -> None:
    """The screen. It asks our routes by itself, and reads from the address what to open first.

    user_id: whose drafts it may take from the browser's storage
    """
    data = {"project": project_id, "user": user_id, "csrf": csrf, "routes": "/api/perturb"}
    _PANEL(data=data, key=key, on_progress_change=_nothing)


def _nothing() -> None:
    """A trigger is a reason to run the script again: the numbers in the sidebar follow."""
