"""Which of a project's texts a model learns from, with which rationales, and what is said of it before it begins."""

from collections.abc import Callable, Mapping
from typing import Any, get_args

import pytest

from annotator.domain.models import Output, Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import TASKS, get_task
from annotator.errors import InvalidValue, ModelError
from annotator.store import Store
from annotator.store.instances import ids_of_keys
from annotator.store.models import RunFinder, store_outputs
from annotator.training.loop import FittingOptions
from annotator.training.trainable_models import Architecture, NewModel
from annotator.usecases.project.projects import create_project
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.training.architectures import architectures_for, check_architecture
from annotator.usecases.training.examples import DataOptions, RationaleOptions, TrainingData, training_data

Importer = Callable[..., Any]


@pytest.fixture
def project(store: Store) -> Project:
    return create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])


def row(key: str, label: str, split: str = "train", sets: list[list[list[int]]] | None = None) -> dict[str, object]:
    """A text of five words; sets: of one annotator's annotation."""
    marked = {} if sets is None else {"annotator": "source", "rationales": sets}
    return {"id": key, "text": f"a {label} word of {key}", "label": label, "split": split, **marked}


def keys(data: TrainingData) -> tuple[set[str], set[str], set[str]]:
    learn, stop, judge = ({example.key for example in part} for part in (data.learn, data.stop, data.judge))
    return learn, stop, judge


def test_the_splits_are_for_learning_stopping_and_judging(
    store: Store, project: Project, import_rows: Importer
) -> None:
    rows = [
        row(f"{split}{n}", label, split) for split in ("train", "dev", "test") for n, label in enumerate(("no", "yes"))
    ]
    import_rows(project, rows)
    data = training_data(store, project, DataOptions())
    assert keys(data) == ({"train0", "train1"}, {"dev0", "dev1"}, {"test0", "test1"})
    assert (data.split, data.validation) == ("train", "dev")


def test_without_a_split_to_stop_by_a_tenth_of_the_training_texts_is_drawn_and_the_same_again(
    store: Store, project: Project, import_rows: Importer
) -> None:
    import_rows(project, [row(f"t{n}", "no" if n % 2 else "yes") for n in range(40)])
    data = training_data(store, project, DataOptions())
    learn, stop, judge = keys(data)
    assert (len(learn), len(stop), len(judge)) == (36, 4, 0)
    assert not learn & stop
    assert data.validation is None
    assert keys(training_data(store, project, DataOptions())) == keys(data)
    assert keys(training_data(store, project, DataOptions(seed=1)))[1] != stop


def test_each_set_of_the_gold_comes_with_its_text_and_a_text_without_gold_comes_with_its_label_alone(
    store: Store, project: Project, import_rows: Importer
) -> None:
    import_rows(project, [row("two", "no", sets=[[[1, 2]], [[3, 5]]]), row("none", "yes"), row("other", "yes", "dev")])
    examples = {example.key: example for example in training_data(store, project, DataOptions()).learn}
    assert examples["two"].sets == (frozenset({1}), frozenset({3, 4}))
    assert (examples["none"].sets, examples["none"].label) == ((), "yes")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row("a", "no")], "all gold labels are 'no'"),
        (
            [],
            r"Nothing to learn in project 'P': no text has gold\. Gold comes from the import \(column “label” or “answer”\) or accepted annotations\.",
        ),
    ],
)
def test_where_there_is_nothing_to_learn_it_says_why(
    store: Store, project: Project, import_rows: Importer, rows: list[dict[str, object]], message: str
) -> None:
    import_rows(project, [*rows, {"id": "bare", "text": "a text", "split": "dev"}])
    with pytest.raises(ModelError, match=message):
        training_data(store, project, DataOptions())


def test_a_split_that_is_not_there_is_named_with_those_that_are(
    store: Store, project: Project, import_rows: Importer
) -> None:
    import_rows(project, [row("a", "no"), row("b", "yes", "test")])
    with pytest.raises(InvalidValue, match=r"Available: 'test', 'train'\."):
        training_data(store, project, DataOptions(validation="dev"))


# Which rationales the training texts have: of a share chosen by confidence or at random, of word lists, or shuffled.


@pytest.fixture
def with_confidence(store: Store, import_rows: Importer) -> Project:
    """Ten texts to learn from, the even ones with two sets, and one to stop by."""
    made = create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])
    rows: list[dict[str, object]] = [
        {"id": f"t{n}", "text": f"so {word} a film of {n}", "label": label, "split": "train"}
        for n in range(10)
        for word, label in [("good", "yes") if n % 4 < 2 else ("bad", "no")]
    ]
    for row in rows[::2]:
        row |= {"annotator": "source", "rationales": [[[1, 2]], [[1, 4]]]}
    import_rows(made, [*rows, {"id": "dev", "text": "a bad film", "label": "no", "split": "dev"}])
    return made


def sets_of(data: TrainingData) -> dict[str, list[list[int]]]:
    return {example.key: [sorted(tokens) for tokens in example.sets] for example in data.learn if example.sets}


def data_of(store: Store, with_confidence: Project, seed: int = 0, **options: Any) -> TrainingData:
    return training_data(store, with_confidence, DataOptions(rationales=RationaleOptions(**options), seed=seed))


def answer(store: Store, with_confidence: Project, model: str, seed: int | None, p_yes: Mapping[str, float]) -> None:
    """What a model says of texts; "yes" has this probability."""
    with store.transaction():
        run = RunFinder(store, with_confidence.id).id_of(Run(model, "linear", "{}", seed))
        ids = {key: number for key, [(_, _, number)] in ids_of_keys(store, with_confidence.id, list(p_yes)).items()}
        store_outputs(
            store, run, [Output(ids[key], (Prediction(None, {"yes": p, "no": 1 - p}),)) for key, p in p_yes.items()]
        )


# t0, t4, t8 are "yes", t2, t6 are "no"
P_YES = {"t0": 0.9, "t2": 0.6, "t4": 0.3, "t6": 0.2, "t8": 0.6}  # of gold: .9, .4, .3, .8, .6


def test_the_least_confident_of_the_texts_with_rationales_keep_theirs_and_the_others_have_their_label_alone(
    store: Store, with_confidence: Project
) -> None:
    answer(store, with_confidence, "none", None, P_YES)
    data = data_of(store, with_confidence, share=30, choice="least confident", confidence_of=("none",))
    assert set(sets_of(data)) == {"t4", "t2"}  # 30 % of 5 are 1.5: two
    assert (len(data.learn), data.n_with_rationales, data.n_could, data.n_tied) == (10, 2, 5, 0)
    most = data_of(store, with_confidence, share=20, choice="most confident", confidence_of=("none",))
    assert set(sets_of(most)) == {"t0"}


def test_the_probabilities_of_all_seeds_and_models_that_are_named_are_averaged(
    store: Store, with_confidence: Project
) -> None:
    answer(store, with_confidence, "none", 0, P_YES)
    answer(store, with_confidence, "none", 1, {**P_YES, "t4": 0.95})
    answer(store, with_confidence, "other", None, {**P_YES, "t4": 0.95})
    one = data_of(store, with_confidence, share=20, choice="least confident", confidence_of=("none", "other"))
    assert set(sets_of(one)) == {"t2"}  # t4: (.3 + .95 + .95) / 3 = .73


def test_texts_as_confident_as_the_last_that_is_chosen_are_counted(store: Store, with_confidence: Project) -> None:
    answer(store, with_confidence, "none", None, {**P_YES, "t2": 0.7})  # p of its gold label .3, as of t4
    data = data_of(store, with_confidence, share=20, choice="least confident", confidence_of=("none",))
    assert (set(sets_of(data)), data.n_tied) == ({"t2"}, 1)


def test_a_text_that_the_model_has_not_answered_is_named(store: Store, with_confidence: Project) -> None:
    answer(store, with_confidence, "none", None, {key: p for key, p in P_YES.items() if key != "t6"})
    with pytest.raises(
        ModelError,
        match=r"lacks probabilities for 1 of 5 training texts with rationales \(t6\)\. Compute its attributions\.",
    ):
        data_of(store, with_confidence, share=20, choice="least confident", confidence_of=("none",))


def test_a_model_that_is_not_there_is_named_with_those_that_are(store: Store, with_confidence: Project) -> None:
    answer(store, with_confidence, "none", None, P_YES)
    with pytest.raises(InvalidValue, match=r"No output of model 'nine'\. Available: none\."):
        data_of(store, with_confidence, share=20, choice="most confident", confidence_of=("nine",))


def test_at_random_the_same_are_drawn_from_the_same_seed(store: Store, with_confidence: Project) -> None:
    drawn = [set(sets_of(data_of(store, with_confidence, seed=seed, share=40))) for seed in (0, 0, 1, 2, 3)]
    assert all(len(keys) == 2 for keys in drawn)
    assert drawn[0] == drawn[1]
    assert len({frozenset(keys) for keys in drawn}) > 1


def test_the_words_of_lists_are_shuffled_too_as_a_control_of_these(store: Store, with_confidence: Project) -> None:
    save_word_list(store, LOCAL_OPERATOR, with_confidence, "joy", ["good", "film"], role="keep")
    lists = data_of(store, with_confidence, source="lexicon", word_lists=("joy",))
    drawn = data_of(store, with_confidence, source="shuffled", word_lists=("joy",))
    sizes = [{key: [len(tokens) for tokens in sets] for key, sets in sets_of(data).items()} for data in (lists, drawn)]
    assert sizes[0] == sizes[1]
    assert set(map(tuple, sizes[0].values())) == {(1,), (2,)}
    assert sets_of(lists) != sets_of(drawn)


def test_shuffled_rationales_are_as_many_tokens_at_random_the_same_from_the_same_seed(
    store: Store, with_confidence: Project
) -> None:
    data = data_of(store, with_confidence, source="shuffled")
    assert {tuple(map(len, example.sets)) for example in data.learn} == {(1, 3), ()}
    assert all(example.sets[0] < example.sets[1] for example in data.learn if example.sets)  # one permutation for both
    assert len({example.sets for example in data.learn}) > 3
    assert data_of(store, with_confidence, source="shuffled").learn == data.learn


def test_the_words_of_a_keep_list_are_the_rationale_of_every_text_that_has_one(
    store: Store, with_confidence: Project
) -> None:
    save_word_list(store, LOCAL_OPERATOR, with_confidence, "mood", ["Good", "a film"], role="keep")
    sets = sets_of(data_of(store, with_confidence, source="lexicon", word_lists=("mood",)))
    assert sets == {f"t{n}": [[1, 2, 3] if n % 4 < 2 else [2, 3]] for n in range(10)}


def test_the_words_of_an_ignore_list_are_not_in_it_and_alone_leave_everything_else(
    store: Store, with_confidence: Project
) -> None:
    save_word_list(store, LOCAL_OPERATOR, with_confidence, "mood", ["good", "film"], role="keep")
    save_word_list(store, LOCAL_OPERATOR, with_confidence, "topic", ["film"], role="ignore")
    save_word_list(store, LOCAL_OPERATOR, with_confidence, "rare", ["3"], role="ignore")
    both = sets_of(data_of(store, with_confidence, source="lexicon", word_lists=("mood", "topic")))
    assert both == {f"t{n}": [[1]] for n in (0, 1, 4, 5, 8, 9)}
    alone = sets_of(data_of(store, with_confidence, source="lexicon", word_lists=("rare",)))
    assert alone == {"t3": [[0, 1, 2, 3, 4]]}


def test_a_list_of_another_language_marks_nothing(store: Store, with_confidence: Project) -> None:
    save_word_list(store, LOCAL_OPERATOR, with_confidence, "mood", ["good"], role="keep", language="de")
    assert sets_of(data_of(store, with_confidence, source="lexicon", word_lists=("mood",))) == {}


def test_a_list_that_marks_nothing_is_not_there(store: Store, with_confidence: Project) -> None:
    save_word_list(store, LOCAL_OPERATOR, with_confidence, "slots", ["good"], role="slot")
    save_word_list(store, LOCAL_OPERATOR, with_confidence, "mood", ["good"], role="keep")
    with pytest.raises(InvalidValue, match=r"Unknown word list 'slots'\. Available:"):
        data_of(store, with_confidence, source="lexicon", word_lists=("slots",))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share": 101}, r"A share lies between 0 and 100 percent; not 101\."),
        ({"source": "lexicon"}, "Only word-list rationales take list names, and need them."),
        ({"word_lists": ("mood",)}, "Only word-list rationales take list names, and need them."),
        ({"choice": "least confident"}, "needs a model with predictions for training texts."),
        ({"confidence_of": ("none",)}, "uses no model. Remove the models."),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        RationaleOptions(**options)


FROM_SCRATCH_ALONE = {
    "decoder",
    "lei",
    "lehman",
    "encoder-lstm",
    "lstm",
    "match-lstm",
}  # on the page; encoder-lstm also by --base

# What can be trained for which task: everything that is offered is taken, and everything else is refused.


@pytest.mark.parametrize("task", TASKS)
def test_what_is_offered_for_a_task_is_what_is_not_refused(store: Store, task: str) -> None:
    labels = [] if TASKS[task].result_kind == "answer" else ["a", "b"]
    project = create_project(store, LOCAL_OPERATOR, "P", TASKS[task], labels=labels)
    taken = []
    for architecture in get_args(Architecture):
        try:
            check_architecture(project, NewModel((), architecture=architecture), FittingOptions())
        except ModelError:
            continue
        taken.append(architecture)
    assert set(architectures_for(project, has_base=False)) == set(taken)
    assert set(architectures_for(project, has_base=True)) == set(taken) - FROM_SCRATCH_ALONE
