"""Import: choose files, see what they hold and every problem with its line, then store all of it or nothing."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import BadZipFile, ZipFile

import streamlit as st

from annotator.domain.projects import Project
from annotator.errors import ImportRefused, InvalidValue
from annotator.usecases.databases import Store
from annotator.usecases.import_report import GOLD_MODES, ImportOptions, ImportReport
from annotator.usecases.importing import READABLE, import_file
from annotator.web.frame import as_text
from annotator.web.session import Visit

_LARGEST_UNPACKED = 4 * 1024**3
_GOLD_WORDS = {"accepted": "accepted gold", "draft": "drafts to correct", "reference": "reference only"}


def show(store: Store, visit: Visit, project: Project) -> None:
    """Nothing is stored until the person has seen the check and agrees."""
    st.caption(
        "CSV and JSONL by column names; our own export; ERASER (its split files with docs.jsonl, or a zip with docs/); "
        "the benchmark's input and gold. Importing the same rows again changes nothing."
    )
    files = st.file_uploader(
        "Files",
        accept_multiple_files=True,
        key="import_files",
        help="Several files of one data set, or one zip of a folder.",
    )
    left, middle, right = st.columns(3)
    format_name = left.selectbox("Format", READABLE, key="import_format")
    gold = middle.selectbox(
        "Annotations in the file are", GOLD_MODES, format_func=lambda mode: _GOLD_WORDS[mode], key="import_gold"
    )
    split = right.text_input("Split, where the file does not say it", key="import_split", placeholder="train")
    with st.expander("More"):
        language = st.text_input(
            "Language, where the file does not say it", key="import_language", placeholder=project.language
        )
        prefix = st.text_input("Prefix for keys, where ids repeat between files", key="import_prefix")
        update = st.checkbox("Changed rows of known keys overwrite", key="import_update")
        skip_invalid = st.checkbox("Leave bad rows out and store the rest", key="import_skip")
    if not files:
        st.info(
            "Choose a file to begin. It is checked first; nothing is stored until you agree.",
            icon=":material/upload_file:",
        )
        return
    options = ImportOptions(
        gold, split or None, language or None, prefix, update, dry_run=True, skip_invalid=skip_invalid
    )
    signature = (format_name, options, tuple((file.name, file.file_id) for file in files))
    if st.button("Check", type="primary", key="import_check"):
        st.session_state["import_checked"] = (signature, _try(store, visit, project, format_name, files, options))
    checked = st.session_state.get("import_checked")
    if checked and checked[0] == signature:
        _show_check(store, visit, project, format_name, files, options, checked[1])


def _try(
    store: Store, visit: Visit, project: Project, format_name: str, files: Sequence[Any], options: ImportOptions
) -> ImportReport | ImportRefused:
    bar = st.progress(0.0, text="Reading …")

    def show_count(n: int) -> None:
        bar.progress(0.5, text=f"{n:,} instances read")

    try:
        with _folder_of(files) as path:
            return import_file(
                store, visit.user, project, format_name, path, options,
                progress=show_count,
            )  # fmt: skip
    except ImportRefused as refusal:
        return refusal
    finally:
        bar.empty()


def _show_check(
    store: Store,
    visit: Visit,
    project: Project,
    format_name: str,
    files: Sequence[Any],
    options: ImportOptions,
    answer: ImportReport | ImportRefused,
) -> None:
    if isinstance(answer, ImportRefused):
        st.error(
            f"{answer.n_problems:,} problems; nothing can be stored until they are mended or left out.",
            icon=":material/error:",
        )
        _show_problems(answer.problems, answer.n_problems)
        return
    st.success(
        f"{answer.n_new:,} new instances, {answer.n_updated:,} changed, {answer.n_unchanged:,} as they were; "
        f"{answer.n_annotations:,} annotations with {answer.n_sets:,} rationale sets.",
        icon=":material/check_circle:",
    )
    _show_problems(answer.problems, answer.n_problems + answer.n_warnings)
    if answer.preview:
        st.dataframe(answer.preview, hide_index=True, key="import_preview")
    if answer.n_new + answer.n_updated == 0:
        st.info("There is nothing to store.")
    elif st.button(f"Store {answer.n_new + answer.n_updated:,} instances", type="primary", key="import_store"):
        done = _try(store, visit, project, format_name, files, _for_real(options))
        st.session_state.pop("import_checked", None)
        if isinstance(done, ImportRefused):
            _show_problems(done.problems, done.n_problems)
        else:
            st.session_state["import_done"] = f"Stored {done.n_new:,} new and {done.n_updated:,} changed instances."
            st.rerun()


def _for_real(options: ImportOptions) -> ImportOptions:
    return ImportOptions(
        options.gold,
        options.split,
        options.language,
        options.key_prefix,
        options.update,
        skip_invalid=options.skip_invalid,
    )


def _show_problems(problems: Sequence[Any], n: int) -> None:
    if not n:
        return
    rows = [
        {
            "what": "warning" if p.is_warning else "problem", "file": p.source, "line": p.line, "field": p.field,
            "value": p.value[:200], "reason": p.reason,
        }
        for p in problems
    ]  # fmt: skip
    st.dataframe(
        rows,
        hide_index=True,
        key="import_problems",
        column_config={"reason": st.column_config.TextColumn(width="large")},
    )
    if n > len(rows):
        st.caption(as_text(f"… and {n - len(rows):,} more."))


@contextmanager
def _folder_of(files: Sequence[Any]) -> Iterator[Path]:
    """The uploaded files on the disk: one plain file as itself, several (or a zip) as a folder."""
    with tempfile.TemporaryDirectory(prefix="annotator-import-") as name:
        folder = Path(name)
        for file in files:
            target = folder / PurePosixPath(file.name).name
            target.write_bytes(file.getbuffer())
            if target.suffix == ".zip":
                _unpack(target, folder)
        entries = [path for path in folder.iterdir() if path.name != "__MACOSX"]
        yield entries[0] if len(entries) == 1 else folder


def _unpack(archive: Path, folder: Path) -> None:
    try:
        with ZipFile(archive) as opened:
            if sum(info.file_size for info in opened.infolist()) > _LARGEST_UNPACKED:
                raise InvalidValue(f"'{archive.name}' would unpack to more than 4 GB. Use the command line for it.")
            opened.extractall(folder)
    except BadZipFile as error:
        raise InvalidValue(f"'{archive.name}' is no zip file: {error}.") from error
    archive.unlink()
