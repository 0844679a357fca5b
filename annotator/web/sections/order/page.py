"""What annotators get next: the order that is set, and fields that choose another one, with its first ten texts."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.project import queue_orders
from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.errors import AnnotatorError
from annotator.language import _, in_brackets, listed, several, together, unsaid
from annotator.metrics.registry import definition_of
from annotator.usecases.databases import Store
from annotator.usecases.queue.orders import (
    NextText,
    OrderChoices,
    PresentOrder,
    Preview,
    choices_of,
    order_words,
    present_order,
    preview_order,
    set_order,
)
from annotator.web.buttons import pressed
from annotator.web.frame import as_text, confirm_and_rerun, refusals_shown
from annotator.web.sections import new_models
from annotator.web.sections.tables import choose
from annotator.web.session import Visit, shown_time

# The fields that choose an order: what comes first, by which models, how many; and how the rest follows.


_HELP = unsaid(
    "In ER-TEST, the most probable labels (HC) generalise best, the least probable (LC) get "
    "corrected. Unlabelled texts use the predicted label."
)
_NO_PRIORITY = unsaid("no priority")
_NO_ANSWERS = unsaid("No predictions yet. Compute or import some on Saliency.")
_ANSWERS_COME = unsaid("A model is running. Choose its predictions afterwards.")


def ask_order(
    project: Project, present: queue_orders.QueueOrder, choices: OrderChoices
) -> queue_orders.QueueOrder | None:
    """The order that is chosen; None where a field is still empty, which is said. The fields begin with the present order."""
    left, right = st.columns(2, gap="large")
    with left:
        kind = _ask_kind(project, present)
    with right:
        rest, seed = st.columns([3, 2])
        order = choose(
            _("Remaining texts") if kind else _("Order"), queue_orders.REST_WORDS, chosen=present.rest, column=rest,
            key=_key(project, "rest"), help=_("Also for texts imported later, which come last.")
        )  # fmt: skip
        number = seed.number_input(
            _("Seed"), 0, queue_orders.LARGEST_SEED, present.seed, key=_key(project, "seed")
        )  # fmt: skip
    if kind is None:
        return queue_orders.QueueOrder(order, int(number))
    first = _ask_first(project, kind, present.first, choices)
    return None if first is None else queue_orders.QueueOrder(order, int(number), first)


def _ask_kind(project: Project, present: queue_orders.QueueOrder) -> queue_orders.FirstKind | None:
    words: dict[queue_orders.FirstKind | Literal["nothing"], str] = {"nothing": _NO_PRIORITY}
    words |= {kind: queue_orders.FIRST_WORDS[kind] for kind in queue_orders.FIRST_KINDS}
    chosen = present.first.kind if present.first else "nothing"
    kind = choose(_("First"), words, chosen=chosen, key=_key(project, "kind"), help=_(_HELP))
    return None if kind == "nothing" else kind


def _ask_first(
    project: Project, kind: queue_orders.FirstKind, present: queue_orders.ModelOrder | None, choices: OrderChoices
) -> queue_orders.ModelOrder | None:
    before = present if present is not None and present.kind == kind else None
    left, right = st.columns(2, gap="large")
    with left:
        if ask := _ASK_WHAT.get(kind):
            chosen = ask(project, kind, before, choices)
        else:
            names, words = list(choices.models), partial(_with_seeds, choices=choices)
            chosen = _models_field(project, kind, names, before, choices, words)
    if chosen is None:
        return None
    with right:
        of_split, share = st.columns([3, 2]) if choices.splits else (None, st.container())
        percent = share.number_input(
            _("Top k %"), 1.0, 100.0, float(before.percent if before else 100), format="%g", key=_key(project, "percent"),
            help=several(
                "Top k % (rounded up) of waiting texts with this value come first. {n} text waiting.",
                "Top k % (rounded up) of waiting texts with this value come first. {n} texts waiting.",
                choices.n_free,
            ),
        )  # fmt: skip
        split = None if of_split is None else _split_field(of_split, project, before, choices)
    return queue_orders.ModelOrder(kind, percent=percent, split=split, **chosen)


def _split_field(
    container: DeltaGenerator, project: Project, before: queue_orders.ModelOrder | None, choices: OrderChoices
) -> str | None:
    splits = [None, *choices.splits]
    index = splits.index(before.split) if before and before.split in splits else 0
    number = container.selectbox(
        _("Split"), range(len(splits)), index, key=_key(project, "split"),
        format_func=lambda number: (splits[number] or in_brackets(_("none"))) if number else _("all splits")
    )  # fmt: skip
    return splits[number]


def _with_seeds(name: str, choices: OrderChoices) -> str:
    n = choices.models[name]
    return name if n == 1 else _("{name} ({n} seeds)", name=name, n=n)


def _models_field(
    project: Project,
    kind: queue_orders.FirstKind,
    names: Sequence[str],
    before: queue_orders.ModelOrder | None,
    choices: OrderChoices,
    shown: Callable[[str], str] = str,
) -> dict[str, Any] | None:
    if not names:
        st.info(_(_ANSWERS_COME if choices.answers_come else _NO_ANSWERS), icon=":material/smart_toy:")
        return None
    usual = names if kind == "models disagree" else names[:1]
    chosen = [name for name in before.models if name in names] if before else usual
    models = st.multiselect(
        _("Models"),
        names,
        chosen,
        format_func=shown,
        key=_key(project, f"models_{kind}"),
        placeholder=_("Choose"),
        help=_("Averages over all chosen models and seeds."),
    )
    if not models:
        st.caption(_("Choose a model to preview the order."))
        return None
    return {"models": tuple(models)}


def _ask_plausibility(
    project: Project, kind: queue_orders.FirstKind, before: queue_orders.ModelOrder | None, choices: OrderChoices
) -> dict[str, Any] | None:
    if not choices.measured:
        st.info(_("No attribution metrics yet. Compute them on Metrics."), icon=":material/straighten:")
        return None
    index = 0
    if before is not None:
        wanted = [(model, before.method, before.layer, before.number) for model in before.models]
        index = next((choices.measured.index(number) for number in wanted if number in choices.measured), 0)
    model, method, layer, name = st.selectbox(
        _("Metric"), choices.measured, index, format_func=_number_words, key=_key(project, f"number_{kind}"),
        help=_("Needs gold, so several annotators per text.")
    )  # fmt: skip
    return {"models": (model,), "method": method, "layer": layer, "number": name}


def _number_words(number: tuple[str, str, int | None, str]) -> str:
    model, method, layer, name = number
    title = definition_of(name).title
    words = _("{title} of {model} by {method}", title=title, model=model, method=method)
    return words if layer is None else _("{number}, layer {layer}", number=words, layer=layer)


def _ask_nothing(
    project: Project, kind: queue_orders.FirstKind, before: queue_orders.ModelOrder | None, choices: OrderChoices
) -> dict[str, Any] | None:
    """What it is that nothing was found: an answer of models, or a method that selects no token."""
    labels = list(project.labels) if project.task.result_kind == "label" else [""]
    options: list[tuple[str, str]] = [("label", label) for label in labels]
    options += [("method", method) for method in dict.fromkeys(method for _model, method in choices.methods)]
    stored = None
    if before is not None:
        stored = ("method", before.method) if before.label is None else ("label", before.label)
    what, value = st.selectbox(
        _("No result means"), options, options.index(stored) if stored in options else 0,
        format_func=_nothing_words, key=_key(project, f"nothing_{kind}")
    )  # fmt: skip
    of_method = [model for model, method in choices.methods if method == value]
    names = list(choices.models) if what == "label" else of_method
    models = _models_field(project, kind, names, before, choices)
    return None if models is None else {**models, what: value}


def _nothing_words(option: tuple[str, str]) -> str:
    what, value = option
    if what == "method":
        return _("{value} selects no token", value=value)
    return _("the prediction is {label}", label=f"“{value or _('no answer')}”")


def _turn_key(project: Project) -> str:
    return f"order_turn_{project.id}"


def _key(project: Project, field: str) -> str:
    return f"order_{field}_{project.id}_{st.session_state.get(_turn_key(project), 0)}"


_ASK_WHAT: dict[
    queue_orders.FirstKind,
    Callable[[Project, queue_orders.FirstKind, queue_orders.ModelOrder | None, OrderChoices], dict[str, Any] | None],
] = {"least plausible": _ask_plausibility, "nothing found": _ask_nothing}


_WHAT_STAYS = unsaid("Applies after reserved texts. Annotators don't see it.")


def show(store: Store, visit: Visit, project: Project) -> None:
    """Nothing changes before the button is pressed."""
    present = present_order(store, visit.user, project.id)
    _show_present(store, visit, project, present)
    choices = choices_of(store, visit.user, project)
    order = ask_order(project, present.order, choices)
    if order is None and not choices.models:
        new_models.offer(store, visit, project, where="order")
    if order is None:
        return
    try:
        with st.spinner(_("Computing …"), show_time=True):
            preview = preview_order(store, visit.user, project.id, order)
    except AnnotatorError as error:
        st.warning(as_text(str(error)), icon=":material/info:")
        return
    sentence, button = st.columns([4, 1], vertical_alignment="center")
    sentence.markdown(_("**Next texts.** {counts}", counts=_counts(preview)))
    _show_button(store, visit, project, present, preview, button)
    st.caption(together(*map(as_text, preview.notes), _(_WHAT_STAYS)))
    if preview.texts:
        _show_texts(preview.texts, has_reasons=order.first is not None)


def _show_present(store: Store, visit: Visit, project: Project, present: PresentOrder) -> None:
    lines = [_("Assignment order: **{order}**.", order=as_text(order_words(present.order)))]
    if present.set_by and present.set_at:
        lines.append(_("Set by {name} on {time}.", name=as_text(present.set_by), time=shown_time(present.set_at)))
    if present.order.first:
        lines.append(
            several(
                "{n} prioritised text is still waiting.", "{n} prioritised texts are still waiting.", present.n_waiting
            )
        )
    st.markdown(together(*lines))
    if present.gone:
        names = listed([_("“{name}”", name=name) for name in present.gone], "and")
        st.info(_("Data of {names} was deleted; the order stays.", names=as_text(names)), icon=":material/history:")
    elif present.is_old:
        st.info(_("The data changed. Set the order again to update."), icon=":material/history:")
    if present.before is not None and present.before != present.order:
        _show_way_back(store, visit, project, present, present.before)


def _show_way_back(
    store: Store, visit: Visit, project: Project, present: PresentOrder, before: queue_orders.QueueOrder
) -> None:
    sentence, button = st.columns([4, 1], vertical_alignment="center")
    sentence.caption(_("Previous order: {order}.", order=as_text(order_words(before))))
    if pressed(_("Restore it"), container=button, width="stretch", key="order_back"):
        _set(store, visit, project, before, present.revision)


def _counts(preview: Preview) -> str:
    if preview.order.first is None:
        return several("{n} text waiting.", "{n} texts waiting.", preview.n_free)
    return several(
        "{n} text waiting; {n_known} rankable, {n_first} first.",
        "{n} texts waiting; {n_known} rankable, {n_first} first.",
        preview.n_free,
        n_known=f"{preview.n_known:,}",
        n_first=f"{preview.n_first:,}",
    )


def _show_texts(texts: Iterable[NextText], *, has_reasons: bool) -> None:
    st.dataframe(
        [
            {
                "text": first_words(text.text),
                "label": "–" if text.label is None else text.label or in_brackets(_("no answer")),
                **({"why now": text.reason or _("remaining order")} if has_reasons else {}),
                "key": text.key,
            }
            for text in texts
        ],
        hide_index=True,
        key="order_texts",
        column_config={
            "text": st.column_config.TextColumn(_("text"), width=280),
            "label": st.column_config.TextColumn(_("label"), width=80),
            "why now": st.column_config.TextColumn(_("reason"), width=500),
            "key": st.column_config.TextColumn(_("ID"), width=100),
        },
    )


def _show_button(
    store: Store, visit: Visit, project: Project, present: PresentOrder, preview: Preview, container: DeltaGenerator
) -> None:
    """Sets what was shown when it was pressed; whoever was overtaken by another lead meanwhile is told."""
    seen = st.session_state.get(_shown_key(project), preview.revision)
    st.session_state[_shown_key(project)] = preview.revision
    is_set = preview.order == present.order
    is_idle = preview.n_first == 0 if preview.order.first else is_set
    if pressed(
        _("Draw again") if is_set and preview.order.first else _("Set order"),
        container=container, type="primary", width="stretch", key="order_set", disabled=is_idle,
    ):  # fmt: skip
        _set(store, visit, project, preview.order, seen)


def _shown_key(project: Project) -> str:
    return f"order_shown_{project.id}"


def _set(store: Store, visit: Visit, project: Project, order: queue_orders.QueueOrder, revision: int) -> None:
    """From the next run on the fields are others, which begin with the order that is set then."""
    with refusals_shown():
        set_order(store, visit.user, project.id, order, revision=revision)
        st.session_state[_turn_key(project)] = st.session_state.get(_turn_key(project), 0) + 1
        st.session_state.pop(_shown_key(project), None)
        confirm_and_rerun(_("Order set."))
