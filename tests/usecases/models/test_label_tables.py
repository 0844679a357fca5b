"""What a project calls the labels of a model: asked before anything is computed, remembered, and never mixed."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annotator.attribution.base import Input
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.suites import Case
from annotator.errors import InvalidValue, ModelError
from annotator.store import Store
from annotator.store.events import list_events
from annotator.store.models import full_answers, list_models
from annotator.store.projects import get_project_by_id
from annotator.store.trained_models import list_label_tables
from annotator.usecases.databases import find_project
from annotator.usecases.models import project_model
from annotator.usecases.models.attributions import AttributingOptions, AttributingReport, attribute
from annotator.usecases.models.label_tables import label_notes
from annotator.usecases.project.labels import replace_label
from annotator.usecases.project.projects import change_project
from annotator.usecases.suites.construction import save_test
from annotator.usecases.suites.runs import SuiteOptions, run_suite
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from tests.attribution_inputs import Floats

ROWS = [{"id": "a", "text": "good", "label": "positive"}, {"id": "b", "text": "bad", "label": "negative"}]
RENAMED = {"POS": "positive", "NEG": "negative", "mixed": ""}


class Three:
    """A model that answers the same probabilities to every text."""

    def __init__(self, probabilities: dict[str, float], name: str = "three") -> None:
        self.name = name
        self.labels = tuple(probabilities)
        self._row = list(probabilities.values())

    def probabilities(self, inputs: list[Input]) -> Floats:
        return np.array([self._row] * len(inputs)).reshape(len(inputs), len(self.labels))


@pytest.fixture
def tastes(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project(name="Tastes")
    import_rows(made, ROWS)
    return made


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Three]:
    """Has a model loaded, whatever is named."""

    def use(name: str = "three", **probabilities: float) -> Three:
        model = Three(probabilities or {"POS": 0.3, "NEG": 0.1, "mixed": 0.6}, name)
        monkeypatch.setattr(project_model, "load_predictor", lambda *_: model)
        return model

    return use


def run(store: Store, project: Project, spec: str = "spacy:x", **options: object) -> AttributingReport:
    return attribute(store, LOCAL_OPERATOR, project, spec, "random", AttributingOptions(**options))  # type: ignore[arg-type]


def shares(store: Store, project: Project, model: str = "three") -> dict[str, float]:
    [answers] = full_answers(store, project.id, model).values()
    return {label: round(p, 6) for label, p in next(iter(answers.values())).probabilities.items()}


def test_labels_that_differ_are_refused_with_a_proposal_and_the_options_that_confirm_it(
    store: Store, tastes: Project, loads: Callable[..., Three]
) -> None:
    loads()
    with pytest.raises(ModelError) as refused:
        run(store, tastes)
    assert str(refused.value).splitlines() == [
        "Labels of the model 'three' (POS, NEG, mixed) differ from 'Tastes' (negative, positive). Confirm "
        "this mapping:",
        "  POS    positive",
        "  NEG    negative",
        "  mixed  never predicted here",
        "If correct, repeat with --rename POS=positive --rename NEG=negative --rename mixed=",
    ]
    assert (list_models(store, tastes.id), list_label_tables(store, tastes.id)) == ([], [])


def test_what_nothing_can_be_proposed_for_is_left_open(
    store: Store, tastes: Project, loads: Callable[..., Three]
) -> None:
    loads(LABEL_0=0.5, LABEL_1=0.5)
    with pytest.raises(
        ModelError,
        match=r"Labels of the model 'three' \(LABEL_0, LABEL_1\) differ from 'Tastes' \(negative, positive\)\.",
    ):
        run(store, tastes)
    with pytest.raises(ModelError, match=r"LABEL_0  negative\n  LABEL_1  \?"):
        run(store, tastes, renamed={"LABEL_0": "negative"})


def test_names_that_differ_in_case_alone_are_asked_for_as_well(
    store: Store, tastes: Project, loads: Callable[..., Three]
) -> None:
    loads(Negative=0.5, POSITIVE=0.5)
    with pytest.raises(ModelError, match="--rename Negative=negative --rename POSITIVE=positive"):
        run(store, tastes)


def test_what_is_confirmed_holds_from_then_on_and_a_dropped_label_is_no_answer(
    store: Store, tastes: Project, loads: Callable[..., Three]
) -> None:
    loads()
    report = run(store, tastes, renamed=RENAMED)
    assert report.notes == [
        "Of the model 'three': “POS” is “positive”, “NEG” is “negative”, “mixed” is never predicted."
    ]
    assert shares(store, tastes) == {"positive": 0.75, "negative": 0.25}
    assert run(store, tastes).n_known == len(ROWS)
    assert len(list_label_tables(store, tastes.id)) == 1
    assert label_notes(store, tastes, ["three", "another"]) == [
        "Of “three”: “POS” is “positive”, “NEG” is “negative”, “mixed” is never predicted."
    ]


def test_a_model_that_is_certain_of_what_is_no_answer_is_undecided(
    store: Store, tastes: Project, loads: Callable[..., Three]
) -> None:
    loads(POS=0.0, NEG=0.0, mixed=1.0)
    run(store, tastes, renamed=RENAMED)
    assert shares(store, tastes) == {"positive": 0.5, "negative": 0.5}


def test_a_label_that_the_model_lacks_is_told_and_needs_no_confirmation(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], loads: Callable[..., Three]
) -> None:
    made = make_project(name="Wide")
    project = change_project(store, LOCAL_OPERATOR, replace(made, labels=("negative", "neutral", "positive")))
    import_rows(project, [*ROWS, {"id": "c", "text": "so", "label": "neutral"}])
    loads(negative=0.5, positive=0.5)
    sentence = "can't predict “neutral”; those texts count as wrong."
    assert run(store, project).notes == [f"The model 'three' {sentence}"]
    assert label_notes(store, project, ["three"]) == [f"“three” {sentence}"]


WRONG = [
    ({"LABEL_2": "positive"}, "has no label 'LABEL_2'. Available:"),
    ({"POS": "good"}, r"'POS' can't become 'good', which isn't a label of 'Tastes' \(negative, positive\)\."),
    ({"POS": "?"}, r"'POS' can't become '\?', which isn't a label of 'Tastes' \(negative, positive\)\."),
    ({"POS": "positive", "NEG": "positive", "mixed": ""}, "Separate them."),
    ({"POS": "positive", "NEG": "", "mixed": ""}, "At least two labels of"),
]


@pytest.mark.parametrize(("renamed", "sentence"), WRONG)
def test_a_table_that_cannot_be_is_refused(
    renamed: dict[str, str], sentence: str, store: Store, tastes: Project, loads: Callable[..., Three]
) -> None:
    loads()
    with pytest.raises(ModelError, match=sentence):
        run(store, tastes, renamed=renamed)
    assert list_label_tables(store, tastes.id) == []


def test_the_labels_of_the_built_in_model_are_not_renamed(store: Store, tastes: Project) -> None:
    with pytest.raises(InvalidValue, match="the project's own, which are not renamed"):
        run(store, tastes, "built-in", renamed={"positive": "negative"})


def test_answers_of_two_tables_are_never_mixed(store: Store, tastes: Project, loads: Callable[..., Three]) -> None:
    loads()
    run(store, tastes, renamed=RENAMED)
    other = {"POS": "negative", "NEG": "positive", "mixed": ""}
    with pytest.raises(
        InvalidValue,
        match=r"Stored output of the model 'three' in 'Tastes' has other labels \(“POS” is “positive”, “NEG” is “negative”, “mixed” is never predicted, not “POS” is “negative”, “NEG” is “positive”, “mixed” is never predicted\)\. .*--again",
    ):
        run(store, tastes, renamed=other)
    assert shares(store, tastes) == {"positive": 0.75, "negative": 0.25}
    run(store, tastes, renamed=other, is_anew=True)
    assert shares(store, tastes) == {"positive": 0.25, "negative": 0.75}
    run(store, tastes)


def test_answers_to_suites_are_of_the_same_table_and_go_with_what_is_deleted(
    store: Store, tastes: Project, loads: Callable[..., Three]
) -> None:
    loads()
    for name in ("first", "second"):
        case = Case(name, "MFT", "Logic", "0", ("a good text",), "label", ("positive",))
        save_test(store, LOCAL_OPERATOR, tastes, "suite", [case])
    options = SuiteOptions(renamed=RENAMED)
    assert run_suite(store, LOCAL_OPERATOR, tastes, "suite", "spacy:x", options).n_tests == 2
    other = {"POS": "negative", "NEG": "positive", "mixed": ""}
    with pytest.raises(
        InvalidValue,
        match=r"Stored output of the model 'three' in 'Tastes' has other labels \(“POS” is “positive”, “NEG” is “negative”, “mixed” is never predicted, not “POS” is “negative”, “NEG” is “positive”, “mixed” is never predicted\)\. .*--again",
    ):
        run_suite(store, LOCAL_OPERATOR, tastes, "suite", "spacy:x", SuiteOptions(renamed=other))
    with pytest.raises(
        InvalidValue,
        match=r"Stored output of the model 'three' in 'Tastes' has other labels \(“POS” is “positive”, “NEG” is “negative”, “mixed” is never predicted, not “POS” is “negative”, “NEG” is “positive”, “mixed” is never predicted\)\. .*--again",
    ):
        run(store, tastes, renamed=other)
    run(store, tastes, renamed=other, is_anew=True)
    report = run_suite(store, LOCAL_OPERATOR, tastes, "suite", "spacy:x")
    assert (report.n_tests, report.n_known) == (2, 0)
    run(store, tastes, is_anew=True)  # by the same labels
    assert run_suite(store, LOCAL_OPERATOR, tastes, "suite", "spacy:x").n_known == 2


def test_equal_names_are_not_swapped_over_what_is_stored(
    store: Store, tastes: Project, loads: Callable[..., Three]
) -> None:
    loads(negative=0.4, positive=0.6)
    run(store, tastes)
    with pytest.raises(
        InvalidValue,
        match=r"Stored output of the model 'three' in 'Tastes' has other labels \(“negative” is “negative”, “positive” is “positive”, not “negative” is “positive”, “positive” is “negative”\)\. .*--again",
    ):
        run(store, tastes, renamed={"negative": "positive", "positive": "negative"})


def folder_of(path: Path, name: str, project: str) -> str:
    """A folder with the card of a model that learned from a project."""
    folder = path / name
    folder.mkdir()
    card = {
        "name": name, "digest": "d", "base": "scratch", "labels": [], "output": "softmax", "data": {"project": project},
        "parameters": {}, "epochs": [], "best_epoch": 0, "scores": {}, "versions": {},
    }  # fmt: skip
    (folder / "card.json").write_text(json.dumps(card), encoding="utf-8")
    return f"transformers:{folder}"


def test_one_confirmation_is_enough_for_all_models_that_learned_from_the_same_project(
    store: Store, tastes: Project, loads: Callable[..., Three], tmp_path: Path
) -> None:
    loads("seed-0")
    run(store, tastes, folder_of(tmp_path, "seed-0", "Three"), renamed=RENAMED)
    loads("seed-1")
    run(store, tastes, folder_of(tmp_path, "seed-1", "Three"))
    assert shares(store, tastes, "seed-1") == {"positive": 0.75, "negative": 0.25}
    loads("elsewhere")
    with pytest.raises(
        ModelError,
        match=r"Labels of the model 'elsewhere' \(POS, NEG, mixed\) differ from 'Tastes' \(negative, positive\)\.",
    ):
        run(store, tastes, folder_of(tmp_path, "elsewhere", "Another"))
    both = label_notes(store, tastes, ["seed-0", "seed-1"])
    assert both == ["Of “seed-0”, “seed-1”: “POS” is “positive”, “NEG” is “negative”, “mixed” is never predicted."]


def test_a_label_that_is_replaced_is_replaced_in_the_tables(
    store: Store, tastes: Project, loads: Callable[..., Three]
) -> None:
    loads()
    run(store, tastes, renamed=RENAMED)
    replace_label(store, LOCAL_OPERATOR, tastes, "positive", "good")
    now = get_project_by_id(store, tastes.id)
    assert list_events(store, now.id, limit=1)[0].action == "replace label"
    assert run(store, now).n_known == len(ROWS)
    assert shares(store, now) == {"good": 0.75, "negative": 0.25}


def test_our_own_export_brings_what_was_confirmed(
    store: Store, tastes: Project, loads: Callable[..., Three], make_project: Callable[..., Project], tmp_path: Path
) -> None:
    loads()
    run(store, tastes, renamed=RENAMED)
    export_file(store, LOCAL_OPERATOR, tastes, "jsonl", tmp_path / "all.jsonl")
    import_file(store, LOCAL_OPERATOR, make_project(name="Copy"), "jsonl", tmp_path / "all.jsonl")
    copy = find_project(store, "Copy")
    assert run(store, copy).n_known == len(ROWS)
    assert [table.names for table in list_label_tables(store, copy.id)] == [RENAMED]


def test_an_event_of_a_file_that_says_something_else_is_passed_over(store: Store, tastes: Project) -> None:
    with store.transaction():
        store.run(
            "INSERT INTO events (at, actor, action, project_id, subject, subject_id, detail)"
            " VALUES ('2026-01-01T00:00:00.000Z', 'x', 'map labels', ?, 'project', ?, ?)",
            (tastes.id, tastes.id, '{"model": 3}'),
        )
    assert list_label_tables(store, tastes.id) == []
