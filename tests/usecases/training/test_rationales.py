"""Which rationales the training texts have: of a share chosen by confidence or at random, of word lists, or shuffled."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from annotator.domain.models import Output, Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import InvalidValue, ModelError
from annotator.store import Store
from annotator.store.instances import ids_of_keys
from annotator.store.models import RunFinder, store_outputs
from annotator.usecases.project.projects import create_project
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.training.examples import DataOptions, RationaleOptions, TrainingData, training_data

Importer = Callable[..., Any]


@pytest.fixture
def project(store: Store, import_rows: Importer) -> Project:
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


def data_of(store: Store, project: Project, seed: int = 0, **options: Any) -> TrainingData:
    return training_data(store, project, DataOptions(rationales=RationaleOptions(**options), seed=seed))


def answer(store: Store, project: Project, model: str, seed: int | None, p_yes: Mapping[str, float]) -> None:
    """What a model says of texts; "yes" has this probability."""
    with store.transaction():
        run = RunFinder(store, project.id).id_of(Run(model, "linear", "{}", seed))
        ids = {key: number for key, [(_, _, number)] in ids_of_keys(store, project.id, list(p_yes)).items()}
        store_outputs(
            store, run, [Output(ids[key], (Prediction(None, {"yes": p, "no": 1 - p}),)) for key, p in p_yes.items()]
        )


# t0, t4, t8 are "yes", t2, t6 are "no"
P_YES = {"t0": 0.9, "t2": 0.6, "t4": 0.3, "t6": 0.2, "t8": 0.6}  # of gold: .9, .4, .3, .8, .6


def test_the_least_confident_of_the_texts_with_rationales_keep_theirs_and_the_others_have_their_label_alone(
    store: Store, project: Project
) -> None:
    answer(store, project, "none", None, P_YES)
    data = data_of(store, project, share=30, choice="least confident", confidence_of=("none",))
    assert set(sets_of(data)) == {"t4", "t2"}  # 30 % of 5 are 1.5: two
    assert (len(data.learn), data.n_with_rationales, data.n_could, data.n_tied) == (10, 2, 5, 0)
    most = data_of(store, project, share=20, choice="most confident", confidence_of=("none",))
    assert set(sets_of(most)) == {"t0"}


def test_the_probabilities_of_all_seeds_and_models_that_are_named_are_averaged(store: Store, project: Project) -> None:
    answer(store, project, "none", 0, P_YES)
    answer(store, project, "none", 1, {**P_YES, "t4": 0.95})
    answer(store, project, "other", None, {**P_YES, "t4": 0.95})
    one = data_of(store, project, share=20, choice="least confident", confidence_of=("none", "other"))
    assert set(sets_of(one)) == {"t2"}  # t4: (.3 + .95 + .95) / 3 = .73


def test_texts_as_confident_as_the_last_that_is_chosen_are_counted(store: Store, project: Project) -> None:
    answer(store, project, "none", None, {**P_YES, "t2": 0.7})  # p of its gold label .3, as of t4
    data = data_of(store, project, share=20, choice="least confident", confidence_of=("none",))
    assert (set(sets_of(data)), data.n_tied) == ({"t2"}, 1)


def test_a_text_that_the_model_has_not_answered_is_named(store: Store, project: Project) -> None:
    answer(store, project, "none", None, {key: p for key, p in P_YES.items() if key != "t6"})
    with pytest.raises(ModelError, match=r"no probabilities of 1 of the 5 training texts with rationales \(t6\)"):
        data_of(store, project, share=20, choice="least confident", confidence_of=("none",))


def test_a_model_that_is_not_there_is_named_with_those_that_are(store: Store, project: Project) -> None:
    answer(store, project, "none", None, P_YES)
    with pytest.raises(InvalidValue, match="no output of a model 'nine'. There is some of none"):
        data_of(store, project, share=20, choice="most confident", confidence_of=("nine",))


def test_at_random_the_same_are_drawn_from_the_same_seed(store: Store, project: Project) -> None:
    drawn = [set(sets_of(data_of(store, project, seed=seed, share=40))) for seed in (0, 0, 1, 2, 3)]
    assert all(len(keys) == 2 for keys in drawn)
    assert drawn[0] == drawn[1]
    assert len({frozenset(keys) for keys in drawn}) > 1


def test_the_words_of_lists_are_shuffled_too_as_a_control_of_these(store: Store, project: Project) -> None:
    save_word_list(store, LOCAL_OPERATOR, project, "joy", ["good", "film"], role="keep")
    lists = data_of(store, project, source="lexicon", word_lists=("joy",))
    drawn = data_of(store, project, source="shuffled", word_lists=("joy",))
    sizes = [{key: [len(tokens) for tokens in sets] for key, sets in sets_of(data).items()} for data in (lists, drawn)]
    assert sizes[0] == sizes[1]
    assert set(map(tuple, sizes[0].values())) == {(1,), (2,)}
    assert sets_of(lists) != sets_of(drawn)


def test_shuffled_rationales_are_as_many_tokens_at_random_the_same_from_the_same_seed(
    store: Store, project: Project
) -> None:
    data = data_of(store, project, source="shuffled")
    assert {tuple(map(len, example.sets)) for example in data.learn} == {(1, 3), ()}
    assert all(example.sets[0] < example.sets[1] for example in data.learn if example.sets)  # one permutation for both
    assert len({example.sets for example in data.learn}) > 3
    assert data_of(store, project, source="shuffled").learn == data.learn


def test_the_words_of_a_keep_list_are_the_rationale_of_every_text_that_has_one(store: Store, project: Project) -> None:
    save_word_list(store, LOCAL_OPERATOR, project, "mood", ["Good", "a film"], role="keep")
    sets = sets_of(data_of(store, project, source="lexicon", word_lists=("mood",)))
    assert sets == {f"t{n}": [[1, 2, 3] if n % 4 < 2 else [2, 3]] for n in range(10)}


def test_the_words_of_an_ignore_list_are_not_in_it_and_alone_leave_everything_else(
    store: Store, project: Project
) -> None:
    save_word_list(store, LOCAL_OPERATOR, project, "mood", ["good", "film"], role="keep")
    save_word_list(store, LOCAL_OPERATOR, project, "topic", ["film"], role="ignore")
    save_word_list(store, LOCAL_OPERATOR, project, "rare", ["3"], role="ignore")
    both = sets_of(data_of(store, project, source="lexicon", word_lists=("mood", "topic")))
    assert both == {f"t{n}": [[1]] for n in (0, 1, 4, 5, 8, 9)}
    alone = sets_of(data_of(store, project, source="lexicon", word_lists=("rare",)))
    assert alone == {"t3": [[0, 1, 2, 3, 4]]}


def test_a_list_of_another_language_marks_nothing(store: Store, project: Project) -> None:
    save_word_list(store, LOCAL_OPERATOR, project, "mood", ["good"], role="keep", language="de")
    assert sets_of(data_of(store, project, source="lexicon", word_lists=("mood",))) == {}


def test_a_list_that_marks_nothing_is_not_there(store: Store, project: Project) -> None:
    save_word_list(store, LOCAL_OPERATOR, project, "slots", ["good"], role="slot")
    save_word_list(store, LOCAL_OPERATOR, project, "mood", ["good"], role="keep")
    with pytest.raises(InvalidValue, match=r"no word list 'slots' that marks words .* There are 'mood'"):
        data_of(store, project, source="lexicon", word_lists=("slots",))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share": 101}, "between 0 and 100 percent"),
        ({"source": "lexicon"}, "need the names of the lists"),
        ({"word_lists": ("mood",)}, "other rationales have none"),
        ({"choice": "least confident"}, "needs a model that has answered"),
        ({"confidence_of": ("none",)}, "leave the models out"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        RationaleOptions(**options)
