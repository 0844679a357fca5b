"""Models that answer for the target of a text: an entity whose type is decided by a trigger word beside it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from annotator.attribution.base import Input, with_target
from annotator.attribution.methods import make_explainer
from annotator.attribution.transformers_models import explainer, load
from annotator.errors import InvalidValue, ModelError
from annotator.training.examples import Example, rows_of
from annotator.training.loop import FittingOptions, answered, fit
from annotator.training.trainable_models import NewModel, Trainable, make
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
    new = NewModel(TYPES, architecture="tokens", shape={**SHAPE, "max_position_embeddings": 32}, n_pieces=1_000)
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


@pytest.mark.parametrize("method", ["occlusion", "integrated-gradients"])
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


def test_attention_is_that_of_the_targets_first_piece(torch: Any, saved: Any) -> None:
    (example,) = texts(1, 3)
    method = explainer(saved, "attention", {})
    assert method.parameters["from"] == "target"
    encoded = saved.loaded.encoded(example.input)
    assert encoded.pieces[encoded.read_at].text == NAME
    with torch.no_grad():
        weights = saved.loaded.model(torch.tensor([encoded.ids]), output_attentions=True).attentions[-1][0]
    found = method.explain([example.input], [example.label])[0].attributions[0]
    assert [score for _, score in found.pieces] == pytest.approx(weights[:, encoded.read_at].mean(0).tolist(), abs=1e-6)
    with pytest.raises(InvalidValue, match="answers from the target's first piece"):
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
    with pytest.raises(ModelError, match="answers for the target of a text, and that of .* is not there") as refused:
        saved.logits([one_text("word1 word2")])
    assert refused.value.reason
    with pytest.raises(ModelError, match="is not there"):
        rows_of(saved.loaded.cutter, [Example(1, "a", one_text("word1"), "person")], TYPES, reads_target=True)
