"""The Saliency screen on a page: a component with routes of its own (docs/saliency.md)."""

from collections.abc import Sequence

from annotator.web.panel_component import panel_component

_PANEL = panel_component("saliency_panel", "saliency/main.js", "saliency/saliency.css")


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
    _PANEL(data=data, key=key)
