"""The card of a model that was trained here: what it learned from, its losses, and what its alignment brought."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import streamlit as st

from annotator.domain.numbers import written
from annotator.domain.projects import Project
from annotator.figures.curves import Curve, Panel, Scale, curve_panels
from annotator.language import _, parted, spoken_language, unsaid
from annotator.usecases.background import AskedAttribution, AskedTraining, ask_to_attribute, ask_to_train
from annotator.usecases.databases import Store
from annotator.usecases.models.alignment_gains import Measured, in_words
from annotator.usecases.models.alignment_proofs import AlignmentProof, Lack, alignment_proof, questions_for_proof
from annotator.usecases.models.related_models import why_without_kin
from annotator.usecases.training.forecast import TrainedModel, free_name, last_event, training_of_kin
from annotator.web.buttons import pressed
from annotator.web.cached_numbers import cache_of
from annotator.web.frame import as_text, refusals_shown
from annotator.web.page_parts import show_chart
from annotator.web.sections.tables import show_numbers
from annotator.web.session import Visit, database_path

# What the alignment of a model brought, beside its twin and its control, with buttons for what is not there.


_TRAIN = {"twin": unsaid("Train unaligned baseline"), "control": unsaid("Train shuffled-rationale control")}
_BEHIND = {"twin": "none", "control": "shuffled"}
_ASKED = unsaid("Queued; progress is shown above.")


def show_alignment_proofs(store: Store, visit: Visit, project: Project, model: TrainedModel) -> None:
    """Nothing of a model that was not aligned, unless its card is of before that was told."""
    if reason := why_without_kin(model.card):
        st.markdown(as_text(reason))
        return
    event = last_event(store, visit.user, project)
    key = (str(database_path()), project.id, model.name, event, spoken_language())  # its sentences are said
    proofs = cache_of("proofs", 100)
    cached = proofs.get(key, tuple)
    if cached is None:
        cached = (alignment_proof(store, visit.user, project, [model.name]),)
        proofs.put(key, cached)
    (proof,) = cached
    if proof is None:
        return
    st.markdown(f"##### {_('Effect of alignment')}")
    _show_measures(project, model, proof)
    for lack in proof.lacking:
        _show_lack(store, visit, project, model, lack)


def _show_measures(project: Project, model: TrainedModel, proof: AlignmentProof) -> None:
    if not proof.twins:
        numbers = (
            _("{metric} {difference} (n {n})", metric=of.title, difference=written(of.gain.other), n=f"{of.gain.n:,}")
            for of in proof.measures
        )
        st.markdown(as_text(_("All but training texts: {numbers}", numbers=parted(numbers))))
        return
    st.caption(
        as_text(
            _(
                "All but training texts. Differences from unaligned baseline {twin}, 95 % intervals over texts.",
                twin=proof.twins[0],
            )
        )
    )
    show_measures(proof.measures, _("unaligned"), _("aligned"), key=f"train_proof_{project.id}_{model.name}")
    for sentence in proof.sentences:
        st.markdown(as_text(sentence))


def show_measures(measures: Sequence[Measured], base: str, other: str, *, key: str) -> None:
    """A row for each number of two models, and of a control where there is one."""
    has_control = any(of.gain.control is not None for of in measures)
    difference, control, of_control = _("difference"), _("control"), _("control difference")
    rows = []
    for of in measures:
        gain = of.gain
        row = {_("metric"): of.title, "n": gain.n, base: gain.base, other: gain.other, difference: in_words(gain.gain)}
        rows.append(row | ({control: gain.control, of_control: in_words(gain.of_control)} if has_control else {}))
    show_numbers(rows, {base, other, control}, key=key, right=(difference, of_control))


def _show_lack(store: Store, visit: Visit, project: Project, model: TrainedModel, lack: Lack) -> None:
    st.markdown(as_text(lack.sentence))
    key = f"train_lack_{lack.kind}_{project.id}_{lack.name}"
    if lack.kind == "attributions":
        if lack.command and pressed(_("Compute occlusion attributions"), key=key, icon=":material/calculate:"):
            _ask_questions(store, visit, project, model)
    elif pressed(_(_TRAIN[lack.kind]), key=key, icon=":material/model_training:"):
        _ask_training(store, visit, project, model, lack)


def _ask_questions(store: Store, visit: Visit, project: Project, model: TrainedModel) -> None:
    with refusals_shown():
        for of in questions_for_proof(store, visit.user, project, model.name):
            ask_to_attribute(store, visit.user, project, AskedAttribution(of.model, of.method, of.options))
        st.session_state["train_asked"] = _(_ASKED)
        st.rerun()


def _ask_training(store: Store, visit: Visit, project: Project, model: TrainedModel, lack: Lack) -> None:
    kind: Literal["twin", "control"] = "twin" if lack.kind == "twin" else "control"
    name = free_name(store, project, f"{model.name[:50]}-{_BEHIND[kind]}")
    with refusals_shown():
        ask_to_train(store, visit.user, project, AskedTraining(name, training_of_kin(model, kind)))
        st.session_state["train_asked"] = _(_ASKED)
        st.rerun()


_LOSSES: dict[str, Callable[[Any], float | None]] = {
    unsaid("loss"): lambda epoch: epoch.task_loss,
    unsaid("validation loss"): lambda epoch: epoch.validation_loss,
}
_BESIDE: dict[str, tuple[Callable[[Any], float | None], Scale]] = {
    unsaid("alignment loss"): (lambda epoch: epoch.alignment_loss, "from 0"),
    unsaid("validation accuracy"): (lambda epoch: epoch.validation_accuracy, "0 to 1"),
}


def choose(project: Project, name: str) -> None:
    """Have a model's card shown."""
    st.session_state[_key(project)] = name


def show(store: Store, visit: Visit, project: Project, models: Sequence[TrainedModel]) -> None:
    """Choose a model; its card stands below."""
    if not models:
        return
    by_name = {model.name: model for model in models}
    if st.session_state.get(_key(project)) not in by_name:
        st.session_state[_key(project)] = None
    name = st.selectbox(
        _("Card of a model trained here"), list(by_name), index=None, key=_key(project),
        placeholder=_("Choose a model"),
        persist_state="session"
    )  # fmt: skip
    if name is None:
        return
    model = by_name[name]
    st.markdown(as_text(_("{summary} Spec: {spec}", summary=model.summary, spec=model.spec)))
    show_alignment_proofs(store, visit, project, model)
    _show_curves(project, model)
    with st.container(border=True, key="train_card_text"):
        st.markdown(_below_the_page(model.card.text()))


def _show_curves(project: Project, model: TrainedModel) -> None:
    panels = [
        Panel(_("Loss by epoch"), _("epoch"), "", [_curve(model, name, of) for name, of in _LOSSES.items()], "from 0")
    ]
    beside = [(_curve(model, name, of), scale) for name, (of, scale) in _BESIDE.items()]
    panels += [
        Panel(_("{loss} by epoch", loss=curve.name.capitalize()), _("epoch"), "", [curve], scale)
        for curve, scale in beside
        if any(y is not None for y in curve.y)
    ]
    show_chart(
        curve_panels(panels, whole_numbers=True), key=f"train_curves_{project.id}_{model.name}",
        config={"displayModeBar": False},
    )  # fmt: skip


def _curve(model: TrainedModel, name: str, of: Callable[[Any], float | None]) -> Curve:
    epochs = model.card.epochs
    return Curve(_(name), range(1, len(epochs) + 1), [of(epoch) for epoch in epochs])


def _below_the_page(card: str) -> str:
    """The card's headings, as small as those of a part of a page are."""
    return "\n".join(f"####{line}" if line.startswith("#") else line for line in card.splitlines())


def _key(project: Project) -> str:
    return f"train_card_{project.id}"
