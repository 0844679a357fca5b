"""What every method for transformers models stores in a project: units, signs, layers, one score a token, once."""

import math

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.store.models import list_runs, outputs_of_run
from annotator.usecases.models.attributions import AttributingOptions, LoadOptions, attribute
from annotator.usecases.project.projects import create_project

TEXTS = ["the film was great", "a dull plot, unbelievable 😀", "it’s the worst film of the year"]


@pytest.fixture
def sentiment(store, import_rows):
    labels = ["negative", "neutral", "positive"]
    project = create_project(store, LOCAL_OPERATOR, "films", get_task("sentiment"), labels=labels)
    import_rows(project, [{"id": f"i{n}", "text": text, "label": "neutral"} for n, text in enumerate(TEXTS)])
    return project


def computed(store, project, folder, method, **options):
    report = attribute(
        store, LOCAL_OPERATOR, project, f"transformers:{folder}", method,
        AttributingOptions(load=LoadOptions(device="cpu", **options.pop("load", {})), **options),
    )  # fmt: skip
    runs = [stored for stored in list_runs(store, project.id, report.model) if stored.run.method == method]
    outputs = [output for run in runs for output in outputs_of_run(store, run.id, [1, 2, 3]).values()]
    return report, runs, outputs


@pytest.mark.parametrize(
    ("method", "parameters", "n_layers", "unit", "is_signed"),
    [
        ("integrated-gradients", {"steps": "5"}, 1, "logit", True),
        ("gradient-x-input", {"preset": "stevens-su-2021-magnitude"}, 1, "logit", False),
        ("attention", {"layer": "all"}, 3, "none", False),
        ("attention-rollout", {}, 1, "none", False),
    ],
)
def test_scores_of_each_instances_tokens_are_stored_once(
    store, sentiment, folders, method, parameters, n_layers, unit, is_signed
):
    report, runs, outputs = computed(store, sentiment, folders["bert"], method, parameters=parameters)
    assert (report.model, report.n_attributions, report.n_left_out) == ("bert", 3 * n_layers, 0)
    assert [(run.run.unit, run.run.is_signed) for run in runs] == [(unit, is_signed)]
    for output, n_tokens in zip(outputs, (4, 6, 8), strict=True):  # "it’s" is two tokens
        assert len(output.attributions) == n_layers
        assert all(len(a.scores) == n_tokens and all(map(math.isfinite, a.scores)) for a in output.attributions)
    again, *_ = computed(store, sentiment, folders["bert"], method, parameters=parameters)
    assert (again.n_attributions, again.n_known) == (0, 3)


def test_of_several_layers_the_facts_of_each_are_told(store, sentiment, folders):
    report, _, outputs = computed(
        store, sentiment, folders["bert"], "layer-integrated-gradients", parameters={"layer": "all", "steps": "2"}
    )
    assert not {"special_share", "convergence_share"} & set(report.facts)
    for layer in (0, 1, 2):
        shares = [dict(a.facts)["special_share"] for output in outputs for a in output.attributions if a.layer == layer]
        assert sum(shares) / len(shares) == pytest.approx(report.facts[f"special_share of layer {layer}"], rel=1e-5)


def test_shap_partition_tells_how_many_tokens_share_a_part_of_their_score(store, sentiment, folders):
    report, *_ = computed(store, sentiment, folders["bert"], "shap-partition", parameters={"evaluations": "10"})
    assert set(report.facts) >= {"shared_tokens"}


@pytest.mark.parametrize("method", ["occlusion", "lime"])
def test_methods_that_only_ask_cover_tokens_with_the_models_own_mask(store, sentiment, folders, method):
    report, _, outputs = computed(store, sentiment, folders["roberta"], method)
    assert report.parameters["removal"] == "cover"
    assert report.parameters["output"] == "logit"
    assert all(any(a.scores) for output in outputs for a in output.attributions)
