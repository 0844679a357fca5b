"""What rows hold beside a text: other people's work, quoted rationales, tokens alone."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.instances import POLICY_WORDS, Accepted, Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.errors import ImportRefused, NotAllowed, Problem
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.instances import iterate_instance_batches
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.databases import find_project
from annotator.usecases.lead.decisions import adjudicate, choose_gold
from annotator.usecases.lead.progress import accepted_annotations, imported_annotations
from annotator.usecases.lead.statistics import statistics_of
from annotator.usecases.project.creation import NewProject, begin_project
from annotator.usecases.project.projects import change_project, create_project, events_of
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport, gold_words

Rows = Callable[..., ImportReport]


def rows(n_texts: int = 4, n_annotators: int = 3) -> list[dict[str, object]]:
    return [
        {"id": f"t{text}", "text": f"Good food, bad music {text}.", "label": "positive", "annotator": f"ann{who}",
         "rationales": [[[0, 1 + who]]]}
        for text in range(n_texts) for who in range(n_annotators)
    ]  # fmt: skip


def policy_of(store: Store) -> str:
    return find_project(store, "Project").settings.gold_policy


def test_an_import_with_several_annotators_says_what_the_gold_is_made_from(
    make_project: Callable[..., Project], import_rows: Rows
) -> None:
    report = import_rows(make_project(), rows())
    assert report.accepted == Accepted(12, 4, 4, 3, 4)
    assert report.notes == [
        "3 annotators per text. Gold policy “chosen”: the lead's choice, else the first accepted "
        "annotation with the gold result; 4 of 12 accepted annotations count."
    ]


def test_annotations_with_another_label_than_the_gold_one_are_counted_and_said_to_be_no_part_of_it(
    make_project: Callable[..., Project], import_rows: Rows
) -> None:
    unlabelled = [{**row, "id": "u", "label": None, "annotator_label": "positive"} for row in rows(n_texts=1)]
    brought = [*rows(), *unlabelled]
    for row in (brought[0], brought[4], brought[-1]):
        row["annotator_label"] = "negative"
    report = import_rows(make_project(gold_policy="all"), brought)
    assert report.accepted == Accepted(15, 5, 5, 3, 5, 3)
    said = "with any result. 3 annotations with another result aren't in the gold."
    assert any(note.endswith(said) for note in report.notes)
    assert gold_words("chosen", Accepted(4, 2, 2, 2, 2, 1)).endswith(
        "1 annotation with another result counts only if chosen."
    )


def test_annotations_whose_marks_the_file_does_not_tell_are_counted_apart_from_those_that_are_accepted(
    store: Store, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    people = [{"label": "positive", "annotator_id": number} for number in range(3)]
    masks = [[1, 0, 0], [0, 1, 0]]  # whose they are is not known
    posts = {"p": {"post_id": "p", "annotators": people, "rationales": masks, "post_tokens": ["Fine", "food", "."]}}
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps(posts), encoding="utf-8")
    report = import_file(store, LOCAL_OPERATOR, make_project(), "hatexplain", path, ImportOptions(dry_run=True))
    assert (report.n_annotations, report.n_reference) == (5, 3)
    assert report.accepted == Accepted(2, 1, 1, 2, 1)
    assert report.notes[-1] == ("3 of 5 annotations are reference only: they have no marks. 2 are accepted.")


def test_with_one_annotator_a_text_there_is_nothing_to_say(
    make_project: Callable[..., Project], import_rows: Rows
) -> None:
    report = import_rows(make_project(), rows(n_annotators=1))
    assert (report.notes, report.accepted, report.gold_policy) == ([], None, None)


@pytest.mark.parametrize("gold", ["draft", "reference"])
def test_what_is_no_gold_asks_for_no_policy(gold: str, make_project: Callable[..., Project], import_rows: Rows) -> None:
    assert import_rows(make_project(), rows(), gold=gold).notes == []


def test_a_policy_that_is_asked_for_is_the_projects_from_then_on(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    report = import_rows(project, rows(), gold_policy="majority", dry_run=True)
    assert (report.gold_policy, policy_of(store)) == ("majority", "chosen")
    report = import_rows(project, rows(), gold_policy="majority")
    assert (report.gold_policy, policy_of(store)) == ("majority", "majority")
    assert (
        "Gold policy “majority”: one set: tokens marked by over half of those with the gold result; 12 accepted annotations of 4 texts, with any result."
        in report.notes[0]
    )
    assert {"change", "import"} <= {event.action for event in events_of(store, LOCAL_OPERATOR, project.id)}
    n_events = len(events_of(store, LOCAL_OPERATOR, project.id))
    import_rows(project, rows(), gold_policy="majority")  # the same again changes no rule
    assert len(events_of(store, LOCAL_OPERATOR, project.id)) == n_events + 1
    assert (
        import_rows(project, rows(), gold_policy="union").gold_policy == "union"
    )  # the rows are there, the policy is new
    assert policy_of(store) == "union"


def test_imported_annotations_are_counted_by_person_and_own_work_is_not(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: Callable[..., User]
) -> None:
    project = make_project(annotators_per_instance=5)
    import_rows(project, rows(n_texts=3, n_annotators=2))
    ann = add_person("ann", project, "annotator", "lead")
    work = annotate_work.next_work(store, ann, project.id).work
    annotate_work.submit(store, ann, work.assignment.id, 0, Draft("positive", (RationaleSet.of((0, 2)),)))
    adjudicate(store, ann, project, work.instance.id, "positive", (RationaleSet.of((1, 2)),), "mine")
    assert imported_annotations(store, ann, project) == {"ann0": 3, "ann1": 3}
    assert accepted_annotations(store, ann, project) == Accepted(7, 3, 3, 3, 2)
    with pytest.raises(NotAllowed, match=r"can grant a role \("):
        imported_annotations(store, add_person("other", project, "annotator"), project)


def test_statistics_tell_how_many_accepted_annotations_the_gold_is_made_from(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    import_rows(project, rows())
    found = statistics_of(store, LOCAL_OPERATOR, project)
    assert (found.gold_policy, found.n_accepted, found.n_counting) == ("chosen", 12, 4)
    assert found.imported == {"ann0": 4, "ann1": 4, "ann2": 4}
    changed = change_project(
        store, LOCAL_OPERATOR, replace(project, settings=replace(project.settings, gold_policy="all"))
    )
    assert statistics_of(store, LOCAL_OPERATOR, changed).n_counting == 12


def test_a_text_whose_own_label_nobody_gave_has_no_annotation_that_counts_until_the_lead_chooses_one(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    """FairRationales: of 300 sentences of DynaSent 7 have a label that none of their six annotators gave."""
    project = make_project()
    brought = rows(n_texts=3)
    for row in brought[:3]:
        row["annotator_label"] = "negative"
    report = import_rows(project, brought)
    assert report.accepted is not None
    assert gold_words("chosen", report.accepted).endswith(
        "; 2 of 9 accepted annotations count. 3 annotations with another result count only if chosen."
    )

    def counting() -> tuple[int, int]:
        n_counting = statistics_of(store, LOCAL_OPERATOR, project).n_counting
        return accepted_annotations(store, LOCAL_OPERATOR, project).n_chosen, n_counting

    assert counting() == (2, 2)
    first = next(iterate_instance_batches(store, project.id))[0].id
    choose_gold(store, LOCAL_OPERATOR, project, annotations_of(store, [first])[first][1].id, "the label is wrong")
    assert counting() == (3, 3)
    adjudicate(store, LOCAL_OPERATOR, project, first, "positive", (RationaleSet.of((1, 2)),), "a version of my own")
    assert counting() == (2, 2)


def test_what_gold_is_made_from_is_said_with_counts() -> None:
    assert gold_words("chosen", Accepted(960, 160, 160, 6, 160)).endswith("; 160 of 960 accepted annotations count.")
    for policy in ("all", "majority", "union"):
        assert gold_words(policy, Accepted(960, 160, 160, 6, 160)).startswith(
            f"Gold policy “{policy}”: {POLICY_WORDS[policy]}; 960 accepted annotations of 160 texts, with any result."
        )


def test_chinese_that_was_split_by_the_rules_of_english_is_said_and_a_new_project_refuses_it(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    texts = {
        "zh": "这部电影非常好看，值得一看。",
        "ja": "この映画はとてもおもしろかったです。",
        "en": "He calls it 武侠小说电影 fiction.",
    }
    taken = [{"id": key, "text": text, "label": "positive"} for key, text in texts.items()]
    report = import_rows(make_project(), taken)
    assert report.doubts == [
        "2 texts have whole clauses as tokens: line 1; line 2. Name their language (zh, ja, th …)."
    ]
    assert import_rows(make_project(name="Named"), [{**row, "language": row["id"]} for row in taken]).doubts == []
    file = ("rows.csv", f"text\n{texts['zh']}\n".encode())
    begun = NewProject("Form", get_task("sentiment"), files=[file])
    with pytest.raises(ImportRefused, match=r"^1 text has whole clauses as tokens: line 2\."):
        begin_project(store, LOCAL_OPERATOR, begun)
    assert begin_project(store, LOCAL_OPERATOR, replace(begun, language="zh")).texts is not None


def test_html_tags_that_become_tokens_are_said(make_project: Callable[..., Project], import_rows: Rows) -> None:
    """As in the reviews of IMDb; a text whose file gives its tokens has the ones that it has."""
    texts = {"a": "Superb.<br /><br />Go and see it.", "b": "Is 3 < 4 > 2?", "c": "A <b>bold</b> film."}
    taken = [{"id": key, "text": text, "label": "positive"} for key, text in texts.items()]
    given = {"id": "d", "text": "good <br /> film", "tokens": ["good", "<br", "/>", "film"], "label": "positive"}
    assert import_rows(make_project(), [*taken, given]).doubts == [
        "2 texts have HTML tags, which become tokens: line 1; line 3. Remove them first."
    ]


# Texts without labels ------------------------------------------------------------------------------------------------


def test_texts_without_a_label_in_a_project_without_labels_are_told(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    change_project(store, LOCAL_OPERATOR, replace(project, labels=()))
    report = import_rows(replace(project, labels=()), [{"id": f"t{n}", "text": f"Fine food {n}."} for n in range(30)])
    assert report.n_unlabelled == 30
    assert report.notes == ["No labels for these 30 texts. Add labels before assigning work."]


def test_texts_that_bring_labels_and_tasks_with_answers_have_nothing_to_be_told(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    change_project(store, LOCAL_OPERATOR, replace(project, labels=()))
    labelled = [{"id": "1", "text": "Fine food.", "label": "good"}, {"id": "2", "text": "Good food."}]
    assert import_rows(replace(project, labels=()), labelled).notes == []
    reading = make_project("reading", name="Reading")
    assert import_rows(reading, [{"id": "1", "passage": "Fine food.", "question": "What?"}]).notes == []


# Rationales as a column of quoted words: found in the text, or named with their row; taken only where the person says so.

QUOTES = ImportOptions(columns={"rationale_quotes": "why"})
TEXT = "The food was not good and the film was boring."


@pytest.fixture
def quoted(store: Store) -> Project:
    return create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=("bad", "good"))


def imported(store: Store, tmp_path: Path, rows: list[dict[str, Any]], options: ImportOptions = QUOTES) -> ImportReport:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return import_file(store, LOCAL_OPERATOR, find_project(store, "P"), "jsonl", path, options)


def row(why: object, text: str = TEXT, **more: object) -> dict[str, object]:
    return {"id": "a", "text": text, "label": "bad", "why": why, **more}


def marked(store: Store) -> list[list[tuple[int, int]]]:
    sets = store.rows("SELECT spans FROM rationale_sets ORDER BY annotation_id, position")
    return [[tuple(span) for span in json.loads(one["spans"])] for one in sets]


def problem_of(store: Store, tmp_path: Path, why: object, text: str) -> Problem:
    with pytest.raises(ImportRefused) as refused:
        imported(store, tmp_path, [row(why, text)])
    [problem] = refused.value.problems
    return problem


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        ("not good; boring", [[(3, 5), (9, 10)]]),
        ("“not good”;\n boring ", [[(3, 5), (9, 10)]]),  # quotation marks and blanks are not the text's
        (["not good", "boring"], [[(3, 5), (9, 10)]]),
        ([["not good"], ["boring"]], [[(3, 5)], [(9, 10)]]),  # a list of lists: one a set
        ("NOT  good", [[(3, 5)]]),  # whatever the case and white space
        ("bor", [[(9, 10)]]),  # a part of a word marks the word
        ([], []),
    ],
)
def test_quoted_words_become_the_tokens_where_they_stand(
    store: Store, quoted: Project, tmp_path: Path, why: object, expected: object
) -> None:
    report = imported(store, tmp_path, [row(why)])
    assert (report.n_annotations, marked(store)) == (1, expected)
    assert imported(store, tmp_path, [row(why)]).n_unchanged == 1


def test_a_part_of_a_word_is_said_to_mark_the_word(store: Store, quoted: Project, tmp_path: Path) -> None:
    report = imported(store, tmp_path, [row("bor")])
    assert "1 of 1 span was widened to whole tokens: rows.jsonl, line 1: “bor” became “boring”." in report.notes


@pytest.mark.parametrize(
    ("why", "text", "quote", "reason"),
    [
        ("awful", TEXT, "awful", "These words aren't in the text. Quote exactly, or give rationale_index."),
        ("boring; good", "Good, good, good: boring.", "good", "These words occur 2 times. Quote more, or give rationale_index."),
    ],
)  # fmt: skip
def test_words_that_are_not_there_or_twice_are_named_with_their_row_and_what_can_be_done(
    store: Store, quoted: Project, tmp_path: Path, why: str, text: str, quote: str, reason: str
) -> None:
    problem = problem_of(store, tmp_path, why, text)
    assert (problem.line, problem.field, problem.value) == (1, "rationale_quotes", quote)
    assert problem.reason.startswith(reason)
    assert store.value("SELECT count(*) FROM instances") == 0


def test_quotes_of_a_second_annotator_are_found_in_the_text_that_is_stored(
    store: Store, quoted: Project, tmp_path: Path
) -> None:
    between = row("food", id="b")
    imported(store, tmp_path, [row("boring", annotator="ada"), between, row("not good", annotator="bob")])
    assert sorted(marked(store)) == [[(1, 2)], [(3, 5)], [(9, 10)]]


def test_without_being_chosen_the_column_is_metadata_and_the_choice_is_named(
    store: Store, quoted: Project, tmp_path: Path
) -> None:
    other = {"id": "a", "text": TEXT, "label": "bad", "rationale": "not good; boring"}
    report = imported(store, tmp_path, [other], ImportOptions())
    assert (report.n_annotations, report.n_warnings) == (0, 1)
    assert "Choose it (--column rationales=rationale) or rename it 'rationales'." in report.doubts[0]


# A file that holds the tokens of texts alone, put into the project that has the texts.

ROWS: list[dict[str, object]] = [
    {"id": "a", "text": "It's good.  Isn't it?", "label": "positive", "split": "train", "rationales": [[[2, 3]]]},
    {
        "id": "b",
        "text": "好吃，不贵。",
        "label": "positive",
        "split": "train",
        "language": "zh",
        "rationales": [[[0, 2]]],
    },
    {"id": "c", "text": "Good food .", "label": "positive", "split": "train", "rationales": [[[0, 1]]]},
]


def texts_in(store: Store) -> list[tuple[str | None, str]]:
    return [(row["docid"], row["text"]) for row in store.rows("SELECT docid, text FROM documents ORDER BY id")]


@pytest.fixture
def exported(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, tmp_path: Path
) -> tuple[Project, Path]:
    """A project with texts in two languages, and its export for ERASER, where blanks part all tokens."""
    project, folder = make_project(), tmp_path / "eraser"
    import_rows(project, ROWS)
    export_file(store, LOCAL_OPERATOR, project, "eraser", folder)
    assert "It 's good ." in (folder / "docs.jsonl").read_text()
    return project, folder


def test_an_export_for_eraser_put_back_is_known_and_the_project_keeps_its_own_spacing(
    store: Store, exported: tuple[Project, Path]
) -> None:
    project, folder = exported
    before = texts_in(store)
    report = import_file(store, LOCAL_OPERATOR, project, "eraser", folder)
    assert (report.n_new, report.n_problems, report.n_documents) == (0, 0, 0)
    assert report.notes[0] == ("Only tokens for 3 texts; the project's spacing is kept.")
    assert texts_in(store) == before == [(None, row["text"]) for row in ROWS]
    again = import_file(store, LOCAL_OPERATOR, project, "eraser", folder)
    assert (again.n_new, again.n_updated, again.n_unchanged) == (0, 0, 3)


def test_a_label_of_such_a_row_may_overwrite_and_the_text_stays(store: Store, exported: tuple[Project, Path]) -> None:
    project, folder = exported
    rows = [json.loads(line) for line in (folder / "train.jsonl").read_text().splitlines()]
    rows[0]["classification"] = "negative"
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    before = texts_in(store)
    report = import_file(store, LOCAL_OPERATOR, project, "eraser", folder, ImportOptions(update=True))
    assert report.n_problems == 0
    assert store.value("SELECT result FROM instances WHERE key = 'a'") == "negative"
    assert texts_in(store) == before


def test_other_tokens_are_other_content_of_which_nothing_is_stored(
    store: Store, exported: tuple[Project, Path]
) -> None:
    project, folder = exported
    documents = (folder / "docs.jsonl").read_text()
    (folder / "docs.jsonl").write_text(documents.replace("Is n't it ?", "Is not it ?"))
    with pytest.raises(ImportRefused, match="1 problem"):
        import_file(store, LOCAL_OPERATOR, project, "eraser", folder)
    before = texts_in(store)
    report = import_file(store, LOCAL_OPERATOR, project, "eraser", folder, ImportOptions(skip_invalid=True))
    assert (report.n_problems, report.n_documents, report.problems[0].value) == (1, 0, "a")
    assert texts_in(store) == before


@pytest.fixture
def spaced(store: Store, make_project: Callable[..., Project], import_rows: Rows) -> Project:
    """A project with texts in two languages, and its tokens."""
    project = make_project()
    import_rows(project, ROWS)
    return project


def tokens_of(store: Store, project: Project) -> dict[str, list[str]]:
    return {
        instance.key: instance.segment("text").body.tokens()
        for batch in iterate_instance_batches(store, project.id)
        for instance in batch
    }


def written(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_rows_with_tokens_alone_are_known_in_the_project_that_has_their_texts(
    store: Store, spaced: Project, tmp_path: Path
) -> None:
    """Of a row that names no language the instance's own is kept."""
    before = texts_in(store)
    rows: list[dict[str, object]] = [
        {"id": key, "tokens": tokens, "label": "positive", "split": "train"}
        for key, tokens in tokens_of(store, spaced).items()
    ]
    report = import_file(store, LOCAL_OPERATOR, spaced, "jsonl", written(tmp_path / "tokens.jsonl", rows))
    assert (report.n_problems, report.n_new, report.n_updated, report.n_unchanged) == (0, 0, 0, 3)
    assert any("the project's spacing is kept." in note for note in report.notes)  # the third is spaced alike
    assert texts_in(store) == before


def test_a_benchmark_file_with_tokens_alone_is_known_too(
    store: Store, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    project = make_project()
    record: dict[str, object] = {
        "id": 1,
        "context": "It's good.",
        "sent_token": ["It", "'s", "good", "."],
        "sample_type": "ori",
    }
    import_file(store, LOCAL_OPERATOR, project, "benchmark", written(tmp_path / "texts.jsonl", [record]))
    del record["context"]
    report = import_file(store, LOCAL_OPERATOR, project, "benchmark", written(tmp_path / "tokens.jsonl", [record]))
    assert (report.n_problems, report.n_new, report.n_unchanged) == (0, 0, 1)
    assert texts_in(store) == [(None, "It's good.")]


def test_a_row_that_counts_characters_of_its_joined_tokens_is_other_content(
    store: Store, spaced: Project, tmp_path: Path
) -> None:
    """They would stand at other words of the text that the project has."""
    row: dict[str, object] = {
        "id": "a", "tokens": tokens_of(store, spaced)["a"], "label": "positive", "split": "train",
        "rationales": [[{"start_char": 0, "end_char": 2}]],
    }  # fmt: skip
    with pytest.raises(ImportRefused, match="1 problem"):
        import_file(store, LOCAL_OPERATOR, spaced, "jsonl", written(tmp_path / "t.jsonl", [row]))
