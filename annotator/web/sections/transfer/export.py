"""Export: prepare a file in a format, then take it; and what files brought after they were stored."""

import io
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import streamlit as st

from annotator.domain.file_problems import on_page
from annotator.domain.measurements import WITHOUT_HELP
from annotator.domain.numbers import counted
from annotator.domain.people import has_right
from annotator.domain.projects import GOLD_POLICIES, Project
from annotator.language import _, several, together, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.gold import HALVES, GoldOptions
from annotator.usecases.inspect.metrics_table import policy_in_words
from annotator.usecases.lead.quality import knows_help
from annotator.usecases.transfer.export import ANNOTATIONS, WHOLE, WITH_PEOPLE, WRITABLE, Exported, export_file
from annotator.usecases.transfer.import_report import ImportReport
from annotator.usecases.transfer.row_keys import field_words
from annotator.usecases.transfer.several_files import FileReport
from annotator.web.addresses import page_address
from annotator.web.buttons import pressed
from annotator.web.frame import as_text
from annotator.web.sections.rules import all_meanings, meaning_of
from annotator.web.sections.tables import download, file_stem, show_problems
from annotator.web.session import Visit

# What a person chooses from, and the ending of a format that is one file; "": a folder, which is packed.
FORMATS = {
    "jsonl": (unsaid("annotator JSONL: the project, reimportable"), ".jsonl"),
    "csv": (unsaid("CSV: one row per rationale set"), ".csv"),
    "conll": (unsaid("CoNLL: one token per line, BIO tags"), ".conll"),
    "eraser": (unsaid("ERASER: split files and docs.jsonl"), ""),
    "benchmark": (unsaid("benchmark: PaddleNLP gold"), ""),
    "benchmark-trustai": (unsaid("benchmark: TrustAI gold"), ""),
    "contrast": (unsaid("contrast sets: originals with perturbed versions"), ".jsonl"),
    "label-studio": ("Label Studio", ".json"),
    "doccano": ("doccano", ".jsonl"),
    "argilla": ("Argilla", ".json"),
    "prodigy": ("Prodigy", ".jsonl"),
    "parquet": (unsaid("Parquet: one file"), ".parquet"),
    "parquet-annotations": (unsaid("Parquet: all annotations"), ".parquet"),
    "datasets": (unsaid("Hugging Face datasets"), ""),
}
_BOTH_HALVES = {"jsonl", "contrast", ANNOTATIONS}  # formats that always hold originals and changed versions
_HALF_WORDS = {
    "both": unsaid("all"),
    "originals": unsaid("originals only"),
    "perturbed": unsaid("perturbed versions only"),
}
_OTHER_LABELS = unsaid("Annotations with another label count only if a lead chooses them.")
_NAMES = unsaid("Otherwise pseudonyms, new in each file.")


def show(store: Store, visit: Visit, project: Project) -> None:
    """A file is made when it is asked for, and kept for this visit until the choice changes."""
    sees_all = has_right(visit.user, visit.roles, "see all annotations")
    formats = [name for name in WRITABLE if sees_all or name not in WHOLE]
    left, middle = st.columns([3, 2])
    format_name = left.selectbox(
        _("Format"), formats, format_func=lambda name: _(FORMATS[name][0]), key="export_format"
    )
    policy = middle.selectbox(
        _("Gold"), GOLD_POLICIES, GOLD_POLICIES.index(project.settings.gold_policy), format_func=policy_in_words,
        key="export_policy", help=f"{all_meanings()}\n\n{_(_OTHER_LABELS)}",
    )  # fmt: skip
    middle.caption(meaning_of(policy))
    may_see_submitted = sees_all or project.settings.researchers_see_submitted
    has_both = format_name in _BOTH_HALVES
    with st.expander(_("More")):
        split = st.text_input(_("Only this split"), key="export_split", placeholder=_("all"))
        submitted = may_see_submitted and st.checkbox(_("Include annotations not accepted yet"), key="export_submitted")
        is_unhelped = (
            format_name not in WHOLE
            and knows_help(store, visit.user, project)
            and st.checkbox(_("Only annotations made without help"), key="export_unhelped")
        )
        half = st.segmented_control(
            _("Instances"), HALVES, default="both", required=True, format_func=lambda name: _(_HALF_WORDS[name]),
            key="export_half",
            disabled=has_both
        )  # fmt: skip
    may_name = sees_all and format_name in WITH_PEOPLE
    if format_name == "jsonl":
        st.caption(_("For moving projects: with everyone's name, without functional tests and trained weights."))
    has_names = may_name and st.checkbox(_("Name annotators"), key="export_names", help=_(_NAMES))
    if not sees_all and has_right(visit.user, visit.roles, "annotate"):
        st.caption(_("Excludes texts you may still annotate."))
    whose = WITHOUT_HELP if is_unhelped else None
    options = GoldOptions(policy, split or None, submitted, "both" if has_both else half, whose)
    choice = (project.id, format_name, options, has_names)
    if pressed(_("Prepare file"), type="primary", key="export_prepare"):
        made = _made(store, visit, project, format_name, options, has_names=has_names)
        st.session_state["export_ready"] = (choice, *made)
    ready = st.session_state.get("export_ready")
    if ready and ready[0] == choice:
        _choice, name, content, exported = ready
        if exported.left_out:
            st.info(exported.left_out)
        download(name, content, key="export_take")


def _made(
    store: Store, visit: Visit, project: Project, format_name: str, options: GoldOptions, *, has_names: bool
) -> tuple[str, bytes, Exported]:
    base = file_stem(project.name)
    with tempfile.TemporaryDirectory(prefix="annotator-export-") as name:
        path = Path(name) / (base + ("" if format_name == "jsonl" else f"-{format_name}") + FORMATS[format_name][1])
        exported = export_file(store, visit.user, project, format_name, path, options, has_names=has_names)
        if path.is_dir():
            return f"{path.name}.zip", zipped(path), exported
        return path.name, path.read_bytes(), exported


def zipped(folder: Path) -> bytes:
    """A folder in one file."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder.parent))
    return buffer.getvalue()


# After files were stored: what they brought, of how many texts there are answers and maps of models, and what comes next.


_STORED = "import_output_stored"


def keep_stored(project: Project, files: Sequence[FileReport]) -> None:
    """Keep what was stored for the page as it is drawn next, until something else is checked."""
    st.session_state[_STORED] = (project.id, tuple(files))


def forget_stored() -> None:
    """Something else is looked at now."""
    st.session_state.pop(_STORED, None)


def show_stored(project: Project) -> None:
    """What was stored last in this visit, file by file, with a way to look at it."""
    project_id, files = st.session_state.get(_STORED, (None, ()))
    if project_id != project.id:
        return
    linked: set[int] = set()
    for number, file in enumerate(files):
        words = _words(file.report)
        sentence = (
            _("{file}: stored {words}", file=file.name, words=words)
            if len(files) > 1
            else _("Stored {words}", words=words)
        )
        st.success(as_text(sentence), icon=":material/check_circle:")
        if file.report.first_mapped is not None and file.report.first_mapped[0] not in linked:
            instance_id, key = file.report.first_mapped
            linked.add(instance_id)
            st.link_button(
                as_text(_("Open the first text with a heatmap: {key}", key=key)), key=f"import_first_map_{number}",
                url=page_address("saliency", project=project.id, instance=instance_id), icon=":material/open_in_new:",
            )  # fmt: skip
        _show_remarks(project, file.report)
    if any(not file.report.is_output for file in files):
        _show_next(project)


def _show_remarks(project: Project, report: ImportReport) -> None:
    """What was to be known of one file: a new project that began with it had no check to say so."""
    say = partial(on_page, field_words=partial(field_words, project))
    if report.file_words:
        st.info("  \n".join(as_text(say(words)) for words in report.file_words), icon=":material/info:")
    show_problems(lambda n: counted(n, "warning"), report.warnings, report.n_warnings - len(report.doubts), say)


def _words(report: ImportReport) -> str:
    """What became of one file."""
    n_left = report.n_left_out
    left = _("{what} skipped.", what=counted(n_left, "row")) if n_left else ""
    if report.n_unchanged and not report.is_output:
        stored = several("{words}; {n} unchanged.", "{words}; {n} unchanged.", report.n_unchanged, words=report.words)
    else:
        stored = _("{words}.", words=report.words)
    return together(stored, left, report.reach_words if report.is_output else "")


def _show_next(project: Project) -> None:
    """Where stored texts are looked at."""
    with st.container(horizontal=True):
        st.button(_("View instances"), icon=":material/list:", key="import_instances", on_click=_open_instances)
        address = page_address("saliency", project=project.id)
        st.link_button(_("Open Saliency"), address, icon=":material/open_in_new:", key="import_saliency")


def _open_instances() -> None:
    forget_stored()
    st.session_state["project_section"] = "Instances"
