"""Parameters of the methods: defaults, presets, and what is refused; needs no model."""

import pytest

from annotator.attribution.transformers_models import METHODS, PRESETS
from annotator.attribution.transformers_parameters import resolved
from annotator.errors import InvalidValue


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
    # Wang et al. 2022, appendix B: all-zero baseline, 300 steps; last layer, mean over heads, summed over pieces
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
        ("saliency", {}, "no method 'saliency' for this model. Choose one of integrated-gradients, "),
        ("attention", {"steps": 5}, "has no parameter steps. It has layer, heads, from, merge, too_long, and preset"),
        ("attention", {"preset": "nobody-1999"}, r"no preset 'nobody-1999'. It has wang-2022, stevens-su-2021\."),
        ("attention-rollout", {"preset": "wang-2022"}, "It has none"),
        ("attention", {"layer": -1}, "layer cannot be -1. It is last, all or a whole number from 0"),
        ("attention", {"heads": "median"}, "heads cannot be 'median'. It is mean, sum, max"),
        ("integrated-gradients", {"steps": 0}, "steps cannot be 0. It is a whole number from 1"),
        ("integrated-gradients", {"steps": "²"}, "steps cannot be '²'"),
        ("integrated-gradients", {"steps": "9" * 5000}, "steps cannot be '999"),  # Python reads no such number
        ("integrated-gradients", {"steps": True}, "steps cannot be True"),
        ("integrated-gradients", {"steps": 2.5}, "steps cannot be 2.5"),
        ("integrated-gradients", {"steps": float("nan")}, "steps cannot be nan"),
        ("integrated-gradients", {"steps": None}, "steps cannot be None"),
        ("gradient-x-input", {"magnitude": ["word"]}, "magnitude cannot be"),
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
