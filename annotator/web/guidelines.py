"""The project's guidelines beside the text: the page draws them, unseen; its screen opens and closes them (docs/panel.md)."""

from collections.abc import Sequence
from hashlib import blake2b
from html import escape
from pathlib import Path

import streamlit as st

from annotator.domain.guidelines import Change, ChangedLine
from annotator.domain.people import User
from annotator.domain.projects import Project

_SHEET = (Path(__file__).parent / "panel" / "shared" / "guidelines.css").read_text(encoding="utf-8")
# There is nothing of anybody's in this HTML. What is said of news is chosen in guidelines.css.
_HEAD = """
<div class="guidelines-head">
  <h2>Guidelines</h2>
  <button type="button" class="guidelines-close" title="Close the guidelines (g)">Close <kbd>g</kbd></button>
</div>
<p class="guidelines-first">Read these before you begin. They stay open until you close them.</p>
<p class="guidelines-changed">These guidelines have changed since you last saw them.</p>
"""


def guidelines_data(project: Project, user: User) -> dict[str, int | str | None]:
    """What the screen needs to know of them: whose browser remembers what, and which version it is ("": there are none)."""
    version = blake2b(project.guidelines.encode(), digest_size=8).hexdigest() if project.guidelines.strip() else ""
    return {"user": user.id, "version": version}


def show_guidelines(project: Project) -> None:
    """The guidelines as the lead wrote them in Markdown (no HTML); they are unseen until the screen opens them."""
    st.html(f"<style>{_SHEET}</style>")
    with st.container(key="guidelines"):
        st.html(_HEAD)
        st.markdown(project.guidelines.strip() or "This project has no guidelines yet. Ask its lead for them.")


_LINES: dict[Change, str] = {
    "kept": '<li class="kept">{}</li>',
    "removed": '<li class="removed" aria-label="removed">− <del>{}</del></li>',
    "added": '<li class="added" aria-label="added">+ <ins>{}</ins></li>',
}


def show_changes(changes: Sequence[ChangedLine]) -> None:
    """The lines that were removed and added, as text."""
    lines = "".join(_LINES[line.change].format(escape(line.text) or "&nbsp;") for line in changes)
    st.html(f'<style>{_SHEET}</style><ul class="guidelines-changes">{lines}</ul>')
