"""What the alignment of a model brought, beside its twin and its control, with buttons for what is not there."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import streamlit as st

from annotator.domain.numbers import signed, written
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.language import _, parted, spoken_language, unsaid
from annotator.usecases.background import AskedAttribution, AskedTraining, ask_to_attribute, ask_to_train
from annotator.usecases.databases import Store
from annotator.usecases.models.alignment_gains import Measured
from annotator.usecases.models.alignment_proofs import AlignmentProof, Lack, alignment_proof, questions_for_proof
from annotator.usecases.models.related_models import why_without_kin
from annotator.usecases.training.forecast import TrainedModel, free_name, last_event, training_of_kin
from annotator.web.frame import as_text
from annotator.web.page_parts import ValueCache
from annotator.web.presses import pressed
from annotator.web.sections.number_frames import show_numbers
from annotator.web.session import Visit, database_path

if TYPE_CHECKING:
    from annotator.metrics.significance import Verdict

_TRAIN = {"twin": unsaid("Train its twin without alignment"), "control": unsaid("Train its control")}
_BEHIND = {"twin": "none", "control": "shuffled"}
_ASKED = unsaid("It waits for its turn; the top of this page shows how far it is.")


@st.cache_resource(show_spinner=False)
def _proofs() -> ValueCache:
    return ValueCache(most=100)


def show(store: Store, visit: Visit, project: Project, model: TrainedModel) -> None:
    """Nothing of a model that was not aligned, unless its card is of before that was told."""
    if reason := why_without_kin(model.card):
        st.markdown(as_text(reason))
        return
    event = last_event(store, visit.user, project)
    key = (str(database_path()), project.id, model.name, event, spoken_language())  # its sentences are said
    cached = _proofs().get(key, tuple)
    if cached is None:
        cached = (alignment_proof(store, visit.user, project, [model.name]),)
        _proofs().put(key, cached)
    (proof,) = cached
    if proof is None:
        return
    st.markdown(f"##### {_('What the alignment brought')}")
    _show_measures(project, model, proof)
    for lack in proof.lacking:
        _show_lack(store, visit, project, model, lack)


def _show_measures(project: Project, model: TrainedModel, proof: AlignmentProof) -> None:
    if not proof.twins:
        numbers = (
            _("{number} {value} (n {n})", number=of.title, value=written(of.gain.other), n=f"{of.gain.n:,}")
            for of in proof.measures
        )
        st.markdown(as_text(_("On texts that it did not learn from: {numbers}", numbers=parted(numbers))))
        return
    st.caption(as_text(_what_is_compared(model, proof)))
    show_measures(
        proof.measures, _("without alignment"), _("with alignment"), key=f"train_proof_{project.id}_{model.name}"
    )
    for sentence in proof.sentences:
        st.markdown(as_text(sentence))


def _what_is_compared(model: TrainedModel, proof: AlignmentProof) -> str:
    name, twin = model.name, proof.twins[0]
    if proof.controls:
        return _(
            "On texts that none of them learned from: {model}, its twin {twin} without alignment, and the control {control} "
            "with as many tokens at random. Differences are from the twin, over texts, with 95 % intervals.",
            model=name, twin=twin, control=proof.controls[0],
        )  # fmt: skip
    return _(
        "On texts that none of them learned from: {model}, its twin {twin} without alignment. Differences are from the twin, "
        "over texts, with 95 % intervals.",
        model=name, twin=twin,
    )  # fmt: skip


def show_measures(measures: Sequence[Measured], base: str, other: str, *, key: str) -> None:
    """A row for each number of two models, and of a control where there is one."""
    has_control = any(of.gain.control is not None for of in measures)
    difference, control, of_control = _("difference"), _("control"), _("its difference")
    rows = []
    for of in measures:
        gain = of.gain
        row = {_("number"): of.title, "n": gain.n, base: gain.base, other: gain.other, difference: _written(gain.gain)}
        rows.append(row | ({control: gain.control, of_control: _written(gain.of_control)} if has_control else {}))
    show_numbers(rows, {base, other, control}, key=key, right=(difference, of_control))


def _written(verdict: "Verdict | None") -> str | None:
    if verdict is None or verdict.difference is None:
        return None
    if verdict.low is None or verdict.high is None:
        return signed(verdict.difference)
    return f"{signed(verdict.difference)} [{signed(verdict.low)}, {signed(verdict.high)}]"


def _show_lack(store: Store, visit: Visit, project: Project, model: TrainedModel, lack: Lack) -> None:
    st.markdown(as_text(lack.sentence))
    key = f"train_lack_{lack.kind}_{project.id}_{lack.name}"
    if lack.kind == "attributions":
        if lack.command and pressed(_("Compute its attributions by occlusion"), key=key, icon=":material/calculate:"):
            _ask_questions(store, visit, project, model)
    elif pressed(_(_TRAIN[lack.kind]), key=key, icon=":material/model_training:"):
        _ask_training(store, visit, project, model, lack)


def _ask_questions(store: Store, visit: Visit, project: Project, model: TrainedModel) -> None:
    try:
        for of in questions_for_proof(store, visit.user, project, model.name):
            ask_to_attribute(store, visit.user, project, AskedAttribution(of.model, of.method, of.options))
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    st.session_state["train_asked"] = _(_ASKED)
    st.rerun()


def _ask_training(store: Store, visit: Visit, project: Project, model: TrainedModel, lack: Lack) -> None:
    kind: Literal["twin", "control"] = "twin" if lack.kind == "twin" else "control"
    name = free_name(store, project, f"{model.name[:50]}-{_BEHIND[kind]}")
    try:
        ask_to_train(store, visit.user, project, AskedTraining(name, training_of_kin(model, kind)))
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    st.session_state["train_asked"] = _(_ASKED)
    st.rerun()
