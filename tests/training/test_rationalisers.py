"""Rationalisers (Lei et al. 2016): what the classifier reads, what the selector learns from, and how a run fails."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.attribution.transformers_models import explainer, load
from annotator.errors import InvalidValue, ModelError
from annotator.training.examples import rows_of, training_batch
from annotator.training.loop import FittingOptions, fit
from annotator.training.rationalisers import PRESETS, RationaliserOptions, rationaliser_loss, selected
from annotator.training.trainable_models import NewModel, Trainable, make
from tests.training.planted import LABELS, Planting, all_words, planted, without_sets

SMALL = {"hidden_size": 16, "recurrent_size": 8}


@pytest.fixture
def small(torch: Any) -> Trainable:
    trainable = make(NewModel(LABELS, architecture="lei", shape=SMALL), all_words(), seed=0)
    trainable.model.eval()
    return trainable


def f1(trainable: Trainable, examples: Any) -> float:
    """Token F1 of what is selected with the planted words, over all texts together."""
    n_both = n_selected = n_gold = 0
    for row in rows_of(trainable.cutter, examples, LABELS):
        batch = training_batch([row], trainable.cutter.tokenizer, "cpu")
        mask = (trainable.model.selection(batch.subwords.ids, batch.real) > 0) & batch.subwords.may_answer
        gold = batch.gold.any(dim=1)
        n_both, n_selected, n_gold = (
            n_both + int((mask & gold).sum()),
            n_selected + int(mask.sum()),
            n_gold + int(gold.sum()),
        )
    return 2 * n_both / max(1, n_selected + n_gold)


def test_with_peoples_rationales_it_selects_the_planted_words_and_answers_from_them_alone(torch: Any) -> None:
    learn, held_out = (planted(Planting(n, seed=seed, n_words=6)) for n, seed in ((300, 1), (100, 2)))
    shape = {"hidden_size": 64, "recurrent_size": 32}
    trainable = make(NewModel(LABELS, architecture="lei", shape=shape), all_words(), seed=0)
    options = FittingOptions(
        epochs=6, learning_rate=1e-2, batch_size=32, rationaliser=RationaliserOptions(supervision=1.0)
    )
    fit(trainable, rows_of(trainable.cutter, learn, LABELS), [], options)
    assert f1(trainable, held_out) > 0.9
    rows = rows_of(trainable.cutter, without_sets(held_out), LABELS)
    found = selected(trainable, rows, RationaliserOptions())
    assert found.is_right["its rationale"].mean() > 0.95
    assert found.is_right["nothing selected"].mean() < 0.75, "the answer stands nowhere else"
    assert found.verdict == ""


def test_the_classifier_reads_nothing_that_is_not_selected_and_no_neighbour_in_a_batch(
    small: Trainable, torch: Any
) -> None:
    examples = planted(Planting(2))
    short = replace(examples[1], input=replace(examples[1].input, segments=planted(Planting(3))[2].input.segments))
    rows = rows_of(small.cutter, [examples[0], short], LABELS)
    batch = training_batch(rows, small.cutter.tokenizer, "cpu")
    ids, real = batch.subwords.ids, batch.real
    mask = real & ~(batch.subwords.may_answer & (torch.arange(ids.shape[1]) % 3 == 0))
    embed = small.model.classifier["embeddings"]
    logits = small.model.classify(embed(ids), mask)
    others = torch.where(mask, ids, torch.full_like(ids, 7))
    assert torch.equal(small.model.classify(embed(others), mask), logits)
    alone = training_batch(rows[:1], small.cutter.tokenizer, "cpu")
    n = alone.subwords.ids.shape[1]
    of_alone = small.model.classify(embed(alone.subwords.ids), mask[:1, :n])
    assert torch.allclose(of_alone, logits[:1], atol=1e-6)


def test_the_score_function_gives_the_gradient_of_the_expected_cost(small: Trainable, torch: Any) -> None:
    """Over all masks of a text with three words, computed one by one."""
    example = planted(Planting(1))[0]
    segment = example.input.segments[0]
    few = replace(segment, tokens=segment.tokens[:3], spaces=(" ", " ", ""))
    example = replace(example, input=replace(example.input, segments=(few,)), sets=())
    rows = rows_of(small.cutter, [example], LABELS)
    batch, many = (training_batch(rows * n, small.cutter.tokenizer, "cpu") for n in (1, 100))
    options = RationaliserOptions(sparsity=0.3, contiguity=1.0, n_samples=40, rising=0)
    head = small.model.selector["head"].bias
    torch.manual_seed(0)
    _task, selector = rationaliser_loss(small, many, options, 1.0, None)  # its mean over 4,000 masks
    (estimated,) = torch.autograd.grad(selector, head)

    ids, real, may = batch.subwords.ids, batch.real, batch.subwords.may_answer
    probabilities = 0.05 + 0.9 * small.model.selection(ids, real).sigmoid()[0, may[0]]
    expected = torch.zeros(())
    for mask in product((0, 1), repeat=3):
        drawn = torch.zeros_like(may)
        drawn[0, may[0]] = torch.tensor(mask).bool()
        with torch.no_grad():
            logits = small.model.classify(small.model.classifier["embeddings"](ids), real & (~may | drawn))
            loss = torch.nn.functional.cross_entropy(logits, batch.targets)
        cost = float(loss) + 0.3 * (sum(mask) + abs(mask[1] - mask[0]) + abs(mask[2] - mask[1]))
        chosen = torch.tensor(mask).bool()
        expected = expected + cost * torch.where(chosen, probabilities, 1 - probabilities).prod()
    (exact,) = torch.autograd.grad(expected, head)
    assert float(estimated) == pytest.approx(float(exact), rel=0.1)


@pytest.mark.parametrize(
    ("bias", "weight", "verdict"), [(-9.0, 0.0, "empty"), (9.0, 0.0, "whole"), (0.01, 1e-4, "constant")]
)
def test_a_mask_that_tells_no_words_apart_is_named(
    bias: float, weight: float, verdict: str, small: Trainable, torch: Any
) -> None:
    head = small.model.selector["head"]
    with torch.no_grad():
        head.weight.mul_(weight)
        head.bias.fill_(bias)
    if verdict == "constant":
        head.weight.data[0, 0] += 0.01  # some words on either side of one half
        head.bias.data.fill_(0.0)
    rows = rows_of(small.cutter, planted(Planting(10)), LABELS)
    assert selected(small, rows, RationaliserOptions()).facts()["degenerate mask"] == verdict


def test_its_folder_answers_and_selects_alike_and_other_models_select_nothing(
    small: Trainable, folders: Any, tmp_path: Path
) -> None:
    small.save(tmp_path / "lei")
    predictor = load(str(tmp_path / "lei"))
    examples = planted(Planting(3))
    [row, *_rest] = rows_of(small.cutter, examples, LABELS)
    batch = training_batch([row], small.cutter.tokenizer, "cpu")
    logits = small.ask(batch.subwords).detach().softmax(dim=1)[0].tolist()
    assert predictor.probabilities([examples[0].input])[0].tolist() == pytest.approx(logits, abs=1e-6)
    given = {kind: explainer(predictor, "selection", {"rationale": kind}) for kind in ("soft", "hard")}
    soft, hard = (
        np.array(of.explain([examples[0].input], [""])[0].attributions[0].scores)
        for of in (given["soft"], given["hard"])
    )
    selection = small.model.selection(batch.subwords.ids, batch.real).sigmoid()[0, batch.subwords.may_answer[0]]
    assert soft.tolist() == pytest.approx(selection.tolist(), abs=1e-6)
    assert hard.tolist() == [float(score > 0.5) for score in soft]
    bert = load(str(folders["bert"]))
    with pytest.raises(ModelError, match="selects no rationale"):
        explainer(bert, "selection", {}).explain([examples[0].input], [""])


def test_what_it_learns_from_is_refused_where_it_cannot_be() -> None:
    assert PRESETS["eraser-released"].estimator == "released"
    with pytest.raises(InvalidValue, match="2 or more"):
        RationaliserOptions(n_samples=1)
    with pytest.raises(InvalidValue, match="sparsity is -1"):
        RationaliserOptions(sparsity=-1)
    with pytest.raises(InvalidValue, match="from scratch"):
        make(NewModel(LABELS, base="bert", architecture="lei"), [], seed=0)
