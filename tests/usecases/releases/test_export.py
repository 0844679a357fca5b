"""A release as files: unchanged whatever happened since, with licence, citation, card and pseudonyms."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.instances import POLICY_WORDS
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.releases import Release
from annotator.domain.projects import Project
from annotator.errors import ExportRefused, InvalidValue, NotAllowed
from annotator.language import speaking
from annotator.store import Store
from annotator.store.instances import discard, find_instance_ids
from annotator.usecases.lead.progress import accepted_annotations
from annotator.usecases.project.projects import change_project
from annotator.usecases.project.splits import split_project
from annotator.usecases.releases.export import FORMATS, export_release
from annotator.usecases.releases.frozen_gold import freeze_gold, unfinished_words
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import gold_words
from tests.clock import ahead

NAMES = ("Somebody Known", "Another One")


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project(gold_policy="all")
    facts = {"annotations": [{"annotator": name, "age": 30} for name in NAMES]}
    rows = [
        {"id": f"t{n}", "text": f"so good, {n} times", "label": "positive", "rationales": [[[0, 2]], [[n, n + 1]]],
         "split": split, "metadata": facts}
        for n, split in enumerate(("train", "test", "test"))
    ]  # fmt: skip
    import_rows(made, [row | {"annotator": name} for row in rows for name in NAMES])
    return made


@pytest.fixture
def release(store: Store, project: Project) -> Release:
    return freeze_gold(store, LOCAL_OPERATOR, project, "camera ready", licence="CC BY 4.0", citation="Us, 2026")


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_release_is_written_unchanged_after_the_project_has_changed(
    store, project, release, tmp_path, format_name: str
) -> None:
    export_release(store, LOCAL_OPERATOR, project, 1, format_name, tmp_path / "before")
    with store.transaction():
        discard(store, find_instance_ids(store, project.id, "t1", "test")[0])
    export_release(store, LOCAL_OPERATOR, project, 1, format_name, tmp_path / "after")
    before = files_of(tmp_path / "before")
    assert before == files_of(tmp_path / "after")
    assert not [name for name, content in before.items() if any(person.encode() in content for person in NAMES)]


def test_a_release_without_splits_says_that_only_a_new_one_gets_them(
    store, make_project, import_rows, tmp_path
) -> None:
    project = make_project()
    import_rows(project, [{"id": "t", "text": "so good", "label": "positive", "rationales": [[[0, 1]]]}])
    for number, is_written in ((1, False), (2, True)):
        freeze_gold(store, LOCAL_OPERATOR, project, str(number), licence="CC0")
        split_project(store, LOCAL_OPERATOR, project, "train=1")
        with (
            nullcontext()
            if is_written
            else pytest.raises(
                ExportRefused,
                match=r"test; a release keeps its splits, so assign splits \(`annotator split`\) and freeze a new one \(",
            )
        ):
            export_release(store, LOCAL_OPERATOR, project, number, "eraser", tmp_path / "out")


@pytest.mark.parametrize("format_name", ["eraser", "datasets"])
def test_licence_citation_and_counts_go_with_it(store, project, release, tmp_path, format_name: str) -> None:
    export_release(store, LOCAL_OPERATOR, project, 1, format_name, tmp_path / "out")
    files = {name: content.decode() for name, content in files_of(tmp_path / "out").items() if "." not in name}
    assert files["LICENSE"] == "CC BY 4.0\n"
    assert files["CITATION"].startswith(f"Us, 2026\n\nProject, release 1 “camera ready” ({release.day})\n")
    assert release.gold.digest in files["CITATION"]
    card = (tmp_path / "out" / "README.md").read_text()
    assert "* Task: classification. Asked was: " in card, "as the page calls the template"
    assert "({result}: the label or answer of a text.)" in card, "nobody who reads it saw the question above a text"
    words = gold_words(project.settings.gold_policy, accepted_annotations(store, LOCAL_OPERATOR, project))
    assert words.startswith(f"Gold policy “all”: {POLICY_WORDS['all']}; "), "the page and the card use the same words"
    assert f"* Gold policy `all`: {POLICY_WORDS['all']}." in card
    assert "* Gold of 3 instances, 6 rationale sets, 2 annotators." in card
    assert "| test | 2 | 4 | 0 |" in card
    assert card.startswith("---") == (format_name == "datasets"), "the hub reads the card's front matter"


def test_the_card_says_how_the_gold_was_made_and_the_guidelines_of_then_stand_beside_it(
    store, project, tmp_path, import_rows
) -> None:
    import_rows(project, [{"id": "bare", "text": "so bad", "label": "negative"}])
    rules = replace(project.settings, reviewers_per_annotation=2)
    guided = change_project(store, LOCAL_OPERATOR, replace(project, settings=rules, guidelines="Mark what suffices."))
    with speaking("zh"):
        freeze_gold(store, LOCAL_OPERATOR, guided, "first", licence="CC0")
    with ahead(store, days=1):
        change_project(store, LOCAL_OPERATOR, replace(guided, guidelines="Mark less."))
    export_release(store, LOCAL_OPERATOR, project, 1, "jsonl", tmp_path / "out")
    assert (tmp_path / "out" / "GUIDELINES.md").read_text() == "Mark what suffices.\n"
    card = (tmp_path / "out" / "README.md").read_text()
    assert (
        "* Gold of 3 of the project's 4 texts.\n* 1 annotator a text; 2 reviewers an annotation, accepted from " in card
    )
    assert "mean scores of sufficiency 3.0, compactness 3.6, comprehensiveness 2.6, within 3 rounds." in card
    assert "alpha of marked tokens: 1.000, n 3." in card, "two people marked the same"


@pytest.mark.parametrize("citation", [None, "", " "])
def test_a_release_that_nobody_cites_has_a_default_citation(store, project, tmp_path, citation: str | None) -> None:
    made = freeze_gold(store, LOCAL_OPERATOR, project, "first", licence="CC0", citation=citation)
    assert made.rules.citation == f"Project (release 1) [Data set]. {made.day}."
    export_release(store, LOCAL_OPERATOR, project, 1, "jsonl", tmp_path / "out")
    assert (tmp_path / "out" / "CITATION").read_text().startswith(f"{made.rules.citation}\n\n")
    cited = replace(project, citation="Us, 2026")
    again = freeze_gold(store, LOCAL_OPERATOR, cited, "second", licence="CC0", citation=citation)
    assert again.rules.citation == "Us, 2026"


def test_files_speak_english_whoever_asked_for_them(store, project, release, tmp_path) -> None:
    export_release(store, LOCAL_OPERATOR, project, 1, "jsonl", tmp_path / "english")
    with speaking("zh"):
        export_release(store, LOCAL_OPERATOR, project, 1, "jsonl", tmp_path / "chinese")
    assert files_of(tmp_path / "english") == files_of(tmp_path / "chinese")


def test_what_is_written_as_lines_is_imported_again_with_the_same_gold(
    store, project, release, make_project, tmp_path
) -> None:
    export_release(store, LOCAL_OPERATOR, project, 1, "jsonl", tmp_path / "out")
    copy = make_project(name="Copy", gold_policy="all")
    import_file(store, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "out" / "gold.jsonl")
    again = freeze_gold(store, LOCAL_OPERATOR, copy, "again", licence="CC0")
    assert again.gold.digest == release.gold.digest
    rows = [json.loads(line) for line in (tmp_path / "out" / "gold.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["t0", "t1", "t2"]


def test_what_cannot_be_written_is_refused_and_leaves_nothing(store, project, release, tmp_path, add_person) -> None:
    with pytest.raises(InvalidValue, match=r"Unknown format 'contrast'\. Available:"):
        export_release(store, LOCAL_OPERATOR, project, 1, "contrast", tmp_path / "out")
    with pytest.raises(NotAllowed):
        export_release(store, add_person("r", project, "researcher"), project, 1, "jsonl", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").touch()
    with pytest.raises(ExportRefused, match=r"exists and isn't an empty folder\."):
        export_release(store, LOCAL_OPERATOR, project, 1, "jsonl", tmp_path / "out")


@pytest.mark.parametrize(
    ("policy", "why"),
    [("chosen", "“chosen” takes one annotation per text; “all” takes every one with the gold label."), ("all", "")],
)
def test_whose_sets_the_policy_leaves_out_is_said_before_freezing_of_an_export_and_by_number_on_the_card(
    store, make_project, import_rows, add_person, tmp_path, policy: str, why: str
) -> None:
    project = make_project(gold_policy=policy)
    row = {"text": "so good, so good", "label": "positive", "rationales": [[[0, 2]]]}
    import_rows(project, [{"id": f"t{n}", **row, "annotator": name} for n in range(3) for name in NAMES[: 1 + (n > 0)]])
    answers = zip(
        NAMES, project.labels, strict=True
    )  # of a text whose label nobody knows: no gold, so nothing is omitted
    tied = [
        {"id": "tied", "text": "so good", "rationales": [[[0, 2]]], "annotator": n, "annotator_label": a}
        for n, a in answers
    ]
    import_rows(project, tied)
    people = "This gold omits the sets of 2 annotations: Another One (2). "
    assert unfinished_words(store, LOCAL_OPERATOR, project) == (people + why if why else "")
    exported = export_file(store, LOCAL_OPERATOR, project, "csv", tmp_path / "gold.csv")
    assert exported.not_in_gold == (people + why if why else "")
    researcher = add_person("researcher", project, "researcher")
    for_them = export_file(store, researcher, project, "benchmark", tmp_path / "gold").not_in_gold
    assert for_them == ("This gold omits the sets of 2 annotations. " + why if why else "")
    freeze_gold(store, LOCAL_OPERATOR, project, "first", licence="CC BY 4.0")
    export_release(store, LOCAL_OPERATOR, project, 1, "csv", tmp_path / "release")
    card = (tmp_path / "release" / "README.md").read_text(encoding="utf-8")
    assert ("* Accepted annotations that the policy leaves out: 2.\n" in card) == bool(why)
