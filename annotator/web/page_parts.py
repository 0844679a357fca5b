"""What pages ask before they show anything: the project with its rights, and the instance or annotation of the address."""

from functools import cache
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.streamlit_plotly_theme import configure_streamlit_plotly_theme

from annotator.domain.numbers import whole_number
from annotator.domain.people import Right, has_right
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.language import _, listed
from annotator.usecases.access.rights import spoken
from annotator.web.session import Visit

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_OF_WORK: frozenset[Right] = frozenset({"annotate", "review"})
READABLE = 1200  # pixels: forms and sentences are not stretched over a wide screen


def require_project(visit: Visit, *rights: Right) -> Project | None:
    """The chosen project when the person has one of the rights there; else says what to do. The use cases check again."""
    if visit.project is None:
        st.info(_("You have no role yet. Ask a lead or administrator."), icon=":material/group:")
        return None
    if not any(has_right(visit.user, visit.roles, right) for right in rights):
        st.info(
            _("You can't {rights} here. Ask a lead.", rights=listed([spoken(right) for right in rights], "or")),
            icon=":material/lock:",
        )
        return None
    if visit.project.is_archived and _OF_WORK.issuperset(rights):
        st.info(_("This project is archived. Ask a lead to restore it."), icon=":material/archive:")
        return None
    return visit.project


def asked_instance() -> int | None:
    """The instance of a deep link (?instance=…); raises NotFound for what is no number: nothing else is shown instead."""
    return _asked_number("instance")


def asked_annotation() -> int | None:
    """The annotation of a deep link (?annotation=…); raises NotFound for what is no number."""
    return _asked_number("annotation")


def _asked_number(name: str) -> int | None:
    text = st.query_params.get(name, "")
    number = whole_number(text)
    if text and number is None:
        raise NotFound(_("Invalid address: {parameter}={value} isn't a number.", parameter=name, value=text[:40]))
    return number


def open_instance(instance_id: int) -> None:
    """What a button does that leads to an instance: on the Project page, the section in which one looks at it."""
    st.session_state["project_section"] = "Instances"
    st.query_params["instance"] = str(instance_id)


def ask_page(n_pages: int, *, key: str, parent: DeltaGenerator | None = None, **look: Any) -> int:
    """Which page is to be shown; nothing is asked where there is only one."""
    if n_pages <= 1:
        return 1
    title = _("Page (of {n_pages})", n_pages=f"{n_pages:,}")
    return int((parent or st).number_input(title, 1, n_pages, key=key, **look))


def show_chart(figure: "Figure", **look: Any) -> Any:
    """A chart in Streamlit's colours, as its own `plotly_chart` takes it; what was chosen in it."""
    _make_theme()
    figure.update_layout(template="streamlit")
    return st.plotly_chart(figure, **look)


@cache
def _make_theme() -> None:
    configure_streamlit_plotly_theme()
