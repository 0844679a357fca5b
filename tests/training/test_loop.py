"""Training on texts whose label is decided by planted words, and what can go wrong in it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.attribution.methods import make_explainer
from annotator.attribution.transformers_models import explainer, load
from annotator.attribution.transformers_subwords import Encoded
from annotator.errors import InvalidValue, ModelError
from annotator.training import loop
from annotator.training.alignment import AlignmentOptions
from annotator.training.examples import (
    Example,
    Row,
    TrainingBatch,
    drawn_batches,
    rows_of,
    tokens_of_subwords,
    training_batch,
)
from annotator.training.loop import Checkpoint, Fitted, FittingOptions, answered, fit
from annotator.training.trainable_models import NewModel, Output, Trainable, make
from tests.models.conftest import one_text, pair
from tests.training.planted import LABELS, Planting, all_words, planted, without_sets

SMALL = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 128,
    "max_position_embeddings": 32,
}
FLAT = {**SMALL, "num_hidden_layers": 1, "intermediate_size": 64}
TINY = {**SMALL, "hidden_size": 16, "num_hidden_layers": 1, "intermediate_size": 16}
OPTIONS = FittingOptions(epochs=15, learning_rate=1e-3, batch_size=32)


def new(*, output: Output = "softmax", shape: dict[str, object] = SMALL, seed: int = 0) -> Trainable:
    return make(NewModel(LABELS, output=output, shape=shape, n_subwords=2_000, device="cpu"), all_words() * 3, seed)


def rows(trainable: Trainable, planting: Planting) -> list[Row]:
    return rows_of(trainable.cutter, planted(planting), LABELS)


def accuracy(trainable: Trainable, given: list[Row]) -> float:
    return float(np.mean(answered(trainable, given).argmax(axis=1) == [row.target for row in given]))


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("output", ["softmax", "sigmoid"])
def test_a_classifier_from_scratch_learns_planted_words_and_its_folder_answers_alike(
    output: Output, tmp_path: Path
) -> None:
    trainable = new(output=output, shape=FLAT)
    unseen = planted(Planting(200, seed=9, n_words=10))
    fit(
        trainable, rows(trainable, Planting(300, n_words=10)), [],
        replace(OPTIONS, epochs=4, learning_rate=2e-3, batch_size=16),
    )  # fmt: skip
    given = rows_of(trainable.cutter, unseen, LABELS)
    assert accuracy(trainable, given) > 0.95
    trainable.save(tmp_path / "saved")
    saved: Any = load(str(tmp_path / "saved"), device="cpu")
    assert saved.labels == LABELS
    inputs = [example.input for example in unseen]
    assert saved.logits(inputs) == pytest.approx(answered(trainable, given), abs=1e-4)
    found = explainer(saved, "gradient-x-input", {}).explain(inputs[:20], [e.label for e in unseen[:20]])
    top = [int(np.argmax(of.attributions[0].scores)) for of in found]
    assert sum(place in next(iter(e.sets)) for place, e in zip(top, unseen, strict=False)) >= 10, "at random 2.5"


@pytest.mark.usefixtures("torch")
def test_a_classifier_trained_in_windows_learns_texts_longer_than_it_takes_and_its_folder_answers_alike(
    tmp_path: Path,
) -> None:
    trainable = make(
        NewModel(LABELS, shape={**TINY, "hidden_size": 64, "max_position_embeddings": 10}, n_subwords=2_000,
                 too_long="windows"),
        all_words() * 3,
        0,
    )  # fmt: skip
    assert min(len(row.encoded.ids) for row in rows(trainable, Planting(20))) > (trainable.cutter.limit or 0) == 10
    options = replace(OPTIONS, epochs=4, learning_rate=3e-3, batch_size=16)
    fit(trainable, rows(trainable, Planting(300, n_words=6)), [], options)
    unseen = planted(Planting(200, seed=9, n_words=6))
    given = rows_of(trainable.cutter, unseen, LABELS)
    assert accuracy(trainable, given) > 0.9
    trainable.save(tmp_path / "saved")
    saved: Any = load(str(tmp_path / "saved"), device="cpu")
    assert saved.logits([example.input for example in unseen]) == pytest.approx(answered(trainable, given), abs=1e-4)


@pytest.fixture(scope="module")
def decoder(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Trainable, Path]:
    """A decoder that learned the planted words, and its folder."""
    shape = {"n_embd": 64, "n_layer": 2, "n_head": 2, "n_positions": 48}
    trainable = make(
        NewModel(LABELS, architecture="decoder", shape=shape, n_subwords=1_000), [" ".join(all_words())] * 3, 0
    )
    options = replace(OPTIONS, epochs=3, learning_rate=3e-3, batch_size=16)
    fit(trainable, rows(trainable, Planting(300, n_words=10)), [], options)
    folder = tmp_path_factory.mktemp("decoder") / "saved"
    trainable.save(folder)
    return trainable, folder


def test_a_decoder_from_scratch_learns_reads_the_last_real_subword_and_its_folder_answers_alike(
    decoder: tuple[Trainable, Path],
) -> None:
    trainable, folder = decoder
    unseen = planted(Planting(200, seed=9, n_words=10))
    given = rows_of(trainable.cutter, unseen, LABELS)
    assert accuracy(trainable, given) > 0.95
    alone = [answered(trainable, [row])[0] for row in given[:5]]  # filled up beside nothing
    assert answered(trainable, [*given[:5], *rows_of(trainable.cutter, [longer()], LABELS)])[:5] == pytest.approx(
        np.array(alone), abs=1e-4
    )
    saved: Any = load(str(folder), device="cpu")
    inputs = [example.input for example in unseen]
    assert saved.logits(inputs) == pytest.approx(answered(trainable, given), abs=1e-4)
    assert explainer(saved, "attention", {}).parameters["from"] == "last"


def test_attnlrp_ranks_planted_words_first_and_more_often_than_other_methods(decoder: tuple[Trainable, Path]) -> None:
    saved = load(str(decoder[1]), device="cpu")
    unseen = planted(Planting(20, seed=9, n_words=10))

    def share_found(method: str) -> float:
        found = make_explainer(saved, method, {}).explain([e.input for e in unseen], [e.label for e in unseen])
        top = [set(np.argsort(of.attributions[0].scores)[-2:]) for of in found]
        return float(np.mean([len(words & set(e.sets[0])) / 2 for words, e in zip(top, unseen, strict=True)]))

    found = {method: share_found(method) for method in ("attnlrp", "integrated-gradients", "occlusion", "random")}
    assert found["attnlrp"] > 0.95
    assert found["attnlrp"] > found["integrated-gradients"] > found["random"]
    assert found["attnlrp"] > found["occlusion"] > found["random"]


def longer() -> Example:
    """A text beside which the others are filled up."""
    (example,) = planted(Planting(1))
    return replace(
        example, input=one_text(" ".join([*example.input.segments[0].tokens, "word1", "word2", "word3"])), sets=()
    )


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize(("name", "output"), [("bert", "softmax"), ("roberta", "sigmoid"), ("gpt2", "softmax")])
def test_what_was_trained_from_a_base_is_loaded_as_it_was_trained(
    folders: Any, tmp_path: Path, name: str, output: Output
) -> None:
    trainable = make(NewModel(LABELS, base=str(folders[name]), output=output, too_long="windows"), [], 0)
    trainable.save(tmp_path / "saved")
    saved: Any = load(str(tmp_path / "saved"), device="cpu")
    assert (saved.labels, saved.loaded.reads) == (LABELS, "words")
    examples = [replace(e, input=one_text("the dull plot was great " * 12), sets=()) for e in planted(Planting(2))]
    given = rows_of(trainable.cutter, examples, LABELS)
    assert max(len(row.encoded.ids) for row in given) > (trainable.cutter.limit or 0)
    assert saved.logits([e.input for e in examples]) == pytest.approx(answered(trainable, given), abs=1e-4)


@pytest.mark.usefixtures("torch")
def test_a_base_without_a_subword_to_fill_up_with_gets_one_that_is_not_its_end_of_text(folders: Any) -> None:
    for name in ("gpt2", "gpt2-eos", "llama"):
        trainable = make(NewModel(LABELS, base=str(folders[name])), [], 0)
        tokenizer = trainable.cutter.tokenizer
        assert tokenizer.pad_token_id not in {None, tokenizer.eos_token_id}
        assert trainable.model.config.pad_token_id == tokenizer.pad_token_id
        assert trainable.model.get_input_embeddings().num_embeddings > tokenizer.pad_token_id
    with pytest.raises(InvalidValue, match=r"trains from scratch\. Remove it or the base\."):
        make(NewModel(LABELS, base=str(folders["gpt2"]), architecture="decoder"), [], 0)


@pytest.mark.usefixtures("torch")
def test_alignment_brings_a_model_to_the_words_that_decide_where_a_spurious_word_seemed_to() -> None:
    """Judged by answers where the spurious word follows nothing, never by the attribution that was trained."""
    found = {}
    shape = {**FLAT, "hidden_size": 32, "intermediate_size": 32}
    for alignment in (None, AlignmentOptions("bce")):
        trainable = new(shape=shape)
        options = replace(OPTIONS, epochs=8, learning_rate=5e-3, alignment=alignment)
        fit(trainable, rows(trainable, Planting(200, follows=0.98)), [], options)
        found[alignment is not None] = [
            accuracy(trainable, rows(trainable, Planting(300, follows=follows, seed=99))) for follows in (0.98, 0.5)
        ]
    assert min(found[True]) > 0.95
    assert found[False][0] > 0.95
    assert found[False][1] < 0.9


@pytest.mark.usefixtures("torch")
def test_a_training_that_was_stopped_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    options = replace(OPTIONS, epochs=4, alignment=AlignmentOptions("mae"))
    whole = new(shape=TINY)
    at_once = fit(whole, rows(whole, Planting(64)), rows(whole, Planting(32, seed=1)), options)

    class Killed(Exception):
        pass

    def kill(done: int, of: int) -> None:
        if done > of / 2:
            raise Killed

    checkpoint = Checkpoint(tmp_path / "checkpoint.pt", "plan")
    first = new(shape=TINY)
    with pytest.raises(Killed):
        fit(
            first, rows(first, Planting(64)), rows(first, Planting(32, seed=1)), options,
            checkpoint=checkpoint, progress=kill,
        )  # fmt: skip
    second = new(shape=TINY, seed=5)  # whatever its weights were
    went_on = fit(
        second, rows(second, Planting(64)), rows(second, Planting(32, seed=1)), options, checkpoint=checkpoint
    )
    assert without_seconds(went_on) == without_seconds(at_once)
    for name, weights in whole.state().items():
        assert bool((second.state()[name] == weights).all()), name


def without_seconds(fitted: Fitted) -> Fitted:
    return replace(fitted, epochs=tuple(replace(epoch, seconds=0) for epoch in fitted.epochs))


@pytest.mark.usefixtures("torch")
def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    trainable = new(shape=TINY)
    given = rows(trainable, Planting(8))
    fit(trainable, given, [], replace(OPTIONS, epochs=1), checkpoint=Checkpoint(tmp_path / "c.pt", "one"))
    with pytest.raises(InvalidValue, match=r"other texts or settings .* begin it again \(--again\)"):
        fit(trainable, given, [], replace(OPTIONS, epochs=1), checkpoint=Checkpoint(tmp_path / "c.pt", "other"))


@pytest.mark.usefixtures("torch")
def test_it_stops_when_the_validation_loss_has_not_fallen_and_has_the_weights_of_the_best_epoch() -> None:
    trainable = new(shape=TINY)
    train = rows(trainable, Planting(64))
    contrary = [replace(row, target=1 - row.target) for row in train]  # what is learned is always worse there
    fitted = fit(trainable, train, contrary, replace(OPTIONS, epochs=20, patience=2))
    losses = [epoch.validation_loss for epoch in fitted.epochs]
    assert len(losses) < 20
    assert fitted.best == int(np.argmin(losses)) == len(losses) - 3
    logits = answered(trainable, contrary)
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    loss = -np.log(shares[np.arange(len(contrary)), [row.target for row in contrary]]).mean()
    assert loss == pytest.approx(losses[fitted.best], abs=1e-5)


@pytest.mark.usefixtures("torch")
def test_a_loss_that_is_no_number_stops_with_the_step_and_its_instances() -> None:
    trainable = new(shape=TINY)
    with pytest.raises(ModelError, match=r"step \d+ of epoch \d+ the loss is no number any more \(instances text"):
        fit(
            trainable, rows(trainable, Planting(64)), [],
            replace(OPTIONS, learning_rate=0.99, most_gradient=1e30, weight_decay=0, batch_size=4,
                    alignment=AlignmentOptions("mse", scale=1e30, strength=1e38)),
        )  # fmt: skip


@pytest.mark.usefixtures("torch")
def test_where_labels_are_balanced_a_rare_label_counts_as_much_as_a_common_one() -> None:
    options = replace(OPTIONS, epochs=4, learning_rate=3e-3, batch_size=8)
    recalls = {}
    for balances in (False, True):
        trainable = new(shape=TINY)
        drawn = rows(trainable, Planting(400))
        common = [row for row in drawn if row.target == 0]
        fit(
            trainable,
            common + [row for row in drawn if row.target == 1][:8],
            [],
            replace(options, balances_labels=balances),
        )
        rare = [row for row in rows(trainable, Planting(200, seed=3)) if row.target == 1]
        recalls[balances] = float(np.mean(answered(trainable, rare)[:, 1] - answered(trainable, rare)[:, 0]))
    assert recalls[True] > recalls[False]


@pytest.mark.usefixtures("torch")
def test_texts_without_rationales_are_learned_from_without_an_alignment_loss() -> None:
    trainable = new(shape=TINY)
    given = rows_of(trainable.cutter, without_sets(planted(Planting(32))), LABELS)
    fitted = fit(trainable, given, [], replace(OPTIONS, epochs=1, alignment=AlignmentOptions("mae")))
    assert fitted.epochs[0].alignment_loss is None
    assert fitted.epochs[0].task_loss > 0


@pytest.mark.parametrize(
    ("labels", "output", "message"),
    [
        (("a",), "softmax", "Training needs at least two labels."),
        (("a", "b", "c"), "sigmoid", "One sigmoid output can't separate"),
    ],
)
def test_labels_that_do_not_fit_the_output_are_refused(labels: tuple[str, ...], output: Output, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        make(NewModel(labels, output=output), [], 0)


def uneven_rows(trainable: Trainable) -> list[Row]:
    """Texts of 6 to 16 words, a third of which have no rationale, and one whose rationale is all of it."""
    examples = []
    for number, example in enumerate(planted(Planting(24))):
        kept = example.input.segments[0].tokens[: 6 + number % 11]
        sets = tuple(frozenset(token for token in of if token < len(kept)) for of in example.sets)
        whole = (frozenset(range(len(kept))),) if number == 1 else tuple(of for of in sets if of)
        examples.append(replace(example, input=one_text(" ".join(kept)), sets=() if number % 3 == 0 else whole))
    return rows_of(trainable.cutter, examples, LABELS)


def counted_batches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows are put into memory together from now on, each time."""
    sizes: list[int] = []

    def counted_batch(rows: Sequence[Row], tokenizer: Any, device: str) -> TrainingBatch:
        sizes.append(len(rows))
        return training_batch(rows, tokenizer, device)

    monkeypatch.setattr(loop, "training_batch", counted_batch)
    return sizes


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("criterion", ["mae", "order"])
@pytest.mark.parametrize("task_loss_on", ["all", "without rationales"])
def test_a_batch_that_is_learned_from_in_parts_comes_to_the_same_weights_as_a_whole_one(
    monkeypatch: pytest.MonkeyPatch, criterion: Any, task_loss_on: Any
) -> None:
    options = FittingOptions(
        epochs=2, learning_rate=1e-3, batch_size=12, balances_labels=True, task_loss_on=task_loss_on,
        alignment=AlignmentOptions(criterion, scale=10),
    )  # fmt: skip
    states, results, sizes = [], [], []
    for most_pairs in (10**9, 300):
        monkeypatch.setattr(loop, "_MOST_PAIRS", most_pairs)
        n_together = counted_batches(monkeypatch)
        trainable = new(shape={**TINY, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0})
        results.append(fit(trainable, uneven_rows(trainable), [], options).epochs)
        states.append(trainable.state())
        sizes.append(max(n_together))
    assert sizes[0] == 12 > sizes[1]
    for name, weights in states[0].items():
        assert states[1][name].numpy() == pytest.approx(weights.numpy(), abs=2e-5), name
    for whole, parts in zip(*results, strict=True):
        assert (parts.task_loss, parts.alignment_loss) == pytest.approx(
            (whole.task_loss, whole.alignment_loss), abs=1e-4
        )
        assert parts.n_undefined == whole.n_undefined


@pytest.mark.usefixtures("torch")
def test_the_released_form_is_of_a_whole_batch_however_long_its_texts_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "_MOST_PAIRS", 1)
    n_together = counted_batches(monkeypatch)
    trainable = new(shape=TINY)
    options = FittingOptions(epochs=1, batch_size=12, alignment=AlignmentOptions("mse", form="released"))
    fit(trainable, uneven_rows(trainable), [], options)
    assert n_together == [12, 12]


# Which examples go together: the share with rationales, one pass over the others, the same from the same seed.


def row(number: int, *, has_sets: bool) -> Row:
    encoded = Encoded((number,), None, (0,), ((0, 1),), (), ("",), {}, None, 1, is_cut=False)
    return Row(str(number), encoded, 0, np.zeros((int(has_sets), 1), dtype=np.bool_))


def test_a_third_of_each_batch_has_rationales_and_an_epoch_is_one_pass_over_those_without() -> None:
    rows = [row(number, has_sets=number < 10) for number in range(50)]
    batches = drawn_batches(rows, 12, 3, seed=0, epoch=0)
    assert [sum(number < 10 for number in batch) for batch in batches] == [4] * len(batches)
    assert sorted(number for batch in batches for number in batch if number >= 10) == list(range(10, 50))
    used = [number for batch in batches for number in batch if number < 10]
    assert set(used) == set(range(10))  # five batches of four: each of the ten twice
    assert max(used.count(number) for number in range(10)) == 2


@pytest.mark.parametrize(("n_with", "one_in"), [(0, 3), (9, 3), (24, 3), (25, 3), (2, None), (24, None)])
def test_where_none_or_more_than_the_share_have_rationales_an_epoch_is_one_pass_over_all(
    n_with: int, one_in: int | None
) -> None:
    batches = drawn_batches([row(n, has_sets=n < n_with) for n in range(25)], 10, one_in, seed=1, epoch=2)
    assert [len(batch) for batch in batches] == [10, 10, 5]
    assert sorted(number for batch in batches for number in batch) == list(range(25))


def test_the_batches_of_an_epoch_follow_from_the_seed_and_differ_between_epochs() -> None:
    rows = [row(number, has_sets=number % 5 == 0) for number in range(30)]
    assert drawn_batches(rows, 8, 3, seed=4, epoch=1) == drawn_batches(rows, 8, 3, seed=4, epoch=1)
    assert drawn_batches(rows, 8, 3, seed=4, epoch=1) != drawn_batches(rows, 8, 3, seed=4, epoch=2)


@pytest.mark.parametrize("name", ["bert", "roberta", "unigram", "gpt2"])
def test_a_subword_belongs_to_the_tokens_that_it_touches(name: str, loaded: Callable[..., Any]) -> None:
    predictor = loaded(name)
    encoded = predictor.loaded.encoded(pair("the unbelievable film", "a dull plot"))
    by_token: dict[int, str] = {}
    for subword, (first, end) in zip(encoded.subwords, tokens_of_subwords(encoded), strict=True):
        assert first == end or not subword.is_special
        for token in range(first, end):
            text = encoded.bodies[subword.segment].text
            by_token[token] = by_token.get(token, "") + text[subword.start : subword.end].strip()
    assert by_token == dict(enumerate(["the", "unbelievable", "film", "a", "dull", "plot"]))


def test_a_text_alone_is_numbered_from_zero(loaded: Callable[..., Any]) -> None:
    encoded = loaded("bert").loaded.encoded(one_text("the film"))
    assert {t for first, end in tokens_of_subwords(encoded) for t in range(first, end)} == {0, 1}
