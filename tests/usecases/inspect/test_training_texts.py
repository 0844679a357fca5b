"""Models are not scored on what they learned from, unless it is asked for; the row says which it is."""

from collections.abc import Callable

import pytest

from annotator.domain.models import Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.scoring.chance_verdicts import Judged, judged
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.table import MetricRow
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.usecases.inspect.contrast_accuracy import contrast_rows
from annotator.usecases.inspect.fairness import fairness_rows
from annotator.usecases.inspect.metric_values import RowChoice, values_of_row
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.inspect.training_texts import words_of
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.project.word_lists import save_word_list
from tests.usecases.transfer.comparing import N, blind, key_of, output, row_of, rows_of, table_of, take

AREA, ACCURACY = "eraser.average_precision", "eraser.accuracy"  # also of maps whose scores are all equal
N_TRAIN = 15


@pytest.fixture
def divided(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Fifteen texts to learn from, with two changed versions of the first, and 25 others; a model from elsewhere beside."""
    made = make_project(gold_policy="all")
    import_rows(made, rows_of(range(N), split=lambda n: "train" if n < N_TRAIN else "test"))
    take(store, made, (output(n, Run("elsewhere", "ig"), blind(n)) for n in range(N)))
    return made


def trained(store: Store, project: Project, **options: object) -> None:
    attribute(store, LOCAL_OPERATOR, project, "built-in", "linear", AttributingOptions(**options))  # type: ignore[arg-type]


def built_in(store: Store, project: Project, **options: object) -> MetricRow:
    return row_of(table_of(store, project, **options), "built-in", "linear")


def test_the_split_that_a_model_learned_from_is_left_out_and_its_row_says_so(store, divided) -> None:
    trained(store, divided)
    row = built_in(store, divided)
    assert (row.numbers[AREA].n, row.numbers[ACCURACY].n) == (25, 25)
    assert words_of(row.training) == "15 texts that it learned from (split train) are left out"
    other = row_of(table_of(store, divided), "elsewhere")
    assert (other.numbers[AREA].n, words_of(other.training)) == (N, "")


def test_it_is_included_where_that_is_asked_for(store, divided) -> None:
    trained(store, divided)
    row = built_in(store, divided, includes_training=True)
    assert (row.numbers[AREA].n, row.numbers[ACCURACY].n) == (N, N)
    assert words_of(row.training) == "it learned from 15 of these texts"
    by_split = built_in(store, divided, split="train")
    assert (by_split.numbers[AREA].n, words_of(by_split.training)) == (N_TRAIN, "it learned from 15 of these texts")
    assert words_of(built_in(store, divided, split="test").training) == ""


def test_the_answer_of_the_command_tells_it_with_the_held_out_accuracy(store, divided) -> None:
    trained(store, divided)
    [model] = [one for one in evaluate_project(store, LOCAL_OPERATOR, divided)["models"] if one["model"] == "built-in"]
    told = model["training"]
    assert {name: told[name] for name in ("is_known", "split", "texts", "left_out", "changed_left_out", "seen")} == {
        "is_known": True, "split": "train", "texts": 15, "left_out": 15, "changed_left_out": 0, "seen": 0,
    }  # fmt: skip
    assert (told["held_out"]["way"], told["held_out"]["n"]) == ("splits", 25)


def test_changed_versions_of_what_it_learned_from_are_left_out_with_it(store, divided, import_rows) -> None:
    version = {"id": lambda n: f"{key_of(n)}c", "parent": key_of, "perturbation_kind": "syntax", "split": "train"}
    trained(store, divided)
    import_rows(divided, rows_of(range(2), **version))  # written after the training
    trained(store, divided)
    row = built_in(store, divided)
    assert row.numbers[AREA].n == 25
    assert (
        words_of(row.training)
        == "15 texts that it learned from (split train), and 2 changed versions of them, are left out"
    )


def test_without_a_split_it_is_scored_on_what_it_learned_from_and_says_so(store, make_project, import_rows) -> None:
    made = make_project(gold_policy="all")
    import_rows(made, rows_of(range(N)))
    trained(store, made)
    row = built_in(store, made)
    assert row.numbers[AREA].n == N
    assert words_of(row.training) == f"it learned from {N} of these texts"
    assert (row.training["held_out"]["way"], row.training["held_out"]["n"]) == ("folds", N)


def test_texts_that_were_moved_to_another_split_since_are_still_left_out(store, divided) -> None:
    trained(store, divided)
    with store.transaction():
        store.run("UPDATE instances SET split = 'test' WHERE key = ?", (key_of(0),))
        store.run("UPDATE instances SET split = 'train' WHERE key = ?", (key_of(30),))
    row = built_in(store, divided)
    assert row.numbers[AREA].n == 25  # without t00, and with t30, which it has not seen
    moved = values_of_row(store, LOCAL_OPERATOR, divided, RowChoice("built-in", "linear", "attribution"))
    keys = {one.key for one in moved.instances}
    assert key_of(0) not in keys
    assert key_of(30) in keys


def test_of_a_model_that_was_trained_before_it_was_kept_it_is_said_that_it_is_not_known(store, divided) -> None:
    trained(store, divided)
    with store.transaction():
        store.run("DELETE FROM training_members")
        store.run("DELETE FROM trainings")
    row = built_in(store, divided)
    assert row.numbers[AREA].n == N
    assert words_of(row.training) == "it is not known which texts it learned from; train it again"


def test_the_instances_behind_a_row_are_those_that_it_is_scored_on(store, divided) -> None:
    trained(store, divided)
    choice = RowChoice("built-in", "linear", "attribution")
    assert len(values_of_row(store, LOCAL_OPERATOR, divided, choice).instances) == 25
    everything = ScoringOptions(includes_training=True)
    assert len(values_of_row(store, LOCAL_OPERATOR, divided, choice, everything).instances) == N


def test_contrast_and_fairness_leave_it_out_as_well(store, divided, import_rows) -> None:
    for split, numbers in (("train", range(3)), ("test", range(20, 25))):
        version = {"id": lambda n: f"{key_of(n)}c", "parent": key_of, "perturbation_kind": "syntax", "split": split}
        import_rows(divided, rows_of(numbers, **version))
    trained(store, divided)
    [left] = contrast_rows(store, LOCAL_OPERATOR, divided)
    [whole] = contrast_rows(store, LOCAL_OPERATOR, divided, ScoringOptions(includes_training=True))
    assert (left.n_originals, whole.n_originals) == (5, 8)
    assert (left.n_learned, whole.n_learned) == (N_TRAIN + 3, 0)
    save_word_list(store, LOCAL_OPERATOR, divided, "some", [f"w{n}x0" for n in range(N)])
    [row] = fairness_rows(store, LOCAL_OPERATOR, divided, ["some"], "positive")
    [of_all] = fairness_rows(
        store, LOCAL_OPERATOR, divided, ["some"], "positive", ScoringOptions(includes_training=True)
    )
    assert (row.n_texts, of_all.n_texts) == (25 + 5, N + 8)


def test_what_was_learned_from_is_found_by_its_number(store, divided) -> None:
    trained(store, divided)
    ids = {find_instance_ids(store, divided.id, key_of(n))[0] for n in range(N_TRAIN)}
    rows = store.rows("SELECT instance_id FROM training_members")
    assert {row["instance_id"] for row in rows} == ids


def test_accuracy_on_texts_that_a_model_learned_from_has_no_verdict_and_says_so(store, divided) -> None:
    trained(store, divided)

    def of_accuracy(**options: object) -> tuple[Judged, Judged]:
        table = table_of(store, divided, **options)
        own, elsewhere = row_of(table, "built-in", "linear"), row_of(table, "elsewhere")
        first, other = judged(table, [own, elsewhere], table.column(ACCURACY))
        return first, other

    held_out, _ = of_accuracy()
    assert (held_out.verdict is None, held_out.learned) == (False, "")
    for options, words in (
        ({"split": "train"}, "on texts it learned from"),
        ({"includes_training": True}, "partly on"),
    ):
        seen, elsewhere = of_accuracy(**options)
        assert (seen.verdict, elsewhere.learned) == (None, "")
        assert seen.lines == [seen.learned]
        assert seen.learned.startswith(words)
