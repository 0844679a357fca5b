"""The project's guidelines beside the text: the page draws them, unseen; its screen opens and closes them (docs/panel.md)."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

import streamlit as st

from annotator.domain.people import User
from annotator.domain.project.guidelines import BadExample, Change, ChangedLine, Example, parts_of
from annotator.domain.projects import Project
from annotator.language import _
from annotator.usecases.project.guidelines import Reading
from annotator.web.frame import as_text

_SHEET = (Path(__file__).parent / "panel" / "shared" / "guidelines.css").read_text(encoding="utf-8")
# There is nothing of anybody's in this HTML. Which part of it is seen is chosen in guidelines.css.
_HEAD = """
<div class="guidelines-head">
  <h2>{title}</h2>
  <button type="button" class="guidelines-close" title="{close_title}">{close} <kbd>g</kbd></button>
</div>
<p class="guidelines-first">{first}</p>
<p class="guidelines-changed">{changed}</p>
"""
_FOOT = """
<div class="guidelines-foot">
  <button type="button" class="guidelines-read">{read} <kbd>⏎</kbd></button>
  <button type="button" class="guidelines-later">{later} <kbd>Esc</kbd></button>
</div>
"""


def guidelines_data(reading: Reading, user: User) -> dict[str, int | str | None]:
    """What the screen needs to know of them: whose browser remembers what, which version it is, and whether it is to be read."""
    asks = ("first" if reading.last is None else "changed") if reading.is_asked else ""
    return {"user": user.id, "version": reading.number, "asks": asks}


def show_guidelines(project: Project, reading: Reading) -> None:
    """The guidelines as the lead wrote them in Markdown (no HTML); they are unseen until the screen opens them."""
    st.html(f"<style>{_SHEET}</style>")
    with st.container(key="guidelines"):
        st.html(_head())
        if reading.is_asked and reading.changes:
            show_changes(reading.changes)
        show_parts(project.guidelines)
        if not project.guidelines.strip():
            st.markdown(_("This project has no guidelines yet. Ask the lead."))
        st.html(_FOOT.format(read=_("I've read them"), later=_("Later")))


def _head() -> str:
    return _HEAD.format(
        title=_("Guidelines"), close=_("Close"), close_title=_("Close guidelines (g)"),
        first=_("Please read before you begin."),
        changed=_("The guidelines have changed.")
    )  # fmt: skip


def show_parts(guidelines: str) -> None:
    """Guidelines with their examples, which look as in the panel; one that cannot be drawn is named, and the rest is shown."""
    for part in parts_of(guidelines):
        match part:
            case Example():
                st.html(f"<style>{_SHEET}</style>{_example_html(part)}")
            case BadExample():
                st.error(as_text(part.problem), icon=":material/error:")
            case _:
                st.markdown(part)


def _example_html(example: Example) -> str:
    text = ""
    before: tuple[str, ...] = ()
    for piece in example.pieces:
        words = escape(piece.text)
        for letter in reversed(piece.sets):
            mark = "" if letter in before else f"<sup>{letter}</sup>"
            words = f'<span class="set-{letter}">{mark}{words}</span>'
        text += words
        before = piece.sets
    label = f'<p class="example-label">{escape(example.label)}</p>' if example.label else ""
    why = f'<p class="example-why">{escape(example.why)}</p>' if example.why else ""
    return f'<div class="guidelines-example">{label}<p class="example-text" dir="auto">{text}</p>{why}</div>'


_LINES: dict[Change, str] = {
    "kept": '<li class="kept">{line}</li>',
    "removed": '<li class="removed" aria-label="{change}">− <del>{line}</del></li>',
    "added": '<li class="added" aria-label="{change}">+ <ins>{line}</ins></li>',
}


def show_changes(changes: Sequence[ChangedLine]) -> None:
    """The lines that were removed and added, as text."""
    names = {"kept": "", "removed": _("removed"), "added": _("added")}
    lines = "".join(
        _LINES[line.change].format(line=escape(line.text) or "&nbsp;", change=names[line.change]) for line in changes
    )
    st.html(f'<style>{_SHEET}</style><ul class="guidelines-changes">{lines}</ul>')
