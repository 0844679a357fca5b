"""AttnLRP against its rules written out with their denominators, against the logit that it shares out, and on models of several families."""

from types import SimpleNamespace

import numpy as np
import pytest

from annotator.attribution.transformers_models import explainer, load
from annotator.attribution.transformers_relevance import check_graph, relevance_rules
from annotator.errors import InvalidValue, ModelError
from tests.models.conftest import one_text, reading

TEXT = "the unbelievable plot was dull, and unlikeable"
TEXTS = [TEXT, "the film", "it’s a dull plot 😀"]


def relevance(torch, network, x, *, is_attention_constant=False):
    """R of each input, and the number that is explained."""
    given = x.clone().requires_grad_()
    loaded = SimpleNamespace(name="toy", model=network)
    with relevance_rules(loaded, is_attention_constant=is_attention_constant):
        value = network(given)
        check_graph(loaded, value)
        (gradient,) = torch.autograd.grad(value, given)
    return (gradient * x).detach(), value.item()


def linear(torch, weights, bias):
    layer = torch.nn.Linear(len(weights[0]), len(weights)).double().requires_grad_(False)
    layer.weight.copy_(torch.tensor(weights))
    layer.bias.copy_(torch.tensor(bias))
    return layer


def shared(torch, parts, total):
    """What of a sum's relevance each of its parts gets, by the ε-rule; parts: [..., n, m] of the sums [..., m]."""
    return (parts / parts.sum(dim=-2, keepdim=True)) * total[..., None, :]


# By hand -------------------------------------------------------------------------------------------------------------


def test_of_a_linear_model_each_input_gets_its_term_and_the_bias_keeps_its_own(torch):
    network = linear(torch, [[2.0, -1.0, 0.5]], [4.0])
    found, logit = relevance(torch, network, torch.tensor([3.0, 1.0, -2.0], dtype=torch.double))
    assert found.tolist() == [6.0, -1.0, -1.0]
    assert logit - float(found.sum()) == 4.0


def test_of_one_hidden_layer_an_activation_passes_on_what_it_gets_and_both_biases_keep_their_parts(torch):
    # x = (3, 1): sums 3 - 1 + 1 = 3 and 6 + 1 - 1 = 6; the output 2 · tanh(3) - tanh(6) + 4
    network = torch.nn.Sequential(
        linear(torch, [[1.0, -1.0], [2.0, 1.0]], [1.0, -1.0]), torch.nn.Tanh(), linear(torch, [[2.0, -1.0]], [4.0])
    )
    found, logit = relevance(torch, network, torch.tensor([3.0, 1.0], dtype=torch.double))
    first, second = 2 * np.tanh(3), -np.tanh(6)  # relevance of the hidden units, before and after their activation
    assert found.tolist() == pytest.approx([first * 3 / 3 + second * 6 / 6, first * -1 / 3 + second * 1 / 6])
    biases = 4 + first * 1 / 3 + second * -1 / 6
    assert logit == pytest.approx(float(found.sum()) + biases)


def test_a_position_embedding_keeps_its_part_of_each_sum(torch):
    class Placed(torch.nn.Module):
        def forward(self, x):
            return (x + torch.tensor([1.0, -3.0])) @ torch.tensor([2.0, 1.0])

    found, logit = relevance(torch, Placed(), torch.tensor([1.0, 5.0]))
    assert found.tolist() == [2.0, 5.0]
    assert logit - float(found.sum()) == 2 * 1 + 1 * -3


@pytest.mark.parametrize("is_fused", [False, True])
@pytest.mark.parametrize("is_constant", [False, True])
def test_attention_halves_its_products_and_takes_the_softmax_at_its_input(torch, is_fused, is_constant):
    # Achtibat et al. 2024, Propositions 3.1 and 3.3, with their denominators; constant: Ali et al. 2022
    torch.manual_seed(1)
    x = torch.randn(4, 3, dtype=torch.double)
    of_query, of_key, of_value = (torch.randn(3, 3, dtype=torch.double) for _other in range(3))

    class Attention(torch.nn.Module):
        def forward(self, x):
            query, key, value = x @ of_query, x @ of_key, x @ of_value
            if is_fused:
                fused = torch.nn.functional.scaled_dot_product_attention(query[None], key[None], value[None], scale=1.0)
                return fused.sum()
            return ((query @ key.T).softmax(-1) @ value).sum()

    query, key, value = x @ of_query, x @ of_key, x @ of_value
    scores = query @ key.T
    weights = scores.softmax(-1)
    output = weights @ value
    terms = weights[:, :, None] * value[None]  # [from, to, dimension]
    of_terms = shared(torch, terms, output)
    if is_constant:
        expected = shared(torch, x[..., None] * of_value, of_terms.sum(0)).sum(-1)
    else:
        of_weights, of_values = of_terms.sum(2) / 2, of_terms.sum(0) / 2
        of_scores = scores * (of_weights - weights * of_weights.sum(1, keepdim=True))
        of_pairs = (query[:, None] * key[None]) / scores[..., None] * of_scores[..., None] / 2
        expected = sum(
            shared(torch, x[..., None] * of_x, of).sum(-1)
            for of_x, of in ((of_query, of_pairs.sum(1)), (of_key, of_pairs.sum(0)), (of_value, of_values))
        )
    found, logit = relevance(torch, Attention(), x, is_attention_constant=is_constant)
    assert found.tolist() == [pytest.approx(row) for row in expected.tolist()]
    if is_constant:
        assert float(found.sum()) == pytest.approx(logit)


@pytest.mark.parametrize("kind", ["LayerNorm", "RMSNorm"])
def test_of_a_normalisation_the_divisor_is_a_constant_and_only_its_bias_keeps_something(torch, kind):
    torch.manual_seed(2)
    norm = getattr(torch.nn, kind)(5, eps=0.1).double().requires_grad_(False)
    for parameter in norm.parameters():
        parameter.copy_(torch.randn(5))
    x, of_output = torch.randn(5, dtype=torch.double), torch.randn(5, dtype=torch.double)

    class Normalised(torch.nn.Module):
        def forward(self, x):
            return norm(x) @ of_output

    found, logit = relevance(torch, Normalised(), x)
    centred = x - x.mean() if kind == "LayerNorm" else x
    scale = norm.weight * of_output / (centred.square().mean() + 0.1).sqrt()
    expected = x * (scale - scale.mean() if kind == "LayerNorm" else scale)
    assert found.tolist() == pytest.approx(expected.tolist())
    bias = float(norm.bias @ of_output) if kind == "LayerNorm" else 0
    assert logit == pytest.approx(float(found.sum()) + bias)


def test_a_gate_and_what_it_gates_get_half_each(torch):
    class Gated(torch.nn.Module):
        def forward(self, x):
            return torch.nn.functional.silu(x[0]) * x[1]

    found, logit = relevance(torch, Gated(), torch.tensor([2.0, 3.0]))
    assert found.tolist() == pytest.approx([logit / 2, logit / 2])


# On models -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2", "llama"])
def test_the_scores_with_what_is_absorbed_are_the_logit_and_neighbours_change_nothing(folders, loaded, name):
    model = loaded(name)
    logits = model.logits([one_text(text) for text in TEXTS])[:, 2]
    together = explainer(load(str(folders[name]), device="cpu", batch_size=3), "attnlrp", {}).explain(
        [one_text(text) for text in TEXTS], ["positive"] * 3
    )
    for text, logit, of in zip(TEXTS, logits, together, strict=True):
        (attribution,) = of.attributions
        total = sum(score for _subword, score in attribution.subwords)
        assert of.facts["full"] == pytest.approx(logit, abs=1e-5)
        assert attribution.convergence == pytest.approx(total - logit, abs=1e-5)
        assert of.facts["absorbed_share"] == pytest.approx(1 - total / logit, abs=1e-4)
        (alone,) = explainer(model, "attnlrp", {}).explain([one_text(text)], ["positive"])
        assert alone.attributions[0].scores == pytest.approx(attribution.scores, abs=1e-5)
    assert (model.logits([one_text(text) for text in TEXTS])[:, 2] == logits).all()


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama"])
def test_without_biases_and_position_embeddings_and_past_attention_weights_nothing_is_absorbed(torch, folders, name):
    model = load(str(folders[name]), device="cpu")
    for parameter_name, parameter in model.loaded.model.named_parameters():
        if any(part in parameter_name for part in ("bias", "position_embeddings", "token_type", "wpe")):
            parameter.zero_()
    given = [one_text(text) for text in TEXTS]
    for of in explainer(model, "attnlrp", {"preset": "ali-2022"}).explain(given, ["positive"] * 3):
        assert of.facts["absorbed_share"] == pytest.approx(0, abs=1e-4)
    for of in explainer(model, "attnlrp", {}).explain(given, ["positive"] * 3):
        assert abs(of.facts["absorbed_share"]) > 1e-3  # what the softmax keeps


def test_answers_of_reading_models_and_probabilities_are_explained(loaded):
    (answer,) = explainer(loaded("reader"), "attnlrp", {}).explain([reading("the plot was dull", "what was it")], [""])
    assert len(answer.attributions[0].scores) == 4
    method = explainer(loaded("bert"), "attnlrp", {"output": "probability"})
    (one,) = method.explain([one_text(TEXT)], ["positive"])
    assert (method.unit, method.is_signed) == ("probability", True)
    assert one.facts["full"] == pytest.approx(loaded("bert").probabilities([one_text(TEXT)])[0, 2], abs=1e-6)


def test_a_text_in_windows_is_explained(folders, loaded):
    model = load(str(folders["bert"]), device="cpu", too_long="windows")
    given = one_text(" ".join(["dull"] * 60))
    (one,) = explainer(model, "attnlrp", {}).explain([given], ["positive"])
    assert len(one.attributions[0].scores) == 60
    assert one.facts["full"] == pytest.approx(model.logits([given])[0, 2], abs=1e-5)


def test_a_model_with_an_operation_that_has_no_rule_is_refused_before_the_first_text(torch, folders):
    class Odd(torch.nn.Module):
        def forward(self, x):
            return x.sin()

    class Divides(torch.nn.Module):
        def forward(self, x):
            return 1 / (x.abs() + 1) + x / (1 + x.abs())

    model = load(str(folders["bert"]), device="cpu")
    for module, operation in ((Odd(), "Sin"), (Divides(), "div")):
        model.loaded.model.bert.encoder.layer[0].intermediate.intermediate_act_fn = module
        said = rf"^AttnLRP has no rule for {operation} in 'bert' \(BertForSequenceClassification\)\. Use integrated-gradients\.$"
        with pytest.raises(ModelError, match=said):
            explainer(model, "attnlrp", {})


def test_nothing_of_the_rules_stays_in_a_model(loaded):
    model = loaded("gpt2")
    forwards = [module.forward for module in model.loaded.model.modules()]
    explainer(model, "attnlrp", {}).explain([one_text(TEXT)], ["positive"])
    assert [module.forward for module in model.loaded.model.modules()] == forwards


def test_attention_is_the_softmax_or_a_constant(loaded):
    with pytest.raises(InvalidValue, match=r"attention can't be 'mean'\. Allowed: softmax, constant\."):
        explainer(loaded("bert"), "attnlrp", {"attention": "mean"})
    assert explainer(loaded("bert"), "attnlrp", {"preset": "ali-2022"}).parameters["attention"] == "constant"
    assert explainer(loaded("bert"), "attnlrp", {}).parameters["attention"] == "softmax"
