"""A model's own reasons: asked from the page, or prompts to take along, whose answers an import brings back."""

import tempfile
from pathlib import Path

import streamlit as st

from annotator.domain.people import has_right
from annotator.domain.projects import Project
from annotator.domain.self_explanations import standard_template
from annotator.errors import AnnotatorError
from annotator.language import _, unsaid
from annotator.usecases.background import Asks, ask_to_explain_self, explains_itself
from annotator.usecases.databases import Store
from annotator.usecases.models.self_explanations import (
    PromptOptions,
    SelfExplanationOptions,
    is_address_set,
    write_prompts,
)
from annotator.web.buttons import pressed
from annotator.web.frame import as_text, refusals_shown
from annotator.web.sections import computation
from annotator.web.sections.tables import download, file_stem
from annotator.web.session import Visit

# Asking a language model of this machine from the page, where whoever runs the server set its address.


_NEXT = unsaid("Runs in the background; you can close this page.")


def offer(
    store: Store, visit: Visit, project: Project, options: SelfExplanationOptions, *, asks_scores: bool = False
) -> None:
    """The name of a model, a button, and what came of the last; nothing where no address is set."""
    try:
        if not is_address_set():
            return
    except AnnotatorError as error:
        st.warning(as_text(str(error)), icon=":material/error:")
        return
    st.divider()
    st.caption(_(_NEXT))
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    model = left.text_input(_("Model name on its server"), key="selfexp_model", placeholder="llama3.2:3b")
    if pressed(
        _("Ask"), container=right, type="primary", key="selfexp_go", icon=":material/play_arrow:", width="stretch"
    ):
        with refusals_shown():
            ask_to_explain_self(store, visit.user, project, model, options, asks_scores=asks_scores)
            st.rerun()
    for job in computation.ended(store, visit, project, "attribute"):
        if explains_itself(job):
            computation.show_line(job)


_WHAT = unsaid(
    "Scored, but never gold. Run the prompts on any model; import results above as self-explanations "
    "(docs/self_explanations.md)."
)


def show(store: Store, visit: Visit, project: Project) -> None:
    """What is asked, and the file of prompts."""
    asks = _choose(visit)
    if asks == "scores":
        st.caption(
            _("Decides nothing; see its agreement under **Quality**. Needs a model server (docs/self_explanations.md).")
        )
        offer(store, visit, project, SelfExplanationOptions(), asks_scores=True)
        return
    st.caption(_(_WHAT))
    asks_sets = asks == "sets"
    template = _ask_template(project, asks_sets=asks_sets)
    left, right = st.columns(2)
    split = left.text_input(_("Only this split"), key="selfexp_split", placeholder=_("all")).strip() or None
    batch_model = right.text_input(
        _("Model for OpenAI's batch interface"), key="selfexp_batch", placeholder=_("none: prompts only")
    ).strip()  # fmt: skip
    _offer_file(store, visit, project, PromptOptions(template, split, batch_model))
    offer(store, visit, project, SelfExplanationOptions(template, split))


def _choose(visit: Visit) -> Asks:
    """What a model is asked for; for scores by whoever may see everybody's work."""
    words: dict[Asks, str] = {"quotes": _("label and quotes"), "sets": _("label and sets of quotes, each enough alone")}
    if has_right(visit.user, visit.roles, "see all annotations"):
        words["scores"] = _("a reviewer's scores of decided rounds")
    return st.selectbox(_("Ask for"), list(words), format_func=words.__getitem__, key="selfexp_asks")


def _ask_template(project: Project, *, asks_sets: bool) -> str:
    with st.expander(_("Prompt")):
        return st.text_area(
            _("Prompt"), standard_template(project, asks_sets=asks_sets),
            key=f"selfexp_template_{project.id}_{asks_sets:d}", height=360,
            label_visibility="collapsed",
            help=_(
                "{text}: the instance's text; {labels}: the project's labels. Each prompt has its own runs."
            )
        )  # fmt: skip


def _offer_file(store: Store, visit: Visit, project: Project, options: PromptOptions) -> None:
    """The file is made when it is asked for, and kept for this visit until the choice changes."""
    choice = (project.id, options)
    if pressed(_("Prepare prompts"), key="selfexp_prepare", icon=":material/description:"):
        with refusals_shown():
            st.session_state["selfexp_ready"] = (choice, *_made(store, visit, project, options))
    ready = st.session_state.get("selfexp_ready")
    if ready and ready[0] == choice:
        _choice, name, content = ready
        download(name, content, key="selfexp_take")


def _made(store: Store, visit: Visit, project: Project, options: PromptOptions) -> tuple[str, bytes]:
    with tempfile.TemporaryDirectory(prefix="annotator-export-") as folder:
        path = Path(folder) / f"{file_stem(project.name)}-prompts.jsonl"
        write_prompts(store, visit.user, project, path, options)
        return path.name, path.read_bytes()
