"""LSTM classifiers (ERASER's encoder-LSTM; Wang et al. 2022): windows before the LSTM, attention, state products, planted keys."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from annotator.attribution.base import Explainer, Input
from annotator.attribution.methods import make_explainer
from annotator.attribution.transformers_models import load
from annotator.attribution.transformers_subwords import Batch, batch_of
from annotator.errors import InvalidValue, ModelError
from annotator.training.alignment import AlignmentOptions
from annotator.training.examples import Example, Place, answer_rows, rows_of, training_batch
from annotator.training.loop import FittingOptions, answered, embeddings_of, fit, input_x_gradient
from annotator.training.trainable_models import Architecture, NewModel, Trainable, make
from tests.models.conftest import one_text, pair, reading, words
from tests.models.tiny_models import LONGEST
from tests.training.planted import LABELS, Planting, all_words, planted

SMALL = {"hidden_size": 16, "recurrent_size": 8, "mlp_size": 8}
Scores = npt.NDArray[np.float64]


def new(architecture: Architecture, *, base: Path | None = None, **shape: object) -> Trainable:
    given = {"recurrent_size": 8, "mlp_size": 8} if base else SMALL
    named = NewModel(LABELS, None if base is None else str(base), architecture=architecture, shape={**given, **shape})
    trainable = make(named, all_words(), seed=0)
    trainable.model.eval()
    return trainable


def scores_of(explainer: Explainer, given: Input, label: str = "positive") -> Scores:
    [explained] = explainer.explain([given], [label])
    return np.array(explained.attributions[0].scores)


def batch(trainable: Trainable, text: str) -> Batch:
    rows = rows_of(trainable.cutter, [Example(0, "t", one_text(text), LABELS[0])], LABELS)
    return batch_of([row.encoded for row in rows], trainable.cutter.tokenizer, "cpu")


# Texts whose label is the majority of five key words, far apart.

KEYS = {"negative": "kneg", "positive": "kpos"}


def with_keys(n: int, length: int, seed: int) -> list[Example]:
    """Texts whose keys lie a fifth of them apart; the rationale is the keys. The first ones have three keys against two."""
    draw = np.random.default_rng(seed)
    neutral = [f"word{number}" for number in range(50)]
    examples = []
    for number in range(n):
        text = draw.choice(neutral, length).tolist()
        places = int(draw.integers(length // 5)) + length // 5 * np.arange(5)
        n_positive = int(draw.integers(6))
        for place, name in zip(
            places, draw.permutation(["positive"] * n_positive + ["negative"] * (5 - n_positive)), strict=True
        ):
            text[place] = KEYS[str(name)]
        label = LABELS[int(n_positive > 2)]
        examples.append(Example(number, f"t{number}", one_text(" ".join(text)), label, (frozenset(places.tolist()),)))
    return examples


def learn_keys(trainable: Trainable, stages: Sequence[tuple[int, int, int]], rate: float = 1e-2) -> None:
    """stages: length, texts and texts in a batch, the shortest first."""
    for stage, (length, n, size) in enumerate(stages):
        rows = rows_of(trainable.cutter, with_keys(n, length, seed=stage), LABELS)
        fit(
            trainable,
            rows,
            [],
            FittingOptions(epochs=1, learning_rate=rate, batch_size=size, weight_decay=0.0, seed=stage),
        )


def accuracy(trainable: Trainable, examples: Sequence[Example], size: int = 32) -> float:
    answers = answered(trainable, rows_of(trainable.cutter, examples, LABELS), size).argmax(axis=1)
    return float(np.mean([LABELS[answer] == e.label for answer, e in zip(answers, examples, strict=True)]))


def share_of_keys(explainer: Explainer, examples: Sequence[Example]) -> float:
    """How many of the five highest scored words are keys."""
    top = [set(np.argsort(-scores_of(explainer, e.input, e.label))[:5].tolist()) & e.sets[0] for e in examples]
    return float(np.mean([len(of) / 5 for of in top]))


def test_an_encoder_lstm_decides_by_the_majority_of_five_far_words_and_attends_to_them(
    torch: Any, tmp_path: Path
) -> None:
    texts = [*all_words(), *KEYS.values()] * 5
    trainable = make(
        NewModel(LABELS, architecture="encoder-lstm", shape={**SMALL, "recurrent_size": 32}), texts, seed=0
    )
    learn_keys(trainable, [(50, 3200, 32), (400, 240, 16)])
    held_out = with_keys(20, 400, seed=99)
    assert accuracy(trainable, held_out) == 1.0
    trainable.save(tmp_path / "m")
    predictor = load(str(tmp_path / "m"))
    assert share_of_keys(make_explainer(predictor, "attention", {}), held_out[:10]) == 1.0
    longer = with_keys(2, 3_000, seed=100)
    assert accuracy(trainable, longer) == 1.0, "it never saw a text of this length"
    for method in ("gradient-x-input", "integrated-gradients", "occlusion", "lime"):
        few = {"steps": "10"} if method == "integrated-gradients" else {"samples": "150"} if method == "lime" else {}
        of_short = with_keys(4, 50, seed=7)
        assert share_of_keys(make_explainer(predictor, method, few), of_short) > 0.7, method


def test_a_folder_answers_like_the_model_that_was_saved_and_its_weights_add_up_to_one(
    torch: Any, tmp_path: Path
) -> None:
    for architecture in ("encoder-lstm", "lstm"):
        trainable = new(architecture)
        trainable.save(tmp_path / architecture)
        predictor = load(str(tmp_path / architecture))
        given = [example.input for example in planted(Planting(3))]
        logits = answered(trainable, rows_of(trainable.cutter, planted(Planting(3)), LABELS))
        odds = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        assert predictor.probabilities(given) == pytest.approx(odds, abs=1e-6)
    [explained] = make_explainer(load(str(tmp_path / "encoder-lstm")), "attention", {}).explain(given[:1], [LABELS[0]])
    weights = sum(explained.attributions[0].scores)
    assert weights == pytest.approx(1 - explained.facts["special_share"], abs=1e-6)


def test_neighbours_in_a_batch_and_what_fills_it_change_nothing(torch: Any) -> None:
    for architecture in ("encoder-lstm", "lstm"):
        trainable = new(architecture)
        texts = ["word1 word2", "word3 word4 word5 word6 word7", "pos1"]
        examples = [Example(n, str(n), one_text(text), LABELS[0]) for n, text in enumerate(texts)]
        rows = rows_of(trainable.cutter, examples, LABELS)
        apart = np.concatenate([answered(trainable, [row]) for row in rows])
        assert answered(trainable, rows) == pytest.approx(apart, abs=1e-6)


def test_a_pair_is_read_by_one_lstm_whose_last_states_answer_together(torch: Any) -> None:
    trainable = new("lstm", mlp_size=8)
    examples = [
        Example(0, "a", pair("word1 word2", "pos3"), LABELS[0]),
        Example(1, "b", pair("word4", "word2 pos1"), LABELS[0]),
    ]
    rows = rows_of(trainable.cutter, examples, LABELS)
    given = training_batch(rows, trainable.cutter.tokenizer, "cpu").subwords
    model, outputs = trainable.model, trainable.model(**given.arguments())
    for row, encoded in enumerate(row.encoded for row in rows):
        n_first = encoded.types.index(1)
        embedded = model.embeddings(torch.tensor([encoded.ids]))
        first, second = model.recurrent(embedded[:, :n_first])[0], model.recurrent(embedded[:, n_first:])[0]
        hidden = torch.tanh(model.hidden(torch.cat([first[:, -1], second[:, -1]], dim=1)))
        assert torch.allclose(outputs.logits[row], model.head(hidden)[0], atol=1e-6)
        states = torch.cat([first, second], dim=1)[0]
        assert torch.allclose(outputs.states[row, : len(states)], states, atol=1e-6)


# State products.


def test_state_products_are_the_shares_of_the_appendix_by_text_and_their_softmax_stands_beside(
    torch: Any, tmp_path: Path
) -> None:
    trainable = new("lstm", recurrent_size=16, mlp_size=16)
    trainable.save(tmp_path / "m")
    given = pair("word1 word2 pos3", "word4 neg1")
    predictor = load(str(tmp_path / "m"))
    batch = predictor.loaded.batch([predictor.loaded.encoded(given)])
    outputs = trainable.model(**batch.arguments())
    products = (outputs.states[0] @ outputs.hidden[0]).tolist()
    first, second = np.array(products[1:4]), np.array(products[5:7])  # [CLS] a a a [SEP] b b [SEP]
    plain = scores_of(make_explainer(predictor, "state-products", {"preset": "wang-2022"}), given)
    assert plain == pytest.approx(np.concatenate([first / first.sum(), second / second.sum()]), abs=1e-4)
    softmax = scores_of(make_explainer(predictor, "state-products", {"weights": "softmax"}), given)
    raised = [np.exp(of) / np.exp(of).sum() for of in (first, second)]
    assert softmax == pytest.approx(np.concatenate(raised), abs=1e-6)
    vectors = trainable.model.embeddings(batch.ids)[0] @ outputs.hidden[0]
    released = scores_of(make_explainer(predictor, "state-products", {"preset": "wang-2022-released"}), given)
    assert released[:3] == pytest.approx(vectors[1:4].softmax(dim=0).tolist(), abs=1e-6)


def test_a_negative_sum_turns_the_order_of_state_products_round_and_is_counted(torch: Any, tmp_path: Path) -> None:
    trainable = new("lstm", recurrent_size=16, mlp_size=16)
    with torch.no_grad():
        trainable.model.hidden.weight.zero_()
        trainable.model.hidden.bias.fill_(1.0)  # h_fc is the same everywhere: a product is the sum of a state
        trainable.model.recurrent.bias_ih_l0[32:48] -= 3.0  # and every state is below 0
    trainable.save(tmp_path / "m")
    predictor, given = load(str(tmp_path / "m")), one_text("word1 word2 pos3")
    [explained] = make_explainer(predictor, "state-products", {}).explain([given], [""])
    softmax = scores_of(make_explainer(predictor, "state-products", {"weights": "softmax"}), given)
    plain = explained.attributions[0].scores
    assert explained.facts["negative_sums"] == 1
    assert np.argsort(plain).tolist() == np.argsort(-softmax).tolist()
    assert explained.attributions[0].label == ""


def test_methods_that_a_model_cannot_have_are_refused_with_what_it_has(
    torch: Any, tmp_path: Path, folders: Any
) -> None:
    given = one_text("word1 pos2")
    for architecture in ("encoder-lstm", "lstm"):
        new(architecture).save(tmp_path / architecture)
    attentive, last, bert = (
        load(str(tmp_path / "encoder-lstm")),
        load(str(tmp_path / "lstm")),
        load(str(folders["bert"])),
    )
    for predictor, method, options, said in (
        (last, "attention", {}, "no attention layer. Use state-products"),
        (attentive, "state-products", {}, "states have 16 dimensions, h_fc 8"),
        (bert, "state-products", {}, "isn't an LSTM. Choose"),
        (attentive, "attention-rollout", {}, "has no attention to read"),
    ):
        with pytest.raises(ModelError, match=said):
            make_explainer(predictor, method, options).explain([given], [""])
    with pytest.raises(InvalidValue, match="attends from a learned query. Remove from=cls"):
        make_explainer(attentive, "attention", {"from": "cls"})
    with pytest.raises(InvalidValue, match="has no layer 1"):
        make_explainer(attentive, "attention", {"layer": "1"}).explain([given], [""])
    with pytest.raises(ModelError, match="AttnLRP has no rule for"):
        make_explainer(attentive, "attnlrp", {})


def test_its_attributions_can_be_aligned_since_their_gradient_has_one(torch: Any) -> None:
    trainable = new("encoder-lstm", activation="tanh")
    given = training_batch(rows_of(trainable.cutter, planted(Planting(3)), LABELS), trainable.cutter.tokenizer, "cpu")
    weight = trainable.model.recurrent.weight_hh_l0

    def loss() -> Any:
        embeddings = embeddings_of(trainable.model, given.subwords.ids)
        explained = trainable.explained(trainable.ask(given.subwords, embeddings), given.targets)
        return 1e3 * input_x_gradient(explained, embeddings, has_graph=True).pow(2).sum()

    (gradient,) = torch.autograd.grad(loss(), weight)
    sides = []
    for step in (1e-2, -1e-2):
        with torch.no_grad():
            weight[1, 2] += step
        sides.append(float(loss().detach()))
        with torch.no_grad():
            weight[1, 2] -= step
    assert float(gradient[1, 2]) == pytest.approx((sides[0] - sides[1]) / 2e-2, rel=1e-2)
    rows = rows_of(trainable.cutter, planted(Planting(8)), LABELS)
    done = fit(trainable, rows, [], FittingOptions(epochs=1, learning_rate=1e-3, alignment=AlignmentOptions("bce")))
    assert done.epochs[0].alignment_loss is not None


# A transformer in front, in windows.


@pytest.fixture
def over_bert(folders: dict[str, Path], torch: Any) -> Trainable:
    return new("encoder-lstm", base=folders["bert"])


def text_of(n: int) -> str:
    return " ".join(["the", "film", "was", "dull", "plot"][number % 5] for number in range(n))


def test_a_text_of_one_window_is_what_the_transformer_makes_of_it(over_bert: Trainable, torch: Any) -> None:
    given = batch(over_bert, text_of(LONGEST - 2))
    assert given.ids.shape[1] == LONGEST
    plain = over_bert.model.encoder(**given.arguments()).last_hidden_state
    assert torch.allclose(over_bert.model.read(given), plain, atol=1e-5)


def test_a_changed_word_changes_only_what_its_windows_read(over_bert: Trainable, torch: Any) -> None:
    given, at = batch(over_bert, text_of(200)), 100
    changed = given.ids.clone()
    changed[0, at] = over_bert.cutter.tokenizer.convert_tokens_to_ids("and")
    before = over_bert.model.read(given)
    after = over_bert.model.read(Batch(changed, given.mask, given.types, given.may_answer))
    differs = ((before - after).abs().amax(dim=2)[0] > 1e-6).nonzero().flatten()
    assert at in differs
    reach = (LONGEST - 2) // 4 + (LONGEST - 2) // 2  # a window's middle half ends a quarter before what it reads
    assert int(differs.min()) >= at - reach
    assert int(differs.max()) <= at + reach
    assert len(differs) < 200 / 2


def test_the_gradient_reaches_a_word_at_the_end_of_a_long_text(over_bert: Trainable, torch: Any) -> None:
    given = batch(over_bert, text_of(3_001))
    embeddings = over_bert.model.get_input_embeddings()(given.ids).detach().requires_grad_()
    (gradient,) = torch.autograd.grad(over_bert.ask(given, embeddings)[0, 1], embeddings)
    assert float(gradient[0, 3_000].abs().sum()) > 0


def test_a_model_over_a_base_is_loaded_whole_and_its_windows_stand_beside_each_other_in_a_batch(
    over_bert: Trainable, folders: dict[str, Path], tmp_path: Path
) -> None:
    over_bert.save(tmp_path / "m")
    examples = [Example(n, str(n), one_text(text_of(length)), LABELS[0]) for n, length in enumerate((5, 130, 60))]
    rows = rows_of(over_bert.cutter, examples, LABELS)
    logits = np.concatenate([answered(over_bert, [row]) for row in rows])
    assert answered(over_bert, rows) == pytest.approx(logits, abs=1e-5)
    odds = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert load(str(tmp_path / "m")).probabilities([e.input for e in examples]) == pytest.approx(odds, abs=1e-5)
    of_roberta = new("encoder-lstm", base=folders["roberta"])
    assert of_roberta.ask(batch(of_roberta, text_of(100))).shape == (1, 2)


def test_of_a_base_the_two_top_layers_learn_and_an_lstm_alone_takes_none(over_bert: Trainable, folders: Any) -> None:
    learning = {
        name.split(".layer.")[1][0] for name, of in over_bert.model.encoder.named_parameters() if of.requires_grad
    }
    assert learning == {"1", "2"}
    assert all(of.requires_grad for name, of in over_bert.model.named_parameters() if not name.startswith("encoder."))
    with pytest.raises(InvalidValue, match="'lstm' trains from scratch"):
        new("lstm", base=folders["bert"])
    whole = make(
        NewModel(LABELS, str(folders["bert"]), special=("_MATH_",), architecture="encoder-lstm", shape=SMALL), [], 0
    )
    rows = rows_of(whole.cutter, [Example(0, "t", Input((words("text", "great _MATH_ film"),)), LABELS[0])], LABELS)
    assert "_MATH_" in [subword.text for subword in rows[0].encoded.subwords]


# Match-LSTM with an answer pointer.


def questions(n: int, seed: int, n_words: int = 6, length: int = 5) -> list[Example]:
    """The answer is the word after the question's word; in a fifth of the texts that stands nowhere, and there is none."""
    draw, examples = np.random.default_rng(seed), []
    for number in range(n):
        *tokens, absent = [f"word{word}" for word in draw.choice(n_words, length + 1, replace=False)]
        at = int(draw.integers(length - 1))
        has_answer = draw.random() < 0.8
        given = reading(" ".join(tokens), f"what follows {tokens[at] if has_answer else absent}")
        start = len(" ".join(tokens[: at + 1])) + 1
        place = Place("passage", start, start + len(tokens[at + 1])) if has_answer else None
        examples.append(Example(number, f"t{number}", given, tokens[at + 1] if has_answer else "", (), place))
    return examples


def match_lstm(size: int) -> Trainable:
    shape = {"hidden_size": size, "recurrent_size": size}
    return make(
        NewModel((), architecture="match-lstm", shape=shape),
        ["what follows word0 word1 word2 word3 word4 word5"] * 5,
        0,
    )


def test_a_match_lstm_answers_with_the_word_after_the_questions_word_or_that_there_is_none(
    torch: Any, tmp_path: Path
) -> None:
    trainable = match_lstm(32)
    options = FittingOptions(epochs=5, learning_rate=1e-2, batch_size=32)
    fit(trainable, answer_rows(trainable.cutter, questions(800, seed=1)), [], options)
    trainable.state_threshold(0.0)
    trainable.save(tmp_path / "m")
    held_out, reader = questions(100, seed=2), load(str(tmp_path / "m"))
    given = [prediction.result for prediction in reader.answers([example.input for example in held_out])]
    assert np.mean([answer == example.label for answer, example in zip(given, held_out, strict=True)]) > 0.9
    [example] = [example for example in held_out if example.label][:1]
    for method in ("gradient-x-input", "integrated-gradients", "occlusion"):
        assert np.isfinite(scores_of(make_explainer(reader, method, {}), example.input, "")).all()
    with pytest.raises(ModelError, match="has no attention to read"):
        make_explainer(reader, "attention", {}).explain([example.input], [""])


def test_a_match_lstm_reads_texts_beside_longer_ones_alike_and_any_length(torch: Any) -> None:
    trainable = match_lstm(8)
    trainable.model.eval()
    short, long = (answer_rows(trainable.cutter, questions(1, 3, n, n - 1))[0] for n in (4, 200))
    tokenizer = trainable.cutter.tokenizer
    alone, both = (
        trainable.model(**batch_of([row.encoded for row in rows], tokenizer, "cpu").arguments())
        for rows in ([short], [short, long])
    )
    n = len(short.encoded.ids)
    assert torch.allclose(alone.start_logits[0], both.start_logits[0, :n], atol=1e-5)
    assert torch.allclose(alone.end_logits[0], both.end_logits[0, :n], atol=1e-5)
    assert bool((both.start_logits[0, n:] < -1e8).all())


def test_state_products_of_a_match_lstm_are_the_mean_over_the_questions_words(torch: Any, tmp_path: Path) -> None:
    trainable = match_lstm(8)
    trainable.state_threshold(0.0)
    trainable.save(tmp_path / "m")
    reader, [example] = load(str(tmp_path / "m")), questions(1, seed=5)
    encoded = reader.loaded.encoded(example.input)
    states = trainable.model(**reader.loaded.batch([encoded]).arguments()).states[0].detach().numpy()
    question, passage = states[1:4], states[5:10]  # [CLS] what follows x [SEP] a b c d e [SEP]
    products = question @ passage.T
    shares = (products / products.sum(axis=1, keepdims=True)).mean(axis=0)
    assert scores_of(make_explainer(reader, "state-products", {}), example.input, "") == pytest.approx(shares, abs=1e-4)
    raised = np.exp(products) / np.exp(products).sum(axis=1, keepdims=True)
    softmax = make_explainer(reader, "state-products", {"weights": "softmax"})
    assert scores_of(softmax, example.input, "") == pytest.approx(raised.mean(axis=0), abs=1e-6)
