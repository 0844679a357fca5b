"""The Saliency screen on a page: a component with routes of its own (docs/saliency.md)."""

from annotator.web.panel_component import panel_component

_PANEL = panel_component("saliency_panel", "saliency/main.js", "saliency/saliency.css")


def saliency(project_id: int, csrf: str, *, start: int | None, measured: str, may_import: bool, key: str) -> None:
    """The screen. It asks our routes by itself.

    start: an instance to open first; measured: changes with the numbers; may_import: whether the person can import texts
    """
    data = {
        "project": project_id, "csrf": csrf, "start": start, "measured": measured, "may_import": may_import,
        "routes": "/api/saliency",
    }  # fmt: skip
    _PANEL(data=data, key=key)
