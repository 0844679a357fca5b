"""Integrated gradients and gradient × input against torch and captum called directly."""

import numpy as np
import pytest

from annotator.attribution.transformers_models import METHODS, PRESETS, explainer, load
from annotator.attribution.transformers_parameters import resolved
from annotator.errors import InvalidValue, ModelError
from tests.models.conftest import one_text, pair, reading

TEXT = "the unbelievable plot was dull, and unlikeable"
TEXTS = [TEXT, "the film", "it’s a dull plot 😀"]
LABEL = 2  # positive


def scores_of(model, method, texts, parameters=None, label="positive"):
    explained = explainer(model, method, parameters or {}, None).explain(
        [one_text(t) for t in texts], [label] * len(texts)
    )
    return [one.attributions[0] for one in explained]


def of_subwords(attribution):
    return np.array([score for _, score in attribution.subwords])


def by_hand(torch, model, text, number, as_probability=False):
    """⟨dF/de, e⟩ of each subword through inputs_embeds, with torch alone."""
    bare = model.loaded.model
    given = model.loaded.tokenizer(text, return_tensors="pt")
    embedded = bare.get_input_embeddings()(given.pop("input_ids")).detach().requires_grad_()
    logits = bare(inputs_embeds=embedded, **given).logits
    (logits.softmax(1) if as_probability else logits)[0, number].backward()
    return (embedded.grad * embedded).sum(2)[0].detach().numpy()


# Gradient x input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bert", "roberta", "unigram", "byte-fallback", "gpt2"])
def test_gradient_x_input_is_the_dot_product_by_hand_whatever_stands_beside_a_text(torch, loaded, name):
    found = scores_of(loaded(name), "gradient-x-input", TEXTS)
    for text, attribution in zip(TEXTS, found, strict=True):
        assert of_subwords(attribution) == pytest.approx(by_hand(torch, loaded(name), text, LABEL), abs=1e-5)
        assert attribution.label == "positive"


def test_each_input_is_explained_for_the_label_beside_it(torch, loaded):
    model = loaded("bert")
    found = explainer(model, "gradient-x-input", {}, None).explain(
        [one_text(t) for t in TEXTS], ["negative", "positive", "neutral"]
    )
    for text, number, one in zip(TEXTS, (0, 2, 1), found, strict=True):
        assert of_subwords(one.attributions[0]) == pytest.approx(by_hand(torch, model, text, number), abs=1e-5)


def test_the_probability_may_be_explained_and_has_that_unit(torch, loaded):
    method = explainer(loaded("bert"), "gradient-x-input", {"output": "probability"}, None)
    assert (method.unit, method.is_signed) == ("probability", True)
    (one,) = method.explain([one_text(TEXT)], ["positive"])
    expected = by_hand(torch, loaded("bert"), TEXT, LABEL, as_probability=True)
    assert of_subwords(one.attributions[0]) == pytest.approx(expected, abs=1e-6)
    assert explainer(loaded("bert"), "gradient-x-input", {}, None).unit == "logit"


def test_a_words_score_is_the_sum_of_its_subwords_and_special_subwords_are_in_none(loaded):
    (attribution,) = scores_of(loaded("bert"), "gradient-x-input", [TEXT])
    subwords = attribution.subwords
    assert [subword.is_special for subword, _ in subwords] == [True] + [False] * (len(subwords) - 2) + [True]
    second = [
        score for subword, score in subwords if subword.start is not None and 4 <= subword.start < 16
    ]  # "unbelievable"
    assert len(second) > 2
    assert attribution.scores[1] == pytest.approx(sum(second))
    assert sum(attribution.scores) == pytest.approx(sum(score for subword, score in subwords if not subword.is_special))


def test_the_magnitude_is_of_subwords_or_of_words_and_has_no_sign(loaded):
    (signed,), (subword,), (word,) = (
        scores_of(loaded("bert"), "gradient-x-input", [TEXT], {"magnitude": m}) for m in ("none", "piece", "word")
    )
    assert min(signed.scores) < 0 < max(signed.scores)
    assert word.scores == pytest.approx([abs(score) for score in signed.scores])
    assert of_subwords(subword) == pytest.approx(np.abs(of_subwords(signed)))
    assert subword.scores[1] == pytest.approx(
        sum(abs(score) for p, score in signed.subwords if p.start is not None and 4 <= p.start < 16)
    )
    assert subword.scores[1] > word.scores[1]  # subwords of the word oppose each other
    assert not explainer(loaded("bert"), "gradient-x-input", {"magnitude": "word"}, None).is_signed


def test_words_may_be_merged_by_the_mean_or_the_subword_that_is_farthest_from_zero(loaded):
    found = {
        how: scores_of(loaded("bert"), "gradient-x-input", [TEXT], {"merge": how})[0]
        for how in ("sum", "mean", "signed max")
    }
    subwords = [score for p, score in found["sum"].subwords if p.start is not None and 4 <= p.start < 16]
    assert found["mean"].scores[1] == pytest.approx(np.mean(subwords))
    assert found["signed max"].scores[1] == max(subwords, key=abs)


def test_the_share_on_special_subwords_is_told(loaded):
    (one,) = explainer(loaded("bert"), "gradient-x-input", {}, None).explain([one_text(TEXT)], ["positive"])
    subwords = np.abs(of_subwords(one.attributions[0]))
    assert one.facts["special_share"] == pytest.approx((subwords[0] + subwords[-1]) / subwords.sum())


def test_both_texts_of_a_pair_and_only_what_can_be_marked_of_a_question_get_scores(torch, loaded):
    model = loaded("bert")
    method = explainer(model, "gradient-x-input", {}, None)
    both, asked = method.explain(
        [pair("the plot", "was dull"), reading("the plot", "was dull")], ["positive", "positive"]
    )
    assert len(both.attributions[0].scores) == 4
    assert asked.attributions[0].scores == pytest.approx(both.attributions[0].scores[:2], abs=1e-6)
    assert {subword.segment for subword, _ in asked.attributions[0].subwords} == {"passage", "question", None}


# Integrated gradients ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bert", "roberta"])
@pytest.mark.parametrize("baseline", ["mask", "pad"])
def test_integrated_gradients_are_captums_on_the_embedding_layer(torch, loaded, name, baseline):
    from captum.attr import LayerIntegratedGradients

    model = loaded(name)
    bare, tokenizer = model.loaded.model, model.loaded.tokenizer
    given = tokenizer(TEXT, return_tensors="pt", return_special_tokens_mask=True)
    filling = tokenizer.mask_token_id if baseline == "mask" else tokenizer.pad_token_id
    from_ids = torch.where(given["special_tokens_mask"].bool(), given["input_ids"], filling)
    expected, delta = LayerIntegratedGradients(
        lambda ids: bare(ids, attention_mask=torch.ones_like(ids)).logits, bare.get_input_embeddings()
    ).attribute(given["input_ids"], from_ids, target=LABEL, n_steps=20, return_convergence_delta=True)
    (found,) = scores_of(model, "integrated-gradients", [TEXT], {"baseline": baseline, "steps": 20})
    assert of_subwords(found) == pytest.approx(expected.sum(2)[0].numpy(), abs=1e-5)
    if (name, baseline) != ("roberta", "pad"):  # RoBERTa gives [PAD] no position: captum's delta is to another baseline
        assert found.convergence == pytest.approx(float(delta[0]), abs=1e-5)


def test_the_zero_baseline_is_zero_everywhere_special_subwords_included(torch, loaded):
    from captum.attr import IntegratedGradients

    model = loaded("bert")
    given = model.loaded.tokenizer(TEXT, return_tensors="pt")
    embedded = model.loaded.model.get_input_embeddings()(given["input_ids"]).detach()
    expected = IntegratedGradients(lambda e: model.loaded.model(inputs_embeds=e).logits).attribute(
        embedded, torch.zeros_like(embedded), target=LABEL, n_steps=20
    )
    (found,) = scores_of(model, "integrated-gradients", [TEXT], {"baseline": "zero", "steps": 20})
    assert of_subwords(found) == pytest.approx(expected.sum(2)[0].detach().numpy(), abs=1e-5)
    assert of_subwords(found)[0] != 0


def change_from_zeros(torch, model) -> float:
    """By how much the logit changes from embeddings of zeros to the text."""
    given = model.loaded.tokenizer(TEXT, return_tensors="pt")
    ids = given.pop("input_ids")
    with torch.no_grad():
        zeros = torch.zeros_like(model.loaded.model.get_input_embeddings()(ids))
        before = model.loaded.model(inputs_embeds=zeros, **given).logits[0, LABEL]
        change = float(model.loaded.model(ids, **given).logits[0, LABEL] - before)
    assert abs(change) > 0.05
    return change


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2"])
def test_scores_add_up_to_the_change_from_the_baseline_to_the_text(torch, loaded, name):
    model = loaded(name)
    method = explainer(model, "integrated-gradients", {"baseline": "zero", "steps": 100}, None)
    (one,) = method.explain([one_text(TEXT)], ["positive"])
    change = change_from_zeros(torch, model)
    assert one.facts["output_change"] == pytest.approx(change, abs=1e-4)
    assert of_subwords(one.attributions[0]).sum() == pytest.approx(change, rel=0.02)
    convergence = one.attributions[0].convergence
    assert convergence == pytest.approx(of_subwords(one.attributions[0]).sum() - change, abs=1e-4)
    assert one.facts["convergence_share"] == pytest.approx(abs(convergence / one.facts["output_change"]))


def test_too_few_steps_show_in_the_convergence(loaded):
    few, many = (
        explainer(loaded("bert"), "integrated-gradients", {"baseline": "zero", "steps": n}, None).explain(
            [one_text(TEXT)], ["positive"]
        )[0]
        for n in (1, 100)
    )
    assert few.facts["convergence_share"] > 0.05 > many.facts["convergence_share"]


def test_integrated_gradients_do_not_depend_on_neighbours_or_the_batch_size(folders, loaded):
    parameters = {"steps": 7}
    alone = [scores_of(loaded("bert"), "integrated-gradients", [text], parameters)[0] for text in TEXTS]
    together = scores_of(load(str(folders["bert"]), batch_size=3), "integrated-gradients", TEXTS, parameters)
    for one, other in zip(alone, together, strict=True):
        assert of_subwords(one) == pytest.approx(of_subwords(other), abs=1e-5)


def test_gradient_x_input_is_the_same_through_embeddings_that_are_given_once(loaded):
    # afterwards the model answers as before: nothing of ours stays in it
    model = loaded("bert")
    before = model.logits([one_text(TEXT)])
    scores_of(model, "integrated-gradients", [TEXT], {"steps": 3})
    assert (model.logits([one_text(TEXT)]) == before).all()
    assert not model.loaded.model.get_input_embeddings()._forward_hooks


def test_a_baseline_that_the_tokenizer_has_not_is_refused(loaded):
    with pytest.raises(InvalidValue, match=r"'gpt2' has no MASK subword \("):
        explainer(loaded("gpt2"), "integrated-gradients", {"baseline": "mask"}, None)  # before a text is asked about
    with pytest.raises(
        InvalidValue, match=r"'llama' has no PAD subword \(pad\)\. Use --baseline zero, or --baseline eos\."
    ):
        explainer(loaded("llama"), "integrated-gradients", {"baseline": "pad"}, None)


@pytest.mark.parametrize(
    ("name", "baseline"),
    [("bert", "mask"), ("roberta", "mask"), ("llama", "eos"), ("gpt2-eos", "eos"), ("gpt2", "zero")],
)
def test_the_default_baseline_follows_the_model_and_is_stored(loaded, name, baseline):
    method = explainer(loaded(name), "integrated-gradients", {"steps": 60}, None)
    assert method.parameters["baseline"] == baseline
    (explained,) = method.explain([one_text(TEXT)], ["neutral"])
    assert len(explained.attributions[0].scores) == len(TEXT.split())
    assert explained.facts["convergence_share"] < 0.05


def test_a_model_that_uses_its_embeddings_twice_is_refused(loaded):
    with pytest.raises(ModelError, match=r"gradients need one use\."):
        scores_of(loaded("bart"), "gradient-x-input", [TEXT])


# Layer integrated gradients against the gradients of embeddings, and against the change that they explain.

METHOD = "layer-integrated-gradients"


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2", "llama"])
@pytest.mark.parametrize("baseline", ["default", "zero"])
def test_at_the_embeddings_they_are_integrated_gradients(loaded, name, baseline):
    parameters = {"steps": 20} | ({} if baseline == "default" else {"baseline": baseline})
    (plain,) = scores_of(loaded(name), "integrated-gradients", [TEXT], parameters)
    (layered,) = scores_of(loaded(name), METHOD, [TEXT], {**parameters, "layer": "embeddings"})
    assert of_subwords(layered) == pytest.approx(of_subwords(plain), abs=1e-5)
    assert layered.convergence == pytest.approx(plain.convergence, abs=1e-5)
    assert layered.layer is None


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2"])
def test_at_every_layer_all_scores_add_up_to_the_change_of_the_logit(torch, loaded, name):
    model = loaded(name)
    (one,) = explainer(model, METHOD, {"layer": "all", "steps": 200, "baseline": "zero"}, None).explain(
        [one_text(TEXT)], ["positive"]
    )
    change = change_from_zeros(torch, model)
    assert [attribution.layer for attribution in one.attributions] == [0, 1, 2]
    for attribution in one.attributions:
        assert of_subwords(attribution).sum() == pytest.approx(change, rel=0.02)
        assert dict(attribution.facts)["output_change"] == pytest.approx(change, abs=1e-3)
        assert attribution.convergence == pytest.approx(of_subwords(attribution).sum() - change, abs=1e-3)


def test_after_the_last_layer_a_classifier_of_cls_reads_that_subword_alone(loaded):
    (last,) = scores_of(loaded("bert"), METHOD, [TEXT], {"layer": "last", "steps": 5})
    assert last.layer == 2
    assert of_subwords(last)[0] != 0
    assert np.abs(of_subwords(last)[1:]).max() == 0
    (first,) = scores_of(loaded("bert"), METHOD, [TEXT], {"layer": "0", "steps": 5})
    assert np.abs(of_subwords(first)[1:-1]).min() > 0


def n_hooks(model):
    return sum(len(part._forward_hooks) + len(part._forward_pre_hooks) for part in model.loaded.model.modules())


def test_the_model_answers_as_before(loaded):
    model = loaded("bert")
    before, hooks = model.logits([one_text(TEXT)]), n_hooks(model)
    scores_of(model, METHOD, [TEXT], {"steps": 3, "layer": "all"})
    assert (model.logits([one_text(TEXT)]) == before).all()
    assert n_hooks(model) == hooks  # transformers may have hooks of its own


def test_a_layer_that_is_not_there_is_named_with_those_that_are(loaded):
    with pytest.raises(InvalidValue, match=r"'bert' has no layer 3: layers are 0 to 2\."):
        scores_of(loaded("bert"), METHOD, [TEXT], {"layer": 3})
    with pytest.raises(
        InvalidValue, match=r"layer can't be 'first'\. Allowed: embeddings, last, all or an integer ≥ 0\."
    ):
        explainer(loaded("bert"), METHOD, {"layer": "first"}, None)


def test_a_text_in_several_windows_is_refused_with_the_method_that_takes_it(folders):
    model = load(str(folders["bert"]), device="cpu", too_long="windows")
    with pytest.raises(ModelError, match=r"not once\. Use integrated-gradients\.") as caught:
        scores_of(model, METHOD, [" ".join(["dull"] * 60)])
    assert caught.value.reason == "that go through a layer of the model several times"


# Parameters of the methods: defaults, presets, and what is refused; needs no model.


def test_defaults_are_filled_in_so_that_what_is_stored_says_everything():
    # steps: captum's default; baseline, logit and sum: shared conventions, docs/attribution.md
    assert resolved("integrated-gradients", {}, "classification") == {
        "steps": 50,
        "baseline": "default",  # follows the model
        "output": "logit",
        "merge": "sum",
        "too_long": "refuse",
    }
    assert resolved("attention", {}, "classification")["from"] == "default"  # follows the model
    assert resolved("attention", {}, "reading")["from"] == "question"


def test_the_presets_are_the_papers_settings():
    # Wang et al. 2022, appendix B: all-zero baseline, 300 steps; last layer, mean over heads, summed over subwords
    gradients = resolved("integrated-gradients", {"preset": "wang-2022"}, "classification")
    assert (gradients["baseline"], gradients["steps"], gradients["merge"]) == ("zero", 300, "sum")
    attention = resolved("attention", {"preset": "wang-2022"}, "reading")
    assert attention == {"layer": "last", "heads": "mean", "from": "question", "merge": "sum", "too_long": "refuse"}
    # Stevens and Su 2021, Equation 1: [CLS], last layer, sum over heads; gradient x input, and its magnitude
    attention = resolved("attention", {"preset": "stevens-su-2021"}, "classification")
    assert (attention["layer"], attention["heads"], attention["from"]) == ("last", "sum", "cls")
    assert resolved("gradient-x-input", {"preset": "stevens-su-2021"}, "classification")["magnitude"] == "none"
    assert (
        resolved("gradient-x-input", {"preset": "stevens-su-2021-magnitude"}, "classification")["magnitude"] == "word"
    )


def test_every_preset_can_be_resolved_and_is_not_stored_by_its_name():
    for name, by_method in PRESETS.items():
        for method in by_method:
            assert "preset" not in resolved(method, {"preset": name}, "classification")


def test_what_is_given_overrides_the_preset():
    chosen = resolved("integrated-gradients", {"preset": "wang-2022", "steps": "20"}, "classification")
    assert (chosen["steps"], chosen["baseline"]) == (20, "zero")


@pytest.mark.parametrize(
    ("method", "given", "said"),
    [
        ("saliency", {}, "Unknown method 'saliency'. Available:"),
        (
            "attention",
            {"steps": 5},
            r"attention has no parameter steps\. Available: layer, heads, from, merge, too_long, preset\.",
        ),
        (
            "attention",
            {"preset": "nobody-1999"},
            r"attention has no preset 'nobody-1999'\. Available: wang-2022, stevens-su-2021\.",
        ),
        (
            "attention-rollout",
            {"preset": "wang-2022"},
            r"attention-rollout has no preset 'wang-2022'\. Available: none\.",
        ),
        ("attention", {"layer": -1}, r"layer can't be -1\. Allowed: last, all or an integer ≥ 0\."),
        ("attention", {"heads": "median"}, r"heads can't be 'median'\. Allowed: mean, sum, max\."),
        ("integrated-gradients", {"steps": 0}, r"steps can't be 0\. Allowed: an integer ≥ 1\."),
        ("integrated-gradients", {"steps": "²"}, "steps can't be '²'"),
        ("integrated-gradients", {"steps": "9" * 5000}, "steps can't be '999"),  # Python reads no such number
        ("integrated-gradients", {"steps": True}, "steps can't be True"),
        ("integrated-gradients", {"steps": 2.5}, r"steps can't be 2\.5\."),
        ("integrated-gradients", {"steps": float("nan")}, "steps can't be nan"),
        ("integrated-gradients", {"steps": None}, "steps can't be None"),
        ("gradient-x-input", {"magnitude": ["word"]}, r"magnitude can't be \['word'\]\. Allowed: none, piece, word\."),
    ],
)
def test_what_cannot_be_is_refused_with_what_there_is(method, given, said):
    with pytest.raises(InvalidValue, match=said):
        resolved(method, given, "classification")


def test_each_method_says_what_it_computes_and_where_that_is_from():
    for method in METHODS.values():
        assert method.title
        assert method.definition
        assert method.source
        assert all(parameter.says for parameter in method.parameters)
