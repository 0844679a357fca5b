"""The project's word lists: what fills slots, what is to be marked (keep) or left alone (ignore)."""

from collections.abc import Sequence

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.suites import WORD_LIST_ROLES, WordList, WordListRole
from annotator.language import _, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.project.word_lists import remove_word_list, save_word_list, word_lists
from annotator.usecases.suites.construction import ready_for
from annotator.web.buttons import pressed
from annotator.web.frame import confirm_and_rerun, refusals_shown
from annotator.web.sections.tables import choose
from annotator.web.session import Visit

_SHOWN = 12
_ROLES: dict[WordListRole, str] = {
    "slot": unsaid("slot: fills template slots"),
    "keep": unsaid("keep: suggested as rationale"),
    "ignore": unsaid("ignore: marked as non-rationale"),
}
_NEW = unsaid("new list")


def show(store: Store, visit: Visit, project: Project) -> None:
    """The lists there are, and one to write."""
    own_lists = {word_list.name: word_list for word_list in word_lists(store, visit.user, project)}
    came = {name: words for ready in ready_for(project) for name, words in ready.words.items()}
    _show_lists(list(own_lists.values()), came)
    _write(store, visit, project, own_lists, came)


def _show_lists(own_lists: Sequence[WordList], came: "dict[str, Sequence[str]]") -> None:
    rows = [
        (_("from the project"), word_list.name, word_list.role, word_list.language, word_list.words)
        for word_list in own_lists
    ]
    known = {word_list.name for word_list in own_lists}
    rows += [(_("ready-made"), name, "slot", "en", tuple(words)) for name, words in came.items() if name not in known]
    if not rows:
        st.info(_("No word lists yet. Add one below."), icon=":material/list:")
        return
    st.dataframe(
        [
            {"list": name, "from": whose, "role": role, "language": language, "words": len(words),
             "first": ", ".join(words[:_SHOWN])}
            for whose, name, role, language, words in rows
        ],
        hide_index=True, key="tests_lists", height=min(250, 38 + 35 * len(rows)),
        column_config={
            "list": _("list"), "from": _("from"), "role": _("Purpose"), "language": _("language"), "words": _("words"),
            "first": st.column_config.TextColumn(_("first words"), width="large"),
        },
    )  # fmt: skip
    st.caption(_("In new tests, a project slot list replaces the ready-made one."))


def _write(
    store: Store, visit: Visit, project: Project, own_lists: "dict[str, WordList]", came: "dict[str, Sequence[str]]"
) -> None:
    chosen = st.selectbox(
        _("Edit"), [_NEW, *own_lists, *(name for name in came if name not in own_lists)], key=f"tests_list_{project.id}",
        format_func=lambda name: _(_NEW) if name == _NEW else name
    )  # fmt: skip
    known = own_lists.get(chosen)
    words = known.words if known is not None else tuple(came.get(chosen, ()))
    left, middle, right = st.columns(3)
    key = f"{project.id}_{chosen}"
    name = left.text_input(
        _("List name"), "" if chosen == _NEW else chosen, key=f"tests_list_name_{key}", placeholder="dish"
    )
    role = choose(
        _("Purpose"), _ROLES, WORD_LIST_ROLES, known.role if known else "slot", column=middle, key=f"tests_list_role_{key}"
    )  # fmt: skip
    language = right.text_input(
        _("Language"), known.language if known else project.language, key=f"tests_list_language_{key}"
    )
    written = st.text_area(
        _("Words, one per line"), "\n".join(words), key=f"tests_list_words_{key}", height=220,
        placeholder=_("soup\nbig | small"),
        help=_("Separate word forms with |, for {size.1}, {size.2}.")
    )  # fmt: skip
    save, remove, _rest = st.columns([1, 1, 3])
    if pressed(_("Save word list"), type="primary", container=save, key="tests_list_save", width="stretch"):
        with refusals_shown():
            made = save_word_list(
                store, visit.user, project, name, written.splitlines(), role=role, language=language.strip()
            )
            confirm_and_rerun(_("“{suite}” has {cases}.", suite=made.name, cases=counted(len(made.words), "word")))
    if known is not None and pressed(_("Remove list"), container=remove, key="tests_list_remove", width="stretch"):
        remove_word_list(store, visit.user, project, known.name)
        st.session_state.pop(f"tests_list_{project.id}", None)
        confirm_and_rerun(_("Removed list “{name}”.", name=known.name))
