"""The panel for a version of the lead's own: marks only, handed to the script when it is stored (docs/panel.md)."""

from typing import Any

import msgspec

from annotator.domain.instances import Draft
from annotator.errors import InvalidValue
from annotator.language import _, unsaid
from annotator.usecases.annotate.panel_messages import ShownProject, ShownWork
from annotator.web.panel_component import panel_component
from annotator.web.routes.panel import DraftBody

_PANEL = panel_component("edit_panel", "annotate/edit.js")
_WORDS = {
    "store": unsaid("Store as gold"),
    "reason": unsaid("Reason"),
    "reason_hint": unsaid("why this version is the gold"),
    "reason_missing": unsaid("Say in a few words why, in the field “Reason”."),
}


def edit(work: ShownWork, project: ShownProject, *, key: str) -> Draft | None:
    """The panel with a version to begin with; answers what the person stored in this run, the reason in its note."""
    data = {
        "project": project.id, "settings": msgspec.to_builtins(project), "work": msgspec.to_builtins(work),
        "words": {name: _(words) for name, words in _WORDS.items()},
    }  # fmt: skip
    answer = _PANEL(data=data, key=key, on_version_change=_nothing)
    return None if answer.version is None else _as_draft(answer.version)


def _as_draft(version: Any) -> Draft:
    try:
        return msgspec.convert(version, DraftBody).as_draft()
    except msgspec.ValidationError as error:
        raise InvalidValue(_("What the panel sent cannot be read: {error}.", error=error)) from error


def _nothing() -> None:
    """A trigger is a reason to run the script again; what it does then it sees in the answer."""
