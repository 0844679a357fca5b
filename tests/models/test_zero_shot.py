"""Causal models as classifiers: how probable each label's words are after the text in its prompt."""

from dataclasses import replace

import numpy as np
import pytest

from annotator.attribution.loaders import LoadOptions, load_predictor
from annotator.attribution.methods import make_explainer
from annotator.attribution.transformers_models import explainer
from annotator.attribution.transformers_prompts import Prompt
from annotator.errors import InvalidValue, ModelError
from tests.models.conftest import one_text, pair, reading
from tests.models.tiny_models import byte_level_tokenizer, save, small, wordpiece_tokenizer

LABELS = ("great", "dull", "rather odd")  # "rather odd" is several subwords
TEXTS = ["the film was not great", "a plot", "the worst film of the year, and the people wrote the script in a week"]
LONG = " ".join(["the film was great and the plot was not dull"] * 9)


def shape(n_positions=64):
    given = small(n_positions=n_positions)
    for name in ("max_position_embeddings", "intermediate_size", "id2label", "label2id"):
        del given[name]
    return given


@pytest.fixture(scope="module")
def lm_folders(torch, tmp_path_factory):
    """Decoders with a language model's head: one without a subword of its own, one whose tokenizer ends every text."""
    from tokenizers import processors
    from transformers import BertConfig, GPT2Config

    folder = tmp_path_factory.mktemp("language-models")
    plain = byte_level_tokenizer(specials=["<|endoftext|>"], post=processors.ByteLevel(trim_offsets=False), roles={})
    config = GPT2Config(vocab_size=len(plain), bos_token_id=0, eos_token_id=0, pad_token_id=None, **shape())
    save("GPT2LMHeadModel", config, plain, folder / "plain")
    ending = byte_level_tokenizer()  # <s> text </s>
    ending.padding_side = "left"
    config = GPT2Config(vocab_size=len(ending), bos_token_id=0, eos_token_id=2, pad_token_id=1, **shape())
    save("GPT2LMHeadModel", config, ending, folder / "ending")
    both_ways = wordpiece_tokenizer()
    config = BertConfig(vocab_size=len(both_ways), pad_token_id=0, **small())
    save("BertLMHeadModel", config, both_ways, folder / "both-ways")
    return folder


def zero_shot(folder, **options):
    given = {"device": "cpu", "labels": LABELS, **options}
    return load_predictor(f"transformers-zero-shot:{folder}", LoadOptions(**given))


@pytest.fixture(scope="module")
def model(lm_folders):
    return zero_shot(lm_folders / "plain")


def by_hand(torch, model, text, word, start=()):
    """Σ log p of the word's subwords after the text and the prompt, subword by subword."""
    tokenizer = model.loaded.tokenizer

    def subwords(of):
        return tokenizer(of, add_special_tokens=False)["input_ids"]

    before = subwords(f"{text}\nLabel:")
    whole = subwords(f"{text}\nLabel: {word}")
    assert whole[: len(before)] == before
    with torch.no_grad():
        logits = model.loaded.model(torch.tensor([[*start, *whole]])).logits[0].log_softmax(dim=1)
    first = len(start) + len(before)
    return sum(float(logits[place - 1, [*start, *whole][place]]) for place in range(first, len(start) + len(whole)))


# Answers -------------------------------------------------------------------------------------------------------------


def test_a_labels_logit_is_the_log_probability_of_its_words_after_text_and_prompt_whatever_stands_beside(torch, model):
    assert [len(subwords) for subwords in model.loaded.label_subwords][:2] == [1, 1]
    assert len(model.loaded.label_subwords[2]) > 1
    found = model.logits([one_text(text) for text in TEXTS])
    expected = np.array([[by_hand(torch, model, text, label) for label in LABELS] for text in TEXTS])
    assert found == pytest.approx(expected, abs=1e-4)
    shares = np.exp(expected) / np.exp(expected).sum(axis=1, keepdims=True)
    assert model.probabilities([one_text(text) for text in TEXTS]) == pytest.approx(shares, abs=1e-4)


def test_what_a_tokenizer_puts_before_a_text_stays_and_what_it_puts_after_it_does_not(torch, lm_folders):
    model = zero_shot(lm_folders / "ending")  # which also says that it fills up on the left
    found = model.logits([one_text(text) for text in TEXTS])
    expected = np.array([[by_hand(torch, model, text, label, start=(0,)) for label in LABELS] for text in TEXTS])
    assert found == pytest.approx(expected, abs=1e-4)


def test_words_stand_for_labels_and_the_prompt_is_what_one_writes(torch, lm_folders):
    model = zero_shot(
        lm_folders / "plain", prompt="It is said: {text}\nthe film was {label}", label_words={"great": "not dull"}
    )
    assert model.loaded.prompt.words == (" not dull", " dull", " rather odd")
    subwords = model.loaded.encoded(one_text("a plot")).subwords
    assert "".join(p.text for p in subwords) == "ItĠisĠsaid:ĠaĠplotĊtheĠfilmĠwas"
    assert [(p.start, p.end) for p in subwords if not p.is_special] == [(0, 1), (1, 6)]


def test_the_name_tells_prompts_and_words_apart_and_runs_store_them(lm_folders, model):
    assert model.name == "plain zero-shot"
    other = zero_shot(lm_folders / "plain", label_words={"great": "good"})
    assert other.name.startswith("plain zero-shot ")
    assert other.name != zero_shot(lm_folders / "plain", prompt="{text} it was {label}").name
    stored = explainer(other, "gradient-x-input", {}).parameters
    assert stored["prompt"] == "{text}\nLabel: {label}"
    assert stored["label_words"] == ["good", "dull", "rather odd"]


def test_a_text_without_words_is_asked_about_in_its_prompt(model):
    assert np.isfinite(model.logits([one_text("the film").kept(np.zeros(2, dtype=bool))])).all()


def test_all_that_can_be_marked_stands_before_what_cannot_unless_asked_otherwise(lm_folders, model):
    def texts(of):
        return of.loaded.encoded(reading("the film", "who wrote the script")).texts

    assert texts(model) == ("the film\nwho wrote the script\nLabel:",)
    assert texts(zero_shot(lm_folders / "plain", is_query_first=True)) == ("who wrote the script\nthe film\nLabel:",)
    both = model.loaded.encoded(pair("the film", "a plot"))
    assert {subword.segment for subword in both.subwords if not subword.is_special} == {"sentence1", "sentence2"}


# Attributions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", ["dull", "rather odd"])
def test_gradient_x_input_is_that_of_the_log_probability(torch, model, label):
    text = TEXTS[0]
    (found,) = explainer(model, "gradient-x-input", {}).explain([one_text(text)], [label])
    encoded = model.loaded.encoded(one_text(text))
    subwords = model.loaded.label_subwords[LABELS.index(label)]
    embedding = model.loaded.model.get_input_embeddings()
    before = embedding(torch.tensor([encoded.ids])).detach().requires_grad_()
    after = embedding(torch.tensor([subwords])).detach()
    logits = model.loaded.model(inputs_embeds=torch.cat([before, after], dim=1)).logits[0].log_softmax(dim=1)
    sum(logits[len(encoded.ids) - 1 + n, subword] for n, subword in enumerate(subwords)).backward()
    expected = (before.grad * before).sum(2)[0].tolist()
    assert [score for _, score in found.attributions[0].subwords] == pytest.approx(expected, abs=1e-4)
    assert len(found.attributions[0].scores) == 5


def test_integrated_gradients_add_up_and_only_words_have_scores(model):
    (found,) = explainer(model, "integrated-gradients", {"steps": 100}).explain([one_text(TEXTS[0])], ["rather odd"])
    assert found.facts["convergence_share"] < 0.05
    assert len(found.attributions[0].scores) == 5
    assert sum(subword.is_special for subword, _ in found.attributions[0].subwords) >= 2  # the prompt's


@pytest.mark.parametrize("label", ["dull", "rather odd"])
def test_attnlrp_shares_out_the_log_probability(model, label):
    (found,) = explainer(model, "attnlrp", {}).explain([one_text(TEXTS[0])], [label])
    total = sum(score for _, score in found.attributions[0].subwords)
    assert found.facts["full"] == pytest.approx(model.logits([one_text(TEXTS[0])])[0, LABELS.index(label)], abs=1e-5)
    assert total == pytest.approx(found.facts["full"] * (1 - found.facts["absorbed_share"]), abs=1e-5)


def test_attention_is_that_of_the_prompts_last_subword(torch, model):
    (found,) = explainer(model, "attention", {}).explain([one_text(TEXTS[0])], ["dull"])
    ids = torch.tensor([model.loaded.encoded(one_text(TEXTS[0])).ids])
    with torch.no_grad():
        weights = model.loaded.model(ids, output_attentions=True).attentions[-1][0, :, -1].mean(0)
    assert [score for _, score in found.attributions[0].subwords] == pytest.approx(weights.tolist(), abs=1e-6)


@pytest.mark.parametrize("method", ["occlusion", "lime"])
def test_methods_that_only_ask_work_on_the_answers(model, method):
    made = make_explainer(model, method, {"samples": 20} if method == "lime" else {})
    (found,) = made.explain([one_text(TEXTS[0])], ["rather odd"])
    assert np.isfinite(found.attributions[0].scores).all()
    assert len(set(found.attributions[0].scores)) > 1


# Long texts ----------------------------------------------------------------------------------------------------------


def test_a_long_text_is_refused_or_cut_before_its_prompt_or_read_in_windows(lm_folders, model):
    longest = max(map(len, model.loaded.label_subwords))
    with pytest.raises(
        ModelError,
        match=rf"\(\d+ subwords\) exceeds 'plain' \({64 - longest + 1}\)\. Shorten it, or have long texts windowed or cut\.",
    ):  # the last subword is only asked for
        model.logits([one_text(LONG)])
    cut = zero_shot(lm_folders / "plain", too_long="cut")
    encoded = cut.loaded.encoded(one_text(LONG))
    assert "".join(p.text for p in encoded.subwords).endswith("ĊLabel:")
    assert len(encoded.ids) + longest - 1 == 64
    seen = cut.seen(one_text(LONG))
    assert seen[0]
    assert not seen[-1]
    assert np.isfinite(cut.logits([one_text(LONG)])).all()
    in_windows = zero_shot(lm_folders / "plain", too_long="windows")
    (found,) = explainer(in_windows, "gradient-x-input", {}).explain([one_text(LONG)], ["rather odd"])
    assert np.isfinite(found.attributions[0].scores).all()
    assert in_windows.logits([one_text(TEXTS[0])]) == pytest.approx(model.logits([one_text(TEXTS[0])]), abs=1e-5)


# Refusals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"prompt": "Label: {label}"}, r"Invalid prompt 'Label: \{label\}': \{text\} once and \{label\} at the end"),
        (
            {"prompt": "{text} is {label}."},
            r"Invalid prompt '\{text\} is \{label\}\.': \{text\} once and \{label\} at the end",
        ),
        ({"label_words": {"bad": "dull"}}, "Unknown label 'bad'. Available:"),
        ({"label_words": {"great": "dull"}}, "Each label needs its own words;"),
        ({"label_words": {"great": " "}}, "Each label needs its own words;"),
    ],
)
def test_prompts_and_words_that_cannot_be_asked_are_refused_before_anything_is_loaded(options, said):
    with pytest.raises(InvalidValue, match=said):
        zero_shot("nowhere", **options)


def test_words_that_melt_with_the_prompt_are_refused(lm_folders):
    with pytest.raises(ModelError, match=r"with the prompt's end\. Put a colon and space before \{"):
        zero_shot(lm_folders / "plain", prompt="{text} the f{label}", label_words={"great": "ilm"})


def test_models_that_do_not_say_what_comes_next_are_refused(lm_folders, folders):
    with pytest.raises(ModelError, match=r"isn't a causal language model\."):
        zero_shot(folders["gpt2"])
    with pytest.raises(ModelError, match=r"isn't a causal language model\."):
        zero_shot(lm_folders / "both-ways")
    with pytest.raises(ModelError, match="transformers-zero-shot:FOLDER"):
        load_predictor(f"transformers:{lm_folders / 'plain'}", LoadOptions(device="cpu"))


def test_a_blank_at_the_end_of_a_prompt_belongs_to_the_words():
    prompt = Prompt.of("{text}\n标签：{label}", ("好", "坏"), {})
    assert (prompt.after, prompt.words) == ("\n标签：", ("好", "坏"))
    prompt = Prompt.of("{text} is  {label}", ("a", "b"), {})
    assert (prompt.after, prompt.words, prompt.template) == (" is", (" a", " b"), "{text} is {label}")
    assert replace(prompt, words=(" a", " c")).digest != prompt.digest
