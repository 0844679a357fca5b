"""Original against contrast accuracy, the sets that break, and false positive rates over word lists."""

from collections.abc import Callable

import pytest

from annotator.domain.models import Prediction, Run, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.instances import discard, find_instance_ids
from annotator.usecases.inspect.contrast_accuracy import ContrastRow, contrast_rows
from annotator.usecases.inspect.fairness import fairness_rows
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake

# Two originals with versions of two kinds, one without; what the gold labels are.
GOLD = {
    "a": ("positive", None, None), "a1": ("negative", "a", "contrast"), "a2": ("positive", "a", "robustness"),
    "b": ("negative", None, None), "b1": ("positive", "b", "contrast"), "c": ("positive", None, None),
}  # fmt: skip


@pytest.fixture
def pairs(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project(name="Pairs")
    rows = [
        {"id": key, "text": f"text {key}", "label": label}
        | ({"parent": parent, "perturbation_kind": kind} if parent else {})
        for key, (label, parent, kind) in GOLD.items()
    ]
    import_rows(made, rows)
    return made


@pytest.fixture
def answer(store: Store, pairs: Project) -> Callable[..., None]:
    def take(model: str, labels: dict[str, str], seed: int | None = None) -> None:
        report = ImportReport(is_output=True)
        said = [
            SourceOutput(key, Run(model, "", seed=seed), "f", 1, None, (Prediction(label, {}),), ())
            for key, label in labels.items()
        ]
        with store.transaction():
            Intake(store, pairs, ImportOptions(), report, lambda _: None).run(said)
        assert report.problems == []

    return take


@pytest.fixture
def researcher(add_person: Callable[..., User], pairs: Project) -> User:
    return add_person("Ria", pairs, "researcher")


def means(row: ContrastRow) -> dict[str, float | None]:
    return {name: number.mean for name, number in row.numbers.items()}


def test_a_model_that_answers_positive_to_everything(
    store: Store, pairs: Project, researcher: User, answer: Callable[..., None]
) -> None:
    """By hand: a right, b wrong; of the versions a2 and b1 right, a1 wrong. The set of a breaks."""
    answer("yes-man", dict.fromkeys(GOLD, "positive"))
    rows = contrast_rows(store, researcher, pairs)
    assert [(row.model, row.kind) for row in rows] == [
        ("yes-man", "all kinds"), ("yes-man", "contrast"), ("yes-man", "robustness"),
    ]  # fmt: skip
    assert means(rows[0]) == pytest.approx(
        {"original": 1 / 2, "contrast": 2 / 3, "delta": 1 / 6, "consistency_of_sets": 0.0}
    )
    assert means(rows[2]) == {"original": 1.0, "contrast": 1.0, "delta": 0.0, "consistency_of_sets": 1.0}
    (broken,) = rows[0].broken
    assert (broken.key, [pair.changed_key for pair in broken.wrong]) == ("a", ["a1"])
    assert (rows[0].n_originals, rows[0].n_contrasts, rows[0].n_left_out) == (2, 3, 0)


def test_pairs_without_an_answer_are_left_out_and_counted(
    store: Store, pairs: Project, researcher: User, answer: Callable[..., None]
) -> None:
    answer("short", {"a": "positive", "a1": "negative", "b1": "positive"})
    row = contrast_rows(store, researcher, pairs)[0]
    assert (row.n_originals, row.n_contrasts, row.n_left_out) == (1, 1, 2)
    assert means(row)["consistency_of_sets"] == 1.0


def test_several_seeds_are_means_with_their_deviation(
    store: Store, pairs: Project, researcher: User, answer: Callable[..., None]
) -> None:
    answer("m", dict.fromkeys(GOLD, "positive"), seed=1)
    answer("m", {key: label for key, (label, _, _) in GOLD.items()}, seed=2)
    row = contrast_rows(store, researcher, pairs)[0]
    assert row.seeds == (1, 2)
    assert row.numbers["original"].mean == pytest.approx(3 / 4)
    assert row.numbers["original"].deviation == pytest.approx(0.5 / 2**0.5)


def test_what_was_discarded_is_in_no_pair(
    store: Store, pairs: Project, researcher: User, answer: Callable[..., None]
) -> None:
    answer("yes-man", dict.fromkeys(GOLD, "positive"))
    with store.transaction():
        discard(store, find_instance_ids(store, pairs.id, "a")[0])
        discard(store, find_instance_ids(store, pairs.id, "b1")[0])
    assert contrast_rows(store, researcher, pairs) == []


def test_only_those_who_may_use_models_see_it(store: Store, pairs: Project, add_person: Callable[..., User]) -> None:
    with pytest.raises(NotAllowed, match="use models"):
        contrast_rows(store, add_person("Ann", pairs, "annotator"), pairs)


# False positive rates of a project's models over word lists.

TEXTS = {
    "a": ("She cooks well.", "negative"), "b": ("Her soup is cold.", "negative"), "c": ("He cooks well.", "negative"),
    "d": ("Cold soup.", "negative"), "e": ("She is happy.", "positive"),
}  # fmt: skip


@pytest.fixture
def kitchen(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project(name="Kitchen")
    import_rows(made, [{"id": key, "text": text, "label": label} for key, (text, label) in TEXTS.items()])
    save_word_list(store, LOCAL_OPERATOR, made, "women", ["she | her"])
    save_word_list(store, LOCAL_OPERATOR, made, "men", ["he", "his"])
    save_word_list(store, LOCAL_OPERATOR, made, "children", ["child"])
    report = ImportReport(is_output=True)
    said = {"a": "positive", "b": "negative", "c": "negative", "d": "negative", "e": "positive"}
    rows = [SourceOutput(key, Run("m", ""), "f", 1, None, (Prediction(label, {}),), ()) for key, label in said.items()]
    with store.transaction():
        Intake(store, made, ImportOptions(), report, lambda _: None).run(rows)
    return made


def test_the_rates_and_their_difference_are_those_worked_out_by_hand(store: Store, kitchen: Project) -> None:
    """Negatives: a to d, of which a is taken for positive: 1/4. Women: a, b: 1/2. Men: c: 0. |1/2 − 1/4| + |0 − 1/4| = 1/2."""
    (row,) = fairness_rows(store, LOCAL_OPERATOR, kitchen, ["women", "men", "children"], "positive")
    assert row.overall.mean == 0.25
    assert [group.rate.mean for group in row.groups] == [0.5, 0.0, None]
    assert row.difference.mean == 0.5
    assert [(group.n_texts, group.n_negatives) for group in row.groups] == [(3, 2), (1, 1), (0, 0)]
    assert [[key for _, key in group.wrong] for group in row.groups] == [["a"], [], []]


def test_unknown_lists_and_labels_and_people_without_the_right_are_refused(
    store: Store, kitchen: Project, add_person: Callable[..., User]
) -> None:
    with pytest.raises(InvalidValue, match=r"Unknown word list 'dogs'\. Available: children, men, women\."):
        fairness_rows(store, LOCAL_OPERATOR, kitchen, ["dogs"], "positive")
    with pytest.raises(InvalidValue, match=r"Unknown label 'happy'\. Available: negative, positive\."):
        fairness_rows(store, LOCAL_OPERATOR, kitchen, ["women"], "happy")
    with pytest.raises(NotAllowed):
        fairness_rows(store, add_person("Ann", kitchen, "annotator"), kitchen, ["women"], "positive")


def test_a_split_without_gold_labels_has_no_rates(
    store: Store, kitchen: Project, import_rows: Callable[..., object]
) -> None:
    import_rows(kitchen, [{"id": "z", "text": "She waits."}], split="test")
    (row,) = fairness_rows(store, LOCAL_OPERATOR, kitchen, ["women"], "positive", ScoringOptions(split="test"))
    assert (row.n_texts, row.difference.mean, row.overall.mean) == (0, None, None)
