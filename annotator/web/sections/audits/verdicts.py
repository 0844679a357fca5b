"""Judging audited versions on Perturb, by keys too: the original beside the version, then right, or what is wrong."""

from collections.abc import Iterable
from functools import partial

import streamlit as st

from annotator.domain.perturbations import description_of, title_of
from annotator.domain.project.audits import FAULTS, Fault
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.language import _, several
from annotator.usecases.databases import Store
from annotator.usecases.perturb.audits import ToAudit, count_to_audit, judge, next_to_audit
from annotator.web.buttons import press, pressed
from annotator.web.components import panel_component
from annotator.web.frame import as_text
from annotator.web.session import Visit

# The keys with which audited versions are judged: as on Review, digits, c and Ctrl+Enter (docs/perturb.md).


_KEYS = panel_component("audit_keys", "perturb/audit_keys.js", "perturb/perturb.css")


def hear_keys(version: str, n_faults: int) -> None:
    """Says the keys and hears them; the fields whose names begin with `version` are what they press."""
    data = {"version": version, "faults": n_faults}
    _KEYS(data=data, key="audit_keys", on_submit_change=partial(_press_verdict, version))


def _press_verdict(version: str) -> None:
    """Wrong is a version of which a fault is chosen: as which of the two buttons can be pressed then."""
    press(f"{version}_wrong" if st.session_state.get(f"{version}_faults") else f"{version}_right")


_REFUSED = "audit_refused"  # why the verdict of the run before was not taken


def show(store: Store, visit: Visit, project: Project) -> None:
    """One version after the other; nobody's name and nobody's verdict is among what is shown."""
    st.header(_("Audit"), anchor=False)
    if refused := st.session_state.pop(_REFUSED, ""):
        st.warning(as_text(refused), icon=":material/warning:")
    shown = next_to_audit(store, visit.user, project.id)
    if shown is None:
        st.info(_("Nothing to audit. Your own versions are hidden."), icon=":material/check:")
        return
    n = count_to_audit(store, visit.user, project.id)
    st.caption(
        several(
            "{n} version left. Authors and checkers are hidden.",
            "{n} versions left. Authors and checkers are hidden.",
            n,
        )
    )
    key = st.session_state["audit_shown"] = f"audit_{shown.item.audit_id}_{shown.item.perturbation_id}"
    _show_version(shown)
    _ask_verdict(store, visit, shown, key)


def _show_version(shown: ToAudit) -> None:
    title, description = as_text(title_of(shown.kind)), as_text(description_of(shown.kind))
    st.markdown(_("**{kind}**: {description}", kind=title, description=description))
    left, right = st.columns(2, gap="large")
    with left.container(border=True):
        st.markdown(_("**Original** · {result}", result=_result(shown.before)))
        for name, pieces in shown.segments:
            _show_text(name, len(shown.segments), ((kind, before) for kind, before, _after in pieces), "red")
    with right.container(border=True):
        st.markdown(_("**Perturbed version** · {result}", result=_result(shown.after)))
        for name, pieces in shown.segments:
            _show_text(name, len(shown.segments), ((kind, after) for kind, _before, after in pieces), "green")


def _result(result: str | None) -> str:
    return _("no label") if result is None else as_text(result) or _("no answer")


def _show_text(name: str, n_segments: int, pieces: Iterable[tuple[str, str]], colour: str) -> None:
    if n_segments > 1:
        st.caption(as_text(name))
    st.markdown("".join(_piece(kind, text, colour) for kind, text in pieces))


def _piece(kind: str, text: str, colour: str) -> str:
    """What was changed is coloured and underlined; the white space around it stays outside, where Markdown needs it."""
    if kind == "kept" or not text.strip():
        return _lines(text)
    begin, end = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{_lines(begin)}:{colour}-background[**{as_text(text.strip())}**]{_lines(end)}"


def _lines(text: str) -> str:
    """Text of a file with its line breaks."""
    begin = " " if text[:1] == " " else ""
    end = " " if text[-1:] == " " else ""
    return begin + "  \n".join(as_text(line.strip()) for line in text.split("\n")) + end if text.strip() else text


def _ask_verdict(store: Store, visit: Visit, shown: ToAudit, key: str) -> None:
    faults: list[Fault] = st.pills(
        _("Problems, if any"), list(shown.faults), selection_mode="multi", key=f"{key}_faults",
        format_func=lambda fault: f"{list(shown.faults).index(fault) + 1}  {_(FAULTS[fault])}"
    )  # fmt: skip
    comment = st.text_area(_("Comment"), key=f"{key}_comment", height=80)
    right, wrong, _rest = st.columns([1, 1, 3])
    is_right = pressed(_("Right"), container=right, disabled=bool(faults), key=f"{key}_right", width="stretch")
    is_wrong = pressed(_("Wrong"), container=wrong, disabled=not faults, key=f"{key}_wrong", width="stretch")
    hear_keys(key, len(shown.faults))
    if not (is_right or is_wrong):
        return
    try:
        item = shown.item
        judge(
            store, visit.user, item.audit_id, item.perturbation_id, shown.says,
            faults=faults if is_wrong else [], comment=comment,
        )  # fmt: skip
    except AnnotatorError as error:
        st.session_state[_REFUSED] = str(error)
    st.rerun()
