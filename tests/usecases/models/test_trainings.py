"""What a model that was trained here learned from, how often it is right about other texts, and who is told of it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from annotator.attribution.base import Input
from annotator.attribution.built_in_model import Example, train
from annotator.domain.models import HeldOut
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.errors import ImportRefused, ModelError
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.models import list_runs
from annotator.store.trained_models import find_training, ids_learned_from, save_training
from annotator.usecases.inspect.saliency import show_instance
from annotator.usecases.models import built_in_model as built_in_model_module
from annotator.usecases.models.attributions import AttributingOptions, AttributingReport, attribute
from annotator.usecases.models.built_in_model import held_out, labelled_examples
from annotator.usecases.models.model_trust import Trainings, held_out_summary
from annotator.usecases.models.previews import preview
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.upkeep import check

WORDS = {"positive": "good", "negative": "bad"}


def rows_of(split: str, n_each: dict[str, int]) -> list[dict[str, object]]:
    return [
        {
            "id": f"{split}-{label}-{n}",
            "text": f"{WORDS[label]} {WORDS[label]} {split}{n}",
            "label": label,
            "split": split,
        }
        for label, n_of in n_each.items()
        for n in range(n_of)
    ]


@pytest.fixture
def divided(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Twelve texts to learn from, 24 held out of which 16 are negative, and one without a label."""
    made = make_project(name="Divided")
    import_rows(made, rows_of("train", {"negative": 7, "positive": 5}))
    import_rows(made, rows_of("test", {"negative": 16, "positive": 8}))
    import_rows(made, [{"id": "unlabelled", "text": "a good book", "split": "test"}])
    return made


@pytest.fixture
def whole(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Thirty texts without a split; each of ten documents three times, and a changed version of the first."""
    made = make_project(name="Whole")
    rows = [
        {"id": f"{n}-{copy}", "text": f"a {WORDS[label]} book number {n}", "label": label}
        for n, label in enumerate(["negative"] * 6 + ["positive"] * 4)
        for copy in range(3)
    ]
    changed = {
        "id": "changed",
        "text": "a bad dull book",
        "label": "negative",
        "parent": "0-0",
        "perturbation_kind": "synonym",
    }
    import_rows(made, [*rows, changed])
    return made


def trained(store: Store, project: Project, **options: object) -> AttributingReport:
    return attribute(store, LOCAL_OPERATOR, project, "built-in", "linear", AttributingOptions(**options))  # type: ignore[arg-type]


def instance(store: Store, project: Project, key: str) -> int:
    return find_instance_ids(store, project.id, key)[0]


class Remembering:
    """Knows what it learned, and says "negative" to the rest."""

    name = "remembering"
    labels = ("negative", "positive")

    def __init__(self, examples: list[Example]) -> None:
        self.known = {one.input.segments[0].tokens: one.label for one in examples}

    def probabilities(self, inputs: list[Input]) -> np.ndarray:
        answers = [self.known.get(one.segments[0].tokens, "negative") for one in inputs]
        return np.array([[answer == label for label in self.labels] for answer in answers], dtype=np.float64)


# What is measured ----------------------------------------------------------------------------------------------------


def test_with_a_split_the_other_splits_are_asked_and_beside_them_stands_the_commonest_label_of_the_training(
    store: Store, divided: Project
) -> None:
    trained(store, divided)
    made = find_training(store, divided.id, "built-in")
    assert made is not None
    assert (made.split, made.n, made.model) == ("train", 12, "built-in")
    assert ids_learned_from(store, made.id) == {
        row["id"] for row in store.rows("SELECT id FROM instances WHERE split = 'train'")
    }
    found = made.held_out
    assert found is not None
    assert (found.way, found.n, found.label, found.n_label) == ("splits", 24, "negative", 16)
    assert found.n_right == 24  # "good" and "bad" tell all of them
    assert found.low is not None
    assert found.low > 0


def test_without_a_split_five_folds_are_asked_of_models_that_did_not_learn_from_them(
    store: Store, whole: Project
) -> None:
    """A model that only remembers is right about a text exactly where one that is like it, or "negative" by chance, was learned."""
    learned = dict(labelled_examples(store, whole, None))
    taught: list[int] = []

    def train(examples: list[Example]) -> Remembering:
        taught.append(len(examples))
        return Remembering(examples)

    found = held_out(store, whole, Remembering(list(learned.values())), learned, train, seed=0)
    assert found is not None
    # The copies of a document stay together: nothing was remembered, so that only "negative" is right, 18 copies and the change.
    assert (found.way, found.n, found.n_right, found.label, found.n_label) == ("folds", 31, 19, "negative", 19)
    assert len(taught) == 5
    assert sum(31 - n for n in taught) == 31


def test_the_penalty_is_chosen_with_copies_of_a_document_held_out_together(
    store: Store, whole: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned: list[list[Example]] = []

    def remembered(examples: list[Example], *given: object, **named: object) -> object:
        learned.append(examples)
        return train(examples, *given, **named)

    monkeypatch.setattr(built_in_model_module, "train", remembered)
    trained(store, whole)
    folds = {example.input.segments[0].tokens: set() for example in learned[0]}
    for example in learned[0]:
        folds[example.input.segments[0].tokens].add(example.fold)
    assert len(learned[0]) == 31
    assert all(len(names) == 1 for names in folds.values())
    assert len(set().union(*folds.values())) == 5


def test_training_again_with_the_same_seed_measures_the_same(store: Store, whole: Project) -> None:
    trained(store, whole)
    first = Trainings.of(store, whole.id).known["built-in"].held_out
    assert first is not None
    assert (first.way, first.n) == ("folds", 31)
    trained(store, whole, trains=True)
    assert Trainings.of(store, whole.id).known["built-in"].held_out == first


def test_a_fold_whose_rest_has_one_label_alone_is_not_asked(store: Store, whole: Project) -> None:
    learned = dict(labelled_examples(store, whole, None))

    def train(examples: list[Example]) -> Remembering:
        if len(examples) == min(sizes):
            raise ModelError("All gold is 'negative': there is nothing to tell apart.")
        return Remembering(examples)

    sizes: list[int] = []
    held_out(store, whole, Remembering([]), learned, lambda rest: sizes.append(len(rest)) or Remembering(rest), seed=0)
    found = held_out(store, whole, Remembering([]), learned, train, seed=0)
    assert found is not None
    assert found.n == 31 - sum(31 - n for n in sizes if n == min(sizes))


def test_of_fewer_than_twenty_texts_nothing_is_said(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    made = make_project(name="Few")
    import_rows(made, rows_of("", {"negative": 5, "positive": 5}))
    report = trained(store, made)
    assert find_training(store, made.id, "built-in").held_out is None
    assert "Accuracy unknown: fewer than 20 held-out texts with gold." in report.notes[1]


def test_training_again_replaces_what_was_written(
    store: Store, divided: Project, import_rows: Callable[..., object]
) -> None:
    trained(store, divided)
    import_rows(divided, rows_of("train", {"positive": 6}))  # one more than there were
    trained(store, divided, trains=True)
    assert find_training(store, divided.id, "built-in").n == 13
    assert store.value("SELECT count(*) FROM trainings") == 1
    assert store.value("SELECT count(*) FROM training_members") == 13
    assert check(store) == []


# What is told --------------------------------------------------------------------------------------------------------


def test_how_far_a_model_is_above_its_commonest_label_is_said_with_the_interval(store: Store, divided: Project) -> None:
    better = held_out_summary(HeldOut("splits", 138, 81, "negative", 62, 0.05, 0.22))
    assert "Correct on 58.7 % of 138 held-out texts of other splits." in better
    assert better.endswith("Always predicting “negative”: 44.9 %; difference +5.0 to +22.0 points (95 %).")
    no_better = held_out_summary(HeldOut("folds", 100, 61, "negative", 60, -0.05, 0.07))
    assert "texts (five-fold cross-validation by document)" in no_better
    assert no_better.endswith("Always predicting “negative”: 60.0 %; no clear difference (−5.0 to +7.0 points, 95 %).")


def test_who_attributes_is_told_how_often_the_model_is_right(store: Store, divided: Project) -> None:
    learned, right = trained(store, divided).notes
    assert learned.startswith("The built-in model learned from 12 instances of the split 'train'")
    assert right.startswith(
        "Correct on 100.0 % of 24 held-out texts of other splits. Always predicting “negative”: 66.7 %; difference +16.7 to "
    )


def test_saliency_says_under_each_map_how_far_the_model_is_to_be_trusted_and_whether_it_saw_the_text(
    store: Store, divided: Project
) -> None:
    trained(store, divided)
    panels = {
        key: show_instance(store, LOCAL_OPERATOR, instance(store, divided, key), None).panels[0]
        for key in ("train-negative-0", "test-negative-0")
    }
    assert all(
        panel.trust.startswith("Correct on 100.0 % of 24 held-out texts of other splits.") for panel in panels.values()
    )
    assert all(
        panel.held_out == "right on 100.0 % of 24 held-out texts; always “negative”: 66.7 %"
        for panel in panels.values()
    )
    assert "was in its training data" in panels["train-negative-0"].seen
    assert panels["test-negative-0"].seen is None


def test_previews_say_the_same(store: Store, divided: Project) -> None:
    trained(store, divided)
    for key, words in (("train-positive-0", "was in its training data"), ("test-positive-0", "None")):
        shown = preview(store, LOCAL_OPERATOR, instance(store, divided, key), "positive", [RationaleSet.of((0, 1))])
        assert shown.trust.startswith("Correct on 100.0 % of 24 held-out texts of other splits.")
        assert words in str(shown.seen)


def test_of_a_model_that_was_trained_before_this_was_kept_it_is_said_that_it_is_not_known(
    store: Store, divided: Project
) -> None:
    trained(store, divided)
    with store.transaction():
        store.run("DELETE FROM training_members")
        store.run("DELETE FROM trainings")
    [panel] = show_instance(store, LOCAL_OPERATOR, instance(store, divided, "train-negative-0"), None).panels
    assert "Held-out accuracy is unknown. Retrain to measure it." in panel.trust
    assert panel.held_out == "not tested on held-out texts"
    assert "Its training texts weren't recorded. Retrain it." in panel.seen
    trained(store, divided, trains=True)  # the same model, whose output stays
    assert len(list_runs(store, divided.id)) == 2
    [panel] = show_instance(store, LOCAL_OPERATOR, instance(store, divided, "train-negative-0"), None).panels
    assert "was in its training data" in panel.seen


def test_of_models_from_elsewhere_it_is_said_that_they_were_not_tested_here(
    store: Store, divided: Project, tmp_path: Path
) -> None:
    path = tmp_path / "said.jsonl"
    path.write_text(
        '{"id": "test-positive-0", "model": "theirs", "method": "ig", "scores": [0, 1, 0]}\n', encoding="utf-8"
    )
    import_file(store, LOCAL_OPERATOR, divided, "attributions", path)
    [panel] = show_instance(store, LOCAL_OPERATOR, instance(store, divided, "test-positive-0"), None).panels
    assert (panel.held_out, panel.trust, panel.seen) == ("not tested on held-out texts", None, None)


# Out and in ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def copied(store: Store, divided: Project, tmp_path: Path) -> Callable[[], Project]:
    def copy() -> Project:
        path = tmp_path / "all.jsonl"
        export_file(store, LOCAL_OPERATOR, divided, "jsonl", path)
        made = create_project(store, LOCAL_OPERATOR, "Copy", get_task("sentiment"), labels=["negative", "positive"])
        import_file(store, LOCAL_OPERATOR, made, "jsonl", path)
        return made

    return copy


def test_a_copy_of_a_project_knows_what_its_models_learned_from(
    store: Store, divided: Project, copied: Callable[[], Project]
) -> None:
    trained(store, divided)
    copy = copied()
    was, now = (find_training(store, project.id, "built-in") for project in (divided, copy))
    assert was is not None
    assert now is not None
    assert (was.digest, was.seed, was.split, was.trained_at, was.n, was.held_out) == (
        now.digest, now.seed, now.split, now.trained_at, now.n, now.held_out,
    )  # fmt: skip
    assert instance(store, copy, "train-negative-0") in ids_learned_from(store, now.id)
    assert check(store) == []


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ('"members": [["nobody", "train"]]', "unknown instance"),
        (
            '"held_out": {"way": "folds", "n": 10, "n_right": 11, "label": "x", "n_label": 3}',
            "more texts are right, or of one label, than there are",
        ),
    ],
)
def test_a_training_with_an_instance_that_is_not_there_or_numbers_that_cannot_be_is_refused(
    store: Store, divided: Project, tmp_path: Path, field: str, reason: str
) -> None:
    path = tmp_path / "bad.jsonl"
    line = '{"record": "training", "model": "m", "digest": "d", "seed": 0, "trained_at": "2026-11-22T10:00:00Z", '
    path.write_text(line + field + "}\n", encoding="utf-8")
    with pytest.raises(ImportRefused) as refused:
        import_file(store, LOCAL_OPERATOR, divided, "jsonl", path)
    assert reason in str(refused.value.problems[0])
    assert find_training(store, divided.id, "m") is None


def test_check_names_a_training_on_an_instance_of_another_project(
    store: Store, divided: Project, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    other = make_project(name="Other")
    import_rows(other, [{"id": "theirs", "text": "x", "label": "negative"}])
    with store.transaction():
        members = [instance(store, other, "theirs")]
        save_training(store, divided.id, "m", digest="d", seed=1, split=None, held_out=None, instance_ids=members)
    assert check(store) == [
        "The model 'm' is said to have learned from instance 'theirs', which is of another project."
    ]


def test_check_names_a_count_that_is_not_that_of_the_members(store: Store, divided: Project) -> None:
    trained(store, divided)
    with store.transaction():
        store.run("UPDATE trainings SET n = 99")
    assert check(store) == [
        f'The count of project {divided.id}, training of "built-in" says 99, but the right number is 12.'
    ]


def test_what_is_known_here_stays_when_a_file_says_otherwise(store: Store, divided: Project, tmp_path: Path) -> None:
    with store.transaction():
        save_training(store, divided.id, "m", digest="ours", seed=1, split=None, held_out=None, instance_ids=())
    path = tmp_path / "theirs.jsonl"
    path.write_text(
        '{"record": "training", "model": "m", "digest": "theirs", "seed": 0, "trained_at": "2026-11-22T10:00:00Z"}\n',
        encoding="utf-8",
    )
    import_file(store, LOCAL_OPERATOR, divided, "jsonl", path)
    assert find_training(store, divided.id, "m").digest == "ours"
