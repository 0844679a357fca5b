"""Attributions with a graph: they are the stored methods' scores, their losses have right gradients, and what has none is refused."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.attribution.architectures.rationaliser import add_extractor
from annotator.attribution.transformers_models import explainer, load
from annotator.attribution.transformers_networks import Network
from annotator.attribution.transformers_subwords import merged
from annotator.errors import InvalidValue, ModelError
from annotator.training.alignment import AlignmentBatch, AlignmentOptions, Criterion, Extractor, align
from annotator.training.examples import Example, rows_of, training_batch
from annotator.training.loop import FittingOptions, attributed, fit
from annotator.training.trainable_models import NewModel, Trainable, make
from annotator.usecases.training.architectures import check_alignment
from tests.models.conftest import one_text
from tests.training.planted import LABELS, Planting, all_words, planted

TEXTS = ("the film was great and the plot was not dull", "a dull plot")
SHAPE = {
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 32,
}
METHODS: tuple[Extractor, ...] = ("gradient-x-input", "attention", "integrated-gradients", "extractor")


def trainable_of(predictor: Any) -> Trainable:
    loaded = predictor.loaded
    network = Network(loaded.model, loaded.cutter.limit, "text", filling=loaded.tokenizer.pad_token_id or 0)
    return Trainable(loaded.name, predictor.labels, "softmax", network, loaded.cutter, "cpu")


def batch_of_texts(trainable: Trainable, texts: Sequence[str] = TEXTS) -> Any:
    examples = [
        Example(n, f"t{n}", one_text(text), trainable.labels[1], (frozenset({1, 2}),)) for n, text in enumerate(texts)
    ]
    return training_batch(rows_of(trainable.cutter, examples, trainable.labels), trainable.cutter.tokenizer, "cpu")


def scores_of(predictor: Any, method: str, text: str, **parameters: object) -> list[float]:
    """A stored method's scores of the words, of the second label."""
    explained = explainer(predictor, method, parameters).explain([one_text(text)], [predictor.labels[1]])
    return list(explained[0].attributions[0].scores)


def by_word(predictor: Any, text: str, scores: Sequence[float]) -> list[float]:
    """Subwords' scores added up by the words that they touch."""
    encoded = predictor.loaded.encoded(one_text(text))
    return list(merged(encoded, list(scores), "sum").scores)


@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_integrated_gradients_are_those_of_the_method_with_as_many_steps_in_a_batch_too(
    name: str, loaded: Callable[..., Any]
) -> None:
    predictor = loaded(name)
    trainable = trainable_of(predictor)
    _, scores = attributed(
        trainable, batch_of_texts(trainable), AlignmentOptions("mae", by="integrated-gradients", steps=6)
    )
    for row, text in zip(scores.tolist(), TEXTS, strict=True):
        n = len(predictor.loaded.encoded(one_text(text)).ids)
        stored = scores_of(predictor, "integrated-gradients", text, steps=6)
        assert by_word(predictor, text, row[:n]) == pytest.approx(stored, abs=1e-4)


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2-eos"])
def test_attention_is_that_of_the_method_less_its_mean_over_the_subwords_of_the_text(
    name: str, loaded: Callable[..., Any]
) -> None:
    predictor = loaded(name)
    trainable = trainable_of(predictor)
    texts = TEXTS[:1] if name == "gpt2-eos" else TEXTS  # it has nothing to fill up with
    _, scores = attributed(trainable, batch_of_texts(trainable, texts), AlignmentOptions("mae", by="attention"))
    for row, text in zip(scores.tolist(), texts, strict=True):
        encoded = predictor.loaded.encoded(one_text(text))
        centred = np.array(row[: len(encoded.ids)])
        is_word = np.array(encoded.may_answer)
        assert centred[is_word].mean() == pytest.approx(0, abs=1e-6)
        stored = scores_of(predictor, "attention", text)
        n_of_words = by_word(predictor, text, [1.0] * len(encoded.ids))
        even = (np.array(stored) - by_word(predictor, text, centred.tolist())) / n_of_words
        assert even == pytest.approx(even[0], abs=1e-6)  # the same is missing of each subword
        assert even[0] > 0


@pytest.mark.parametrize("criterion", ["mae", "bce", "order"])
@pytest.mark.parametrize("by", METHODS)
@pytest.mark.parametrize("name", ["bert", "gpt2-eos"])
def test_the_gradient_of_a_loss_of_each_method_agrees_with_finite_differences(
    torch: Any, folders: Any, name: str, by: Extractor, criterion: Criterion
) -> None:
    predictor: Any = load(str(folders[name]), device="cpu")  # of our own: its weights are changed
    model = predictor.loaded.model.double()
    if by == "extractor":
        add_extractor(model)
        with torch.no_grad():
            model.extractor.weight.normal_(generator=torch.Generator().manual_seed(5))
    trainable = trainable_of(predictor)
    batch = batch_of_texts(trainable, TEXTS[:1])
    options = AlignmentOptions(criterion, scale=10.0, by=by)
    weights = next(p for n, p in model.named_parameters() if n.endswith(("query.weight", "c_attn.weight")))
    weights.requires_grad_()

    def loss() -> Any:
        _, scores = attributed(trainable, batch, options)
        return align(
            AlignmentBatch(scores, batch.gold, batch.is_set, batch.subwords.may_answer, batch.real), options
        ).loss

    (gradient,) = torch.autograd.grad(loss(), weights)
    direction = torch.randn(weights.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    losses = []
    for step in (1e-5, -2e-5):
        with torch.no_grad():
            weights += step * direction
        losses.append(float(loss().detach()))
    assert bool(gradient.any())
    assert float((gradient * direction).sum()) == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-3, abs=1e-7)


@pytest.mark.usefixtures("torch")
def test_an_extractor_learns_the_rationales_and_its_folder_gives_them_by_the_method_selection(tmp_path: Path) -> None:
    trainable = make(NewModel(LABELS, shape=SHAPE, n_subwords=2_000, device="cpu"), all_words() * 3, 0)
    given = planted(Planting(1_000))
    options = FittingOptions(
        epochs=8, learning_rate=3e-3, batch_size=32, alignment=AlignmentOptions("mse", by="extractor", over="mean")
    )
    fit(trainable, rows_of(trainable.cutter, given, LABELS), [], options)
    trainable.save(tmp_path / "saved")
    saved: Any = load(str(tmp_path / "saved"), device="cpu")
    unseen = planted(Planting(50, seed=9))
    found = explainer(saved, "selection", {}).explain([e.input for e in unseen], [e.label for e in unseen])
    marked = [frozenset(np.flatnonzero(np.array(of.attributions[0].scores) > 0.5).tolist()) for of in found]
    assert sum(tokens == next(iter(e.sets)) for tokens, e in zip(marked, unseen, strict=True)) >= 45


def test_another_models_selection_is_refused_with_what_gives_one(loaded: Callable[..., Any]) -> None:
    with pytest.raises(
        ModelError, match="selects no rationale. Use a rationaliser or pipeline, or align by an extractor"
    ):
        explainer(loaded("bert"), "selection", {}).explain([one_text(TEXTS[0])], ["positive"])


def test_a_model_without_attention_cannot_be_aligned_by_it(loaded: Callable[..., Any]) -> None:
    trainable = trainable_of(loaded("bert"))
    silent: Any = Network(_Silent(trainable.model), None)
    without = Trainable("silent", trainable.labels, "softmax", silent, trainable.cutter, "cpu")
    with pytest.raises(ModelError, match="'silent' has no attention to read"):
        attributed(without, batch_of_texts(trainable), AlignmentOptions("mae", by="attention"))


class _Silent:
    """A network that answers, and says nothing of its attention."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __call__(self, *given: Any, **options: Any) -> Any:
        outputs = self.model(*given, **options)
        outputs.attentions = None
        return outputs


def test_a_target_is_read_in_windows_so_that_attention_and_an_extractor_are_refused() -> None:
    fitting = FittingOptions(alignment=AlignmentOptions("mae", by="attention"))
    with pytest.raises(InvalidValue, match="--architecture tokens can't be aligned by attention"):
        check_alignment(NewModel(LABELS, architecture="tokens"), fitting)
    check_alignment(NewModel(LABELS, architecture="tokens"), FittingOptions(alignment=AlignmentOptions("mae")))


def test_options_that_say_nothing_of_a_method_are_refused() -> None:
    with pytest.raises(InvalidValue, match="Unknown method 'lime'. Available: gradient-x-input, attention"):
        AlignmentOptions("mae", by="lime")  # type: ignore[arg-type]
    with pytest.raises(InvalidValue, match="--no-graph is for gradients"):
        AlignmentOptions("mae", by="attention", has_graph=False)
    with pytest.raises(InvalidValue, match="Alignment steps is 0"):
        AlignmentOptions("mae", by="integrated-gradients", steps=0)


def test_the_plan_of_a_training_from_before_there_were_other_methods_stays_the_same() -> None:
    assert AlignmentOptions("mae").as_plan().keys().isdisjoint({"by", "steps"})
    assert AlignmentOptions("mae", by="attention").as_plan()["by"] == "attention"
