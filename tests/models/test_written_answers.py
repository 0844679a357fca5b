"""What models write, and what each piece of it came from: against torch called directly, and against a cue that was planted."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.attribution.base import Input
from annotator.attribution.loaders import LoadOptions, load_predictor
from annotator.attribution.methods import make_explainer
from annotator.attribution.transformers_prompts import Prompt
from annotator.attribution.transformers_sources import check_causal
from annotator.attribution.transformers_writers import Writer
from annotator.errors import InvalidValue, ModelError
from tests.models.conftest import one_text, reading
from tests.models.writing_models import CUES, decoder, encoder_with_decoder

TEXT = "the unbelievable plot was dull"
BARE = "{text}"


@pytest.fixture(scope="session")
def writers(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("writers")
    decoder(folder / "decoder")
    encoder_with_decoder(folder / "paired")
    return {name: folder / name for name in ("decoder", "paired")}


@pytest.fixture(scope="session")
def writer(writers: dict[str, Path]) -> Callable[..., Writer]:
    def load(name: str, template: str = BARE, longest: int = 5, **options: Any) -> Writer:
        given = LoadOptions(device="cpu", prompt=template, longest_answer=longest, **options)
        made = load_predictor(f"transformers-writing:{writers[name]}", given)
        assert isinstance(made, Writer)
        return made

    return load


def explained(model: Writer, method: str, text: str | Input = TEXT, **parameters: object):
    given = one_text(text) if isinstance(text, str) else text
    (one,) = make_explainer(model, method, parameters).explain([given], [""])
    return one.attributions[0]


def logits_by_hand(torch, model: Writer, ids: list[int], written: list[int]):
    """float[n_written, n_pieces]: of each piece of the answer the scores by which it is chosen."""
    bare = model.loaded.model
    if model.is_paired:
        return bare(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([[1, *written[:-1]]])).logits[0]
    return bare(torch.tensor([[*ids, *written[:-1]]])).logits[0, len(ids) - 1 :]


def pieces_by_hand(torch, model: Writer, text: str) -> tuple[list[int], list[int]]:
    """The pieces of a bare text, and those that follow by taking the likeliest one each time."""
    ids, written = model.loaded.tokenizer(text)["input_ids"], []
    for _ in range(model.longest):
        with torch.no_grad():
            written.append(int(logits_by_hand(torch, model, ids, [*written, 0])[-1].argmax()))
    return ids, written


@pytest.mark.parametrize("name", ["decoder", "paired"])
def test_the_answer_is_the_likeliest_piece_each_time_whatever_the_folder_asks_for(torch, writer, name):
    model = writer(name)
    ids, by_hand = pieces_by_hand(torch, model, TEXT)
    model.loaded.model.generation_config.do_sample = True
    model.loaded.model.generation_config.repetition_penalty = 100.0
    found = model.write(model.loaded.encoded(one_text(TEXT)))
    assert list(model.loaded.encoded(one_text(TEXT)).ids) == ids
    assert list(found) == by_hand[: len(found)]
    assert "".join(model.pieces_of(found)) == model.loaded.tokenizer.decode(
        found, skip_special_tokens=True, clean_up_tokenization_spaces=False
    ).rstrip("\ufffd")


@pytest.mark.parametrize("name", ["decoder", "paired"])
@pytest.mark.parametrize("output", ["logit", "probability"])
def test_gradient_x_input_of_each_piece_is_the_dot_product_by_hand(torch, writer, name, output):
    model = writer(name)
    ids, written = pieces_by_hand(torch, model, TEXT)
    bare = model.loaded.model
    found = explained(model, "gradient-x-input", output=output)
    for step, piece in enumerate(written):
        read, wrote = (
            bare.get_input_embeddings()(torch.tensor([of])).detach().requires_grad_() for of in (ids, written)
        )
        if model.is_paired:
            start = bare.get_input_embeddings()(torch.tensor([[1]]))
            given = torch.cat([start, wrote[:, :step]], dim=1)
            logits = bare(inputs_embeds=read, decoder_inputs_embeds=given).logits[0, -1]
        else:
            logits = bare(inputs_embeds=torch.cat([read, wrote[:, :step]], dim=1)).logits[0, -1]
        (logits.softmax(0) if output == "probability" else logits)[piece].backward()
        of_words = (read.grad * read).sum(2)[0].detach().numpy()
        assert sum(found.written.scores[step]) == pytest.approx(
            of_words[
                [place for place, side in enumerate(model.loaded.encoded(one_text(TEXT)).sides) if side == 0]
            ].sum(),
            abs=1e-5,
        )
        by_hand = np.zeros(0) if not step else (wrote.grad * wrote).sum(2)[0].detach().numpy()[:step]
        assert found.written.earlier[step] == pytest.approx(by_hand, abs=1e-5)


def test_shares_of_a_gradient_are_of_everything_that_was_read_and_written_before(torch, writer):
    model = writer("decoder", "Review: {text} So:")
    found = explained(model, "gradient-x-input")
    encoded = model.loaded.encoded(one_text(TEXT))
    written = model.write(encoded)
    read, wrote = (model.embedded(of).detach().requires_grad_() for of in (encoded.ids, written))
    model.scores(read, wrote)[0, 2, written[2]].backward()
    of_read, of_answer = ((of.grad * of).sum(2)[0].abs().detach().numpy() for of in (read, wrote))
    on_prompt = of_read[[side is None for side in encoded.sides]].sum()
    shares = dict(found.written.facts[2])
    assert shares["prompt_share"] == pytest.approx(on_prompt / (of_read.sum() + of_answer[:2].sum()), rel=1e-4)
    assert shares["earlier_share"] == pytest.approx(
        of_answer[:2].sum() / (of_read.sum() + of_answer[:2].sum()), rel=1e-4
    )


def test_integrated_gradients_of_a_piece_add_up_to_its_change_from_the_baseline(torch, writer):
    model = writer("decoder")
    found = explained(model, "integrated-gradients", steps=200)
    ids, written = pieces_by_hand(torch, model, TEXT)
    end = model.loaded.tokenizer.eos_token_id  # the baseline of a decoder without other pieces
    with torch.no_grad():
        after = logits_by_hand(torch, model, ids, written)
        before = logits_by_hand(torch, model, [end] * len(ids), [end] * len(written))
    changes = [float(after[step, piece] - before[step, piece]) for step, piece in enumerate(written)]
    sums = [sum(row) + sum(earlier) for row, earlier in zip(found.written.scores, found.written.earlier, strict=True)]
    assert max(map(abs, changes)) > 0.05
    assert sums == pytest.approx(changes, abs=0.01)
    assert dict(found.facts)["output_change"] == pytest.approx(np.mean(changes), abs=1e-3)
    assert found.convergence == pytest.approx(np.mean(sums) - np.mean(changes), abs=1e-4)


@pytest.mark.parametrize("name", ["decoder", "paired"])
def test_occlusion_asks_again_without_a_word_and_without_a_piece_that_was_written(torch, writer, name):
    model = writer(name)
    found = explained(model, "occlusion", removal="delete")
    ids, written = pieces_by_hand(torch, model, TEXT)
    shorter = model.loaded.tokenizer("the plot was dull")["input_ids"]
    with torch.no_grad():
        whole = logits_by_hand(torch, model, ids, written)
        without_word = logits_by_hand(torch, model, shorter, written)
        without_piece = logits_by_hand(torch, model, ids, [*written[:1], *written[2:]])
    for step, piece in enumerate(written):
        assert found.written.scores[step][1] == pytest.approx(
            float(whole[step, piece] - without_word[step, piece]), abs=1e-5
        )
        if step > 1:
            change = float(whole[step, piece] - without_piece[step - 1, piece])
            assert found.written.earlier[step][1] == pytest.approx(change, abs=1e-5)


@pytest.mark.parametrize("method", ["gradient-x-input", "integrated-gradients", "occlusion"])
def test_the_map_of_all_pieces_is_the_mean_of_theirs_and_belongs_to_no_label(writer, method):
    found = explained(
        writer("decoder", "{text}\nSo: {label}"), method, **({"steps": 3} if "integrated" in method else {})
    )
    assert found.scores == pytest.approx(np.mean(found.written.scores, axis=0))
    assert len(found.scores) == len(TEXT.split())
    assert [len(row) for row in found.written.earlier] == list(range(len(found.written.pieces)))
    assert found.label == ""


def test_magnitudes_have_no_sign_and_the_parameters_say_everything(writer):
    model = writer("decoder", "{text}\nSo:", 4)
    assert min(min(row) for row in explained(model, "gradient-x-input", magnitude="word").written.scores) >= 0
    method = make_explainer(model, "gradient-x-input", {"magnitude": "word"})
    assert not method.is_signed
    assert method.parameters == {
        "magnitude": "word", "output": "logit", "merge": "sum", "too_long": "refuse", "prompt": "{text}\nSo:", "longest": 4,
    }  # fmt: skip
    assert make_explainer(model, "occlusion", {}).parameters["removal"] == "delete"


def test_another_prompt_or_length_is_a_model_of_its_own(writer):
    usual = writer("decoder", LoadOptions().prompt, LoadOptions().longest_answer)
    others = [writer("decoder", "{text} So:", 20).name, writer("decoder", LoadOptions().prompt, 7).name]
    assert usual.name == "decoder writing"
    assert all(re.fullmatch(r"decoder writing [0-9a-f]{6}", name) for name in others)
    assert len(set(others)) == 2


def test_a_question_is_read_but_has_no_scores(writer):
    model = writer("decoder", "{text}\nSo:")
    found = explained(model, "gradient-x-input", reading("the plot", "was it dull ?"))
    assert len(found.scores) == 2


def test_a_text_that_is_too_long_is_refused_or_cut_before_its_prompt(writer):
    long = " ".join(["dull"] * 80)
    with pytest.raises(
        ModelError,
        match=r"sees 55 at most beside an answer of 5 pieces\. Shorten it, or say that too long texts are cut:",
    ):
        explained(writer("decoder"), "gradient-x-input", long)
    cut = explained(writer("decoder", "{text}\nSo:", too_long="cut"), "occlusion", long)
    assert np.isnan(cut.scores).any()
    assert not np.isnan(cut.scores[:5]).any()
    assert dict(cut.facts)["unseen_tokens"] == np.isnan(cut.scores).sum()


def test_a_model_that_ends_at_once_is_said_to_write_nothing(torch, tmp_path):
    ends = tmp_path / "ends"
    decoder(ends)
    likeliest = load_predictor(f"transformers-writing:{ends}", LoadOptions(device="cpu", prompt=BARE, longest_answer=1))
    (first,) = likeliest.write(likeliest.loaded.encoded(one_text(TEXT)))
    likeliest.loaded.model.generation_config.eos_token_id = first
    with pytest.raises(ModelError, match="writes nothing to 'the unbelievable plot was dull', so that") as caught:
        explained(likeliest, "gradient-x-input")
    assert caught.value.reason == "to which the model writes nothing"


def test_what_cannot_write_or_be_written_on_is_refused_with_what_can(folders, writers, writer):
    with pytest.raises(
        ModelError, match=r"'bert' was saved as BertForSequenceClassification, which writes no text\. Name a causal"
    ):
        load_predictor(f"transformers-writing:{folders['bert']}", LoadOptions())
    for template in ("no place", "{text} and {text}", "{label} {text}", "{text} {label}."):
        with pytest.raises(
            InvalidValue, match="cannot be written on: it holds {text} once, and {label} nowhere but at its end"
        ):
            writer("decoder", template)
    with pytest.raises(InvalidValue, match=r"sees 60 pieces, which leaves no room .* \(--longest-answer\)"):
        writer("decoder", longest=60)
    with pytest.raises(InvalidValue, match="at once, not in windows"):
        writer("decoder", too_long="windows")
    with pytest.raises(
        InvalidValue, match="Method attention cannot explain what a model writes. Choose one of gradient-x-input,"
    ):
        make_explainer(writer("decoder"), "attention", {})
    with pytest.raises(InvalidValue, match="no parameter samples"):
        make_explainer(writer("decoder"), "occlusion", {"samples": 3})
    with pytest.raises(ModelError, match="gives no label a probability"):
        writer("decoder").probabilities([one_text(TEXT)])


def test_the_model_is_told_that_no_piece_is_padding_when_it_is_seen_whether_it_looks_forward(torch, writer):
    loaded, given = writer("decoder").loaded, []
    hook = loaded.model.register_forward_pre_hook(lambda _, __, named: given.append(named), with_kwargs=True)
    check_causal(torch, loaded)
    hook.remove()
    (named,) = given
    assert named["attention_mask"].tolist() == [[1, 1, 1], [1, 1, 1]]


def test_a_prompt_ends_where_the_label_would_stand():
    assert Prompt.to_be_written_on("{text}\nLabel: {label}") == Prompt((), "", "\nLabel:", ())
    assert Prompt.to_be_written_on("Read {text}.") == Prompt((), "Read ", ".", ())


# A model that copies -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def copying(copier_folder: Path) -> Writer:
    given = LoadOptions(device="cpu", prompt="{text} :", longest_answer=3)
    made = load_predictor(f"transformers-writing:{copier_folder}", given)
    assert isinstance(made, Writer)
    return made


@pytest.mark.parametrize("method", ["gradient-x-input", "integrated-gradients", "occlusion"])
def test_of_a_model_that_copies_a_cue_the_map_finds_the_cue(copying, method):
    texts = ["film plot dull year film music", "great film film plot people year", "plot plot script people music week"]
    for text in texts:
        # through layer normalisation ⟨gradient, input⟩ is about 0 with either sign: its size finds the cue
        found = explained(copying, method, text, **({"magnitude": "word"} if "gradient-x" in method else {}))
        cue = next(word for word in text.split() if word in CUES)
        assert found.written.text == cue
        assert len(found.written.pieces) == 1  # then it ends
        assert int(np.argmax(found.scores)) == text.split().index(cue)


@pytest.mark.parametrize("name", ["decoder", "paired"])
@pytest.mark.parametrize("output", ["logit", "probability"])
def test_occlusion_in_batches_has_the_scores_of_one_question_at_a_time_and_asks_less_often(writer, name, output):
    alone, together = writer(name), writer(name)
    counts = {1: 0, 16: 0}
    for model, size in ((alone, 1), (together, 16)):
        model.loaded = replace(model.loaded, batch_size=size)
        model.loaded.model.register_forward_pre_hook(lambda *_, size=size: counts.update({size: counts[size] + 1}))
    one, several = (explained(model, "occlusion", output=output) for model in (alone, together))
    assert several.written.pieces == one.written.pieces
    np.testing.assert_allclose(several.written.scores, one.written.scores, rtol=1e-4, atol=1e-6)
    for ours, theirs in zip(several.written.earlier, one.written.earlier, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)
    assert counts[16] < counts[1]


def test_a_decoder_that_keeps_what_it_read_writes_the_pieces_of_one_that_reads_all_each_time(torch, writer):
    """The second has a forward that takes no kept keys and values."""
    model = writer("decoder", longest=12)
    encoded, lengths = model.loaded.encoded(one_text(TEXT)), []
    model.loaded.model.transformer.register_forward_pre_hook(
        lambda _, __, given: lengths.append(given["inputs_embeds"].shape[1]), with_kwargs=True
    )
    kept = model.write(encoded)
    assert set(lengths[1:]) == {1}
    whole = model.loaded.model.forward
    model.loaded.model.forward = lambda inputs_embeds, attention_mask, use_cache: whole(
        inputs_embeds=inputs_embeds, attention_mask=attention_mask, use_cache=use_cache
    )
    lengths.clear()
    assert model.write(encoded) == kept
    assert lengths == [*range(len(encoded.ids), len(encoded.ids) + len(lengths))]
