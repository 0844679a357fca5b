"""Model output without keys finds its instances by their texts."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused
from annotator.store import Store
from annotator.store.models import iterate_outputs, list_runs
from annotator.usecases.databases import find_project
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport

TEXTS = ("Good food.", "Bad  food!", "So so.", "So so.", "Café au lait")
KEYS = ("g", "b", "s1", "s2", "c")


@pytest.fixture
def project(store: Store, tmp_path: Path) -> Project:
    """Five texts, one of them twice."""
    create_project(store, LOCAL_OPERATOR, "Texts", get_task("sentiment"), labels=("bad", "good"))
    rows = [{"id": key, "text": text} for key, text in zip(KEYS, TEXTS, strict=True)]
    return _filled(store, tmp_path, "Texts", rows)


def _filled(store: Store, folder: Path, name: str, rows: list[dict[str, object]]) -> Project:
    path = folder / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_file(store, LOCAL_OPERATOR, find_project(store, name), "jsonl", path)
    return find_project(store, name)


Take = Callable[..., ImportReport]


@pytest.fixture
def take(store: Store, project: Project, tmp_path: Path) -> Take:
    def run(*rows: dict[str, object], of: Project = project, format_name: str = "predictions", **options: object):
        path = tmp_path / "output.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        given = ImportOptions(**{"model": "m", **options})  # type: ignore[arg-type]
        return import_file(store, LOCAL_OPERATOR, of, format_name, path, given)

    return run


def stored(store: Store, project: Project) -> dict[str, str | None]:
    """What the only run answers, by key."""
    [run] = list_runs(store, project.id)
    return {output.key: output.output.predictions[0].label for output in _outputs(store, run.id)}


def _outputs(store: Store, run_id: int):
    names = {row["id"]: row["key"] for row in store.rows("SELECT id, key FROM instances")}

    class Named:
        def __init__(self, output):
            self.key, self.output = names[output.instance_id], output

    return [Named(output) for output in iterate_outputs(store, run_id)]


def refusals(take: Take, *rows: dict[str, object], **options: object) -> list[str]:
    with pytest.raises(ImportRefused) as refused:
        take(*rows, **options)
    return [problem.reason for problem in refused.value.problems]


def test_a_row_without_a_key_goes_to_the_instance_that_has_its_text(store, project, take) -> None:
    report = take({"text": "bad food!", "label": "bad"}, {"sentence": " Good food.", "label": "good"})
    assert stored(store, project) == {"b": "bad", "g": "good"}
    assert report.notes == ["2 rows without an ID matched by text."]


def test_the_same_rows_again_change_nothing(take) -> None:
    row = {"text": "Good food.", "label": "good"}
    take(row)
    assert (take(row).n_new, take(row).n_unchanged) == (0, 1)


def test_subwords_that_lost_their_case_and_accents_find_the_text(store, project, take) -> None:
    take(
        {"tokens": ["[CLS]", "cafe", "au", "la", "##it", "[SEP]"], "scores": [0, 1, 2, 3, 4, 0], "method": "x"},
        format_name="attributions",
    )
    [run] = list_runs(store, project.id)
    [named] = _outputs(store, run.id)
    assert (named.key, named.output.attributions[0].scores) == ("c", (1.0, 2.0, 7.0))


def test_a_text_that_stands_twice_in_the_project_is_named_with_its_keys_and_nothing_is_stored(
    store, project, take
) -> None:
    [reason] = refusals(take, {"text": "Good food.", "label": "good"}, {"text": "So so.", "label": "bad"})
    assert "have this text: 's1', 's2'. Add an ID or use --all-doubles." in reason
    assert list_runs(store, project.id) == []


def test_on_request_every_instance_with_the_text_gets_what_is_said_of_it(store, project, take) -> None:
    report = take({"text": "So so.", "label": "bad"}, all_doubles=True)
    assert stored(store, project) == {"s1": "bad", "s2": "bad"}
    assert report.notes == ["1 row without an ID matched by text."]


def test_a_split_tells_doubles_apart(store, tmp_path, take) -> None:
    create_project(store, LOCAL_OPERATOR, "Splits", get_task("sentiment"), labels=("bad", "good"))
    rows = [{"id": split, "split": split, "text": "So so."} for split in ("train", "test")]
    of = _filled(store, tmp_path, "Splits", rows)
    take({"text": "So so.", "label": "bad"}, of=of, split="test")
    assert stored(store, of) == {"test": "bad"}


def test_of_texts_that_differ_in_their_case_the_one_that_stands_so_is_meant(store, tmp_path, take) -> None:
    create_project(store, LOCAL_OPERATOR, "Cases", get_task("sentiment"), labels=("bad", "good"))
    of = _filled(store, tmp_path, "Cases", [{"id": "low", "text": "so so."}, {"id": "high", "text": "So so."}])
    take({"text": "So so.", "label": "bad"}, of=of)
    assert stored(store, of) == {"high": "bad"}


def test_a_text_that_the_file_has_twice_is_taken_once_where_both_rows_say_the_same(store, project, take) -> None:
    report = take({"text": "Good food.", "label": "good"}, {"text": "Good food.", "label": "good"})
    assert stored(store, project) == {"g": "good"}
    assert [w.reason for w in report.warnings if w.field == "text"] == ["Duplicate of line 1; imported once."]


def test_a_text_that_the_file_has_twice_is_refused_where_its_rows_disagree(take) -> None:
    [reason] = refusals(take, {"text": "Good food.", "label": "good"}, {"text": "Good food.", "label": "bad"})
    assert reason.startswith("Conflicts with line 1. Keep one, or add IDs.")


def test_rows_whose_text_no_instance_has_are_counted_and_named(store, project, take) -> None:
    rows = [{"text": "Good food.", "label": "good"}, {"text": "Never <b>seen</b>.", "label": "bad"}]
    report = take(*rows, skip_invalid=True)
    [problem] = report.problems
    assert (problem.line, problem.field, problem.value) == (2, "text", "Never <b>seen</b>.")
    assert "No ID and unknown text. Add an ID, or import the text first." in problem.reason
    assert report.notes == ["1 row without an ID matched by text. 1 row's text is unknown."]
    assert stored(store, project) == {"g": "good"}


PUNCTUATED = [
    {"id": "lead", "text": "... Good food."},
    {"id": "tail", "text": "Bad food!"},
    {"id": "s", "text": "So so."},
]


@pytest.fixture
def punctuated(store: Store, tmp_path: Path) -> Project:
    create_project(store, LOCAL_OPERATOR, "Ends", get_task("sentiment"), labels=("bad", "good"))
    return _filled(store, tmp_path, "Ends", PUNCTUATED)


def test_a_text_that_differs_in_punctuation_at_its_ends_alone_is_found_and_told(store, punctuated, take) -> None:
    rows = [
        {"text": "good food", "label": "good"},
        {"text": "“Bad food”", "label": "bad"},
        {"text": "so so.", "label": "bad"},
    ]
    report = take(*rows, of=punctuated)
    assert stored(store, punctuated) == {"lead": "good", "tail": "bad", "s": "bad"}
    assert report.notes == ["3 rows without an ID matched by text, 2 ignoring outer punctuation."]


def test_what_the_text_has_more_at_its_ends_has_no_weight_in_the_map(store, punctuated, take) -> None:
    row = {"tokens": ["good", "fo", "##od"], "scores": [1, 2, 3], "method": "x"}
    take(row, of=punctuated, format_name="attributions")
    [run] = list_runs(store, punctuated.id)
    [named] = _outputs(store, run.id)
    assert (named.key, named.output.attributions[0].scores) == ("lead", (0.0, 1.0, 5.0, 0.0))


def test_the_leading_dots_of_a_text_are_found_where_it_lost_its_full_stop(store, punctuated, take) -> None:
    row = {"tokens": ["...", "good", "food"], "scores": [4, 1, 2], "method": "x"}
    take(row, of=punctuated, format_name="attributions")
    [run] = list_runs(store, punctuated.id)
    assert _outputs(store, run.id)[0].output.attributions[0].scores == (4.0, 1.0, 2.0, 0.0)


def test_subwords_that_the_text_does_not_have_at_its_end_are_refused_by_their_number(punctuated, take) -> None:
    row = {"tokens": ["so", "so", "!"], "scores": [1, 2, 3], "method": "x"}
    [reason] = refusals(take, row, of=punctuated, format_name="attributions")
    assert "Subword 2 '!' isn't at character" in reason


def test_of_texts_that_differ_in_punctuation_the_one_that_stands_so_is_meant_and_else_none(
    store, tmp_path, take
) -> None:
    create_project(store, LOCAL_OPERATOR, "Alike", get_task("sentiment"), labels=("bad", "good"))
    of = _filled(store, tmp_path, "Alike", [{"id": "dot", "text": "So so."}, {"id": "ask", "text": "So so?"}])
    [reason] = refusals(take, {"text": "so so?", "label": "bad"}, {"text": "so so", "label": "good"}, of=of)
    assert "match only without outer punctuation: 'dot', 'ask'. Add an ID." in reason


def test_a_row_with_neither_key_nor_text_says_what_it_needs(take) -> None:
    assert refusals(take, {"label": "good"}) == ["The row needs an id or a text."]


def test_a_pair_is_found_by_both_of_its_texts(store, tmp_path, take) -> None:
    create_project(store, LOCAL_OPERATOR, "Pairs", get_task("inference"), labels=("no", "yes"))
    rows = [
        {"id": key, "premise": "A man sleeps.", "hypothesis": h}
        for key, h in (("1", "He is awake."), ("2", "He rests."))
    ]
    of = _filled(store, tmp_path, "Pairs", rows)
    take({"sentence1": "A man sleeps.", "sentence2": "He rests.", "label": "yes"}, of=of)
    assert stored(store, of) == {"2": "yes"}


def test_a_number_is_believed_only_where_the_record_is_the_beginning_of_its_text(store, tmp_path, take) -> None:
    create_project(store, LOCAL_OPERATOR, "Long", get_task("sentiment"), labels=("bad", "good"))
    of = _filled(store, tmp_path, "Long", [{"id": 0, "text": "Good food and wine."}, {"id": 1, "text": "Bad food."}])
    shap = {"values": [1.0, 2.0], "data": ["Good", "food"]}
    strange = {"values": [1.0, 2.0], "data": ["Good", "grief"]}
    reasons = refusals(take, shap, strange, of=of, format_name="shap")
    assert sum("No ID and unknown text. Add an ID, or import the text first." in reason for reason in reasons) == 1
