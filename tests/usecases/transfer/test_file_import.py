"""Importing: all or nothing, the same rows change nothing, problems with their place, gold in three ways."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.file_problems import on_page
from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.errors import ImportRefused, InvalidValue, NotAllowed, Problem
from annotator.language import Language, speaking
from annotator.store import Store, open_store
from annotator.store.annotate.annotations import accepted_of, annotations_of
from annotator.store.annotate.instance_queue import HAS_GOLD
from annotator.store.events import all_events
from annotator.text.alignment import split_on_spaces
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.databases import find_project
from annotator.usecases.gold import GoldOptions, gold_instances
from annotator.usecases.lead.statistics import statistics_of
from annotator.usecases.project.projects import change_project, create_project, progress_of
from annotator.usecases.project.splits import split_project
from annotator.usecases.transfer import preparation
from annotator.usecases.transfer.export import Exported, export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.several_files import NamedFile, import_files
from tests.conftest import REPOSITORY

Rows = Callable[..., ImportReport]
SAMPLES = REPOSITORY / "data" / "samples"

GOLD = {
    "id": "g1", "text": "Good food, bad music, good prices.", "label": "positive", "annotator": "source",
    "rationales": [[[0, 2]], [[6, 7], [7, 8]]],
}  # fmt: skip


def table_sizes(store: Store) -> dict[str, int]:
    names = ("documents", "instances", "segments", "annotations", "rationale_sets", "events")
    return {name: store.value(f"SELECT count(*) FROM {name}") for name in names}


def test_annotators_whose_names_count_those_of_one_text_are_told(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    inference = create_project(store, LOCAL_OPERATOR, "Pairs", get_task("inference"))
    report = import_file(store, LOCAL_OPERATOR, inference, "esnli", SAMPLES / "esnli")
    [note] = [note for note in report.notes if "may be different people." in note]
    assert note.startswith("Annotators of 2 texts are numbered per text: “")
    assert "are numbered per text: “annotator 1” may be different people." in note
    named = import_rows(make_project(name="Named"), [GOLD])
    assert not [note for note in named.notes if "may be different people." in note]


def test_texts_that_a_file_has_twice_are_told(make_project: Callable[..., Project], import_rows: Rows) -> None:
    rows = [{"id": f"t{n}", "text": text} for n, text in enumerate(["Fine.", "Bad.", "Fine.", "Fine .", "Bad."])]
    report = import_rows(make_project(), rows)
    assert report.n_new == 5
    assert "2 texts repeat earlier ones: line 3 = line 1; line 5 = line 2." in report.notes
    assert not [note for note in import_rows(make_project(name="Other"), rows[:2]).notes if "repeat" in note]


def test_a_file_with_one_bad_row_stores_nothing(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    before = table_sizes(store)
    rows = [{"id": f"t{n}", "text": "Fine.", "label": "positive"} for n in range(1200)]
    rows[700]["label"] = "furious"
    with pytest.raises(
        ImportRefused, match=r"1 problem in 'rows\.jsonl'; nothing was stored\. Correct it or use --skip-invalid\."
    ) as refusal:
        import_rows(project, rows)
    [problem] = refusal.value.problems
    assert (problem.line, problem.field, problem.value) == (701, "label", "furious")
    assert (
        "No label 'furious' (only 'negative', 'positive'); add it (--add-label furious), rename it (--rename furious=negative), or skip it (--leave-out-label furious)."
        in problem.reason
    )
    assert table_sizes(store) == before


def test_the_first_two_hundred_problems_are_listed_and_all_are_counted(
    make_project: Callable[..., Project], import_rows: Rows
) -> None:
    rows = [{"id": f"t{n}", "text": "Fine.", "label": f"furious {n}"} for n in range(450)]
    with pytest.raises(ImportRefused) as refusal:
        import_rows(make_project(), rows)
    assert (len(refusal.value.problems), refusal.value.n_problems) == (200, 450)


def test_the_same_problem_in_many_rows_is_told_once_with_their_number_and_the_first_lines(
    make_project: Callable[..., Project], import_rows: Rows
) -> None:
    rows = [{"id": f"t{n}", "text": "Fine.", "label": "furious" if n else "sad"} for n in range(1205)]
    with pytest.raises(ImportRefused) as refusal:
        import_rows(make_project(), rows)
    alone, repeated = refusal.value.problems
    assert (alone.line, alone.n, alone.value, alone.lines()) == (1, 1, "sad", "1")
    assert (repeated.line, repeated.n, repeated.lines()) == (2, 1204, "2, 3, 4, 5, 6, …")
    assert (
        "rows.jsonl, in 1,204 rows (lines 2, 3, 4, 5, 6, …), field label, value 'furious': No label 'furious' (only 'negative', 'positive'); add it (--add-label furious), rename it (--rename furious=negative), or skip it (--leave-out-label furious)."
        in str(repeated)
    )
    assert refusal.value.n_problems == 1205


def test_a_warning_and_a_problem_of_the_same_words_are_told_apart() -> None:
    report = ImportReport()
    for n in range(4):
        report.add_problem(Problem("a.csv", n, "text", "x", "It is odd.", is_warning=n % 2 == 1))
    assert [(p.lines(), p.n) for p in report.problems] == [("0, 2", 2)]
    assert [(p.lines(), p.n) for p in report.warnings] == [("1, 3", 2)]


def test_labels_of_a_file_are_called_what_the_project_calls_them(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    rows = [
        {"id": "a", "text": "Fine.", "label": "pos", "annotator": "x", "annotator_label": "neg", "rationales": []},
        {"id": "b", "text": "Bad.", "label": "negative"},
    ]
    import_rows(project, rows, renamed={"pos": "positive", "neg": "negative"})
    assert [row["result"] for row in store.rows("SELECT result FROM instances ORDER BY key")] == [
        "positive",
        "negative",
    ]
    assert store.value("SELECT result FROM annotations") == "negative"
    assert import_rows(project, rows, renamed={"pos": "positive", "neg": "negative"}).n_unchanged == 2


RENAMED = [
    ({"pos": "good"}, "Can't rename 'pos' to 'good' (only 'negative', 'positive')."),
    ({"pos": "positive", "nge": "negative"}, "Unknown label 'nge'. Available: 'pos'."),
]


@pytest.mark.parametrize(("renamed", "reason"), RENAMED)
def test_a_label_that_is_not_there_cannot_be_renamed(
    renamed: dict[str, str], reason: str, store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    before = table_sizes(store)
    with pytest.raises(InvalidValue, match=re.escape(reason)):
        import_rows(project, [{"id": "a", "text": "Fine.", "label": "pos"}], renamed=renamed)
    assert table_sizes(store) == before


def test_an_export_of_our_own_and_answers_are_not_renamed(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, tmp_path: Path
) -> None:
    project = make_project()
    import_rows(project, [GOLD])
    export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "own.jsonl")
    renaming = ImportOptions(renamed={"positive": "negative"})
    with pytest.raises(InvalidValue, match=r"Annotator exports keep their labels\. Import without"):
        import_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "own.jsonl", renaming)
    reading = create_project(store, LOCAL_OPERATOR, "Reading", get_task("reading"))
    with pytest.raises(InvalidValue, match=r"This needs labels; this project has answers\."):
        import_rows(reading, [{"id": "a", "passage": "b", "question": "c"}], renamed={"a": "b"})


def test_bad_rows_may_be_left_out_and_the_rest_stored(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    rows = [{"id": "a", "text": "Fine.", "label": "positive"}, {"id": "b", "text": "Fine.", "label": "furious"}]
    report = import_rows(project, rows, skip_invalid=True)
    assert (report.n_new, report.n_problems) == (1, 1)
    assert progress_of(store, LOCAL_OPERATOR, project.id).n_instances == 1


def test_nothing_of_a_row_that_is_refused_is_stored_its_text_neither(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    import_rows(project, [{"id": "a", "text": "Fine.", "label": "positive"}])
    rows = [
        {"id": "a", "text": "Other than before.", "label": "positive"},
        {"id": "b", "text": "Of a strange label.", "label": "furious"},
        {"id": "c", "text": "Of a mark beyond its end.", "label": "positive", "rationales": [[[2, 90]]]},
        {"id": "d", "text": "Good.", "label": "positive"},
    ]
    report = import_rows(project, rows, skip_invalid=True)
    assert (report.n_new, report.n_problems, report.n_documents) == (1, 3, 1)
    assert [row["text"] for row in store.rows("SELECT text FROM documents ORDER BY id")] == ["Fine.", "Good."]


def test_a_dry_run_stores_nothing_and_shows_the_first_rows(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    before = table_sizes(store)
    report = import_rows(project, [GOLD], dry_run=True)
    assert (report.n_new, report.n_annotations, report.n_sets) == (1, 1, 2)
    assert report.preview[0]["key"] == "g1"
    assert table_sizes(store) == before


def test_a_dry_run_keeps_nobody_waiting(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Rows,
    add_person: Callable[..., User],
    database: Path,
) -> None:
    project = make_project()
    import_rows(project, [{"id": "t1", "text": "Fine food.", "label": "positive"}])
    user = add_person("annotator-a", project, "annotator")
    work = annotate_work.next_work(store, user, project.id).work
    assert work is not None

    def save(_: int) -> None:
        with open_store(database) as other:
            other.connection.execute("PRAGMA busy_timeout = 100")
            annotate_work.save_draft(other, user, work.assignment.id, 0, Draft())

    path = database.with_name("new.jsonl")
    path.write_text('{"id": "t2", "text": "Fine."}\n')
    import_file(store, LOCAL_OPERATOR, project, "jsonl", path, ImportOptions(dry_run=True), progress=save)
    assert annotate_work.current_work(store, user, work.assignment.id).assignment.revision == 1


def test_the_same_file_twice_changes_nothing(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    import_rows(project, [GOLD, {"id": "t2", "text": "Fine."}])
    before = table_sizes(store)
    report = import_rows(project, [GOLD, {"id": "t2", "text": "Fine."}])
    assert (report.n_new, report.n_updated, report.n_unchanged) == (0, 0, 2)
    assert {**table_sizes(store), "events": 0} == {**before, "events": 0}


def test_a_changed_row_is_refused_unless_update_is_asked_for(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    import_rows(project, [{"id": "t1", "text": "Fine.", "label": "positive"}])
    changed = [{"id": "t1", "text": "Fine.", "label": "negative"}]
    with pytest.raises(ImportRefused) as refusal:
        import_rows(project, changed)
    assert "--update" in refusal.value.problems[0].reason
    assert import_rows(project, changed, update=True).n_updated == 1
    assert store.value("SELECT result FROM instances") == "negative"


def test_a_changed_text_never_leaves_annotations_on_the_old_tokens(
    make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    import_rows(project, [GOLD])
    with pytest.raises(ImportRefused) as refusal:
        import_rows(project, [{**GOLD, "text": "Other words altogether here, bad prices."}], update=True)
    assert "Text or tokens changed, but it has 1 annotation and 0 pieces of work." in refusal.value.problems[0].reason


def test_gold_is_stored_as_the_sources_annotation_with_its_spans_as_they_are(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    import_rows(project, [GOLD])
    [annotation] = annotations_of(store, [1])[1]
    assert (annotation.annotator, annotation.state, annotation.user_id) == ("source", "accepted", None)
    assert annotation.sets == (RationaleSet.of((0, 2)), RationaleSet.of((6, 7), (7, 8)))


@pytest.mark.parametrize(
    ("gold", "state", "is_given_out"),
    [("accepted", "complete", False), ("draft", "open", True), ("reference", "open", True)],
)
def test_gold_is_accepted_or_waits_or_is_only_looked_at(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, gold: str, state: str, is_given_out: bool
) -> None:
    project = make_project()
    import_rows(project, [GOLD], gold=gold)
    assert store.value("SELECT state FROM instances") == state
    assert bool(progress_of(store, LOCAL_OPERATOR, project.id).instances.get("queued")) is is_given_out


def test_accepted_instances_are_given_out_again_where_more_annotators_are_wanted(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project(annotators_per_instance=2)
    import_rows(project, [GOLD])
    assert progress_of(store, LOCAL_OPERATOR, project.id).instances == {"open": 1, "queued": 1}


def test_several_annotators_of_one_instance_come_from_several_rows(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    import_rows(project, [GOLD, {**GOLD, "annotator": "second", "rationales": [[[4, 6]]]}])
    assert [a.annotator for a in annotations_of(store, [1])[1]] == ["source", "second"]


def test_texts_that_instances_share_are_stored_once(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    passage = "The mill stood by the river. It burned down in spring."
    rows = [
        {"id": f"q{n}", "passage": passage, "title": "", "question": f"Question {n}?", "answer": ""} for n in range(5)
    ]
    import_rows(make_project("reading"), rows)
    assert store.value("SELECT count(*) FROM documents WHERE text = ?", (passage,)) == 1
    assert (
        store.value(
            "SELECT count(*) FROM segments JOIN documents ON documents.id = document_id WHERE text = ?", (passage,)
        )
        == 5
    )


def test_the_labels_of_a_project_without_any_are_those_of_the_first_import(store: Store, tmp_path: Path) -> None:
    project = create_project(store, LOCAL_OPERATOR, "Open", get_task("sentiment"))
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "a", "text": "x", "label": "so-so"}\n{"id": "b", "text": "y", "label": "fine"}\n')
    import_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    assert find_project(store, "Open").labels == ("fine", "so-so")


HOSTILE = [
    ("<script>alert(1)</script> & <b>bold</b>", "markup is text"),
    ("שלום abc \u202eevil\u202c עולם", "right-to-left marks"),
    ("e\u0301 n\u0303 👨‍👩‍👧 🇩🇪 👍🏽", "combining marks and emoji stay whole"),
    ("(" * 40_000, "forty thousand brackets"),
    ("word " * 200_000, "a megabyte in one line"),
]


@pytest.mark.parametrize(("text", "_why"), HOSTILE, ids=[why for _, why in HOSTILE])
def test_hostile_texts_are_stored_as_they_are(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, text: str, _why: str
) -> None:
    import_rows(make_project(), [{"id": "h", "text": text}])
    stored = store.row("SELECT text, n_tokens FROM documents")
    assert stored is not None
    assert stored["text"] == text
    assert stored["n_tokens"] > 0


@pytest.mark.parametrize("escape", ["\\ud800", "\\u0000"], ids=["lone surrogate", "NUL"])
def test_what_is_no_text_is_refused_with_its_line(
    make_project: Callable[..., Project], store: Store, tmp_path: Path, escape: str
) -> None:
    project = make_project()
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"id": "a", "text": "fine"}}\n{{"id": "b", "text": "bad {escape} text"}}\n')
    with pytest.raises(ImportRefused) as refusal:
        import_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    assert refusal.value.problems[0].line == 2


def test_only_leads_and_administrators_import(
    store: Store, project: Project, add_person: Callable[..., User], tmp_path: Path
) -> None:
    with pytest.raises(NotAllowed, match=r"can grant a role \("):
        import_file(store, add_person("someone", project, "annotator", "reviewer"), project, "jsonl", tmp_path / "x")


def test_an_unknown_language_is_a_problem_of_the_row(make_project: Callable[..., Project], import_rows: Rows) -> None:
    with pytest.raises(ImportRefused) as refusal:
        import_rows(make_project(), [{"id": "a", "text": "x", "language": "qqq"}])
    assert "qqq" in refusal.value.problems[0].reason


def test_options_default_to_accepted_gold_and_no_overwriting() -> None:
    assert ImportOptions() == ImportOptions("accepted", None, None, "", update=False, dry_run=False, skip_invalid=False)


def test_gold_of_the_benchmark_joins_its_input_by_id_also_later(
    store: Store, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    project = make_project("reading")
    tokens = ["The", "lake", "is", "cold", ".", "A", "lake"]
    row = {
        "id": 7,
        "title": "A lake",
        "context": "The lake is cold .",
        "question": "What is cold ?",
        "sent_token": tokens,
    }
    (tmp_path / "mrc_en.jsonl").write_text(json.dumps({**row, "sample_type": "ori", "rel_ids": []}) + "\n")
    gold = {"sent_id": 7, "sent_label": "The lake", "rationales": ["1", "3", "6"], "sample_type": "ori", "rel_ids": []}
    (tmp_path / "gold.tsv").write_text(json.dumps(gold) + "\n")
    import_file(store, LOCAL_OPERATOR, project, "benchmark", tmp_path / "mrc_en.jsonl", ImportOptions(language="en"))
    report = import_file(
        store, LOCAL_OPERATOR, project, "benchmark", tmp_path / "gold.tsv", ImportOptions(language="en")
    )
    assert (report.n_updated, report.n_annotations) == (1, 1)
    [annotation] = annotations_of(store, [1])[1]
    assert annotation.sets == (RationaleSet.of((1, 2), (3, 4), (6, 7)),)
    assert store.value("SELECT result FROM instances") == "The lake"
    assert store.value("SELECT state FROM instances") == "complete"


def test_a_file_finds_its_instances_again_after_a_split(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    rows: list[dict[str, object]] = [{"id": f"t{n}", "text": f"Text {n}."} for n in range(10)]
    import_rows(project, rows)
    split_project(store, LOCAL_OPERATOR, project, "train=.5,test=.5")
    assert import_rows(project, rows).n_unchanged == 10
    assert progress_of(store, LOCAL_OPERATOR, project.id).n_instances == 10


def test_texts_that_come_later_reach_people_who_were_done(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: Callable[..., User]
) -> None:
    project = make_project(order="random", seed=3)
    user = add_person("annotator-a", project, "annotator")
    for first in (0, 4):
        import_rows(
            project, [{"id": f"t{n}", "text": "Fine food.", "label": "positive"} for n in range(first, first + 4)]
        )
        while (work := annotate_work.next_work(store, user, project.id).work) is not None:
            annotate_work.submit(store, user, work.assignment.id, 0, Draft(sets=(RationaleSet.of((0, 1)),)))
    assert progress_of(store, LOCAL_OPERATOR, project.id).instances == {"complete": 8}


def test_a_text_on_which_somebody_works_cannot_be_changed_under_them(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: Callable[..., User]
) -> None:
    project = make_project()
    import_rows(project, [{"id": "t1", "text": "Fine food.", "label": "positive"}])
    annotate_work.next_work(store, add_person("annotator-a", project, "annotator"), project.id)
    with pytest.raises(ImportRefused) as refusal:
        import_rows(project, [{"id": "t1", "text": "Other food.", "label": "positive"}], update=True)
    assert "piece of work. Change the ID." in refusal.value.problems[0].reason


def test_rules_that_were_changed_meanwhile_are_not_overwritten_by_an_import(
    store: Store, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    stale = create_project(store, LOCAL_OPERATOR, "Open", get_task("sentiment"))
    change_project(store, LOCAL_OPERATOR, replace(stale, guidelines="# New"))
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "a", "text": "x", "label": "so-so"}\n')
    import_file(store, LOCAL_OPERATOR, stale, "jsonl", path)
    now = find_project(store, "Open")
    assert (now.guidelines, now.labels) == ("# New", ("so-so",))


# Spans that end within a token, and tokens that are there already --------------------------------------------------------


def test_spans_that_end_within_a_token_are_counted_and_named(
    make_project: Callable[..., Project], import_rows: Rows
) -> None:
    text = "An unlikeable plot, or so."
    spans = [(5, 9), (3, 13), (14, 18), (14, 19), (0, 3)]  # "like", its word, "plot", "plot,", and "An " with a blank
    rows = [
        {"id": f"t{n}", "text": text, "label": "positive", "annotator": "a",
         "rationales": [[{"start_char": start, "end_char": end}]]}
        for n, (start, end) in enumerate(spans)
    ]  # fmt: skip
    rows.append({"id": "whole", "text": text, "label": "positive", "annotator": "a", "rationales": [[[0, 1]]]})
    report = import_rows(make_project(), rows)
    assert (report.n_character_spans, report.widened.n) == (5, 1)
    assert report.notes[1:] == [
        "1 of 5 spans was widened to whole tokens: rows.jsonl, line 1: “like” became “unlikeable”."
    ]


def test_the_answers_of_an_arabic_text_that_end_before_a_full_stop_are_no_longer_widened(
    make_project: Callable[..., Project], import_rows: Rows
) -> None:
    row = {"id": "1", "text": "كان ذلك في عام 39.", "label": "positive", "annotator": "a", "language": "ar",
           "rationales": [[{"start_char": 15, "end_char": 17}]]}  # fmt: skip
    report = import_rows(make_project(), [row])
    assert (report.n_character_spans, report.widened.n, report.notes) == (1, 0, [])


def test_texts_keep_the_tokens_they_were_stored_with_when_the_tokeniser_has_changed(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Rows,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [
        {
            "id": "1",
            "text": "Good food.",
            "label": "positive",
            "annotator": "a",
            "rationales": [[{"start_char": 5, "end_char": 9}]],
        }
    ]
    canonical = tmp_path / "canonical.jsonl"
    canonical.write_text('{"id": "d", "fields": {"text": {"docid": "d"}}, "annotations": []}\n')
    (tmp_path / "docs.jsonl").write_text('{"docid": "d", "text": "Bad food."}\n')
    project = make_project()
    monkeypatch.setattr(preparation, "tokenise", lambda text, _: split_on_spaces(text))
    import_rows(project, rows)
    import_file(store, LOCAL_OPERATOR, project, "jsonl", canonical)
    monkeypatch.undo()
    before = table_sizes(store)
    again = import_rows(project, rows)
    assert (again.n_unchanged, again.n_updated, again.widened.n) == (1, 0, 1)
    assert import_file(store, LOCAL_OPERATOR, project, "jsonl", canonical).n_unchanged == 1
    assert table_sizes(store) | {"events": before["events"]} == before
    other = import_rows(project, [rows[0] | {"id": "2"}])  # a new row has the tokens of today
    assert (other.n_new, other.widened.n) == (1, 0)


# Files that hold nothing, or something else ---------------------------------------------------------------------------

NOTHING = [
    ("csv", b"", "'file' is empty."),
    ("jsonl", b"", "'file' is empty."),
    ("jsonl", b"\xef\xbb\xbf \r\n\t\n", "'file' is empty."),
    ("csv", b"\xef\xbb\xbf", "'file' is empty."),
    ("label-studio", b"\n" * 3_000_000, "'file' is empty."),
    ("csv", b"id,text,label\n", "No csv rows in 'file'. Choose another file or format."),
    ("csv", b"id,text,label\n\n , ,\n", "No csv rows in '"),
    ("label-studio", b"[]", "No label-studio rows in '"),
    ("predictions", b"\n", "'file' is empty."),
    ("captum", b"[]", "No captum rows in '"),
    ("attributions-csv", b"id,token_index,score\n", "No attributions-csv rows in '"),
]


@pytest.mark.parametrize("is_dry_run", [True, False])
@pytest.mark.parametrize(("format_name", "content", "reason"), NOTHING)
def test_a_file_without_anything_to_import_is_refused(
    format_name: str, content: bytes, reason: str, is_dry_run: bool, store: Store,
    make_project: Callable[..., Project], tmp_path: Path,
) -> None:  # fmt: skip
    path = tmp_path / "file"
    path.write_bytes(content)
    project = make_project()
    before = table_sizes(store)
    options = ImportOptions(dry_run=is_dry_run, skip_invalid=True, model="m", method="x")
    with pytest.raises(InvalidValue) as refusal:
        import_file(store, LOCAL_OPERATOR, project, format_name, path, options)
    assert str(refusal.value).startswith(reason) or reason in str(refusal.value)
    assert table_sizes(store) == before


def test_a_folder_without_files_is_refused(store: Store, make_project: Callable[..., Project], tmp_path: Path) -> None:
    (tmp_path / "data" / "docs").mkdir(parents=True)
    for format_name in ("eraser", "doccano", "benchmark", "jsonl"):
        with pytest.raises(InvalidValue, match=r"'data' is empty\."):
            import_file(store, LOCAL_OPERATOR, make_project(name=format_name), format_name, tmp_path / "data")


def test_prose_given_as_jsonl_is_one_problem(
    store: Store, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    (tmp_path / "README").write_text("A line of prose.\n" * 57)
    options = ImportOptions(skip_invalid=True)  # there is nothing but the problem
    with pytest.raises(ImportRefused, match=r"no usable rows\. Nothing was stored\.") as refusal:
        import_file(store, LOCAL_OPERATOR, make_project(), "jsonl", tmp_path / "README", options)
    assert "Choose another format." in str(refusal.value.problems[0])


def test_an_export_of_own_and_brought_annotations_comes_back_in_several_batches(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Rows,
    add_person: Callable[..., User],
    tmp_path: Path,
) -> None:
    project = make_project(annotators_per_instance=2)
    rows = [
        {"id": f"t{n}", "text": "Fine food.", "label": "positive", "annotator": "source", "rationales": [[[0, 1]]]}
        for n in range(520)
    ]
    import_rows(project, rows)
    ann = add_person("ann", project, "annotator")
    work = annotate_work.next_work(store, ann, project.id).work
    annotate_work.submit(store, ann, work.assignment.id, 0, Draft(sets=(RationaleSet.of((0, 2)),)))
    export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "own.jsonl")
    copy = make_project(name="Copy")
    report = import_file(store, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "own.jsonl")
    assert (report.n_new, report.n_problems) == (520, 0)


def test_a_row_with_two_problems_is_left_out_once(store: Store, project: Project, tmp_path: Path) -> None:
    good = {"id": "g", "fields": {"text": {"text": "Fine."}}, "label": "positive"}
    bad = {"fields": {"premise": {"text": "a"}, "hypothesis": {"text": "b"}}, "label": "positive"}
    path = tmp_path / "canonical.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (good, {**bad, "id": "b1"}, {**bad, "id": "b2"})))
    report = import_file(store, LOCAL_OPERATOR, project, "jsonl", path, ImportOptions(skip_invalid=True))
    assert (report.n_new, report.n_left_out) == (1, 2)
    assert report.n_problems > 2


# Texts without a label of their own whose annotators give several as often: no gold, whatever came first, and it is told.

Take = Callable[..., ImportReport]
VOTES = {
    "even": ("good", "bad"),
    "odd": ("good", "bad", "bad"),
    "two and two": ("good", "good", "bad", "bad", "so so"),
    "same": ("good", "good"),
    "unsaid": (None, "good"),
}


@pytest.fixture
def tied(store: Store) -> Project:
    labels = ("bad", "good", "so so")
    return create_project(store, LOCAL_OPERATOR, "Ties", get_task("sentiment"), labels=labels)


@pytest.fixture(params=[False, True], ids=["as it came", "the other way round"])
def taken(request: pytest.FixtureRequest, store: Store, tied: Project, tmp_path: Path) -> ImportReport:
    rows = [
        {
            "id": key,
            "text": f"A {key} text.",
            "annotator": f"a{n}",
            "annotator_label": label,
            "rationales": [[[n % 2, 2]]],
        }
        for key, votes in VOTES.items()
        for n, label in enumerate(reversed(votes) if request.param else votes)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return import_file(store, LOCAL_OPERATOR, tied, "jsonl", path, ImportOptions(gold_policy="all"))


def exported(store: Store, path: Path) -> Exported:
    return export_file(store, LOCAL_OPERATOR, find_project(store, "Ties"), "csv", path)


def test_ties_have_no_gold_and_the_others_what_most_said(store: Store, taken: ImportReport) -> None:
    gold = gold_instances(store, find_project(store, "Ties"), "all", GoldOptions())
    assert {item.instance.key: item.result for item in gold} == {"odd": "bad", "same": "good", "unsaid": "good"}


def test_the_database_counts_them_alike(store: Store, taken: ImportReport) -> None:
    project_id = find_project(store, "Ties").id
    accepted = accepted_of(store, project_id)
    assert (accepted.n_tied, accepted.n_other, accepted.n_chosen) == (2, 2 + 1 + 5, 3)
    rows = store.rows(f"SELECT key FROM instances WHERE {HAS_GOLD} ORDER BY id")
    assert [row["key"] for row in rows] == ["odd", "same", "unsaid"]


def test_import_statistics_and_export_tell_them(store: Store, taken: ImportReport, tmp_path: Path) -> None:
    words = "2 texts have tied results. Choose their gold under Texts."
    assert any(note.endswith(words) for note in taken.notes)
    statistics = statistics_of(store, LOCAL_OPERATOR, find_project(store, "Ties"))
    assert (statistics.n_tied, statistics.n_other_result) == (2, 8)
    done = exported(store, tmp_path / "gold.csv")
    assert (done.n, done.n_tied) == (3, 2)
    assert done.left_out.startswith(words)


# What is wrong with files is said in the language of who imports them; what is stored, and what commands say, is English.

Make = Callable[..., Project]
ENGLISH = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")
DOCUMENTS = '{"docid": "d1", "document": "A fine film ."}\n{"docid": "d2", "document": ""}\n'
BROKEN = (
    '{"annotation_id": "e1", "classification": "positive", "docids": ["d1"], '
    '"evidences": [[{"docid": "d1", "start_token": 1, "end_token": 99}]]}\n'
    '{"annotation_id": "e3", "classification": "positive", "docids": ["d7"], "evidences": []}\n'
    '{"annotation_id": "e4", "classification": "positive", "docids": ["d2"], "evidences": []}\n'
)


@pytest.fixture
def eraser(tmp_path: Path) -> Path:
    folder = tmp_path / "films"
    folder.mkdir()
    (folder / "docs.jsonl").write_text(DOCUMENTS, encoding="utf-8")
    (folder / "train.jsonl").write_text(BROKEN, encoding="utf-8")
    return folder


@pytest.fixture
def several(tmp_path: Path) -> list[NamedFile]:
    good, broken = tmp_path / "good.jsonl", tmp_path / "broken.jsonl"
    good.write_text('{"id": "a", "text": "Good food.", "label": "positive"}\n', encoding="utf-8")
    broken.write_text('{"id": "b", "text": "Bad food.", "label": "so so"}\n', encoding="utf-8")
    return [NamedFile(path.name, path, "jsonl") for path in (good, broken)]


def refused(language: Language, run: Callable[[], object]) -> ImportRefused:
    with speaking(language), pytest.raises(ImportRefused) as caught:
        run()
    return caught.value


def test_of_several_files_a_chinese_page_says_which_is_broken_and_why_in_chinese(
    store: Store, make_project: Make, several: list[NamedFile]
) -> None:
    made = make_project()
    refusal = refused("zh", lambda: import_files(store, LOCAL_OPERATOR, made, several))
    assert str(refusal).startswith("2 个文件中有 1 个有问题，什么都没有存储。")
    assert "'broken.jsonl'：1 个问题。" in refusal.notes
    sentences = [str(refusal), *refusal.notes[2:], *(problem.reason for problem in refusal.problems)]
    assert [sentence for sentence in sentences if ENGLISH.search(sentence)] == []
    with speaking("zh"):
        assert [option for sentence in sentences for option in re.findall(r"--\w+", on_page(sentence))] == []


def test_whoever_chose_no_language_as_a_command_reads_the_same_in_english(
    store: Store, make_project: Make, several: list[NamedFile]
) -> None:
    made = make_project()
    with pytest.raises(
        ImportRefused, match=r"Problems in 1 of 2 files; 'broken\.jsonl' unusable\. Nothing was stored\."
    ) as caught:
        import_files(store, LOCAL_OPERATOR, made, several)
    sentences = (str(caught.value), *caught.value.notes, *(problem.reason for problem in caught.value.problems))
    assert all(sentence.isascii() for sentence in sentences)


def test_every_row_of_a_broken_eraser_folder_is_told_in_chinese_and_found_by_the_same_fields(
    store: Store, make_project: Make, eraser: Path
) -> None:
    made = make_project()
    chinese, english = (
        refused(language, lambda: import_file(store, LOCAL_OPERATOR, made, "eraser", eraser))
        for language in ("zh", "en")
    )
    assert [problem.reason for problem in chinese.problems if ENGLISH.search(problem.reason)] == []
    assert "到词元 99（不含）为止，而 'd1' 只有 4 个词元。" in {problem.reason for problem in chinese.problems}
    places = [[(p.source, p.line, p.field, p.value) for p in of.problems] for of in (chinese, english)]
    assert places[0] == places[1]
    assert len(places[0]) == 3


def test_what_an_import_stores_is_the_same_in_every_language(store: Store, make_project: Make, eraser: Path) -> None:
    stored = []
    languages: tuple[Language, ...] = ("zh", "en")
    for language in languages:
        made = make_project(name=language)
        (eraser / "docs.jsonl").write_text(DOCUMENTS.splitlines()[0] + "\n", encoding="utf-8")
        good = {"annotation_id": "e1", "classification": "positive", "docids": ["d1"], "evidences": [[]]}
        (eraser / "train.jsonl").write_text(json.dumps(good) + "\n" + BROKEN, encoding="utf-8")
        with speaking(language):
            report = import_file(store, LOCAL_OPERATOR, made, "eraser", eraser, ImportOptions(skip_invalid=True))
        assert report.n_new == 1
        stored.append(
            [(event.action, event.detail) for event in all_events(store, made.id) if event.action == "import"]
        )
    assert stored[0] == stored[1] != []
