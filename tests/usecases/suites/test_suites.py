"""Functional tests of a project: made, saved, run, scored, exchanged as files; who may, and what is refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.suites import Alternative, Applies, Case, Recipe, StoredSuite
from annotator.errors import Conflict, ImportRefused, InvalidValue, ModelError, NotAllowed, NotFound
from annotator.evaluation.er_test.scores import ScoredFiles, evaluate_tests
from annotator.figures.bars import RateBar, rate_bar_html
from annotator.metrics.significance import Bounds
from annotator.scoring.suite_baselines import AgainstBaseline, Baselines
from annotator.store import Store
from annotator.store.events import list_events
from annotator.store.instances import find_instance_ids
from annotator.store.suites import cases_of_suite, cases_of_test, cases_without_texts, find_run, list_runs
from annotator.usecases.models import project_model
from annotator.usecases.models.built_in_model import built_in_model
from annotator.usecases.project.word_lists import remove_word_list, save_word_list, word_lists
from annotator.usecases.suites import construction, runs
from annotator.usecases.suites import files as suite_files
from annotator.usecases.suites import results as suite_results
from annotator.usecases.suites.construction import TypedCase, save_typed_case
from annotator.usecases.suites.results import (
    ALL,
    Rate,
    ResultRow,
    SuiteResults,
    about_rate,
    baseline_lines,
    comparison_sentence,
    difference_words,
    lowest_baselines,
    rate_words,
)
from annotator.usecases.suites.runs import SuiteOptions, run_suite
from tests.conftest import SHARED_DATA

NEGATED = Recipe("negated", "MFT", "Logic", "label", (Alternative(("It was not {good}.",), ("negative",)),))
GOOD = ("good", "great", "fine")


class WordCounter:
    """A toy: "good" and "great" make it positive, three "bad" negative; it knows nothing of "not" or "fine"."""

    labels = ("negative", "positive")

    def __init__(self, name: str = "toy", shift: float = 0.0) -> None:
        self.name = name
        self.shift = shift
        self.n_asked = 0

    def probabilities(self, inputs):
        self.n_asked += len(inputs)
        rows = []
        for one in inputs:
            words = [token for segment in one.segments for token in segment.tokens]
            p = 0.5 + 0.2 * (words.count("good") + words.count("great")) - 0.2 * words.count("bad") + self.shift
            rows.append((1 - p, p))
        return np.array(rows).reshape(len(inputs), 2)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Callable[..., WordCounter]:
    """Puts a toy in the place of any model that is loaded."""

    def use(**more: Any) -> WordCounter:
        model = WordCounter(**more)
        monkeypatch.setattr(project_model, "load_predictor", lambda spec, options: model)
        return model

    return use


def case(number: int, *texts, test="t", kind="MFT", labels=("negative",), **more) -> Case:
    expectation = {"MFT": "label", "INV": "same"}.get(kind, "not_down")
    return Case(
        test,
        kind,
        more.pop("category", "Logic"),
        str(number),
        texts,
        more.pop("expectation", expectation),
        labels,
        **more,
    )


def save(store: Store, project: Project, *cases: Case, suite: str = "s") -> None:
    construction.save_test(store, LOCAL_OPERATOR, project, suite, cases)


def results(store: Store, project: Project, compared=None, suite="s"):
    found = suite_results.suite_results(
        store, LOCAL_OPERATOR, project, construction.suite_named(store, project, suite), compared
    )
    return {row.name: row for row in found.rows}


def counts(store: Store) -> dict[str, int]:
    tables = (
        "word_lists",
        "suites",
        "suite_tests",
        "suite_cases",
        "suite_runs",
        "suite_answers",
        "suite_verdicts",
        "events",
    )
    return {table: store.value(f"SELECT count(*) FROM {table}") for table in tables}


# --- making -----------------------------------------------------------------------------------------------------------


def test_a_planned_test_is_looked_at_mended_and_saved_with_how_it_was_made(store, project) -> None:
    save_word_list(store, LOCAL_OPERATOR, project, "good", GOOD)
    before = counts(store)
    plan = construction.TestPlan(NEGATED, n=None)
    cases = construction.plan_cases(store, LOCAL_OPERATOR, project, plan)
    assert counts(store) == before  # a preview stores nothing
    kept = [case(n, *c.texts, test="negated") for n, c in enumerate(cases[:2])]
    told = construction.construction_report(plan, dropped=[cases[2].case])
    saved = construction.save_test(store, LOCAL_OPERATOR, project, "mine", kept, told)
    assert (saved.n_cases, saved.n_texts, saved.type, saved.category) == (2, 2, "MFT", "Logic")
    assert saved.recipe["recipe"]["alternatives"][0]["texts"] == ["It was not {good}."]
    assert saved.recipe["dropped"] == ["2"]
    suite = construction.suite_named(store, project, "mine")
    assert list(cases_of_suite(store, suite.id)) == kept
    assert list_events(store, project.id, limit=1)[0].action == "make test"


def test_a_saved_case_cannot_be_changed(store, project) -> None:
    save(store, project, case(0, "a"))
    with pytest.raises(Exception, match="cases are not changed"), store.transaction():
        store.run("UPDATE suite_cases SET texts = '[]'")


def test_cases_come_back_as_they_were_stored(store, make_project) -> None:
    project = make_project("inference")
    pair, other = {"premise": "A.", "hypothesis": "B."}, {"premise": "A.", "hypothesis": "“C”"}
    cases = [
        case(0, pair, other, kind="DIR", labels=("positive",), tolerance=0.25, applies=Applies(True, ("positive",), ("negative",)), edits=[[0, 1, "x"]]),
        case(1, other, pair, kind="DIR", labels=(), expectation="not_up", applies=Applies(False)),
    ]  # fmt: skip
    save(store, project, *cases)
    assert list(cases_of_suite(store, construction.suite_named(store, project, "s").id)) == cases


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ([], r"Tests have 1 to 100,000 cases\."),
        ([case(0, "a"), case(0, "b")], "Two cases of 't' are named '0'."),
        (
            [case(0, "a", labels=("neutral",))],
            r"Case 0 of 't': 'neutral' isn't a project label \(negative, positive\)\.",
        ),
        ([case(0, " ")], "The text is empty"),
        ([case(0, "a", "a", kind="INV", labels=())], "A perturbed text equals the original."),
        ([case(0, {"premise": "a"})], r"Case 0 of 't': Unknown segment 'premise'\. Available: text\."),
    ],
)
def test_cases_that_cannot_be_are_refused_and_nothing_is_stored(store, project, cases, said) -> None:
    before = counts(store)
    with pytest.raises(InvalidValue, match=said):
        save(store, project, *cases)
    assert counts(store) == before


def test_a_pair_without_one_of_its_segments_is_refused(store, make_project) -> None:
    project = make_project("inference")
    with pytest.raises(InvalidValue, match=r"Segment 'hypothesis' is missing or empty\."):
        save(store, project, case(0, {"premise": "a"}))
    with pytest.raises(InvalidValue, match=r"Write a text for each segment: premise, hypothesis\."):
        save(store, project, case(0, "a"))


def test_a_name_that_a_suite_has_already_is_refused(store, project) -> None:
    save(store, project, case(0, "a"))
    before = counts(store)
    with pytest.raises(InvalidValue, match=r"Suite 's' already has test 't'\. Choose another name\."):
        save(store, project, case(0, "b"))
    assert counts(store) == before
    with pytest.raises(InvalidValue, match=r"Names are one line of 1–200 visible characters\."):
        save(store, project, case(0, "b"), suite=" ")


def test_a_ready_suite_is_made_whole_in_the_projects_labels(store, project) -> None:
    (ready,) = construction.ready_for(project)
    labels = construction.guessed_labels(ready, project)
    assert labels == {"negative": "negative", "positive": "positive"}
    made = construction.make_ready_suite(store, LOCAL_OPERATOR, project, ready, "all", labels, n=5)
    assert made.left_out == ()
    assert [test.name for test in made.suite.tests] == [recipe.name for recipe in ready.recipes]
    assert made.suite.n_cases == 5 * len(ready.recipes)


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        (("neg", "pos"), {"negative": "neg", "positive": "pos"}),
        (("Negative", "NEUTRAL", "Positive"), {"negative": "Negative", "neutral": "NEUTRAL", "positive": "Positive"}),
        (("0", "1"), {}),
        (("ne", "po"), {}),  # too short to be sure of
    ],
)
def test_labels_are_guessed_from_names_and_abbreviations(project, own, expected) -> None:
    (ready,) = construction.ready_for(project)
    assert construction.guessed_labels(ready, replace(project, labels=own)) == expected


def test_tests_that_change_texts_take_the_projects_where_asked(store, project, import_rows) -> None:
    import_rows(
        project, [{"id": "p", "text": "A changed one.", "label": "positive", "parent": "t1", "perturbation_kind": "x"}]
    )
    (ready,) = construction.ready_for(project)
    labels = construction.guessed_labels(ready, project)
    made = construction.make_ready_suite(store, LOCAL_OPERATOR, project, ready, "own", labels, n=50, on_instances=True, only=["punctuation", "intensifiers", "change names"])  # fmt: skip
    punctuation, intensifiers = made.suite.tests
    assert punctuation.n_cases == 4  # the project's texts without the changed version
    assert intensifiers.n_cases == 50  # from its templates
    ((name, reason),) = made.left_out  # nobody is named in the project's texts
    assert name == "change names"
    assert "gives no cases: nothing to change." in reason


def test_a_project_that_asks_for_answers_has_no_functional_tests(store, make_project) -> None:
    project = make_project("reading")
    with pytest.raises(InvalidValue, match=r"This needs labels; this project has answers\."):
        construction.plan_cases(store, LOCAL_OPERATOR, project, construction.TestPlan(NEGATED))


# --- word lists -------------------------------------------------------------------------------------------------------


def test_a_word_list_is_saved_changed_and_removed(store, project) -> None:
    save_word_list(store, LOCAL_OPERATOR, project, "dish", ["soup", " soup", "", "bread"], role="keep")
    (one,) = word_lists(store, LOCAL_OPERATOR, project)
    assert (one.name, one.role, one.language, one.words) == ("dish", "keep", "en", ("soup", "bread"))
    save_word_list(store, LOCAL_OPERATOR, project, "dish", ["汤"], language="zh")
    (one,) = word_lists(store, LOCAL_OPERATOR, project)
    assert (one.role, one.language, one.words) == ("slot", "zh", ("汤",))
    remove_word_list(store, LOCAL_OPERATOR, project, "dish")
    assert word_lists(store, LOCAL_OPERATOR, project) == []
    with pytest.raises(NotFound, match="no word list 'dish'"):
        remove_word_list(store, LOCAL_OPERATOR, project, "dish")
    assert [event.action for event in list_events(store, project.id, limit=3)] == [
        "remove word list", "change word list", "make word list",
    ]  # fmt: skip


def test_the_projects_list_takes_the_place_of_the_one_that_comes_along(store, project) -> None:
    save_word_list(store, LOCAL_OPERATOR, project, "good", ["splendiferous"])
    plan = construction.TestPlan(NEGATED, n=None, ready="sentiment")
    assert [c.texts for c in construction.plan_cases(store, LOCAL_OPERATOR, project, plan)] == [
        ("It was not splendiferous.",)
    ]


# --- running and scoring ----------------------------------------------------------------------------------------------


def four_tests(store: Store, project: Project) -> None:
    """By hand, for the toy: P(positive) is .7 of good or great, .9 of both, .3 of bad, else .5 (and then negative is first)."""
    save(store, project, case(0, "good"), case(1, "fine"), case(2, "bad"), case(3, "great"))  # fails: 0, 3
    save(
        store, project, case(0, "good", "good day", "bad", test="i", kind="INV", labels=(), category="Robustness")
    )  # fails
    save(
        store, project,
        case(0, "good", "good bad", test="d", kind="DIR", labels=("positive",)),  # .7 to .5: fails
        case(1, "good", "good great", test="d", kind="DIR", labels=("positive",)),  # .7 to .9: passes
        case(2, "good", "bad", test="d", kind="DIR", labels=("positive",), applies=Applies(original_is_not=("positive",))),
    )  # fmt: skip


def test_a_model_is_run_on_a_suite_and_its_failures_are_counted(store, project, toy) -> None:
    four_tests(store, project)
    toy()
    report = run_suite(store, LOCAL_OPERATOR, project, "s", "spacy:toy")
    assert (report.model, report.n_tests, report.n_texts) == ("toy", 3, 4 + 3 + 6)
    rows = results(store, project)
    assert {name: (row.rates["toy"].rate, row.rates["toy"].n_failed, row.rates["toy"].n_not_applicable) for name, row in rows.items()} == {
        "Logic": (pytest.approx(3 / 6), (3,), (1,)),  # over the cases, not over the tests
        "t": (0.5, (2,), (0,)),
        "d": (0.5, (1,), (1,)),
        "Robustness": (1.0, (1,), (0,)),
        "i": (1.0, (1,), (0,)),
        "All tests": (pytest.approx(4 / 7), (4,), (1,)),
    }  # fmt: skip
    assert list(rows) == ["Logic", "t", "d", "Robustness", "i", "All tests"]


def test_failing_cases_show_the_original_first_and_which_text_fails(store, project, toy) -> None:
    four_tests(store, project)
    toy()
    run_suite(store, LOCAL_OPERATOR, project, "s", "spacy:toy")
    tests = {test.name: test for test in construction.suite_named(store, project, "s").tests}
    page = suite_results.judged_cases(store, LOCAL_OPERATOR, project, tests["i"], "toy")
    assert (page.n, page.cases[0].case.texts, page.cases[0].fails) == (
        1,
        ("good", "good day", "bad"),
        (False, False, True),
    )
    assert [answer.label for answer in page.cases[0].answers] == ["positive", "positive", "negative"]
    page = suite_results.judged_cases(store, LOCAL_OPERATOR, project, tests["t"], "toy", limit=1, offset=1)
    assert (page.n, [judged.case.case for judged in page.cases]) == (2, ["3"])
    left_out = suite_results.judged_cases(store, LOCAL_OPERATOR, project, tests["d"], "toy", verdict="not applicable")
    assert [judged.case.case for judged in left_out.cases] == ["2"]
    with pytest.raises(NotFound, match=r"'nobody' hasn't run the test 't'\."):
        suite_results.judged_cases(store, LOCAL_OPERATOR, project, tests["t"], "nobody")


def test_a_suite_that_grew_is_answered_where_it_was_not_and_nothing_twice(store, project, toy) -> None:
    save(store, project, case(0, "good"), case(1, "good"))
    model = toy()
    run_suite(store, LOCAL_OPERATOR, project, "s", "spacy:toy")
    assert model.n_asked == 1  # equal texts are asked about once
    save(store, project, case(0, "bad", test="second"))
    assert results(store, project)["second"].rates["toy"].rate is None
    report = run_suite(store, LOCAL_OPERATOR, project, "s", "spacy:toy")
    assert (report.n_tests, report.n_known, model.n_asked) == (1, 1, 2)
    before = counts(store)
    assert run_suite(store, LOCAL_OPERATOR, project, "s", "spacy:toy").n_tests == 0
    assert counts(store) == before
    assert run_suite(store, LOCAL_OPERATOR, project, "s", "spacy:toy", SuiteOptions(is_anew=True)).n_tests == 2


def test_seeds_of_a_model_give_a_mean_with_its_deviation_and_two_models_a_difference(store, project, toy) -> None:
    save(store, project, case(0, "good"), case(1, "fine"))  # negative expected
    for seed, shift in (("1", 0.0), ("2", -0.3)):
        toy(shift=shift)  # with -.3 "good" is negative too
        run_suite(store, LOCAL_OPERATOR, project, "s", "spacy:toy", SuiteOptions("small", seed))
    toy(name="other", shift=0.3)
    run_suite(store, LOCAL_OPERATOR, project, "s", "spacy:toy")
    row = results(store, project, ("small", "other"))["t"]
    assert row.rates["small"].n_failed == (1, 0)
    assert row.rates["small"].rate == 0.25
    assert row.rates["small"].deviation == pytest.approx(0.5 / 2**0.5)  # of .5 and 0, n - 1
    assert (row.difference, row.n_compared) == (pytest.approx(0.75), 2)  # 1 less the mean .25
    assert row.verdict == "too few"
    of_small, of_both = row.rates["small"].bounds, row.difference_bounds
    assert of_small is not None
    assert of_both is not None
    assert of_small.low < 0.25 < of_small.high  # each case once, with its mean over seeds
    assert (of_small.unit, of_both.unit) == ("cases", "cases")


def test_answers_of_another_model_are_not_overwritten_unasked(store, project, toy) -> None:
    save(store, project, case(0, "good"))
    toy()
    run_suite(store, LOCAL_OPERATOR, project, "s", "spacy:toy", SuiteOptions("name"))
    toy(name="second", shift=-0.3)
    with pytest.raises(InvalidValue, match=r"Use another name, or --again to replace them\."):
        run_suite(store, LOCAL_OPERATOR, project, "s", "spacy:second", SuiteOptions("name"))
    assert results(store, project)["t"].rates["name"].n_failed == (1,)
    run_suite(store, LOCAL_OPERATOR, project, "s", "spacy:second", SuiteOptions("name", is_anew=True))
    assert results(store, project)["t"].rates["name"].n_failed == (0,)


def test_a_label_that_a_test_watches_must_be_the_models(store, make_project, toy) -> None:
    project = make_project()
    model = toy()
    model.labels = ("negative",)
    save(store, project, case(0, "a", "b", kind="DIR", labels=("positive",)))
    with pytest.raises(ModelError, match=r"needs the probability of 'positive', which 'toy' lacks \(available:"):
        run_suite(store, LOCAL_OPERATOR, project, "s", "spacy:toy")


def test_training_the_built_in_model_again_takes_its_old_answers_out(store, make_project, import_rows) -> None:
    project = make_project()
    rows = [
        {"id": str(n), "text": text, "label": label}
        for n, (text, label) in enumerate((("good", "positive"), ("bad", "negative")))
    ]
    import_rows(project, rows)
    save(store, project, case(0, "bad"))
    run_suite(store, LOCAL_OPERATOR, project, "s", "built-in")
    suite = construction.suite_named(store, project, "s")
    assert [run.computed_by for run in list_runs(store, suite.id)] == ["built-in"]
    import_rows(project, [{"id": "9", "text": "good bad dull", "label": "negative"}])
    built_in_model(store, LOCAL_OPERATOR, project, "built-in", trains=True)
    assert list_runs(store, suite.id) == []


# --- files ------------------------------------------------------------------------------------------------------------


def predicted(store: Store, project: Project, *, seed=None, model=None, leave_out=0, p=0.9) -> list[dict[str, Any]]:
    """Everything positive."""
    found = []
    for one in cases_of_suite(store, construction.suite_named(store, project, "s").id):
        for position in range(len(one.texts)):
            row = {
                "test": one.test,
                "case": one.case,
                "position": position,
                "label": "positive",
                "probabilities": {"positive": p, "negative": 1 - p},
            }
            found.append(row | ({"seed": seed} if seed is not None else {}) | ({"model": model} if model else {}))
    return found[: len(found) - leave_out]


def written(folder: Path, rows: list[dict[str, Any]], name: str = "p.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_suite_goes_out_and_comes_back_as_it_was(store, project, tmp_path) -> None:
    four_tests(store, project)
    path = tmp_path / "suite.jsonl"
    assert suite_files.export_suite(store, LOCAL_OPERATOR, project, "s", path) == 8
    suite_files.import_suite(store, LOCAL_OPERATOR, project, path, "again")
    first, second = (
        list(cases_of_suite(store, construction.suite_named(store, project, name).id)) for name in ("s", "again")
    )
    assert first == second
    before = counts(store)
    with pytest.raises(InvalidValue, match=r"'again' already exists\. Choose another name\."):
        suite_files.import_suite(store, LOCAL_OPERATOR, project, path, "again")
    assert counts(store) == before


def test_predictions_are_read_back_by_test_case_and_position_in_any_order(store, project, tmp_path) -> None:
    four_tests(store, project)
    rows = predicted(store, project, seed=1, model="theirs") + predicted(store, project, seed=2, model="theirs", p=0.8)
    done = suite_files.import_suite_predictions(store, LOCAL_OPERATOR, project, "s", [written(tmp_path, rows[::-1])])
    assert (done.model, done.n_new) == ("theirs", 2)
    row = results(store, project)["t"]
    assert (row.rates["theirs"].rate, row.rates["theirs"].n_failed) == (1.0, (4, 4))  # negative was expected
    again = suite_files.import_suite_predictions(store, LOCAL_OPERATOR, project, "s", [written(tmp_path, rows)])
    assert (again.n_new, again.n_unchanged) == (0, 2)


def test_other_predictions_of_a_known_run_need_a_word(store, project, tmp_path) -> None:
    four_tests(store, project)
    first, second = (
        written(tmp_path, predicted(store, project)),
        written(tmp_path, predicted(store, project, p=0.6), "q.jsonl"),
    )
    suite_files.import_suite_predictions(store, LOCAL_OPERATOR, project, "s", [first], model="m")
    before = counts(store)
    with pytest.raises(
        Conflict, match=r"'m' already has other predictions\. Choose another name, or replace them \(--update\)\."
    ):
        suite_files.import_suite_predictions(store, LOCAL_OPERATOR, project, "s", [second], model="m")
    assert counts(store) == before
    done = suite_files.import_suite_predictions(store, LOCAL_OPERATOR, project, "s", [second], model="m", update=True)
    assert done.n_changed == 1
    suite = construction.suite_named(store, project, "s")
    assert find_run(store, suite.id, "m", "") is not None
    assert len(list_runs(store, suite.id)) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows[:-1], "No prediction by 'p.jsonl' for this text."),
        (lambda rows: [*rows, {**rows[0], "position": 1}], "The case has 1 text: positions 0 to 0."),
        (lambda rows: [*rows, {**rows[0], "case": "77"}], "has no case '77' of 't'"),
        (lambda rows: [*rows, rows[0]], "Duplicate of p.jsonl, line 1. Keep one."),
        (
            lambda rows: [{k: v for k, v in row.items() if k != "probabilities"} for row in rows],
            "cases compare the probability of '",
        ),
        (lambda rows: [{"id": "a", "label": "positive"}], "No row matches a suite text; see docs/formats.md."),
    ],
)
def test_predictions_of_the_wrong_length_or_of_other_texts_are_refused(store, project, tmp_path, change, said) -> None:
    four_tests(store, project)
    path = written(tmp_path, change(predicted(store, project)))
    before = counts(store)
    with pytest.raises(ImportRefused) as refusal:
        suite_files.import_suite_predictions(store, LOCAL_OPERATOR, project, "s", [path], model="m")
    assert any(said in problem.reason for problem in refusal.value.problems), refusal.value.problems
    assert counts(store) == before


def test_predictions_without_a_name_are_refused(store, project, tmp_path) -> None:
    four_tests(store, project)
    path = written(tmp_path, predicted(store, project))
    with pytest.raises(InvalidValue, match=r"Give the model's name: the rows don't\."):
        suite_files.import_suite_predictions(store, LOCAL_OPERATOR, project, "s", [path])
    path = written(tmp_path, predicted(store, project, model="theirs"))
    with pytest.raises(InvalidValue, match=r"The rows are from 'theirs', not 'mine'\."):
        suite_files.import_suite_predictions(store, LOCAL_OPERATOR, project, "s", [path], model="mine")


def test_the_project_and_the_files_alone_give_the_same_rates(store, project, tmp_path, toy) -> None:
    four_tests(store, project)
    toy()
    run_suite(store, LOCAL_OPERATOR, project, "s", "spacy:toy")
    suite, rows = tmp_path / "suite.jsonl", []
    suite_files.export_suite(store, LOCAL_OPERATOR, project, "s", suite)
    model = WordCounter()
    for one in cases_of_suite(store, construction.suite_named(store, project, "s").id):
        for position, text in enumerate(one.texts):
            p = model.probabilities([runs.input_of(project, text)])[0]
            probabilities = dict(zip(model.labels, p.tolist(), strict=True))
            label = max(probabilities, key=probabilities.__getitem__)
            rows.append(
                {
                    "test": one.test,
                    "case": one.case,
                    "position": position,
                    "label": label,
                    "probabilities": probabilities,
                }
            )
    scores = evaluate_tests(ScoredFiles((written(tmp_path, rows),), suite))["functional"]
    ours = results(store, project)
    for name, found in scores["tests"].items():
        assert found["rate"]["value"] == ours[name].rates["toy"].rate
    assert scores["all"]["rate"]["value"] == ours["All tests"].rates["toy"].rate


def test_a_file_with_other_labels_is_refused_line_by_line_unless_they_are_named(store, project, tmp_path) -> None:
    rows = [{"test": "t", "type": "MFT", "category": "c", "case": n, "texts": ["x"], "label": n} for n in range(3)]
    path = written(tmp_path, rows)
    before = counts(store)
    with pytest.raises(ImportRefused, match=r"Correct it or use --skip-invalid\.") as refusal:
        suite_files.import_suite(
            store, LOCAL_OPERATOR, project, path, "theirs", renamed={"0": "negative", "2": "positive"}
        )
    assert [(problem.line, problem.value) for problem in refusal.value.problems] == [(2, "t, 1")]
    assert counts(store) == before
    done = suite_files.import_suite(
        store, LOCAL_OPERATOR, project, path, "theirs", renamed={"0": "negative", "2": "positive"}, skip_invalid=True
    )
    assert (done.suite.n_cases, len(done.problems)) == (2, 1)


def test_a_suite_given_as_predictions_is_refused_as_what_it_is(store, project, tmp_path) -> None:
    save(store, project, case(0, "a"))
    path = written(
        tmp_path, [{"test": "t", "type": "MFT", "category": "c", "case": 0, "texts": ["x"], "label": "negative"}]
    )
    with pytest.raises(ImportRefused, match=r"problem; nothing was stored\.") as refusal:
        suite_files.import_suite_predictions(store, LOCAL_OPERATOR, project, "s", [path], model="m")
    [problem] = refusal.value.problems
    assert (problem.value, problem.remedy) == (path.name, "suite")
    assert "This is a suite, not predictions. Use “Import suite” (annotator suite import)." in problem.reason


# --- rights, removal --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["annotator", "reviewer"])
def test_who_may_not_use_models_neither_sees_nor_makes_tests(store, project, add_person, role, tmp_path) -> None:
    save(store, project, case(0, "a"))
    somebody = add_person("somebody", project, role)
    suite = construction.suite_named(store, project, "s")
    (ready,) = construction.ready_for(project)
    before = counts(store)
    for refused in (
        lambda: construction.suites_of(store, somebody, project),
        lambda: construction.plan_cases(store, somebody, project, construction.TestPlan(NEGATED, ready="sentiment")),
        lambda: construction.save_test(store, somebody, project, "s", [case(0, "a", test="x")]),
        lambda: construction.make_ready_suite(store, somebody, project, ready, "r", {"negative": "negative"}),
        lambda: construction.remove_test(store, somebody, project, "s", "t"),
        lambda: construction.remove_suite(store, somebody, project, "s"),
        lambda: construction.known_models(store, somebody, project, suite),
        lambda: run_suite(store, somebody, project, "s", "built-in"),
        lambda: suite_results.suite_results(store, somebody, project, suite),
        lambda: suite_results.judged_cases(store, somebody, project, suite.tests[0], "m"),
        lambda: suite_files.export_suite(store, somebody, project, "s", tmp_path / "x"),
        lambda: suite_files.import_suite(store, somebody, project, tmp_path / "x", "n"),
        lambda: suite_files.import_suite_predictions(store, somebody, project, "s", []),
        lambda: word_lists(store, somebody, project),
        lambda: save_word_list(store, somebody, project, "n", ["a"]),
        lambda: remove_word_list(store, somebody, project, "n"),
    ):
        with pytest.raises(NotAllowed):
            refused()
    assert counts(store) == before
    assert not (tmp_path / "x").exists()


def test_researchers_and_leads_may(store, project, add_person) -> None:
    for role in ("researcher", "lead"):
        user = add_person(role, project, role)
        construction.save_test(store, user, project, "s", [case(0, "a", test=role)])
        assert role in [test.name for test in construction.suites_of(store, user, project)[0].tests]


def test_a_test_and_a_suite_are_taken_out_with_their_answers(store, project, toy) -> None:
    four_tests(store, project)
    toy()
    run_suite(store, LOCAL_OPERATOR, project, "s", "spacy:toy")
    construction.remove_test(store, LOCAL_OPERATOR, project, "s", "t")
    assert [test.name for test in construction.suite_named(store, project, "s").tests] == ["i", "d"]
    assert counts(store)["suite_answers"] == 4
    save(store, project, case(0, "good"))  # the name is free again
    construction.remove_suite(store, LOCAL_OPERATOR, project, "s")
    left = counts(store)
    assert {left[table] for table in left if table.startswith("suite")} == {0}
    with pytest.raises(NotFound, match=r"Unknown suite 's'\. Available: none yet\."):
        construction.remove_suite(store, LOCAL_OPERATOR, project, "s")
    assert store.problems() == []


# --- real files -------------------------------------------------------------------------------------------------------


@pytest.mark.data
def test_checklists_own_cases_come_in_with_their_labels_named(store, project) -> None:
    path = SHARED_DATA / "checklist" / "sentiment_template_cases.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    named = {"0": "negative", "2": "positive"}
    done = suite_files.import_suite(store, LOCAL_OPERATOR, project, path, "CheckList", renamed=named, skip_invalid=True)
    n_lines = sum(1 for line in path.read_text(encoding="utf-8").splitlines() if line)
    lines = {problem.line for problem in done.problems}
    assert done.suite.n_cases + len(lines) == n_lines
    assert done.suite.n_cases > 500


def test_a_constant_model_gets_what_its_baseline_says(store, project, tmp_path) -> None:
    save(store, project, *(case(n, f"a {n}") for n in range(20)))
    save(store, project, case(0, "a", "b", test="i", kind="INV", labels=()))
    save(store, project, case(0, "a", "b", test="d", kind="DIR", labels=("positive",)))
    suite = construction.suite_named(store, project, "s")
    texts = cases_without_texts(store, suite.id)
    assert [[(c.type, c.labels, c.texts) for c in texts[test.id][:1]] for test in suite.tests] == [
        [("MFT", ("negative",), ("",))], [("INV", (), ("", ""))], [("DIR", ("positive",), ("", ""))]
    ]  # fmt: skip
    file = tmp_path / "p.jsonl"
    rows = [
        {"test": c.test, "case": c.case, "position": at, "label": "negative", "probabilities": {"negative": 1, "positive": 0}}
        for c in cases_of_suite(store, suite.id) for at in range(len(c.texts))
    ]  # fmt: skip
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    suite_files.import_suite_predictions(store, LOCAL_OPERATOR, project, "s", (file,), model="constant")
    for row in results(store, project).values():
        baseline = next(baseline for baseline in row.baselines if baseline.label == "negative")
        assert baseline.rate == row.rates["constant"].rate
    everything = results(store, project)["All tests"]
    assert everything.rates["constant"].against.words == "no clear difference from always “negative”"
    assert baseline_lines(everything)[0] == "always “negative”: 0.0 % of 21"
    assert lowest_baselines(everything)[0] == "0.0 % of 21"


def test_a_model_beside_a_baseline_of_fewer_cases_has_its_own_rate_over_these() -> None:
    """Of 322 cases of Vocabulary in CheckList's suite a constant model is judged on 262: 42.2 % of all are 49.6 % of these."""
    judged, model = np.array([1.0, 1.0, np.nan, np.nan]), np.array([1.0, 0.0, 0.0, 0.0])
    of_cases = Baselines(("negative",), judged[np.newaxis], judged, np.array([0.5, 0.5, 0, 0]))
    against = of_cases.against([(np.arange(4), model)])
    assert against is not None
    assert (against.rate, against.n) == (0.5, 2)
    assert against.words.endswith(" (50.0 % over the 2 cases of both)")
    alike = of_cases.against([(np.arange(2), model[:2])])
    assert alike is not None
    assert (alike.rate, alike.n) == (None, 0)


# A typed text as a test of its own.

WANTED = TypedCase("Typed texts", "t1, changed", "Robustness", None)


@pytest.fixture
def text(make_project: Callable[..., Project], import_rows: Callable[..., object], store: Store) -> tuple[Project, int]:
    project = make_project()
    import_rows(project, [{"id": "t1", "text": "bad soup", "label": "negative"}])
    return project, find_instance_ids(store, project.id, "t1")[0]


def test_the_answer_of_the_stored_text_is_expected_of_the_typed_one(store: Store, text) -> None:
    test = save_typed_case(store, LOCAL_OPERATOR, text[1], {"text": "awful soup"}, WANTED)
    [case] = cases_of_test(store, test.id)
    assert (case.type, case.expectation, case.texts) == ("INV", "same", ("bad soup", "awful soup"))


def test_a_label_is_expected_of_the_typed_text(store: Store, text) -> None:
    wanted = TypedCase("Typed texts", "t1, changed", "Vocabulary", "positive")
    test = save_typed_case(store, LOCAL_OPERATOR, text[1], {"text": "good soup"}, wanted)
    [case] = cases_of_test(store, test.id)
    assert (case.type, case.labels, case.texts) == ("MFT", ("positive",), ("good soup",))


@pytest.mark.parametrize(
    ("typed", "wanted", "reason"),
    [
        ("bad soup", WANTED, "A perturbed text equals the original."),
        (" ", WANTED, "The text is empty"),
        ("awful", TypedCase("Typed texts", " ", "Logic", None), "Names are one line of 1–200 visible characters."),
        ("awful", TypedCase("", "t", "Logic", None), "Names are one line of 1–200 visible characters."),
        ("awful", TypedCase("s", "t", "Logic", "strange"), r"'strange' isn't a project label \(negative, positive\)\."),
    ],
)
def test_a_case_that_cannot_be_is_refused_with_the_reason(
    store: Store, text, typed: str, wanted: TypedCase, reason: str
) -> None:
    with pytest.raises(InvalidValue, match=reason):
        save_typed_case(store, LOCAL_OPERATOR, text[1], {"text": typed}, wanted)


def test_a_name_that_is_taken_and_people_without_the_right_are_refused(
    store: Store, text, add_person: Callable[..., User]
) -> None:
    project, number = text
    save_typed_case(store, LOCAL_OPERATOR, number, {"text": "awful soup"}, WANTED)
    with pytest.raises(InvalidValue, match=r"already has test 't1, changed'\. Choose another name\."):
        save_typed_case(store, LOCAL_OPERATOR, number, {"text": "dull soup"}, WANTED)
    with pytest.raises(NotAllowed):
        save_typed_case(store, add_person("ann", project, "annotator"), number, {"text": "dull soup"}, WANTED)


# Failure rates and differences in words, with what each interval is over.

SUITE = StoredSuite(1, 1, "s", ())


def row(verdict: str, difference: float | None = -0.176, unit: str = "tests") -> ResultRow:
    bounds = None if difference is None else Bounds(-0.308, -0.043, unit)  # type: ignore[arg-type]
    return ResultRow(ALL, "", None, 850, {}, difference, 845, bounds, verdict)


def test_a_rate_says_how_many_failed_its_interval_its_seeds_what_does_not_apply_and_whether_that_is_good() -> None:
    rate = Rate(0.145, 0.003, (6, 5), (12, 12), Bounds(0.061, 0.257, "cases"), AgainstBaseline("better", ()))
    assert rate_words(rate) == "14.5 % ▲"
    assert about_rate(rate, 50) == ("6 of 38 failed · 12 n/a · 6.1 to 25.7 % · ± 0.3 over 2 seeds · better than random")
    assert about_rate(Rate(None, None, (), ()), 50) == ""


def test_a_difference_stands_with_its_interval_and_what_that_comes_to() -> None:
    assert difference_words(row("less")) == ("−17.6", "−30.8 to −4.3", "fails less often")
    assert difference_words(row("", None)) == ("–", "", "")


@pytest.mark.parametrize(
    ("verdict", "begins"),
    [
        ("less", "ours fails less often than theirs: −17.6 percentage points over 845 cases judged for both, "),
        ("more", "ours fails more often than theirs: "),
        ("not told", "No clear difference between ours and theirs: "),
        ("too few", "Too few cases to compare ours with theirs: "),
    ],
)
def test_two_models_are_compared_in_a_sentence(verdict: str, begins: str) -> None:
    results = SuiteResults(SUITE, ("theirs", "ours"), (row(verdict),), ("theirs", "ours"))
    assert comparison_sentence(results).startswith(begins)


@pytest.mark.parametrize(
    ("unit", "words"), [("tests", "other tests like these"), ("cases", "other cases of these tests")]
)
def test_the_sentence_says_what_the_interval_is_about(unit: str, words: str) -> None:
    results = SuiteResults(SUITE, ("a", "b"), (row("less", unit=unit),), ("a", "b"))
    assert comparison_sentence(results).endswith(
        f"judged for both, 95 % interval −30.8 to −4.3 (generalising to {words})."
    )


def test_without_two_models_or_their_answers_there_is_no_sentence() -> None:
    assert comparison_sentence(SuiteResults(SUITE, ("a",), (row("less"),), None)) == ""
    assert comparison_sentence(SuiteResults(SUITE, ("a", "b"), (row("", None),), ("a", "b"))) == ""


def test_a_bar_is_as_long_as_its_share_and_what_it_says_is_text() -> None:
    html = rate_bar_html(RateBar(0.27, 0.167, 0.406, "<b>x</b>"))
    assert '<i style="width:27.0%"></i><b style="left:16.7%;width:23.9%"></b>' in html
    assert html.count("&lt;b&gt;x&lt;/b&gt;") == 2
    assert "<b>x" not in html
