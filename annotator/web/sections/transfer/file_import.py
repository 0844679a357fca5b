"""Import: choose files, see what they hold and every problem with its line, then store all of it or nothing."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.file_problems import on_page
from annotator.domain.numbers import counted
from annotator.domain.people import has_right
from annotator.domain.projects import GOLD_POLICIES, GoldPolicy, Project, ResultMode
from annotator.errors import ImportRefused, InvalidValue, Problem
from annotator.language import _, listed, several, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.inspect.metrics_table import policy_in_words
from annotator.usecases.project.projects import instances_of
from annotator.usecases.transfer.file_import import READABLE, READABLE_OUTPUT, VOCABULARIES, WITH_VOCABULARY
from annotator.usecases.transfer.import_report import GOLD_MODES, MERGES, GoldMode, ImportOptions, ImportReport
from annotator.usecases.transfer.row_keys import field_words
from annotator.usecases.transfer.several_files import FileReport, NamedFile, import_files, output_within
from annotator.usecases.transfer.uploads import laid_out, name_that_repeats
from annotator.web.buttons import pressed
from annotator.web.frame import as_text, link_to
from annotator.web.project_warnings import show_missing_labels
from annotator.web.sections.rules import meaning_of
from annotator.web.sections.tables import choose, show_problems
from annotator.web.sections.transfer import import_format, import_remedies
from annotator.web.sections.transfer.export import forget_stored, keep_stored, show_stored
from annotator.web.session import Visit

Say = Callable[[str], str]  # a sentence in the words of the page
Answer = tuple[FileReport, ...] | ImportRefused
_KEPT = "import_kept"  # a new project and the files that its form could not read
_NAMED_FILES = 3
_MERGE_WORDS: dict[Literal["sum", "mean", "signed max"], str] = {
    "sum": unsaid("sum"),
    "mean": unsaid("mean"),
    "signed max": unsaid("signed max"),
}
_GOLD_WORDS: dict[GoldMode, str] = {
    "accepted": unsaid("accepted gold"),
    "draft": unsaid("drafts to revise"),
    "reference": unsaid("for reference only"),
}
_ALIKE = unsaid("Merges labels differing only in case, spaces or character width.")
_SEEN: dict[ResultMode, str] = {
    "contest": unsaid("Annotators see the file's label or answer and can contest it."),
    "confirm": unsaid("Annotators see the file's label or answer but can't change it."),
}


def keep_files(project: Project, files: Sequence[tuple[str, bytes]]) -> None:
    """Files that were chosen before the project was there: its Import has them already."""
    st.session_state[_KEPT] = (
        project.id,
        [
            import_format.RecodedFile(name, f"kept-{project.id}-{number}", content)
            for number, (name, content) in enumerate(files)
        ],
    )
    st.session_state["import_number"] = st.session_state["import_merge_labels"] = True  # as the form reads them


def _kept_files(project: Project) -> list[Any]:
    of_project, files = st.session_state.get(_KEPT, (None, []))
    if of_project != project.id or not st.checkbox(
        _files_words([file.name for file in files]), True, key="import_kept_on"
    ):
        return []
    return list(files)


def _ask_files() -> list[Any]:
    hint = _("Files with equal columns, or a zip. All are stored, or none.")
    return list(st.file_uploader(_("Files"), accept_multiple_files=True, key="import_files", help=hint))


def show(store: Store, visit: Visit, project: Project) -> None:
    """Nothing is stored until the person has seen the check and agrees."""
    show_missing_labels(store, visit, project, is_before_texts=False)
    st.caption(
        _(
            "CSV, JSONL, spreadsheets, ERASER (with docs.jsonl, or zip with docs/), benchmark files, other tools' exports."
        )
    )
    files = import_format.ask_encoding([*_kept_files(project), *_ask_files()])
    texts, outputs = import_format.apart(files)
    texts, vocabularies = _vocabularies_apart(texts, [name for _file, name in outputs])
    left, middle, right = st.columns(3)
    format_name = import_format.ask_format(left, project, texts, READABLE)
    gold = choose(_("File annotations are"), _GOLD_WORDS, GOLD_MODES, column=middle, key="import_gold")
    split = right.text_input(_("Split (if not in the file)"), key="import_split", placeholder="train")
    is_each_alone = import_format.are_read_alone(texts, format_name)
    sheet = import_format.ask_sheet(texts)
    chosen = import_format.ask_columns(store, visit, project, format_name, texts[:1] if is_each_alone else texts, sheet)
    entities = import_remedies.ask_entities(project, format_name, is_any=bool(texts))
    of_output = _ask_of_output([file.name for file, _format in outputs])
    with st.expander(_("More")):
        language = st.text_input(
            _("Language (if not in the file)"), key="import_language", placeholder=project.language
        )
        prefix = st.text_input(_("ID prefix (if IDs repeat between files)"), key="import_prefix")
        renamed = _ask_renamed()
        update = st.checkbox(_("Let changed rows overwrite"), key="import_update")
        skip_invalid = st.checkbox(_("Skip invalid rows"), key="import_skip")
        merge_labels = st.checkbox(_("Merge similar labels"), key="import_merge_labels", help=_(_ALIKE))
        number_keys = st.checkbox(_("Generate missing IDs"), key="import_number")
    labels = import_remedies.ask_labels(project, _named(project, files), may_add=True)
    options = ImportOptions(
        gold, split or None, language or None, prefix, update, dry_run=True, skip_invalid=skip_invalid,
        renamed={**renamed, **labels.renamed}, added_labels=labels.added, left_labels=labels.left,
        columns=chosen.columns, left_columns=chosen.left, metadata_columns=chosen.metadata,
        merge_labels=merge_labels, number_keys=chosen.number_keys or number_keys, majority_labels=chosen.majority_labels,
        model=of_output.model, method=of_output.method, all_doubles=of_output.all_doubles,
        prompt=import_remedies.ask_prompt(_named(project, files)), sheet=sheet, entities=entities,
    )  # fmt: skip
    stored = st.container()
    uploads = [_upload(file, name, vocabularies) for file, name in outputs]
    of_texts = [(file,) for file in texts] if is_each_alone else [tuple(texts)]
    uploads = [*(Upload(of_one, format_name) for of_one in of_texts), *uploads] if texts else []
    _check_and_store(store, visit, project, uploads, options)
    with stored:  # drawn last, since a check ends it
        show_stored(project)


def show_output(store: Store, visit: Visit, project: Project) -> None:
    """The same for model output: predictions, attributions, rationales."""
    files, vocabularies = _vocabularies_apart(import_format.ask_encoding(_ask_files()))
    left, middle, right = st.columns(3)
    format_name = import_format.ask_format(
        left, project, files, READABLE_OUTPUT, help_text=_("docs/model_output.md"), is_each_alone=True
    )
    model = middle.text_input(_("Model (if not in the file)"), key="import_model")
    method = right.text_input(_("Method (if not in the file)"), key="import_method", placeholder="lime")
    left, middle, right = st.columns(3)
    split = left.text_input(_("Split (if IDs repeat between splits)"), key="import_split")
    merge = choose(_("Merge subwords by"), _MERGE_WORDS, MERGES, column=middle, key="import_merge")
    seed = right.number_input(_("Seed"), value=None, step=1, key="import_seed")
    renamed = _ask_renamed()
    all_doubles = _ask_doubles()
    update = st.checkbox(_("Overwrite stored runs with the file's"), key="import_update")
    skip_invalid = st.checkbox(_("Skip invalid rows"), key="import_skip")
    labels = import_remedies.ask_labels(
        project, _named(project, files), may_add=has_right(visit.user, visit.roles, "manage project")
    )
    stored = st.container()
    options = ImportOptions(
        split=split or None, update=update, dry_run=True, skip_invalid=skip_invalid,
        model=model.strip(), method=method.strip(), seed=seed, merge=merge,
        renamed={**renamed, **labels.renamed}, added_labels=labels.added, left_labels=labels.left,
        all_doubles=all_doubles, prompt=import_remedies.ask_prompt(_named(project, files)),
    )  # fmt: skip
    uploads = [
        _upload(file, name, vocabularies)
        for file, name in zip(files, import_format.format_of_each(files, format_name), strict=True)
    ]
    _check_and_store(store, visit, project, uploads, options)
    with stored:
        show_stored(project)


@dataclass(frozen=True, slots=True)
class Upload:
    """Files that are read together: those of a data set, or one of model output, maybe with its vocabulary."""

    files: tuple[Any, ...]
    format_name: str

    def laid_out(self, stack: ExitStack) -> NamedFile:
        """The same on the disk, for a while."""
        path = stack.enter_context(laid_out((file.name, file.getbuffer()) for file in self.files))
        first, *others = [file.name for file in self.files]
        return NamedFile(_and_others(first, len(others)), path, self.format_name)


def _vocabularies_apart(files: Sequence[Any], formats: Sequence[str] | None = None) -> tuple[list[Any], list[Any]]:
    """The files, and the vocabularies among them, which are no vocabularies where no file of these formats needs one."""
    is_needed = len(files) > 1 if formats is None else WITH_VOCABULARY in formats
    vocabularies = [file for file in files if is_needed and file.name in VOCABULARIES]
    return [file for file in files if file not in vocabularies], vocabularies


def _upload(file: Any, format_name: str, vocabularies: Sequence[Any]) -> Upload:
    return Upload((file, *vocabularies) if format_name == WITH_VOCABULARY else (file,), format_name)


def _and_others(names: str, n: int) -> str:
    """Names of files, and how many there are beside them."""
    return several("{names} and {n} other file", "{names} and {n} other files", n, names=names) if n else names


def _ask_of_output(names: Sequence[str]) -> ImportOptions:
    """What is to be known of model output that came with its texts; nothing is asked where there is none."""
    if not names:
        return ImportOptions()
    about = several(
        "{names} is model output, read after the texts.",
        "{names} are model output, read after the texts.",
        len(names),
        names=_files_words(names),
    )
    with st.container(border=True):
        st.markdown(as_text(about))
        left, right = st.columns(2)
        model = left.text_input(_("Model (if not in the file)"), key="import_model")
        method = right.text_input(_("Method (if not in the file)"), key="import_method", placeholder="lime")
        all_doubles = _ask_doubles()
    return ImportOptions(model=model.strip(), method=method.strip(), all_doubles=all_doubles)


def _files_words(names: Sequence[str]) -> str:
    named = listed([f"“{name}”" for name in names[:_NAMED_FILES]])
    return _and_others(named, max(0, len(names) - _NAMED_FILES))


def _ask_doubles() -> bool:
    return st.checkbox(
        _("Duplicate texts: apply to all copies"), key="import_doubles", help=_("Matches rows without an ID by text.")
    )


def _named(project: Project, files: Sequence[Any]) -> str:
    """What tells these files from others."""
    return "_".join((str(project.id), *(file.file_id for file in files)))


def _ask_renamed() -> dict[str, str]:
    """What the project calls labels of the file; what is no pair yet counts for nothing, and is said."""
    written = st.text_input(
        _("Labels named differently in the project"), key="import_rename", placeholder="pos=positive, neg=negative"
    )
    pairs = [part.partition("=") for part in written.split(",") if part.strip()]
    if any(not (label.strip() and name.strip()) for label, _equals, name in pairs):
        st.warning(_("Write file label=project label, comma-separated."))
    return {label.strip(): name.strip() for label, _equals, name in pairs if label.strip() and name.strip()}


def _check_and_store(
    store: Store, visit: Visit, project: Project, uploads: Sequence[Upload], options: ImportOptions
) -> None:
    """Check first; what was checked can then be stored."""
    files = list({file.file_id: file for upload in uploads for file in upload.files}.values())
    if not files:
        st.info(_("Choose a file. Nothing is stored until you confirm."), icon=":material/upload_file:")
        return
    if twice := name_that_repeats([file.name for file in files]):
        st.error(as_text(_("Two files are named '{twice}'. Rename one.", twice=twice)))
        return
    formats = tuple(upload.format_name for upload in uploads)
    signature = (formats, options, tuple((file.name, file.file_id) for file in files))
    button, beside = st.columns([1, 6], vertical_alignment="center")  # in sight of whoever pressed it
    if pressed(_("Check"), container=button, type="primary", key="import_check"):
        forget_stored()
        answer = _try(store, visit, project, uploads, options)
        problems = _problems(answer)
        st.session_state["import_checked"] = (signature, answer)
        import_remedies.note_labels(problems, _named(project, files))
        import_remedies.note_prompt(problems, _named(project, files))
        if import_format.note_marks(problems) or import_remedies.has_questions(problems):
            st.rerun()  # what can be done about them stands above
    checked = st.session_state.get("import_checked")
    if checked and checked[0] == signature:
        _show_check(store, visit, project, uploads, options, checked[1], beside)


def _problems(answer: Answer) -> list[Problem]:
    if isinstance(answer, ImportRefused):
        return list(answer.problems)
    return [problem for file in answer for problem in file.report.problems]


def _try(store: Store, visit: Visit, project: Project, uploads: Sequence[Upload], options: ImportOptions) -> Answer:
    """What an import does; a folder of texts brings the model output that lies in it."""
    bar = st.progress(0.0, text=_("Reading …"))

    is_output = uploads[0].format_name in READABLE_OUTPUT

    def show_count(n: int) -> None:
        rows = several("{n} row read", "{n} rows read", n)
        bar.progress(0.5, text=rows if is_output else several("{n} instance read", "{n} instances read", n))

    try:
        with ExitStack() as stack:
            files = [upload.laid_out(stack) for upload in uploads]
            within = [output for file in files for output in output_within(file)]
            return import_files(store, visit.user, project, [*files, *within], options, progress=show_count)
    except ImportRefused as refusal:
        return refusal
    except InvalidValue as error:
        raise InvalidValue(on_page(str(error))) from error
    finally:
        bar.empty()


def _show_check(
    store: Store, visit: Visit, project: Project, uploads: Sequence[Upload], options: ImportOptions, answer: Answer,
    beside: DeltaGenerator,
) -> None:  # fmt: skip
    """What was found, its first sentence beside the button that asked for it; what can be stored, with its button."""
    say = partial(on_page, field_words=partial(field_words, project))
    if isinstance(answer, ImportRefused):
        _show_refusal(answer, len(uploads), project.labels, say, beside)
        return
    policies = [
        _show_report(
            project, f"{file.name} ({file.format_name}): " if len(answer) > 1 else "", file.report, say, beside
        )
        for file in answer
    ]
    _show_what_annotators_see(store, visit, project, [file.report for file in answer])
    reports = [file.report for file in answer]
    if all(report.n_new + report.n_updated == 0 for report in reports):
        st.info(_("Nothing to store."))
    elif pressed(_("Store {what}", what=_what(reports)), type="primary", key="import_store"):
        storing = replace(options, dry_run=False, gold_policy=policies[0])
        done = _try(store, visit, project, uploads, storing)
        st.session_state.pop("import_checked", None)
        st.session_state.pop(_KEPT, None)
        if isinstance(done, ImportRefused):
            _show_refusal(done, len(uploads), project.labels, say, beside)
            return
        keep_stored(project, done)
        st.rerun()


def _show_what_annotators_see(store: Store, visit: Visit, project: Project, reports: Sequence[ImportReport]) -> None:
    """Of the first texts of a project: that the file's labels are shown, which the rules say before anybody chose it."""
    seen = _SEEN.get(project.settings.result_mode)
    has_results = any(row["result"] for report in reports for row in report.preview)
    if seen is None or not has_results or instances_of(store, visit.user, project.id, limit=1):
        return
    st.info(_(seen), icon=":material/visibility:")
    link_to("project", _("Change it under Rules"), project_id=project.id, icon=":material/rule:", section="Rules")


def _show_report(
    project: Project, name: str, answer: ImportReport, say: Say, beside: DeltaGenerator
) -> GoldPolicy | None:
    """What one file would bring, and what is to be known of it; the gold policy that is chosen for it."""
    beside.success(as_text(f"{name}{_counts(answer)}"), icon=":material/check_circle:")
    for column_words in answer.columns:
        st.caption(as_text(say(column_words)))
    for doubt in answer.doubts:
        st.warning(as_text(say(doubt)), icon=":material/info:")
    import_remedies.show_merge(answer.variants)
    container = st.container()
    policy = _ask_policy(answer)
    for note in answer.notes_under(policy):
        container.warning(as_text(say(note)), icon=":material/info:")
    _show_left_out(answer, say)
    show_problems(lambda n: counted(n, "warning"), answer.warnings, answer.n_warnings - len(answer.doubts), say)
    if answer.preview:
        st.dataframe(
            answer.preview, hide_index=True, key="import_preview", placeholder="–", column_config=_heads(project)
        )
    return policy


def _heads(project: Project) -> dict[str, str | None]:
    """What stands above the columns of the first rows."""
    facts = {"key": _("ID"), "split": _("split"), "language": _("language"), "result": _("result"), "sets": _("sets")}
    return {**facts, **{segment.name: _(segment.title) for segment in project.task.segments}}


def _counts(answer: ImportReport) -> str:
    """What the file would bring."""
    if answer.is_output:
        begin = f"{answer.output_words[0].upper()}{answer.output_words[1:]}"
        return _(
            "{contents}. Rows: {n_new} new, {n_updated} changed, {n_unchanged} unchanged. {reach}",
            contents=begin,
            n_new=f"{answer.n_new:,}",
            n_updated=f"{answer.n_updated:,}",
            n_unchanged=f"{answer.n_unchanged:,}",
            reach=answer.reach_words,
        )
    return several(
        "{n} new instance, {n_updated} changed, {n_unchanged} unchanged. {annotations} with {sets}.",
        "{n} new instances, {n_updated} changed, {n_unchanged} unchanged. {annotations} with {sets}.",
        answer.n_new,
        n_updated=f"{answer.n_updated:,}",
        n_unchanged=f"{answer.n_unchanged:,}",
        annotations=counted(answer.n_annotations, "annotation"),
        sets=counted(answer.n_sets, "rationale set"),
    )


def _what(answers: Sequence[ImportReport]) -> str:
    if len(answers) > 1:
        return several("all {n} file", "all {n} files", len(answers))
    [answer] = answers
    return answer.output_words if answer.is_output else counted(answer.n_new + answer.n_updated, "instance")


def _ask_policy(answer: ImportReport) -> GoldPolicy | None:
    """Where texts come with several annotators: which of their sets are the gold."""
    if answer.gold_policy is None:
        return None
    return st.radio(
        _("Gold of these texts"), GOLD_POLICIES, index=GOLD_POLICIES.index(answer.gold_policy),
        format_func=policy_in_words, captions=[meaning_of(name) for name in GOLD_POLICIES], key="import_gold_policy",
        help=_("Change it under Rules")
    )  # fmt: skip


def _show_refusal(
    refusal: ImportRefused, n_files: int, labels: Sequence[str], say: Say, beside: DeltaGenerator
) -> None:
    """What is wrong; n_files: how many were read one by one, of which each is named; labels: the project's."""
    n = refusal.n_problems
    beside.error(
        several("{n} problem. Correct or skip it to continue.", "{n} problems. Correct or skip them to continue.", n)
        if len(refusal.problems) > 1 or n_files > 1
        else as_text(_("{reason} Correct or skip it to continue.", reason=say(refusal.problems[0].reason))),
        icon=":material/error:",
    )
    notes = st.container()
    show_problems(lambda n: counted(n, "problem"), refusal.problems, refusal.n_problems, say)
    import_remedies.show_remedies(refusal.problems, labels, can_leave_out=refusal.can_leave_out)
    if refusal.notes:
        where = notes if n_files > 1 else st
        where.info("  \n".join(as_text(say(note)) for note in refusal.notes), icon=":material/info:")


def _show_left_out(answer: ImportReport, say: Say) -> None:
    """A row may have several problems."""
    if answer.n_left_out < answer.n_problems:
        st.caption(_left_out_words(answer.n_left_out))
        show_problems(
            lambda n: counted(n, "problem in these rows", "problems in these rows"), answer.problems, answer.n_problems, say
        )  # fmt: skip
    else:
        show_problems(_left_out_words, answer.problems, answer.n_problems, say)


def _left_out_words(n: int) -> str:
    return counted(n, "row skipped", "rows skipped")
