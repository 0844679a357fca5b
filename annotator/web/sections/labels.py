"""Labels: dialogs to add, rename, map or replace one, and which of them each label of a model is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from annotator.domain.labels import LabelTable, not_given_words
from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.errors import AnnotatorError, InvalidValue
from annotator.language import _, listed, unsaid
from annotator.usecases.databases import Store, find_project
from annotator.usecases.project import labels as project_labels
from annotator.web.buttons import pressed
from annotator.web.frame import as_text
from annotator.web.page_parts import open_instance
from annotator.web.session import Visit, current_visit, page_store

if TYPE_CHECKING:
    from annotator.usecases.models.label_tables import LabelQuestion

_NAMED_CHARACTERS = 60
Changed = TypeVar("Changed")
_CARRY = unsaid("Updates texts, annotations, drafts, predictions and attributions.")


def dialog(project: Project, label: str, wanted: tuple[str, ...]) -> None:
    """For a label that is used and is not among those of the form any more."""
    st.dialog(_("Replace label"), width="medium")(_show_replacing)(project, label, wanted)


def _show_replacing(project: Project, label: str, wanted: tuple[str, ...]) -> None:
    """It runs again by itself, when the page's own connection is closed: so it opens one. wanted: the labels of the form."""
    with page_store() as store:
        visit = current_visit(store)
        uses = project_labels.uses_of(store, visit.user, project, label)
        st.markdown(_("Can't remove “{label}”: used by {uses}.", label=as_text(label), uses=uses.told))
        _show_texts(uses)
        others = [other for other in sorted({*wanted, *project.labels}, key=_new_ones_first(project)) if other != label]
        if uses.refusal or not others:
            st.info(as_text(uses.refusal) or _("First add another label to the rules."), icon=":material/info:")
            return
        by = st.selectbox(
            _("Replace “{label}” with", label=as_text(label)), others,
            index=None if others[0] in project.labels else 0, placeholder=_("Choose a label"),
            key=f"replace_label_{project.id}_{label}",
        )  # fmt: skip
        if by is None:
            return
        is_new = by not in project.labels
        _show_effects(
            project_labels.label_effects(store, visit.user, project, label),
            project_labels.UNDONE if is_new else project_labels.NOT_UNDONE,
        )
        if pressed(_("Replace label"), type="primary", key="replace_label_go"):
            if (report := _tried(lambda: project_labels.replace_label(store, visit.user, project, label, by))) is None:
                return
            st.session_state["rules_told"] = _(
                "Replaced “{label}” with “{by}”: {report}. Save your other changes.", label=label, by=by, report=report
            )
            st.rerun()


def _new_ones_first(project: Project) -> Callable[[str], tuple[int, str]]:
    """Whoever writes a new label in the place of an old one means to rename it; among the others nothing is chosen."""
    return lambda label: (project.labels.index(label) + 1 if label in project.labels else 0, label)


def _show_texts(uses: project_labels.LabelUses) -> None:
    if not uses.texts:
        return
    st.caption(_("First ones:"))
    with st.container(gap=None):
        for row in uses.texts:
            words = as_text(first_words(row.excerpt, _NAMED_CHARACTERS) or row.key)
            if st.button(
                words, icon=":material/arrow_forward:", key=f"label_text_{row.id}", type="tertiary",
                on_click=open_instance, args=(row.id,),
            ):  # fmt: skip
                st.rerun()


def changes_dialog(project: Project) -> None:
    """One label more, another name, or two that become one, with what it does before it is done."""
    st.dialog(_("Labels"), width="medium")(_show_changes)(project)


def _show_changes(project: Project) -> None:
    with page_store() as store:
        visit = current_visit(store)
        project = find_project(store, project.name)
        act = st.segmented_control(
            _("Action"), list(_ACTS), required=True, default=_ADD, key=f"labels_act_{project.id}", format_func=_
        )
        outcome = _ACTS[act or _ADD](store, visit, project)
        if outcome is not None:
            st.session_state["rules_told"] = outcome
            st.session_state[_turn_key(project)] = st.session_state.get(_turn_key(project), 0) + 1
            st.rerun()


def labels_key(project: Project) -> str:
    """Of the field of the rules: another one after each change here, which shows the labels as they are then."""
    turn = st.session_state.get(_turn_key(project), 0)
    return f"rules_labels_{project.id}" + (f"_{turn}" if turn else "")


def _turn_key(project: Project) -> str:
    return f"rules_labels_turn_{project.id}"


def _add(store: Store, visit: Visit, project: Project) -> str | None:
    name = st.text_input(_("New label"), key=f"labels_new_{project.id}")
    st.caption(_("Annotators see it from their next text."))
    if not pressed(_("Add label"), type="primary", key="labels_add"):
        return None
    changed = _tried(lambda: project_labels.add_label(store, visit.user, project, name))
    return None if changed is None else _("Labels are now: {labels}.", labels=listed(changed.labels))


def _which_label(project: Project) -> str | None:
    """Nothing is chosen beforehand: what follows changes texts."""
    return st.selectbox(
        _("Label"), project.labels, index=None, key=f"labels_old_{project.id}", placeholder=_("Choose a label")
    )


def _rename(store: Store, visit: Visit, project: Project) -> str | None:
    if (label := _which_label(project)) is None:
        return None
    name = st.text_input(_("New name"), key=f"labels_name_{project.id}")
    _show_effects(project_labels.label_effects(store, visit.user, project, label), project_labels.UNDONE)
    if not pressed(_("Rename label"), type="primary", key="labels_rename"):
        return None
    report = _tried(lambda: project_labels.rename_label(store, visit.user, project, label, name))
    return report and _("“{label}” is now “{name}”: {report}.", label=label, name=name.strip(), report=report)


def _map(store: Store, visit: Visit, project: Project) -> str | None:
    if (label := _which_label(project)) is None:
        return None
    others = [other for other in project.labels if other != label]
    other = st.selectbox(
        _("Merge into"), others, index=None, key=f"labels_other_{project.id}", placeholder=_("Choose a label")
    )
    if other is None:
        return None
    _show_effects(project_labels.label_effects(store, visit.user, project, label), project_labels.NOT_UNDONE)
    if not pressed(_("Merge label"), type="primary", key="labels_map"):
        return None
    report = _tried(lambda: project_labels.map_label(store, visit.user, project, label, other))
    return report and _("“{label}” is merged into “{other}”: {report}.", label=label, other=other, report=report)


_ADD = unsaid("Add")
_ACTS = {_ADD: _add, unsaid("Rename"): _rename, unsaid("Merge"): _map}


def _tried(act: Callable[[], Changed]) -> Changed | None:
    try:
        return act()
    except InvalidValue as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return None


def _show_effects(effects: project_labels.LabelEffects, undoing: str) -> None:
    changes = listed(effects.changes) or _("nothing stored")
    st.markdown(_("**Changes:** {changes}.", changes=as_text(changes)))
    if effects.changes:
        st.caption(_(_CARRY))
    st.markdown("\n".join(f"- {as_text(sentence)}" for sentence in (*effects.stays, _(undoing))))


# Names of labels as one writes them into a field: LABEL=name, separated by commas.


def written_pairs(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{label}={name}" for label, name in labels.items())


def read_pairs(text: str) -> dict[str, str]:
    name_by_label: dict[str, str] = {}
    for part in text.split(","):
        label, sign, name = part.partition("=")
        if part.strip() and not (sign and label.strip()):
            raise InvalidValue(
                _(
                    "Can't parse '{pair}'. Write MODEL_LABEL=project label; nothing after = if never predicted.",
                    pair=part.strip(),
                )
            )
        if part.strip():
            name_by_label[label.strip()] = name.strip()
    return name_by_label


# Which of the project's labels each label of a model is: a row a label, to be confirmed before the model is asked.


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
        _("Its labels, if different"), key=f"{key}_written", placeholder="LABEL_0=negative, LABEL_1=positive, mixed=",
        help=_("Map differing labels; nothing after = if never predicted.")
    )  # fmt: skip
    try:
        return SaidLabels(read_pairs(pairs))
    except InvalidValue as error:
        st.warning(as_text(str(error)))
        return None


def _answered(project: Project, question: "LabelQuestion", key: str, *, may_delete: bool) -> SaidLabels | None:
    model = question.model_labels.model
    st.markdown(f"**{as_text(_('Labels of “{model}” in this project', model=model))}**")
    chosen = {label: _row(project, label, name, key) for label, name in question.names.items()}
    names = {label: name for label, name in chosen.items() if name is not None}
    if len(names) < len(chosen):
        st.caption(_("Map each label to a project label."))
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
        sentence = _("“{model}” has results with other labels. Delete them under Compute attributions.", model=model)
        st.caption(as_text(sentence))
        return None
    wanted = _("“{model}” has results with other labels. Delete them first", model=model)
    is_anew = is_mixed and st.checkbox(as_text(wanted), key=f"{key}_anew")
    return SaidLabels(names, is_anew) if is_anew or not is_mixed else None


def _row(project: Project, label: str, name: str | None, key: str) -> str | None:
    """A label of the model, and the project's that it is."""
    left, right = st.columns([2, 3], vertical_alignment="center", width=_WIDTH)
    words = _("“{label}” is", label=label)
    left.markdown(as_text(words))
    options = [*project.labels, _NONE]
    chosen: str | None = right.selectbox(
        words, options, None if name is None else options.index(name), key=f"{key}_{label}",
        placeholder=_("Choose"),
        label_visibility="collapsed", format_func=lambda option: option or _("never predicted here")
    )  # fmt: skip
    return chosen


def _is_confirmed(question: "LabelQuestion", names: Mapping[str, str], key: str) -> bool:
    """By a box that is empty again once something is changed; what was confirmed before stands."""
    confirmed = question.confirmed
    if confirmed is not None and all(confirmed.names[label] == name for label, name in names.items()):
        st.caption(as_text(_("Confirmed by {by} on {at}.", by=confirmed.by, at=confirmed.at[: len("2026-01-31")])))
        return True
    return st.checkbox(_("Labels are correct"), key=f"{key}_{'_'.join(names.values())}_right")
