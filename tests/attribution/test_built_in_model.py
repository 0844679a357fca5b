"""The built-in model: words and parts of words, their exact weights, and how it is saved."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from spacy.tokens import Doc

from annotator.attribution import built_in_model
from annotator.attribution.base import Input, SegmentTokens
from annotator.attribution.built_in_model import BagOfWords, Example, Training, train
from annotator.attribution.linear_classifier import FeatureCounts, SparseTable, features_of, fitted, scales_of
from annotator.attribution.removal_methods import Linear, Occlusion
from annotator.errors import ModelError
from tests.attribution_inputs import pair, words
from tests.older_model import DIGEST, save_as_before, trained_as_before
from tests.older_model import LABELS as OLD_LABELS

GOOD = ("a good book", "good food and a kind word", "Very good", "what a kind cat", "good good news")
BAD = ("a bad book", "bad food and a cold word", "very bad", "what a cold cat", "bad news again")
LABELS = ("bad", "good", "neutral")


def examples() -> list[Example]:
    return [Example(words(text), "good") for text in GOOD] + [Example(words(text), "bad") for text in BAD]


@pytest.fixture(scope="module")
def model() -> BagOfWords:
    return train(examples(), LABELS, name="built-in", seed=1)


def test_it_learns_what_words_mean(model: BagOfWords) -> None:
    found = model.probabilities([words("good soup"), words("cold soup"), words("GOOD")])
    assert [model.labels[place] for place in found.argmax(axis=1)] == ["good", "bad", "good"]
    assert found.sum(axis=1) == pytest.approx(1.0)
    assert found[:, LABELS.index("neutral")].max() < 1 / 3  # a label without examples


def test_scores_and_base_together_are_the_logit(model: BagOfWords) -> None:
    one = words("good food , good cat , bad news")
    logits = model.logits([one])[0]
    for label, logit in zip(LABELS, logits, strict=True):
        explained = Linear(model).explain([one], [label])[0]
        total = sum(explained.attributions[0].scores) + explained.facts["base"]
        assert total == pytest.approx(logit, abs=1e-12)
        assert explained.attributions[0].convergence == pytest.approx(0.0, abs=1e-12)
        assert explained.facts["logit"] == logit


def test_repeated_words_have_a_score_each_and_occlusion_gives_the_same(model: BagOfWords) -> None:
    one = words("good cat , good news")
    exact = Linear(model).explain([one], ["good"])[0].attributions[0].scores
    assert exact[0] == exact[3] > 0
    assert Occlusion(model).explain([one], ["good"])[0].attributions[0].scores == pytest.approx(exact, abs=1e-12)


def test_the_sides_of_a_pair_have_weights_of_their_own() -> None:
    rows = [(pair("a cat", "a dog"), "different"), (pair("a dog", "a cat"), "same")] * 3
    model = train([Example(*row) for row in rows], ("different", "same"), name="m")
    assert model.probabilities([pair("cat", "dog"), pair("dog", "cat")]).argmax(axis=1).tolist() == [0, 1]
    first, second = Linear(model).explain([pair("cat", "cat")], ["same"])[0].attributions[0].scores
    assert first < 0 < second


def test_several_documents_share_their_weights() -> None:
    rows = [Example(words("good", names=("document",)), "yes"), Example(words("bad", names=("document",)), "no")] * 3
    model = train(rows, ("no", "yes"), name="m", repeating=("document",))
    two = words("bad", "good", names=("document", "document2"))
    one = words("good", names=("document",))
    assert model.token_weights(two)[1] == pytest.approx(model.token_weights(one)[0])


def test_what_cannot_be_marked_counts_in_the_base() -> None:
    rows = [Example(words("x", question="good"), "yes"), Example(words("x", question="bad"), "no")] * 3
    model = train(rows, ("no", "yes"), name="m")
    one = words("x y", question="good")
    explained = Linear(model).explain([one], ["yes"])[0]
    assert len(explained.attributions[0].scores) == 2
    assert explained.facts["base"] > model.bias[1]
    assert sum(explained.attributions[0].scores) + explained.facts["base"] == pytest.approx(model.logits([one])[0, 1])


def test_equal_examples_give_equal_weights_and_others_do_not(model: BagOfWords) -> None:
    again = train(examples(), LABELS, name="built-in", seed=1)
    other = train(examples()[1:], LABELS, name="built-in", seed=1)
    assert again.training.digest == model.training.digest
    assert other.training.digest != model.training.digest
    assert again.training.n_examples == {"bad": 5, "good": 5, "neutral": 0}


def test_a_word_that_was_never_seen_has_the_weight_of_the_parts_that_it_shares(model: BagOfWords) -> None:
    good, neither = model.token_weights(words("kindness zzz"))[:, LABELS.index("good")]
    assert good > 0
    assert neither == 0
    chinese = train(
        [Example(words("这 好吃"), "good"), Example(words("真 难吃"), "bad")] * 2, ("bad", "good"), name="m"
    )
    assert chinese.token_weights(words("好看 难看"))[:, 1].tolist() == pytest.approx([0.1, -0.1], abs=0.1)
    assert chinese.token_weights(words("好看"))[0, 1] > 0 > chinese.token_weights(words("难看"))[0, 1]


def test_no_feature_reaches_beyond_its_token(model: BagOfWords) -> None:
    together = model.token_weights(words("good kind cold book"))
    alone = [model.token_weights(words(word))[0] for word in ("good", "kind", "cold", "book")]
    assert np.array_equal(together, np.array(alone))


def test_punctuation_around_a_word_and_capitals_change_nothing(model: BagOfWords) -> None:
    plain, with_comma, quoted, loud = model.token_weights(words("good good, “good” GOOD!"))
    assert plain.tolist() == with_comma.tolist() == quoted.tolist() == loud.tolist()


def noisy(folds: Callable[[int], int]) -> list[Example]:
    """Forty texts of words that say nothing of their labels, each of them twice."""
    chance = np.random.default_rng(0)
    texts = [" ".join("".join(chance.choice(list("abcdefgh"), 4)) for _ in range(8)) for _ in range(40)]
    labels = chance.choice(["bad", "good"], 40)
    return [Example(words(texts[n // 2]), str(labels[n // 2]), str(folds(n))) for n in range(80)]


def test_the_penalty_is_the_one_that_does_best_on_texts_that_were_held_out() -> None:
    """Where copies of a text lie in another fold, remembering helps; where they lie together, nothing does."""
    apart = train(noisy(lambda n: n % 2), ("bad", "good"), name="m").training.penalty
    together = train(noisy(lambda n: n // 2 % 5), ("bad", "good"), name="m").training.penalty
    assert apart is not None
    assert together == 100.0
    assert apart < 1


def test_with_fewer_than_twenty_texts_or_one_fold_no_penalty_is_chosen(model: BagOfWords) -> None:
    assert model.training.penalty == 1.0
    assert train(noisy(lambda _: 0), ("bad", "good"), name="m").training.penalty == 1.0


def test_a_very_long_token_has_no_more_features_than_a_hundred_characters_give(model: BagOfWords) -> None:
    chance = np.random.default_rng(0)
    long = "".join(chance.choice(list("abcdefgh"), 100_000))
    assert len(features_of("text", long, ())) < 500
    assert np.isfinite(model.logits([words(long)])).all()


def test_training_leaves_the_programs_own_random_numbers_alone() -> None:
    np.random.seed(3)  # what spaCy would set
    expected = np.random.RandomState(3).random()
    train(examples(), LABELS, name="m", seed=9)
    assert np.random.random() == expected


def test_empty_texts_tokens_without_characters_and_odd_characters_are_answered(model: BagOfWords) -> None:
    empty = words("")
    odd = words("good \ud800 \x00 \u00a0x 🙂")
    found = model.probabilities([empty, odd])
    assert found[0] == pytest.approx(np.exp(model.bias) / np.exp(model.bias).sum())
    assert np.isfinite(found).all()
    without_characters = Input((SegmentTokens("text", ("good", "", "x"), (" ", "", "")),))
    assert model.token_weights(without_characters)[1].tolist() == [0.0, 0.0, 0.0]
    assert model.token_weights(Input((SegmentTokens("text", ("",), ("",)),))).tolist() == [[0.0, 0.0, 0.0]]
    assert model.probabilities([]).shape == (0, 3)


def test_nothing_to_learn_from_is_said() -> None:
    with pytest.raises(ModelError, match=r"No gold labels to train on\. Import some\."):
        train([], LABELS, name="m")
    with pytest.raises(ModelError, match=r"All gold is 'good'\. Add another label\."):
        train(examples()[:5], LABELS, name="m")
    with pytest.raises(ModelError, match=r"Training needs at least two labels\."):
        train(examples()[:5], ["good"], name="m")
    with pytest.raises(ModelError, match=r"Gold label 'good' isn't a project label \("):
        train(examples(), ["bad", "fine"], name="m")
    with pytest.raises(ModelError, match=r"All texts with gold labels are empty\."):
        train([Example(words(""), "bad"), Example(words(""), "good")], LABELS, name="m")


def test_empty_texts_teach_nothing(model: BagOfWords) -> None:
    empty = [Example(words(""), "neutral")] * 12
    assert train([*empty, *examples()], LABELS, name="m", seed=1).training.digest == model.training.digest


# Saved ---------------------------------------------------------------------------------------------------------------


def test_a_saved_model_answers_as_before(model: BagOfWords, tmp_path: Path) -> None:
    folder = tmp_path / "models" / "built-in"
    assert not BagOfWords.is_saved(folder)
    model.save(folder)
    loaded = BagOfWords.load(folder, name="built-in")
    one = words("a good book")
    assert loaded.training == model.training
    assert np.array_equal(loaded.logits([one]), model.logits([one]))


def test_a_newer_model_takes_the_place_of_the_older(model: BagOfWords, tmp_path: Path) -> None:
    newer = train(examples()[1:], LABELS, name="m")
    model.save(tmp_path)
    newer.save(tmp_path)
    newer.save(tmp_path)
    assert BagOfWords.load(tmp_path, name="m").training == newer.training
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["current.json", newer.training.digest])


def test_a_stop_while_saving_leaves_the_older_model(
    model: BagOfWords, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.save(tmp_path)
    newer = train(examples()[1:], LABELS, name="m")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(built_in_model, "_write_whole", stop)
    with pytest.raises(KeyboardInterrupt):
        newer.save(tmp_path)
    assert BagOfWords.load(tmp_path, name="m").training == model.training


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("pointer", r"Expecting property name enclosed in double quotes: .*"),
        ("folder", r"\[Errno 2\] No such file or directory: '.*features\.json'"),
        ("weights", r".*pickle.*"),
    ],
)
def test_a_damaged_model_is_said_with_the_remedy(model: BagOfWords, tmp_path: Path, damage: str, reason: str) -> None:
    model.save(tmp_path)
    pointer, made = tmp_path / "current.json", tmp_path / model.training.digest
    if damage == "pointer":
        pointer.write_text("{", encoding="utf-8")
    elif damage == "folder":
        pointer.write_text(json.dumps(json.loads(pointer.read_text()) | {"digest": "none"}), encoding="utf-8")
    else:
        (made / "weights.npy").write_bytes(b"x")
    with pytest.raises(ModelError, match=rf"Can't read the model in .* \({reason}\)\. Run --train\."):
        BagOfWords.load(tmp_path, name="m")


def test_a_folder_that_cannot_be_written_is_said(model: BagOfWords, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(ModelError, match="Can't save the model in '"):
        model.save(blocked / "models")


# The built-in model of before: what it was saved as is still read.


def test_its_answers_and_scores_are_spacys_own(tmp_path: Path) -> None:
    """Which computes in 32 bits."""
    nlp = trained_as_before()
    save_as_before(tmp_path, nlp)
    model = BagOfWords.load(tmp_path, name="built-in")
    assert model.training == Training(0, {"negative": 2, "positive": 2}, DIGEST, (), "train")
    texts = ["a good food", "never seen before", "good good bad"]
    docs = [Doc(nlp.vocab, words=[f"text={word}" for word in text.split()]) for text in texts]
    expected = [[doc.cats[label] for label in OLD_LABELS] for doc in nlp.pipe(docs)]
    assert model.probabilities([words(text) for text in texts]) == pytest.approx(np.array(expected), abs=1e-6)
    explained = Linear(model).explain([words("good cat , good news")], ["positive"])[0]
    assert sum(explained.attributions[0].scores) + explained.facts["base"] == pytest.approx(explained.facts["logit"])
    assert explained.attributions[0].scores[0] > 0


def test_it_is_told_apart_from_those_of_today_and_saved_no_more(tmp_path: Path) -> None:
    save_as_before(tmp_path)
    assert BagOfWords.is_of_before(tmp_path)
    assert not BagOfWords.is_of_before(tmp_path / "nowhere")
    with pytest.raises(ModelError, match=r"is an old, read-only model\. Retrain it\."):
        BagOfWords.load(tmp_path, name="built-in").save(tmp_path / "other")


# The regression of the built-in model, held against scikit-learn's.

TEXTS, TYPES, FEATURES, N_LABELS = 60, 25, 40, 3


def table(dense: np.ndarray) -> SparseTable:
    rows, columns = np.nonzero(dense)
    n_times = dense[rows, columns]
    return SparseTable(np.repeat(rows, n_times), np.repeat(columns, n_times), dense.shape)


@pytest.fixture(scope="module")
def dense() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Texts by types, types by features, and labels that follow from some of the features."""
    chance = np.random.default_rng(0)
    texts, features = chance.poisson(0.3, (TEXTS, TYPES)), chance.poisson(0.2, (TYPES, FEATURES))
    labels = (texts @ features @ chance.normal(size=(FEATURES, N_LABELS))).argmax(axis=1)
    return texts, features, labels


@pytest.mark.parametrize("penalty", [0.3, 3.0, 30.0])
def test_weights_are_scikit_learns(dense: tuple[np.ndarray, np.ndarray, np.ndarray], penalty: float) -> None:
    texts, features, labels = dense
    counts = FeatureCounts(table(texts), table(features))
    found = fitted(counts, labels, N_LABELS, penalty, flat=1e-7)
    scaled = texts @ features * scales_of(counts)
    theirs = LogisticRegression(C=1 / penalty, tol=1e-9, max_iter=10_000).fit(scaled, labels)
    assert found[:-1] == pytest.approx(theirs.coef_.T, abs=1e-4)
    assert found[-1] - found[-1].mean() == pytest.approx(theirs.intercept_ - theirs.intercept_.mean(), abs=1e-4)


def test_products_by_way_of_types_are_those_of_the_whole_table(
    dense: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    texts, features, _ = dense
    counts, chance = FeatureCounts(table(texts), table(features)), np.random.default_rng(1)
    weights, differences = chance.normal(size=(FEATURES, 2)), chance.normal(size=(TEXTS, 2))
    assert counts.times(weights) == pytest.approx(texts @ features @ weights)
    assert counts.transposed_times(differences) == pytest.approx((texts @ features).T @ differences)
    assert counts.occurrences() == pytest.approx((texts @ features).sum(axis=0))
    keep = np.arange(TEXTS) % 3 == 0
    assert counts.of_texts(keep).times(weights) == pytest.approx(texts[keep] @ features @ weights)


def test_what_stands_in_no_text_that_is_learned_from_counts_nothing() -> None:
    counts = FeatureCounts(table(np.array([[2, 0], [1, 0]])), table(np.array([[1, 0], [0, 1]])))
    assert scales_of(counts).tolist() == pytest.approx([0.5, 0.0])
