"""Predicting: the same as the model called directly, whatever stands beside it; long texts; bad days."""

import json
import shutil

import numpy as np
import pytest

from annotator.attribution.base import Input, SegmentTokens
from annotator.attribution.lime import fitted, kernel
from annotator.attribution.methods import make_explainer
from annotator.attribution.transformers_models import explainer, load
from annotator.errors import ModelError
from tests.models.conftest import one_text, pair, reading, words

TEXTS = [
    "the film",
    "the worst film of the year and the plot was dull",
    "unbelievable",
    "it’s a dull plot, and the people: unlikeable 😀",
]


def direct(torch, model, *texts):
    """The model's own answer to a text or a pair, by nothing of ours."""
    given = model.loaded.tokenizer(*texts, return_tensors="pt")
    with torch.no_grad():
        return model.loaded.model(**given).logits.numpy()[0]


@pytest.mark.parametrize("name", ["bert", "roberta", "unigram", "byte-fallback", "gpt2", "bart"])
def test_answers_are_the_models_own_whatever_stands_beside_a_text(torch, loaded, name):
    model = loaded(name)
    logits = model.logits([one_text(text) for text in TEXTS])
    assert logits == pytest.approx(np.array([direct(torch, model, text) for text in TEXTS]), abs=1e-5)
    assert np.ptp(logits, axis=0).max() > 0.01  # the tiny model tells these texts apart
    expected = torch.tensor(logits).softmax(1).numpy()
    assert model.probabilities([one_text(text) for text in TEXTS]) == pytest.approx(expected)


def test_no_inputs_have_no_answers(loaded):
    assert loaded("bert").probabilities([]).shape == (0, 3)
    assert loaded("reader").answers([]) == []


def test_two_selectable_segments_are_a_pair(torch, loaded):
    model = loaded("bert")
    (logits,) = model.logits([pair("the film was dull", "a dull plot")])
    assert logits == pytest.approx(direct(torch, model, "the film was dull", "a dull plot"), abs=1e-5)
    assert logits != pytest.approx(direct(torch, model, "the film was dull a dull plot"), abs=1e-3)


def test_what_cannot_be_marked_is_the_second_text_or_the_first_if_so_asked(torch, loaded):
    one = reading("the film was dull", "who wrote the script")
    for model, texts in (
        (loaded("bert"), ("the film was dull", "who wrote the script")),
        (loaded("bert", query_first=True), ("who wrote the script", "the film was dull")),
    ):
        assert model.logits([one])[0] == pytest.approx(direct(torch, model, *texts), abs=1e-5)


@pytest.mark.parametrize("method", ["occlusion", "lime", "gradient-x-input", "attnlrp"])
def test_runs_of_every_method_say_that_the_query_came_first(loaded, method):
    turned, usual = (
        make_explainer(loaded("bert", query_first=first), method, {}, 0).parameters for first in (True, False)
    )
    assert turned == {**usual, "query_first": True}
    assert "query_first" not in usual


def test_several_documents_and_their_query_are_a_pair_joined_by_line_breaks(torch, loaded):
    one = Input(
        (
            words("document", "a dull plot"),
            words("document2", "the year"),
            words("query", "was it", is_selectable=False),
        )
    )
    model = loaded("bert")
    assert model.logits([one])[0] == pytest.approx(direct(torch, model, "a dull plot\nthe year", "was it"), abs=1e-5)


def test_three_texts_to_choose_from_are_refused(loaded):
    one = Input((words("a", "x"), words("b", "y"), words("c", "z")))
    with pytest.raises(ModelError, match="'bert' takes one text or a pair, not"):
        loaded("bert").probabilities([one])


def test_blanks_around_and_tokens_of_blanks_change_nothing(torch, loaded):
    one = Input((SegmentTokens("text", (" ", "dull", "\n", "plot", "\t"), ("", "", "", " ", "")),))
    model = loaded("bert")
    assert model.logits([one])[0] == pytest.approx(direct(torch, model, "dull\nplot"), abs=1e-5)
    (explained,) = explainer(model, "gradient-x-input", {}, None).explain([one], ["neutral"])
    blank, first, line, second, tab = explained.attributions[0].scores
    assert (blank, line, tab) == (0, 0, 0)
    assert first and second  # noqa: PT018


def test_a_text_without_tokens_is_answered(loaded):
    # what is left when everything that can be marked is taken away
    empty = one_text("the film").kept(np.zeros(2, dtype=bool))
    assert loaded("bert").probabilities([empty]).sum() == pytest.approx(1)
    (explained,) = explainer(loaded("bert"), "attention", {}, None).explain([empty], ["neutral"])
    assert explained.attributions[0].scores == ()


@pytest.mark.parametrize(
    ("name", "empty"), [("bert", ""), ("roberta", ""), ("gpt2-eos", "eos"), ("llama", "bos"), ("gpt2", "uniform")]
)
def test_what_stands_for_a_text_without_words_is_said_and_asked_about(torch, loaded, name, empty):
    model, nothing = loaded(name), one_text("the film").kept(np.zeros(2, dtype=bool))
    assert model.empty_text == empty
    (answer, with_words) = model.logits([nothing, one_text("the film")])
    if empty in {"bos", "eos"}:
        subword = getattr(model.loaded.tokenizer, f"{empty}_token_id")
        with torch.inference_mode():
            assert answer == pytest.approx(model.loaded.model(torch.tensor([[subword]])).logits[0].double().numpy())
    assert (answer == 0).all() == (empty == "uniform")
    assert with_words == pytest.approx(model.logits([one_text("the film")])[0], abs=1e-5)


def test_two_texts_without_words_are_one_without_words(loaded):
    nothing = pair("the film", "a plot").kept(np.zeros(4, dtype=bool))
    assert np.isfinite(loaded("llama").logits([nothing])).all()


def test_what_looks_into_a_model_refuses_a_text_of_which_nothing_is_left(loaded):
    nothing = one_text("the film").kept(np.zeros(2, dtype=bool))
    with pytest.raises(ModelError, match=r"is empty for 'gpt2'\.") as refused:
        explainer(loaded("gpt2"), "gradient-x-input", {}, None).explain([nothing], ["neutral"])
    assert refused.value.reason
    (explained,) = explainer(loaded("llama"), "gradient-x-input", {}, None).explain([nothing], ["neutral"])
    assert explained.attributions[0].scores == ()


@pytest.mark.parametrize("name", ["gpt2", "gpt2-eos", "llama"])
@pytest.mark.parametrize("method", ["occlusion", "lime"])
def test_decoders_are_explained_where_all_words_of_a_text_are_taken_out(loaded, name, method):
    model = loaded(name)
    made = make_explainer(model, method, {"samples": 30} if method == "lime" else {})
    assert (made.parameters["removal"], made.parameters["empty"]) == ("delete", model.empty_text)
    found = made.explain([one_text(text) for text in ("film", "the film", "")], ["neutral"] * 3)
    assert [len(one.attributions[0].scores) for one in found] == [1, 2, 0]
    assert all(np.isfinite(one.attributions[0].scores).all() for one in found)


def test_a_model_that_covers_words_needs_no_word_for_an_empty_text(loaded):
    assert "empty" not in make_explainer(loaded("bert"), "occlusion", {}).parameters
    assert "empty" not in make_explainer(loaded("bert"), "occlusion", {"removal": "delete"}).parameters


def test_a_lone_surrogate_is_refused_with_a_sentence(loaded):
    with pytest.raises(ModelError, match="The tokenizer of 'bert' can't split"):
        loaded("bert").probabilities([one_text("\ud83d film")])


def test_a_covered_token_is_one_mask_for_the_model(loaded):
    model = loaded("bert")
    covered = one_text("unbelievable plot").covered(np.array([False, True]), model.mask_token)
    assert [subword.text for subword in model.loaded.encoded(covered).subwords][:3] == ["[CLS]", "[MASK]", "plot"]


# Too long ------------------------------------------------------------------------------------------------------------


def test_a_text_that_the_model_does_not_see_to_its_end_is_refused(loaded):
    with pytest.raises(
        ModelError,
        match=r"Input 'cat cat cat cat cat cat cat cat cat cat cat cat ca' \(62 subwords\) exceeds 'bert' \(40\)\. Shorten it, or have long texts windowed or cut\.",
    ):
        loaded("bert").probabilities([one_text("cat " * 60)])


@pytest.mark.parametrize("method", ["gradient-x-input", "attnlrp", "attention"])
def test_what_was_cut_off_has_no_score_and_is_counted(loaded, method):
    one = one_text("cat " * 60)
    (explained,) = explainer(loaded("bert"), method, {"too_long": "cut"}, None).explain([one], ["neutral"])
    scores = np.array(explained.attributions[0].scores)
    assert np.isfinite(scores[:38]).all()  # 40 less [CLS] and [SEP]
    assert np.isnan(scores[38:]).all()
    assert len(scores) == 60
    assert explained.facts["unseen_tokens"] == 22
    assert loaded("bert", too_long="cut").seen(one).tolist() == [True] * 38 + [False] * 22


def test_a_word_that_is_cut_in_its_middle_was_not_seen_whole(loaded):
    model = loaded("bert", too_long="cut")
    one = one_text("cat " * 37 + "unbelievable cat")
    assert model.seen(one).tolist() == [True] * 37 + [False, False]


def test_of_a_pair_both_texts_are_cut_but_never_the_question(loaded):
    model = loaded("bert", too_long="cut")
    both = model.loaded.encoded(pair("cat " * 30, "sat " * 30))
    assert {both.sides.count(0), both.sides.count(1)} == {18, 19}
    asked = model.loaded.encoded(reading("cat " * 50, "who wrote the script?"))
    assert asked.sides.count(1) == len(model.loaded.tokenizer.tokenize("who wrote the script?"))
    assert len(asked.ids) == 40
    with pytest.raises(ModelError, match="has no room for the rest"):
        model.probabilities([reading("cat", "who " * 60)])


def test_a_text_that_fits_has_seen_everything(loaded):
    assert loaded("bert").seen(one_text("the film \u200b")).tolist() == [True] * 3
    (explained,) = explainer(loaded("bert"), "attention", {}, None).explain([one_text("the film")], ["neutral"])
    assert "unseen_tokens" not in explained.facts


# Bad days ------------------------------------------------------------------------------------------------------------


def test_a_model_that_answers_another_number_of_labels_is_refused(torch, folders):
    model = load(str(folders["bert"]))
    model.loaded.model.classifier = torch.nn.Linear(16, 5)
    with pytest.raises(ModelError, match=r"returns 5 values; config\.json lists 3 labels \("):
        model.probabilities([one_text("the film")])
    with pytest.raises(ModelError, match=r"returns 5 values; config\.json lists"):
        explainer(model, "gradient-x-input", {}, None).explain([one_text("the film")], ["neutral"])


def test_answers_and_scores_that_are_no_numbers_are_refused(torch, folders):
    model = load(str(folders["bert"]))
    torch.nn.init.constant_(model.loaded.model.classifier.weight, torch.nan)
    with pytest.raises(ModelError, match=r"returned a non-number for 'the film'\."):
        model.probabilities([one_text("the film")])
    for method in ("integrated-gradients", "gradient-x-input"):
        with pytest.raises(ModelError, match=r"returned a non-number for 'the film'\."):
            explainer(model, method, {}, None).explain([one_text("the film")], ["neutral"])
    torch.nn.init.constant_(model.loaded.model.bert.embeddings.word_embeddings.weight, torch.nan)
    with pytest.raises(ModelError, match=r"'bert' returned a non-number for 'the film'\."):
        explainer(model, "attention", {}, None).explain([one_text("the film")], ["neutral"])


@pytest.mark.parametrize("method", ["integrated-gradients", "gradient-x-input", "attnlrp", "attention"])
def test_when_memory_is_short_the_batch_size_is_named(torch, folders, monkeypatch, method):
    model = load(str(folders["bert"]), batch_size=4)

    def too_much(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")

    monkeypatch.setattr(model.loaded.model, "forward", too_much)
    with pytest.raises(ModelError, match=r"Reduce the batch size \(4\)\."):
        explainer(model, method, {}, None).explain([one_text("the film")], ["neutral"])


def test_a_cpu_that_is_out_of_memory_says_the_same(folders, monkeypatch):
    model = load(str(folders["bert"]))

    def too_much(*_, **__):
        raise RuntimeError("[enforce fail at alloc_cpu.cpp:118] DefaultCPUAllocator: can't allocate memory: you tried")

    monkeypatch.setattr(model.loaded.model, "forward", too_much)
    with pytest.raises(ModelError, match=r"Reduce the batch size \("):
        model.probabilities([one_text("the film")])


def test_whatever_else_a_model_raises_is_told_in_a_sentence(folders, monkeypatch):
    model = load(str(folders["bert"]))

    def broken(*_, **__):
        raise IndexError("index out of range in self\nand a long trace")

    monkeypatch.setattr(model.loaded.model, "forward", broken)
    said = r"'bert' failed \(IndexError: “index out of range in self”\)\."
    with pytest.raises(ModelError, match=said):
        model.probabilities([one_text("the film")])


def test_a_label_that_the_model_has_not_is_refused(loaded):
    with pytest.raises(ModelError, match=r"'bert' has no label 'good'\. Available: negative, neutral, positive\."):
        explainer(loaded("bert"), "gradient-x-input", {}, None).explain([one_text("the film")], ["good"])


def test_a_decoder_reads_its_last_real_subword_also_where_its_configuration_names_another_filling(
    torch, folders, tmp_path
):
    tokenizer = load(str(folders["gpt2"])).loaded.tokenizer
    tokenizer.add_special_tokens({"pad_token": tokenizer.convert_ids_to_tokens(7)})
    shutil.copytree(folders["gpt2"], tmp_path / "odd")
    tokenizer.save_pretrained(tmp_path / "odd")
    config = json.loads((tmp_path / "odd" / "config.json").read_text())
    (tmp_path / "odd" / "config.json").write_text(json.dumps(config | {"pad_token_id": 0}))
    model = load(str(tmp_path / "odd"), device="cpu")
    together = model.logits([one_text(text) for text in TEXTS])
    assert together == pytest.approx(np.array([model.logits([one_text(text)])[0] for text in TEXTS]), abs=1e-5)


# Question answering: the answer, its probability, and what speaks for it.

PASSAGE, QUESTION = "the director wrote the script, in a week", "who wrote the script?"
INPUTS = [reading(PASSAGE, QUESTION), reading("a dull film", "was it dull?"), reading("unbelievable", "who?")]


def answered_directly(torch, model, passage, question):
    """The best stretch over all starts and ends of the passage, one by one; its text and probability."""
    given = model.loaded.tokenizer(question, passage, return_tensors="pt", return_offsets_mapping=True)
    offsets = given.pop("offset_mapping")[0].tolist()
    inside = [number for number, side in enumerate(given.sequence_ids(0)) if side == 1]
    with torch.no_grad():
        out = model.loaded.model(**given)
    starts, ends = out.start_logits[0].double(), out.end_logits[0].double()
    first, last = max(
        ((a, b) for a in inside for b in inside if a <= b < a + 30), key=lambda ab: starts[ab[0]] + ends[ab[1]]
    )
    share = [torch.exp(x[k] - torch.logsumexp(x[inside], 0)) for x, k in ((starts, first), (ends, last))]
    return passage[offsets[first][0] : offsets[last][1]], float(share[0] * share[1]), first, last


def test_the_answer_is_the_stretch_of_the_passage_with_the_highest_start_and_end(torch, loaded):
    model = loaded("reader")
    for one, found in zip(INPUTS, model.answers(INPUTS), strict=True):
        text, probability, *_ = answered_directly(torch, model, one.segments[0].text, one.segments[1].text)
        assert found.result == text
        assert found.probabilities == {text: pytest.approx(probability, rel=1e-4)}
        assert found.on == "full"


def test_a_title_that_can_be_marked_is_part_of_the_text(torch, loaded):
    one = Input(
        (words("passage", PASSAGE), words("title", "the film"), words("question", QUESTION, is_selectable=False))
    )
    (found,) = loaded("reader").answers([one])
    assert found.result == answered_directly(torch, loaded("reader"), f"{PASSAGE}\nthe film", QUESTION)[0]
    (explained,) = explainer(loaded("reader"), "gradient-x-input", {}, None).explain([one], [""])
    assert len(explained.attributions[0].scores) == 10
    assert all(explained.attributions[0].scores)
    without = Input((words("passage", PASSAGE), words("title", ""), words("question", QUESTION, is_selectable=False)))
    assert loaded("reader").answers([without]) == loaded("reader").answers(INPUTS[:1])


def test_what_is_explained_is_the_start_logit_and_the_end_logit_of_the_answer(torch, loaded):
    model = loaded("reader")
    found = explainer(model, "gradient-x-input", {}, None).explain(INPUTS, [""] * 3)
    bare = model.loaded.model
    for one, explained in zip(INPUTS, found, strict=True):
        passage, question = (segment.text for segment in one.segments)
        text, _, first, last = answered_directly(torch, model, passage, question)
        given = model.loaded.tokenizer(question, passage, return_tensors="pt")
        embedded = bare.get_input_embeddings()(given.pop("input_ids")).detach().requires_grad_()
        out = bare(inputs_embeds=embedded, **given)
        (out.start_logits[0, first] + out.end_logits[0, last]).backward()
        expected = (embedded.grad * embedded).sum(2)[0].detach().numpy()
        attribution = explained.attributions[0]
        assert attribution.label == text
        assert [score for _, score in attribution.subwords] == pytest.approx(expected, abs=1e-5)
        assert len(attribution.scores) == len(one.segments[0].tokens)


def answer_logits(torch, model, one, masks):
    """Start logit + end logit of the answer in each covered text, one after the other; subwords found by their characters."""
    tokens, question = one.segments[0].tokens, one.segments[-1].text

    def asked(mask):
        shown = [token if stays else "[MASK]" for token, stays in zip(tokens, mask, strict=True)]
        given = model.loaded.tokenizer(question, " ".join(shown), return_tensors="pt", return_offsets_mapping=True)
        offsets = given.pop("offset_mapping")[0].tolist()
        with torch.no_grad():
            out = model.loaded.model(**given)
        starts = [len(" ".join([*shown[:n], ""])) for n in range(len(shown))]
        inside = [n for n, side in enumerate(given.sequence_ids(0)) if side == 1]
        of_token = [[n for n in inside if offsets[n][0] < start + len(word) and offsets[n][1] > start]
                    for start, word in zip(starts, shown, strict=True)]  # fmt: skip
        return out.start_logits[0].double(), out.end_logits[0].double(), of_token

    _, _, first, last = answered_directly(torch, model, " ".join(tokens), question)
    _, _, whole = asked([True] * len(tokens))
    (first_token, nth), (last_token, nth_last) = (
        next((token, of.index(at)) for token, of in enumerate(whole) if at in of) for at in (first, last)
    )
    logits = []
    for mask in masks:
        starts, ends, of_token = asked(mask)
        at = (
            of_token[first_token][nth if mask[first_token] else 0],
            of_token[last_token][nth_last if mask[last_token] else 0],
        )
        logits.append(float(starts[at[0]] + ends[at[1]]))
    return np.array(logits)


@pytest.mark.parametrize("at", range(len(INPUTS)))
def test_occlusion_and_lime_follow_the_answer_through_texts_in_which_words_of_several_subwords_are_covered(
    torch, loaded, at
):
    model, one = loaded("reader"), INPUTS[at]
    n = one.n_selectable
    full, *without = answer_logits(torch, model, one, [np.ones(n, bool), *~np.eye(n, dtype=bool)])
    (found,) = make_explainer(model, "occlusion", {}).explain([one], [""])
    assert found.attributions[0].scores == pytest.approx(full - np.array(without), abs=1e-4)
    assert found.facts["full"] == pytest.approx(full, abs=1e-4)
    lime = make_explainer(model, "lime", {"samples": 30}, 2)
    masks = lime._masks(one, np.arange(n))
    expected = fitted(masks, answer_logits(torch, model, one, masks), kernel(masks, 25), None, 0.001)
    (found,) = lime.explain([one], [""])
    assert found.attributions[0].scores == pytest.approx(expected.coefficients, abs=1e-3)


def test_the_title_is_covered_too_and_the_question_never(loaded):
    model, question = loaded("reader"), words("question", QUESTION, is_selectable=False)
    one = Input((words("passage", "a dull plot"), words("title", "film"), question))
    (found,) = make_explainer(model, "occlusion", {}).explain([one], [""])
    covered = [one.covered(np.arange(4) != token, "[MASK]") for token in range(4)]
    assert {text.segments[2] for text in covered} == {question}
    logits = model.tracked(one, found.attributions[0].label).logits([one, *covered])[:, 0]
    assert found.attributions[0].scores == pytest.approx(logits[0] - logits[1:], abs=1e-5)


def test_integrated_gradients_of_an_answer_add_up(loaded):
    method = explainer(loaded("reader"), "integrated-gradients", {"steps": 60}, None)
    (one,) = method.explain(INPUTS[:1], [""])
    total = sum(score for _, score in one.attributions[0].subwords)
    assert total == pytest.approx(one.facts["output_change"], rel=0.02)


def test_the_probability_of_an_answer_may_be_explained(loaded):
    model = loaded("reader")
    (answer,) = model.answers(INPUTS[:1])
    (one,) = explainer(model, "integrated-gradients", {"output": "probability", "steps": 100}, None).explain(
        INPUTS[:1], [answer.result]
    )
    # F(x) − F(baseline) of a probability is at most the probability at x
    assert one.facts["output_change"] <= answer.probabilities[answer.result]
    assert one.facts["convergence_share"] < 0.05


def test_only_the_models_own_answer_is_explained(loaded):
    with pytest.raises(
        ModelError, match=r"'reader' predicts 'script, in a week', not 'the moon', and explains only that\."
    ):
        explainer(loaded("reader"), "gradient-x-input", {}, None).explain(INPUTS[:1], ["the moon"])


def test_a_reading_model_has_no_probabilities_of_labels(loaded):
    with pytest.raises(ModelError, match=r"extracts answers and doesn't predict labels\."):
        loaded("reader").probabilities(INPUTS)


@pytest.mark.parametrize("one", [one_text("the film"), pair("the film", "was dull")])
def test_without_a_question_nothing_is_answered(loaded, one):
    with pytest.raises(ModelError, match=r"needs a question \(unmarkable text\)\."):
        loaded("reader").answers([one])


def test_a_passage_of_which_nothing_is_left_has_no_answer(loaded):
    empty = INPUTS[0].kept(np.zeros(8, dtype=bool))
    (found, other) = loaded("reader").answers([empty, INPUTS[1]])
    assert (found.result, found.probabilities) == ("", {})
    assert other.result
    with pytest.raises(ModelError, match="'reader' has no text to answer"):
        explainer(loaded("reader"), "gradient-x-input", {}, None).explain([empty], [""])


def test_a_long_passage_is_cut_and_the_question_is_not(loaded):
    one = reading("the cat sat on the mat " * 20, QUESTION)
    with pytest.raises(ModelError, match="Shorten it, or have long texts"):
        loaded("reader").answers([one])
    model = loaded("reader", too_long="cut")
    assert model.answers([one])[0].result
    (explained,) = explainer(model, "attention", {}, None).explain([one], [""])
    scores = np.array(explained.attributions[0].scores)
    assert explained.facts["unseen_tokens"] == np.isnan(scores).sum() == (~model.seen(one)).sum() > 80


def test_scores_that_do_not_fit_the_subwords_are_refused(torch, folders, monkeypatch):
    model = load(str(folders["reader"]))

    class Outputs:
        start_logits = end_logits = torch.zeros(1, 3)

    monkeypatch.setattr(model.loaded.model, "forward", lambda **_: Outputs())
    with pytest.raises(ModelError, match=r"lacks start and end scores\."):
        model.answers(INPUTS[:1])


def test_start_scores_that_are_no_numbers_are_refused(torch, folders):
    model = load(str(folders["reader"]))
    torch.nn.init.constant_(model.loaded.model.qa_outputs.bias, torch.nan)
    with pytest.raises(ModelError, match="returned a non-number for"):
        model.answers(INPUTS[:1])
