"""False positive rates of a project's models over word lists."""

from collections.abc import Callable

import pytest

from annotator.domain.models import Prediction, Run, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.usecases.inspect.fairness import fairness_rows
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.intake import Intake

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
    with pytest.raises(InvalidValue, match="no word list 'dogs'"):
        fairness_rows(store, LOCAL_OPERATOR, kitchen, ["dogs"], "positive")
    with pytest.raises(InvalidValue, match="'happy' is no label"):
        fairness_rows(store, LOCAL_OPERATOR, kitchen, ["women"], "happy")
    with pytest.raises(NotAllowed):
        fairness_rows(store, add_person("Ann", kitchen, "annotator"), kitchen, ["women"], "positive")


def test_a_split_without_gold_labels_has_no_rates(
    store: Store, kitchen: Project, import_rows: Callable[..., object]
) -> None:
    import_rows(kitchen, [{"id": "z", "text": "She waits."}], split="test")
    (row,) = fairness_rows(store, LOCAL_OPERATOR, kitchen, ["women"], "positive", ScoringOptions(split="test"))
    assert (row.n_texts, row.difference.mean, row.overall.mean) == (0, None, None)
