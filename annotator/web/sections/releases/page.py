"""Releases on Project: the gold is frozen, releases are listed, two are compared, one is taken along."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st

from annotator.domain.project.releases import LONGEST_NAME, Release
from annotator.domain.projects import Project
from annotator.language import _, first_listed, several, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.qualification.items import count_picked
from annotator.usecases.releases.differences import KIND_WORDS, GoldDifferences, release_differences
from annotator.usecases.releases.export import FORMATS, export_release
from annotator.usecases.releases.frozen_gold import default_citation, freeze_gold, releases_of_project, unfinished_words
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, confirm_and_rerun, refusals_shown
from annotator.web.sections.tables import choose, download, file_stem
from annotator.web.sections.transfer.export import zipped
from annotator.web.session import Visit

_NOW = 0  # in the place of a release: the gold of now
_SHOWN = 10  # keys of a kind of difference
_FORMATS = {
    "jsonl": unsaid("JSON lines: one instance per line, reimportable"),
    "eraser": unsaid("ERASER: split files and docs.jsonl"),
    "datasets": unsaid("Hugging Face datasets"),
    "csv": unsaid("CSV: one row per rationale set"),
    "conll": unsaid("CoNLL: one token per line, BIO tags"),
    "parquet": unsaid("Parquet"),
}


def show(store: Store, visit: Visit, project: Project) -> None:
    """What there is, then what can be done with it."""
    st.caption(_("A citable, fixed snapshot of the gold, with its guidelines. Annotators are pseudonymised."))
    releases = releases_of_project(store, visit.user, project)
    if releases:
        _list(releases)
        _take(store, visit, project, releases)
        with st.expander(_("Compare"), icon=":material/difference:"):
            _compare(store, visit, project, releases)
    with st.expander(_("Freeze current gold"), expanded=not releases, icon=":material/ac_unit:"):
        _freeze(store, visit, project, f"{project.id}_{len(releases)}")


def _list(releases: Sequence[Release]) -> None:
    """The newest first."""
    rows = [
        {
            _("No."): release.number, _("Release"): release.name, _("Created"): release.day,
            _("Instances"): release.gold.n_instances, _("Sets"): release.gold.n_sets,
            _("Annotators"): release.gold.n_annotators, _("Gold policy"): release.rules.policy,
            _("Licence"): release.rules.licence, _("Digest"): release.gold.short_digest,
            **({_("Erased sets"): release.n_erased} if any(of.n_erased for of in releases) else {}),
        }
        for release in reversed(releases)
    ]  # fmt: skip
    st.dataframe(rows, hide_index=True, width="stretch", key="releases")


def _names(releases: Sequence[Release]) -> dict[int, str]:
    return {release.number: f"{release.number} “{release.name}”" for release in releases}


def _choose(names: Mapping[int, str], key: str) -> int:
    key = f"{key}_{len(names)}"  # after another was frozen it begins with that
    return st.selectbox(_("Release"), list(names), index=len(names) - 1, format_func=names.__getitem__, key=key)


def _compare(store: Store, visit: Visit, project: Project, releases: Sequence[Release]) -> None:
    names = _names(releases)
    first = _choose(names, "release_before")
    others = [_NOW, *(number for number in names if number != first)]
    other = st.selectbox(
        _("with"), others, format_func=lambda number: names.get(number, _("the current gold")), key="release_after"
    )
    chosen = (project.id, first, other)
    if pressed(_("Compare"), key="release_compare", icon=":material/difference:"):
        differences = release_differences(store, visit.user, project, first, other or None)
        st.session_state["release_compared"] = (chosen, differences)
    compared = st.session_state.get("release_compared")
    if compared and compared[0] == chosen:
        _show_differences(compared[1])


def _show_differences(differences: GoldDifferences) -> None:
    st.markdown(as_text(differences.words))
    for kind, places in differences.places.items():
        keys = first_listed([f"{split}/{key}" if split else key for key, split in places], _SHOWN)
        st.caption(as_text(_("{what}: {value}", what=_(KIND_WORDS[kind]), value=keys)))


def _take(store: Store, visit: Visit, project: Project, releases: Sequence[Release]) -> None:
    st.markdown(f"**{_('Download')}**")
    number = _choose(_names(releases), "release_taken")
    format_name = choose(_("Format"), _FORMATS, FORMATS, key="release_format")
    chosen = (project.id, number, format_name)
    if pressed(_("Prepare release"), key="release_prepare", icon=":material/folder_zip:"):
        with refusals_shown():
            st.session_state["release_ready"] = (chosen, *_packed(store, visit, project, number, format_name))
    ready = st.session_state.get("release_ready")
    if ready and ready[0] == chosen:
        _chosen, name, content = ready
        download(name, content, key="release_download", icon=":material/download:")


def _packed(store: Store, visit: Visit, project: Project, number: int, format_name: str) -> tuple[str, bytes]:
    with tempfile.TemporaryDirectory(prefix="annotator-release-") as folder:
        path = Path(folder) / f"{file_stem(project.name)}-release-{number}-{format_name}"
        export_release(store, visit.user, project, number, format_name, path)
        return f"{path.name}.zip", zipped(path)


def _training_texts(store: Store, visit: Visit, project: Project) -> str:
    """How many training texts are in a release of now, since nothing else tells them apart in its files; "" for none."""
    n = count_picked(store, visit.user, project)
    if not n:
        return ""
    return several(
        "Includes {n} complete text used for training or blind checks.",
        "Includes {n} complete texts used for training or blind checks.",
        n,
    )


def _freeze(store: Store, visit: Visit, project: Project, state: str) -> None:
    """The fields of the next release; state: with another one they begin anew."""
    fields = (f"release_name_{state}", f"release_licence_{state}", f"release_citation_{state}")
    if unfinished := unfinished_words(store, visit.user, project):
        st.warning(as_text(unfinished), icon=":material/hourglass_top:")
    if words := _training_texts(store, visit, project):
        st.caption(words)
    with st.form("release_new", border=False):
        name, licence = st.columns(2)
        name.text_input(_("Name (required)"), key=fields[0], max_chars=LONGEST_NAME, placeholder=_("camera ready"))
        licence.text_input(_("Licence (required)"), project.licence, key=fields[1], placeholder="CC BY 4.0")
        st.text_area(_("Citation"), default_citation(store, project), key=fields[2], height=80)
        given = submitted(_("Freeze gold"), key="release_freeze", fields=fields, type="primary")
    if given is None:
        return
    with refusals_shown():
        made = freeze_gold(
            store, visit.user, project, given[fields[0]], licence=given[fields[1]], citation=given[fields[2]]
        )
        summary = _("Created {release}: {gold}.", release=made.words, gold=made.gold.words)
        unfinished = unfinished_words(store, visit.user, project)
        confirm_and_rerun(together(summary, unfinished, _training_texts(store, visit, project)))
