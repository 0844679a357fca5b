"""Second passes: starting one, how far each is, and making what it marked the exhaustive gold of the texts."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.numbers import counted
from annotator.domain.project.evidence import EvidencePass, Selection
from annotator.domain.projects import Project
from annotator.language import _, listed, several, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.evidence import exhaustive_gold
from annotator.usecases.project.exhaustive_passes import Chosen, count_chosen, splits_to_choose, start_pass
from annotator.web.addresses import page_address
from annotator.web.buttons import pressed
from annotator.web.frame import as_text, confirm_and_rerun, refusals_shown
from annotator.web.session import Visit

_ALL = unsaid("all texts with gold")
_SHOWN = 5  # keys of what something keeps from being taken over


def show(store: Store, visit: Visit, project: Project, of_button: DeltaGenerator) -> None:
    """The passes that there are. of_button: where the form for another one is opened."""
    first = exhaustive_gold.find_first(store, project.id)
    if first is not None:
        st.caption(as_text(_("Second pass over “{first}”. Adopt its gold there, under Texts.", first=first)))
        return
    for evidence_pass in exhaustive_gold.passes_of(store, visit.user, project.id):
        with st.container(border=True):
            _show_pass(store, visit, evidence_pass)
    with of_button.popover(_("Start second pass"), icon=":material/playlist_add_check:"):
        st.caption(
            _("Recall measures comprehensiveness only after a second pass for all evidence (DeYoung et al. 2020).")
        )
        _ask_pass(store, visit, project)


def _show_pass(store: Store, visit: Visit, evidence_pass: EvidencePass) -> None:
    key = f"evidence_{evidence_pass.project_id}"
    with_changed = bool(st.session_state.get(f"{key}_changed", False))
    standing = _standing(store, visit, evidence_pass, with_changed=with_changed)
    address = page_address("project", project=evidence_pass.project_id)
    st.markdown(f"**[{as_text(evidence_pass.project_name)}]({address})**")
    st.markdown(
        several(
            "{exhaustive} of {n} text has exhaustive gold from this pass.",
            "{exhaustive} of {n} texts have exhaustive gold from this pass.",
            standing.n,
            exhaustive=f"{standing.n_exhaustive:,}",
        )
    )
    st.dataframe(
        [{_("texts"): n, _("progress"): words, _("IDs"): _keys(n, keys)} for words, n, keys in standing.rows()],
        hide_index=True, key=f"{key}_states",
    )  # fmt: skip
    if "gold changed" in standing.n_by_state:
        st.checkbox(_("Include texts whose gold changed here since then"), key=f"{key}_changed")
    if standing.n_taken:
        st.markdown(standing.words)
    _show_actions(store, visit, standing, key, with_changed=with_changed)


def _standing(
    store: Store, visit: Visit, evidence_pass: EvidencePass, *, with_changed: bool
) -> exhaustive_gold.PassStanding:
    """Read anew only when something has happened in one of the two projects: the texts of a pass may be long."""
    cache_key = f"evidence_standing_{evidence_pass.project_id}"
    newest = (exhaustive_gold.newest_change(store, visit.user, evidence_pass.project_id), with_changed)
    if cache_key not in st.session_state or st.session_state[cache_key][0] != newest:
        standing = exhaustive_gold.standing_of(store, visit.user, evidence_pass.project_id, with_changed=with_changed)
        st.session_state[cache_key] = (newest, standing)
    known: exhaustive_gold.PassStanding = st.session_state[cache_key][1]
    return known


def _keys(n: int, keys: tuple[str, ...]) -> str:
    more = ["…"] if keys and n > min(len(keys), _SHOWN) else []
    return listed([*keys[:_SHOWN], *more])


def _show_actions(
    store: Store, visit: Visit, standing: exhaustive_gold.PassStanding, key: str, *, with_changed: bool
) -> None:
    evidence_pass = standing.evidence_pass
    number = evidence_pass.project_id
    take, back = st.columns(2)
    label = several("Adopt {n} text", "Adopt {n} texts", standing.n_taken)
    with refusals_shown():
        if pressed(label, container=take, type="primary", disabled=not standing.n_taken, key=f"{key}_take"):
            n = exhaustive_gold.take_over(store, visit.user, number, with_changed=with_changed)
            confirm_and_rerun(several("{n} text now has exhaustive gold.", "{n} texts now have exhaustive gold.", n))
        if pressed(_("Undo all"), container=back, disabled=not standing.n_exhaustive, key=f"{key}_back"):
            n = exhaustive_gold.take_back(store, visit.user, number)
            confirm_and_rerun(several("{n} text restored.", "{n} texts restored.", n))
        is_automatic = st.toggle(
            _("Adopt accepted gold automatically"), evidence_pass.is_automatic, key=f"{key}_automatic"
        )
        if is_automatic != evidence_pass.is_automatic:
            exhaustive_gold.set_automatic(store, visit.user, number, is_automatic)


def _ask_pass(store: Store, visit: Visit, project: Project) -> None:
    """Which texts, what that comes to, and only then the making."""
    key = f"evidence_new_{project.id}"
    name = st.text_input(_("Name of second project"), f"{project.name} – every evidence", key=f"{key}_name")
    selection = _ask_selection(store, project, key)
    is_automatic = st.checkbox(_("Adopt accepted gold automatically"), key=f"{key}_automatic")
    has_people = st.checkbox(_("Same roles for everyone"), value=True, key=f"{key}_people")
    may_repeat = st.checkbox(
        _("Allow the same annotators again"), key=f"{key}_repeat"
    )  # fmt: skip
    wanted = (name, selection, is_automatic, has_people, may_repeat)
    if pressed(_("Preview"), key=f"{key}_preview"):
        st.session_state[f"{key}_shown"] = wanted
    if st.session_state.get(f"{key}_shown") != wanted:
        return
    with refusals_shown():
        chosen = count_chosen(store, visit.user, project, selection)
        _show_chosen(chosen, may_repeat=may_repeat)
        if pressed(_("Start pass"), type="primary", key=f"{key}_start", disabled=not chosen.n):
            made = start_pass(
                store, visit.user, project.id, name, selection,
                is_automatic=is_automatic, may_repeat=may_repeat, has_people=has_people,
            )  # fmt: skip
            del st.session_state[f"{key}_shown"]
            confirm_and_rerun(
                several(
                    "“{name}” has {n} text, ready under Annotate.",
                    "“{name}” has {n} texts, ready under Annotate.",
                    chosen.n,
                    name=made.name,
                )
            )


def _ask_selection(store: Store, project: Project, key: str) -> Selection:
    splits = splits_to_choose(store, project)
    default = splits.index("test") + 1 if "test" in splits else 0
    chosen = st.selectbox(_("Texts"), [_ALL, *splits], index=default, key=f"{key}_split", format_func=_split_words)
    first, left, right = st.columns([3, 2, 2], vertical_alignment="bottom")
    is_sample = first.checkbox(_("A sample"), key=f"{key}_sample")
    n = int(left.number_input(_("Number"), 1, value=100, key=f"{key}_n", disabled=not is_sample))
    seed = int(right.number_input(_("Seed"), 0, key=f"{key}_seed", disabled=not is_sample))
    return Selection(None if chosen == _ALL else chosen, n if is_sample else None, seed)


def _split_words(name: str) -> str:
    return _(_ALL) if name == _ALL else as_text(_("split {split}", split=name))


def _show_chosen(chosen: Chosen, *, may_repeat: bool) -> None:
    st.markdown(
        several(
            "Reassigns {chosen} of {n} text with gold ({tokens}).",
            "Reassigns {chosen} of {n} texts with gold ({tokens}).",
            chosen.n_gold,
            chosen=f"{chosen.n:,}",
            tokens=counted(chosen.n_tokens, "token"),
        )
    )
    if chosen.n_in_passes:
        st.caption(
            several(
                "Skipped: {n} text already in a second pass.",
                "Skipped: {n} texts already in a second pass.",
                chosen.n_in_passes,
            )
        )
    if chosen.n_open:
        st.caption(
            several(
                "Skipped: {n} incomplete text with gold.", "Skipped: {n} incomplete texts with gold.", chosen.n_open
            )
        )
    if chosen.n_without_annotator and not may_repeat:
        st.warning(
            several(
                "Everyone annotated {n} of these. Add annotators, or allow repeats.",
                "Everyone annotated {n} of these. Add annotators, or allow repeats.",
                chosen.n_without_annotator,
            ),
            icon=":material/group_off:",
        )
