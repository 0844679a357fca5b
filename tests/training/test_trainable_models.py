"""Models that answer for the target of a text, and tokens that stay whole."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.attribution.architectures.rationaliser import has_extractor
from annotator.attribution.base import Input, with_target
from annotator.attribution.methods import make_explainer
from annotator.attribution.transformers_models import explainer, load
from annotator.attribution.transformers_subwords import encode
from annotator.errors import InvalidValue, ModelError
from annotator.training.alignment import AlignmentOptions
from annotator.training.examples import Example, rows_of
from annotator.training.loop import FittingOptions, answered, fit
from annotator.training.trainable_models import NewModel, Output, Trainable, make
from tests.models.conftest import one_text, words

TYPES = ("person", "place")
LENGTH, AWAY = 14, 3
_NEUTRAL = [f"word{n}" for n in range(40)]
_TRIGGERS = {"person": ["met", "married", "asked"], "place": ["near", "toward", "outside"]}
NAME = "washington"
SHAPE = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}


def texts(n: int, seed: int) -> list[Example]:
    """Two mentions of one name in each text, of different types: only the words three before each tell them apart."""
    generator = np.random.default_rng(seed)
    made = []
    for number in range(n):
        label = TYPES[int(generator.integers(2))]
        other = TYPES[1 - TYPES.index(label)]
        tokens = [str(word) for word in generator.choice(_NEUTRAL, LENGTH)]
        first, second = (3, 10) if generator.random() < 0.5 else (10, 3)
        for place, of in ((first, label), (second, other)):
            tokens[place] = NAME
            tokens[place - AWAY] = str(generator.choice(_TRIGGERS[of]))
        given = Input((words("text", " ".join(tokens)),), target=(first, first + 1))
        made.append(Example(number, f"text{number}", given, label, (frozenset({first - AWAY}),)))
    return made


@pytest.fixture(scope="module")
def trained(torch: Any) -> Trainable:
    every = [*_NEUTRAL, NAME, *(word for of in _TRIGGERS.values() for word in of)]
    new = NewModel(TYPES, architecture="tokens", shape={**SHAPE, "max_position_embeddings": 32}, n_subwords=1_000)
    trainable = make(new, every * 3, 0)
    rows = rows_of(trainable.cutter, texts(1_500, 0), TYPES, reads_target=True)
    fit(trainable, rows, [], FittingOptions(epochs=4, learning_rate=5e-3, batch_size=32))
    return trainable


@pytest.fixture(scope="module")
def saved(trained: Trainable, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("targets") / "saved"
    trained.save(folder)
    return load(str(folder), device="cpu")


def test_the_type_of_an_entity_is_learned_from_its_trigger_and_the_folder_answers_alike(
    trained: Trainable, saved: Any
) -> None:
    unseen = texts(200, 9)
    logits = answered(trained, rows_of(trained.cutter, unseen, TYPES, reads_target=True))
    right = [TYPES[answer] == example.label for answer, example in zip(logits.argmax(axis=1), unseen, strict=True)]
    assert np.mean(right) > 0.95
    assert saved.logits([example.input for example in unseen]) == pytest.approx(logits, abs=1e-4)


def test_the_other_mention_of_the_same_text_is_answered_for_itself(saved: Any) -> None:
    unseen = texts(50, 5)
    others = [
        replace(e.input, target=(13 - first, 14 - first)) for e in unseen for first in [(e.input.target or (0,))[0]]
    ]
    answers = saved.logits(others).argmax(axis=1)
    assert np.mean([TYPES[answer] != e.label for answer, e in zip(answers, unseen, strict=True)]) > 0.9


@pytest.mark.parametrize("method", ["occlusion", "integrated-gradients", "attnlrp"])
def test_the_trigger_is_among_the_two_tokens_that_count_most(saved: Any, method: str) -> None:
    unseen = texts(12, 7)
    made = make_explainer(saved, method, {"steps": 20} if method == "integrated-gradients" else {})
    found = made.explain([e.input for e in unseen], [e.label for e in unseen])
    top = [set(np.argsort(one.attributions[0].scores)[-2:].tolist()) for one in found]
    hits = [bool(places & next(iter(e.sets))) for places, e in zip(top, unseen, strict=True)]
    assert np.mean(hits) >= 0.9


def test_the_target_is_never_taken_out_and_moves_with_what_is(saved: Any) -> None:
    (example,) = texts(1, 3)
    first, end = example.input.target or (0, 0)
    found = make_explainer(saved, "occlusion", {"removal": "delete"}).explain([example.input], [example.label])
    assert found[0].attributions[0].scores[first] == 0
    nothing = with_target(saved, example.input, np.zeros(LENGTH, dtype=bool))
    left = example.input.kept(nothing)
    assert (left.segments[0].tokens, left.target) == ((NAME,), (0, 1))
    assert np.isfinite(saved.logits([left])).all()
    assert example.input.kept(np.arange(LENGTH) >= end).target is None
    assert example.input.kept(np.arange(LENGTH) >= first).target == (0, end - first)


def test_models_that_do_not_read_a_target_may_have_it_taken_out(loaded: Any) -> None:
    (example,) = texts(1, 3)
    nothing = np.zeros(LENGTH, dtype=bool)
    assert not with_target(loaded("bert"), example.input, nothing).any()


def test_attention_is_that_of_the_targets_first_subword(torch: Any, saved: Any) -> None:
    (example,) = texts(1, 3)
    method = explainer(saved, "attention", {})
    assert method.parameters["from"] == "target"
    encoded = saved.loaded.encoded(example.input)
    assert encoded.subwords[encoded.read_at].text == NAME
    with torch.no_grad():
        weights = saved.loaded.model(torch.tensor([encoded.ids]), output_attentions=True).attentions[-1][0]
    found = method.explain([example.input], [example.label])[0].attributions[0]
    assert [score for _, score in found.subwords] == pytest.approx(
        weights[:, encoded.read_at].mean(0).tolist(), abs=1e-6
    )
    with pytest.raises(InvalidValue, match=r"predicts from the target's first subword\. Use from=target\."):
        explainer(saved, "attention", {"from": "cls"})


def test_a_target_far_into_a_long_text_is_read_in_its_window(saved: Any) -> None:
    (example,) = texts(1, 3)
    before = "word1 " * 200
    shifted = Input(
        (words("text", before + example.input.segments[0].text),),
        target=tuple(place + 200 for place in example.input.target or ()),  # type: ignore[arg-type]
    )
    (found,) = explainer(saved, "gradient-x-input", {}).explain([shifted], [example.label])
    scores = np.array(found.attributions[0].scores)
    assert (scores[:150] == 0).all()  # no window that holds the target holds these
    assert scores[200:].any()


def test_a_text_without_a_target_is_refused(saved: Any) -> None:
    with pytest.raises(
        ModelError, match=r"'saved' sees no target in 'word1 word2'\. Add one, or use windows\."
    ) as refused:
        saved.logits([one_text("word1 word2")])
    assert refused.value.reason
    with pytest.raises(ModelError, match=r"'saved' sees no target in 'word1'\. Add one, or use windows\."):
        rows_of(saved.loaded.cutter, [Example(1, "a", one_text("word1"), "person")], TYPES, reads_target=True)


# Tokens that stay whole: one subword wherever they stand, with an embedding of their own, in the saved folder too.

SPECIAL = ("_MATH_", "_MATHDISP_", "_REF_")
TEXT = "for the _MATH_-th value H_MATH_ _MATHDISP_ we see _REF_-_REF_"
LABELS = ("no", "need edit")
SMALL = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}


def new(base: Path | None) -> Trainable:
    of_base = None if base is None else str(base)
    return make(
        NewModel(LABELS, base=of_base, special=SPECIAL, shape=SMALL, n_subwords=300), ["for the value h we see th"], 0
    )


def whole_ones(trainable_or_loaded: Any, text: str) -> list[str]:
    encoded = encode(trainable_or_loaded.cutter, one_text(text))
    return [text[p.start : p.end] for p in encoded.subwords if p.text in SPECIAL and p.start is not None]


@pytest.mark.parametrize("base", [None, "bert", "roberta"])
def test_a_special_token_is_one_subword_also_within_a_word_and_in_the_saved_folder(
    torch: Any, folders: dict[str, Path], tmp_path: Path, base: str | None
) -> None:
    trainable = new(None if base is None else folders[base])
    expected = ["_MATH_", "_MATH_", "_MATHDISP_", "_REF_", "_REF_"]
    assert whole_ones(trainable, TEXT) == expected
    trainable.save(tmp_path / "saved")
    saved: Any = load(str(tmp_path / "saved"), device="cpu")
    assert whole_ones(saved.loaded, TEXT) == expected
    ids = saved.loaded.tokenizer.convert_tokens_to_ids(list(SPECIAL))
    embeddings = saved.loaded.embedding(torch.tensor(ids))
    assert not bool((embeddings[0] == embeddings[1]).all())
    assert bool((embeddings == trainable.model.get_input_embeddings()(torch.tensor(ids))).all())


def test_its_score_is_that_of_the_token_it_is_and_a_rationale_of_that_token_is_its_subword(torch: Any) -> None:
    trainable = new(None)
    text = "for the _MATH_ value"
    (row,) = rows_of(trainable.cutter, [Example(1, "one", one_text(text), "no", (frozenset({2}),))], LABELS)
    assert [row.encoded.subwords[n].text for n in row.gold[0].nonzero()[0]] == ["_MATH_"]


def test_scores_lie_on_special_tokens_like_on_any_other(torch: Any, tmp_path: Path) -> None:
    new(None).save(tmp_path / "saved")
    saved: Any = load(str(tmp_path / "saved"), device="cpu")
    (found,) = explainer(saved, "gradient-x-input", {}).explain([one_text("for the _MATH_ value")], ["no"])
    attribution = found.attributions[0]
    (of_subword,) = [score for subword, score in attribution.subwords if subword.text == "_MATH_"]
    assert attribution.scores[2] == pytest.approx(of_subword)
    assert of_subword != 0


@pytest.mark.parametrize("token", ["", "two words", " _MATH_"])
def test_what_is_no_one_word_is_refused(torch: Any, token: str) -> None:
    with pytest.raises(InvalidValue, match=r"must be one word, e\.g\. _MATH_\."):
        make(NewModel(LABELS, special=(token,), shape=SMALL), ["for the value"], 0)


def test_nothing_is_printed_of_how_embeddings_are_drawn(torch: Any, capfd: pytest.CaptureFixture[str]) -> None:
    new(None)
    assert capfd.readouterr().err == ""


# A head that is kept.


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("output", ["softmax", "sigmoid"])
def test_a_kept_head_answers_as_the_base_did_with_its_labels_in_its_order(output: Output, tmp_path: Path) -> None:
    learned = make(NewModel(("no", "yes"), output=output, shape=SHAPE, n_subwords=300, device="cpu"), _NEUTRAL, 0)
    learned.save(tmp_path / "base")
    kept = make(NewModel(("yes", "no"), base=str(tmp_path / "base"), keeps_head=True, device="cpu"), (), 1)
    assert (kept.labels, kept.output) == (("no", "yes"), output)
    example = Example(0, "t", one_text(" ".join(_NEUTRAL[:5])), "yes")
    given = [rows_of(of.cutter, [example], of.labels)[0] for of in (learned, kept)]
    assert answered(kept, given[1:]) == pytest.approx(answered(learned, given[:1]), abs=1e-6)


@pytest.mark.usefixtures("torch")
def test_a_kept_head_is_refused_for_other_labels_and_for_another_kind_of_answer(tmp_path: Path) -> None:
    make(NewModel(("no", "yes"), shape=SHAPE, n_subwords=300, device="cpu"), _NEUTRAL, 0).save(tmp_path / "base")
    new = NewModel(("yes", "maybe"), base=str(tmp_path / "base"), keeps_head=True, device="cpu")
    with pytest.raises(ModelError, match="'base' has labels no, yes; the texts also have maybe. Remove --keep-head."):
        make(new, (), 0)
    for other in (replace(new, labels=("no", "yes"), too_long="windows"), replace(new, architecture="reading")):
        with pytest.raises(ModelError, match="'base' has no head of this kind"):
            make(other, (), 0)
    with pytest.raises(InvalidValue, match="--keep-head needs --base"):
        make(replace(new, base=None), (), 0)


@pytest.mark.usefixtures("torch")
def test_a_kept_extractor_is_trained_further_and_taken_away_where_it_is_not_trained(tmp_path: Path) -> None:
    learned = make(NewModel(("no", "yes"), shape=SHAPE, n_subwords=300, device="cpu"), _NEUTRAL, 0)
    given = [Example(0, "t", one_text("word1 word2"), "yes", (frozenset({0}),))]
    aligned = FittingOptions(epochs=1, alignment=AlignmentOptions("mse", by="extractor"))
    fit(learned, rows_of(learned.cutter, given, learned.labels), [], aligned)
    learned.save(tmp_path / "base")
    new = NewModel(("no", "yes"), base=str(tmp_path / "base"), keeps_head=True, device="cpu")
    further = make(new, (), 1)
    assert further.model.extractor.weight.tolist() == learned.model.extractor.weight.tolist()
    fit(further, rows_of(further.cutter, given, further.labels), [], FittingOptions(epochs=1))
    assert not has_extractor(further.model)
