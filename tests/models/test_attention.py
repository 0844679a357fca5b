"""Attention and rollout against the weights that the model itself gives."""

import numpy as np
import pytest

from annotator.attribution.transformers_models import explainer, load
from annotator.errors import InvalidValue, ModelError
from tests.models.conftest import one_text, reading

TEXT = "the unbelievable plot was dull, and unlikeable"
TEXTS = [TEXT, "the film", "it’s a dull plot 😀"]
PASSAGE, QUESTION = "the director wrote the script", "who wrote the script?"


def weights_of(torch, model, *texts):
    """float[layer, head, from, to], by the model called directly."""
    given = model.loaded.tokenizer(*texts, return_tensors="pt")
    with torch.no_grad():
        return torch.stack(model.loaded.model(**given, output_attentions=True).attentions)[:, 0].double().numpy()


def explained(model, parameters=None, inputs=None, method="attention"):
    inputs = inputs or [one_text(TEXT)]
    return explainer(model, method, parameters or {}, None).explain(inputs, [""] * len(inputs))


def of_subwords(attribution):
    return np.array([score for _, score in attribution.subwords])


@pytest.mark.parametrize("name", ["bert", "roberta", "unigram"])
@pytest.mark.parametrize(("heads", "join"), [("mean", np.mean), ("sum", np.sum), ("max", np.max)])
def test_attention_is_the_last_layers_row_of_cls_whatever_stands_beside_a_text(torch, loaded, name, heads, join):
    found = explained(loaded(name), {"heads": heads}, [one_text(text) for text in TEXTS])
    for text, one in zip(TEXTS, found, strict=True):
        expected = join(weights_of(torch, loaded(name), text)[-1, :, 0], axis=0)
        assert of_subwords(one.attributions[0]) == pytest.approx(expected, abs=1e-6)
        assert one.attributions[0].layer == 2


def test_the_weights_of_all_subwords_add_up_to_one_a_head_and_words_get_what_special_subwords_do_not(loaded):
    (one,) = explained(loaded("bert"), {"heads": "sum"})
    attribution = one.attributions[0]
    assert of_subwords(attribution).sum() == pytest.approx(2)  # two heads
    special = sum(score for subword, score in attribution.subwords if subword.is_special)
    assert sum(attribution.scores) == pytest.approx(2 - special)
    assert one.facts["special_share"] == pytest.approx(special / 2)


def test_all_layers_are_one_attribution_each(torch, loaded):
    (every,) = explained(loaded("bert"), {"layer": "all"})
    assert [attribution.layer for attribution in every.attributions] == [0, 1, 2]
    for attribution, weights in zip(every.attributions, weights_of(torch, loaded("bert"), TEXT), strict=True):
        assert of_subwords(attribution) == pytest.approx(weights[:, 0].mean(axis=0), abs=1e-6)
    (second,) = explained(loaded("bert"), {"layer": "1"})
    assert second.attributions == (every.attributions[1],)


def test_a_layer_that_is_not_there_is_refused(loaded):
    with pytest.raises(InvalidValue, match="has no layer 3: layers are 0 to"):
        explained(loaded("bert"), {"layer": 3})


def test_attention_belongs_to_no_label_and_has_neither_sign_nor_unit(loaded):
    method = explainer(loaded("bert"), "attention", {}, 5)
    assert (method.unit, method.is_signed, method.seed) == ("none", False, None)
    (one,) = method.explain([one_text(TEXT)], ["positive"])
    assert one.attributions[0].label == ""


def test_in_reading_attention_is_the_mean_over_the_subwords_of_the_question(torch, loaded):
    # Wang et al. 2022, appendix B, and their rc_interpretable.py: attentions[-1][:, :, 1:SEP, :].mean(2).mean(1)
    model = loaded("reader")
    (one,) = explained(model, inputs=[reading(PASSAGE, QUESTION)])
    n_question = len(model.loaded.tokenizer.tokenize(QUESTION))
    expected = weights_of(torch, model, QUESTION, PASSAGE)[-1][:, 1 : 1 + n_question].mean(axis=(0, 1))
    assert of_subwords(one.attributions[0]) == pytest.approx(expected, abs=1e-6)
    assert explainer(model, "attention", {}, None).parameters["from"] == "question"
    (from_cls,) = explained(model, {"from": "cls"}, [reading(PASSAGE, QUESTION)])
    assert of_subwords(from_cls.attributions[0]) == pytest.approx(
        weights_of(torch, model, QUESTION, PASSAGE)[-1][:, 0].mean(axis=0), abs=1e-6
    )


def test_attention_from_a_question_that_is_not_there_is_refused(loaded):
    with pytest.raises(ModelError, match=r"has no question\. Use from=cls\."):
        explained(loaded("bert"), {"from": "question"})


def test_a_model_without_cls_is_refused_where_attention_from_it_is_asked_for(loaded):
    with pytest.raises(
        InvalidValue, match=r"'gpt2' adds no \[CLS\]\. Use --set from=last \(decoders\) or another method\."
    ):
        explainer(loaded("gpt2"), "attention", {"from": "cls"}, None)  # before a text is asked about


@pytest.mark.parametrize("name", ["gpt2", "gpt2-eos", "llama"])
def test_of_a_decoder_the_attention_of_its_last_subword_is_read(torch, loaded, name):
    model = loaded(name)
    method = explainer(model, "attention", {}, None)
    assert method.parameters["from"] == "last"
    for text, one in zip(TEXTS, method.explain([one_text(t) for t in TEXTS], ["neutral"] * len(TEXTS)), strict=True):
        expected = weights_of(torch, model, text)[-1][:, -1].mean(axis=0)
        assert of_subwords(one.attributions[0]) == pytest.approx(expected, abs=1e-6)
        assert of_subwords(one.attributions[0]).sum() == pytest.approx(1)


@pytest.mark.parametrize("method", ["attention", "attention-rollout"])
def test_the_last_subword_of_a_model_that_also_looks_forward_is_not_what_it_answers_from(loaded, method):
    with pytest.raises(ModelError, match=r"'bert' isn't a decoder\. Use --set from=cls or another method\."):
        explained(loaded("bert"), {"from": "last"}, method=method)
    (rolled,) = explained(loaded("llama"), method="attention-rollout")
    assert of_subwords(rolled.attributions[0]).sum() == pytest.approx(1)


def test_attention_that_comes_back_empty_is_refused(folders):
    model = load(str(folders["bert"]))
    model.loaded.model.set_attn_implementation("sdpa")  # gives no weights, and no error
    with pytest.raises(ModelError, match=r"has no attention to read\. Choose another method\."):
        explained(model)


def test_attention_that_is_not_from_each_subword_to_each_is_refused(torch, folders, monkeypatch):
    model = load(str(folders["bert"]))

    class Outputs:
        attentions = (torch.zeros(1, 2, 5, 3),)  # a window, as in Longformer

    monkeypatch.setattr(model.loaded.model, "forward", lambda **_: Outputs())
    with pytest.raises(ModelError, match=r"has no attention to read\. Choose another method\."):
        explained(model)


def test_rollout_is_the_product_of_half_attention_and_half_identity(torch, loaded):
    (every,) = explained(loaded("bert"), {"layer": "all"}, method="attention-rollout")
    weights = weights_of(torch, loaded("bert"), TEXT).mean(axis=1)  # float[layer, from, to]
    product = np.eye(weights.shape[1])
    for attribution, of_layer in zip(every.attributions, weights, strict=True):
        product = (of_layer + np.eye(len(of_layer))) / 2 @ product  # Abnar and Zuidema 2020, Equation 1
        assert of_subwords(attribution) == pytest.approx(product[0], abs=1e-6)
        assert of_subwords(attribution).sum() == pytest.approx(1)
    (last,) = explained(loaded("bert"), method="attention-rollout")
    assert last.attributions == (every.attributions[2],)


def test_rollout_does_not_depend_on_neighbours(loaded):
    inputs = [one_text(text) for text in TEXTS]
    together = explained(loaded("bert"), inputs=inputs, method="attention-rollout")
    for one, other in zip(inputs, together, strict=True):
        (alone,) = explained(loaded("bert"), inputs=[one], method="attention-rollout")
        assert of_subwords(alone.attributions[0]) == pytest.approx(of_subwords(other.attributions[0]), abs=1e-6)


def test_rollout_of_a_reading_model_starts_at_the_question(torch, loaded):
    (one,) = explained(loaded("reader"), {"layer": 0}, [reading(PASSAGE, QUESTION)], "attention-rollout")
    n_question = len(loaded("reader").loaded.tokenizer.tokenize(QUESTION))
    first = weights_of(torch, loaded("reader"), QUESTION, PASSAGE)[0].mean(axis=0)
    expected = ((first + np.eye(len(first))) / 2)[1 : 1 + n_question].mean(axis=0)
    assert of_subwords(one.attributions[0]) == pytest.approx(expected, abs=1e-6)
