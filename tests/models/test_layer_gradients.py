"""Layer integrated gradients against the gradients of embeddings, and against the change that they explain."""

import numpy as np
import pytest

from annotator.attribution.transformers_models import explainer, load
from annotator.errors import InvalidValue, ModelError
from tests.models.conftest import one_text
from tests.models.test_gradients import LABEL, TEXT, of_pieces, scores_of

METHOD = "layer-integrated-gradients"


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2", "llama"])
@pytest.mark.parametrize("baseline", ["default", "zero"])
def test_at_the_embeddings_they_are_integrated_gradients(loaded, name, baseline):
    parameters = {"steps": 20} | ({} if baseline == "default" else {"baseline": baseline})
    (plain,) = scores_of(loaded(name), "integrated-gradients", [TEXT], parameters)
    (layered,) = scores_of(loaded(name), METHOD, [TEXT], {**parameters, "layer": "embeddings"})
    assert of_pieces(layered) == pytest.approx(of_pieces(plain), abs=1e-5)
    assert layered.convergence == pytest.approx(plain.convergence, abs=1e-5)
    assert layered.layer is None


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2"])
def test_at_every_layer_all_scores_add_up_to_the_change_of_the_logit(torch, loaded, name):
    model = loaded(name)
    (one,) = explainer(model, METHOD, {"layer": "all", "steps": 200, "baseline": "zero"}, None).explain(
        [one_text(TEXT)], ["positive"]
    )
    given = model.loaded.tokenizer(TEXT, return_tensors="pt")
    ids = given.pop("input_ids")
    with torch.no_grad():
        zeros = torch.zeros_like(model.loaded.model.get_input_embeddings()(ids))
        before = model.loaded.model(inputs_embeds=zeros, **given).logits[0, LABEL]
        change = float(model.loaded.model(ids, **given).logits[0, LABEL] - before)
    assert abs(change) > 0.05
    assert [attribution.layer for attribution in one.attributions] == [0, 1, 2]
    for attribution in one.attributions:
        assert of_pieces(attribution).sum() == pytest.approx(change, rel=0.02)
        assert dict(attribution.facts)["output_change"] == pytest.approx(change, abs=1e-3)
        assert attribution.convergence == pytest.approx(of_pieces(attribution).sum() - change, abs=1e-3)


def test_after_the_last_layer_a_classifier_of_cls_reads_that_piece_alone(loaded):
    (last,) = scores_of(loaded("bert"), METHOD, [TEXT], {"layer": "last", "steps": 5})
    assert last.layer == 2
    assert of_pieces(last)[0] != 0
    assert np.abs(of_pieces(last)[1:]).max() == 0
    (first,) = scores_of(loaded("bert"), METHOD, [TEXT], {"layer": "0", "steps": 5})
    assert np.abs(of_pieces(first)[1:-1]).min() > 0


def n_hooks(model):
    return sum(len(part._forward_hooks) + len(part._forward_pre_hooks) for part in model.loaded.model.modules())


def test_the_model_answers_as_before(loaded):
    model = loaded("bert")
    before, hooks = model.logits([one_text(TEXT)]), n_hooks(model)
    scores_of(model, METHOD, [TEXT], {"steps": 3, "layer": "all"})
    assert (model.logits([one_text(TEXT)]) == before).all()
    assert n_hooks(model) == hooks  # transformers may have hooks of its own


def test_a_layer_that_is_not_there_is_named_with_those_that_are(loaded):
    with pytest.raises(InvalidValue, match=r"'bert' has no layer 3: its layers are 0 to 2\."):
        scores_of(loaded("bert"), METHOD, [TEXT], {"layer": 3})
    with pytest.raises(
        InvalidValue, match="layer cannot be 'first'. It is embeddings, last, all or a whole number from 0"
    ):
        explainer(loaded("bert"), METHOD, {"layer": "first"}, None)


def test_a_text_in_several_windows_is_refused_with_the_method_that_takes_it(folders):
    model = load(str(folders["bert"]), device="cpu", too_long="windows")
    with pytest.raises(ModelError, match="in windows or once for each label.* Choose integrated-gradients") as caught:
        scores_of(model, METHOD, [" ".join(["dull"] * 60)])
    assert caught.value.reason == "that go through a layer of the model several times"
