"""Pipelines (Lehman et al.; BERT-to-BERT): what is selected and read, what each part learns from, and whose error it was."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.attribution.base import Input, SegmentTokens
from annotator.attribution.transformers_models import explainer, load
from annotator.errors import ModelError
from annotator.training.examples import Example, rows_of, training_batch
from annotator.training.loop import FittingOptions, fit
from annotator.training.pipelines import PipelineOutcome, pipeline_loss, pipeline_outcome
from annotator.training.trainable_models import PIPELINES, Architecture, NewModel, Trainable, make
from tests.models.conftest import words
from tests.training.planted import LABELS, NEUTRAL, Planting, all_words, planted

GRUS = {"hidden_size": 50}
ENCODERS = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
SHAPES: dict[Architecture, dict[str, int]] = {a: GRUS if a == "lehman" else ENCODERS for a in PIPELINES}
DECIDING = {label: [f"{label[:3]}{n}" for n in range(3)] for label in LABELS}
VOCABULARY = [*NEUTRAL, "cue", "what is it ?", *(word for of_label in DECIDING.values() for word in of_label)]


def document(number: int, sentences: Sequence[Sequence[str]], label: str, evidence: Sequence[int]) -> Example:
    """A text with a question; evidence: the numbers of its sentences."""
    numbers = tuple(n for n, sentence in enumerate(sentences) for _word in sentence)
    tokens = tuple(word for sentence in sentences for word in sentence)
    text = SegmentTokens("text", tokens, (" ",) * len(tokens), sentences=numbers)
    question = words("query", "what is it ?", is_selectable=False)
    marked = frozenset(n for n, of in enumerate(numbers) if of in evidence)
    return Example(number, f"text{number}", Input((text, question)), label, (marked,))


def documents(n: int, seed: int) -> list[Example]:
    """Ten sentences of eight words: a cue stands beside the word that decides, another sentence has the other label's word."""
    generator = np.random.default_rng(seed)
    made = []
    for number in range(n):
        label = int(generator.integers(2))
        sentences = [[str(word) for word in generator.choice(NEUTRAL, 8)] for _ in range(10)]
        evidence, distractor = generator.choice(10, 2, replace=False)
        sentences[evidence][:2] = ["cue", str(generator.choice(DECIDING[LABELS[label]]))]
        sentences[distractor][int(generator.integers(8))] = str(generator.choice(DECIDING[LABELS[1 - label]]))
        made.append(document(number, sentences, LABELS[label], [int(evidence)]))
    return made


def fitted(architecture: Architecture, learn: Sequence[Example], vocabulary: Sequence[str], rate: float) -> Trainable:
    trainable = make(NewModel(LABELS, architecture=architecture, shape=SHAPES[architecture]), vocabulary, seed=0)
    options = FittingOptions(epochs=5, learning_rate=rate, batch_size=16)
    fit(trainable, rows_of(trainable.cutter, learn, LABELS), [], options)
    return trainable


@pytest.fixture(params=["lehman", "bert-to-bert"])
def small(request: pytest.FixtureRequest, torch: Any) -> Trainable:
    shape = {"hidden_size": 8} if request.param == "lehman" else {**ENCODERS, "hidden_size": 16}
    trainable = make(NewModel(LABELS, architecture=request.param, shape=shape), VOCABULARY, seed=0)
    trainable.model.eval()
    return trainable


@pytest.mark.parametrize(("architecture", "rate"), [("lehman", 1e-2), ("bert-to-bert", 2e-3)])
def test_it_selects_the_sentence_with_evidence_beside_a_distractor_and_answers_from_it(
    architecture: Architecture, rate: float, torch: Any
) -> None:
    trainable = fitted(architecture, documents(200, 1), VOCABULARY, rate)
    outcome = pipeline_outcome(trainable, rows_of(trainable.cutter, documents(100, 2), LABELS))
    assert outcome.agreement.mean() > 0.95
    assert outcome.right_on_evidence.mean() > 0.95
    assert outcome.right.mean() > 0.95


def test_of_tokens_it_selects_the_planted_words(torch: Any) -> None:
    learn, held_out = (planted(Planting(n, seed=seed, n_words=10)) for n, seed in ((200, 1), (100, 2)))
    trainable = fitted("bert-to-bert-tokens", learn, all_words(), 2e-3)
    outcome = pipeline_outcome(trainable, rows_of(trainable.cutter, held_out, LABELS))
    assert outcome.agreement.mean() > 0.9
    assert outcome.right.mean() > 0.95


def test_the_classifier_reads_the_question_and_the_selected_sentence_and_nothing_else(
    small: Trainable, torch: Any
) -> None:
    example = documents(1, 3)[0]
    long, neighbour = rows_of(small.cutter, [example, document(1, [["word1"] * 30], LABELS[0], [0])], LABELS)
    batch = training_batch([long, neighbour], small.cutter.tokenizer, "cpu")
    selection = small.model.selection(
        batch.subwords.ids, batch.real, batch.subwords.may_answer, batch.subwords.sentences, batch.subwords.types
    )
    chosen = small.model.chosen(selection, batch.subwords.may_answer, batch.subwords.sentences)
    number = int(batch.subwords.sentences[0][chosen[0]][0])
    alone = document(0, [[token for token, n in zip(*tokens_of(example), strict=True) if n == number]], LABELS[0], [0])
    asked = small.ask(batch.subwords)[0]
    by_itself = small.ask(
        training_batch(rows_of(small.cutter, [alone], LABELS), small.cutter.tokenizer, "cpu").subwords
    )
    assert chosen[0].sum() == 8
    torch.testing.assert_close(asked, by_itself[0])


def tokens_of(example: Example) -> tuple[Sequence[str], Sequence[int]]:
    text = example.input.segments[0]
    return text.tokens, text.sentences


def test_neither_part_learns_from_the_other(small: Trainable, torch: Any) -> None:
    batch = training_batch(rows_of(small.cutter, documents(6, 3), LABELS), small.cutter.tokenizer, "cpu")

    def gradients(of: str) -> list[Any]:
        torch.manual_seed(0)
        small.model.zero_grad()
        pipeline_loss(small, batch, None).backward()
        return [weights.grad.clone() for weights in getattr(small.model, of).parameters() if weights.grad is not None]

    for part, other in (("selector", "classifier"), ("classifier", "selector")):
        before = gradients(part)
        with torch.no_grad():
            for weights in getattr(small.model, other).parameters():
                weights.mul_(1.5)
        assert any(bool(gradient.any()) for gradient in before)
        torch.testing.assert_close(gradients(part), before, rtol=0, atol=0)


def test_texts_without_evidence_teach_nothing(small: Trainable, torch: Any) -> None:
    bare = Example(0, "bare", documents(1, 3)[0].input, LABELS[0])
    row = rows_of(small.cutter, [bare], LABELS)
    loss = pipeline_loss(small, training_batch(row, small.cutter.tokenizer, "cpu"), None)
    assert float(loss.detach()) == 0
    loss.backward()


def test_its_folder_answers_as_it_did_and_gives_the_sentence_as_a_rationale(
    small: Trainable, torch: Any, tmp_path: Path
) -> None:
    example = documents(1, 3)[0]
    row = rows_of(small.cutter, [example], LABELS)
    before = small.ask(training_batch(row, small.cutter.tokenizer, "cpu").subwords).softmax(dim=1)[0].tolist()
    small.save(tmp_path)
    loaded = load(str(tmp_path), device="cpu", threads=1)
    assert loaded.probabilities([example.input])[0] == pytest.approx(before, abs=1e-6)
    (soft,) = explainer(loaded, "selection", {}).explain([example.input], [LABELS[0]])
    (hard,) = explainer(loaded, "selection", {"rationale": "hard"}).explain([example.input], [LABELS[0]])
    assert soft.selected is not None
    ((first, end),) = soft.selected
    assert end - first == 8
    assert first % 8 == 0
    scores = np.array(soft.attributions[0].scores)
    assert len(set(scores[first:end])) == 1
    assert scores.argmax() == first
    assert np.flatnonzero(hard.attributions[0].scores).tolist() == list(range(first, end))


@pytest.mark.parametrize("architecture", PIPELINES)
def test_gradients_reach_what_the_classifier_reads_and_nothing_else(
    architecture: Architecture, torch: Any, tmp_path: Path
) -> None:
    trainable = make(
        NewModel(LABELS, architecture=architecture, shape={**SHAPES[architecture], "hidden_size": 16}), VOCABULARY, 0
    )
    trainable.save(tmp_path)
    example = documents(1, 3)[0]
    loaded = load(str(tmp_path), device="cpu", threads=1)
    (selected,) = explainer(loaded, "selection", {}).explain([example.input], [LABELS[0]])
    (gradients,) = explainer(loaded, "gradient-x-input", {}).explain([example.input], [LABELS[0]])
    is_read = np.zeros(80, dtype=np.bool_)
    for first, end in selected.selected or ():
        is_read[first:end] = True
    scores = np.array(gradients.attributions[0].scores)
    assert (scores[~is_read] == 0).all()
    assert (scores[is_read] != 0).all()
    with pytest.raises(ModelError, match="attention"):
        explainer(loaded, "attention", {}).explain([example.input], [LABELS[0]])


def test_errors_of_the_parts_are_told_apart() -> None:
    outcome = PipelineOutcome(
        0.0,
        1,
        np.array([1.0, 1.0, 0.0, 0.0]),
        np.array([True, True, True, False]),
        np.array([True, False, True, False]),
    )
    assert outcome.facts() == {
        "texts whose selection was judged": 4,
        "evidence selected": 0.5,
        "accuracy on people's evidence": 0.75,
        "accuracy on its selection": 0.5,
        "wrong, having selected evidence": 0.25,
        "wrong, having selected something else": 0.25,
        "nothing selected": 1,
    }
