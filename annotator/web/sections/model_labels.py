"""Which of the project's labels each label of a model is: a row a label, to be confirmed before the model is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import streamlit as st

from annotator.domain.labels import LabelTable, not_given_words
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError, InvalidValue
from annotator.language import _
from annotator.usecases.databases import Store
from annotator.web.frame import as_text
from annotator.web.sections.label_pairs import read_pairs
from annotator.web.session import Visit

if TYPE_CHECKING:
    from annotator.usecases.models.label_tables import LabelQuestion

_NONE = ""
_WIDTH = 620  # pixels; wider, a label is far from what it is


@dataclass(frozen=True, slots=True)
class SaidLabels:
    """What somebody says of a model's labels. is_anew: what is stored of the model by other labels is to be deleted first."""

    renamed: Mapping[str, str] = field(default_factory=dict)
    is_anew: bool = False


def ask(
    store: Store, visit: Visit, project: Project, spec: str, *, key: str, may_delete: bool = False
) -> SaidLabels | None:
    """Shows the question, where there is one. None: it is not answered yet.

    may_delete: what is stored of the model by other labels, with which nothing is mixed, can be deleted by what is asked for
    """
    if spec.partition(":")[0] not in {"transformers", "spacy"}:
        return SaidLabels()
    from annotator.usecases.models.label_tables import are_labels_hidden, label_question  # noqa: PLC0415  (NumPy)

    try:
        question = label_question(store, visit.user, project, spec)
    except AnnotatorError:  # it is said when the model is asked for
        return SaidLabels()
    if question is None:
        return _written(key) if are_labels_hidden(project, spec) else SaidLabels()
    with st.container(border=True, width=_WIDTH + 40, key=f"{key}_labels"):
        return _answered(project, question, f"{key}_{project.id}_{question.model_labels.model}", may_delete=may_delete)


def _written(key: str) -> SaidLabels | None:
    """Where the labels are not known yet, so that no rows can be shown."""
    pairs = st.text_input(
        _("Its labels, if they differ"), key=f"{key}_written", placeholder="LABEL_0=negative, LABEL_1=positive, mixed=",
        help=_(
            "They are known only when this model is loaded. If they are not the project’s, nothing is computed, and "
            "the work ends with a proposal. Write it here to confirm it; nothing after the = says that a label is "
            "never an answer."
        ),
    )  # fmt: skip
    try:
        return SaidLabels(read_pairs(pairs))
    except InvalidValue as error:
        st.warning(as_text(str(error)))
        return None


def _answered(project: Project, question: "LabelQuestion", key: str, *, may_delete: bool) -> SaidLabels | None:
    st.markdown(f"**{as_text(_('Labels of “{model}” in this project', model=question.model_labels.model))}**")
    if question.confirmed is None:
        st.caption(_("They are not the project’s own. Say which is which; nothing is computed before you confirm it."))
    chosen = {label: _row(project, label, name, key) for label, name in question.names.items()}
    names = {label: name for label, name in chosen.items() if name is not None}
    if len(names) < len(chosen):
        st.caption(_("Choose what each label is in this project."))
        return None
    if refusal := question.refusal(project, names):
        st.error(as_text(refusal), icon=":material/error:")
        return None
    missing = not_given_words(LabelTable(names).not_given(project.labels))
    if missing:
        st.caption(as_text(missing))
    if not _is_confirmed(question, names, key):
        return None
    is_mixed = question.stored is not None and question.stored.names != names
    if is_mixed and not may_delete:
        sentence = _(
            "What is stored of “{model}” was computed with other labels. Delete that first: Saliency, Compute attributions.",
            model=question.model_labels.model,
        )
        st.caption(as_text(sentence))
        return None
    wanted = _(
        "What is stored of “{model}” was computed with other labels. Delete that first",
        model=question.model_labels.model,
    )
    is_anew = is_mixed and st.checkbox(as_text(wanted), key=f"{key}_anew")
    return SaidLabels(names, is_anew) if is_anew or not is_mixed else None


def _row(project: Project, label: str, name: str | None, key: str) -> str | None:
    """A label of the model, and the project's that it is."""
    left, right = st.columns([2, 3], vertical_alignment="center", width=_WIDTH)
    left.markdown(as_text(_("“{label}” is", label=label)))
    options = [*project.labels, _NONE]
    chosen: str | None = right.selectbox(
        _("“{label}” is", label=label), options, None if name is None else options.index(name), key=f"{key}_{label}",
        placeholder=_("Choose"),
        label_visibility="collapsed", format_func=lambda option: option or _("never an answer here"),
    )  # fmt: skip
    return chosen


def _is_confirmed(question: "LabelQuestion", names: Mapping[str, str], key: str) -> bool:
    """By a box that is empty again once something is changed; what was confirmed before stands."""
    confirmed = question.confirmed
    if confirmed is not None and all(confirmed.names[label] == name for label, name in names.items()):
        st.caption(as_text(_("As {by} confirmed it on {at}.", by=confirmed.by, at=confirmed.at[: len("2026-01-31")])))
        return True
    return st.checkbox(_("These are the right labels"), key=f"{key}_{'_'.join(names.values())}_right")
