"""The card of a model that was trained here: what it learned from and how, and how its losses went, epoch by epoch."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from annotator.domain.projects import Project
from annotator.figures.curves import Curve, Panel, Scale, curve_panels
from annotator.language import _, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.training.forecast import TrainedModel
from annotator.web.frame import as_text
from annotator.web.sections import alignment_proofs
from annotator.web.session import Visit

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
        _("Card of a model that was trained here"), list(by_name), index=None, key=_key(project),
        placeholder=_("Choose a model"),
        persist_state="session",
    )  # fmt: skip
    if name is None:
        return
    model = by_name[name]
    st.markdown(as_text(_("{summary} Elsewhere it is named {spec}", summary=model.summary, spec=model.spec)))
    alignment_proofs.show(store, visit, project, model)
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
    st.plotly_chart(
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
