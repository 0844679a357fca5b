"""Transformers models through the use cases: what is computed, stored and previewed in a project."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.attribution.base import Input
from annotator.attribution.loaders import LoadOptions, load_predictor
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.sufficient_sets import Removal, Threshold
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.errors import InvalidValue, ModelError
from annotator.store import Store
from annotator.store.instances import find_instance_ids, get_instance
from annotator.store.models import all_sufficient_sets, iterate_outputs, list_runs, outputs_of_run
from annotator.usecases.inspect.saliency import show_instance
from annotator.usecases.models.attributions import AttributingOptions, AttributingReport, attribute
from annotator.usecases.models.previews import preview
from annotator.usecases.models.sufficient_sets import SufficientOptions, find_sufficient_sets
from annotator.usecases.project.projects import change_project, create_project
from annotator.usecases.upkeep import check
from tests.models.test_zero_shot import lm_folders

__all__ = ["lm_folders"]

TEXTS = ("the film was great", "a dull plot, and unlikeable people", "the plot was not dull " * 15)


@pytest.fixture
def films(store: Store, import_rows: Callable[..., object]) -> Project:
    labels = ["negative", "neutral", "positive"]
    made = create_project(store, LOCAL_OPERATOR, "Films", get_task("sentiment"), labels=labels)
    import_rows(made, [{"id": str(n), "text": text, "label": "positive"} for n, text in enumerate(TEXTS)])
    return made


def run(
    store: Store, project: Project, folder: Path, method: str, *, too_long: str = "refuse", **options: object
) -> AttributingReport:
    load = LoadOptions(device="cpu", too_long=too_long)  # type: ignore[arg-type]
    asked = AttributingOptions(load=load, **options)  # type: ignore[arg-type]
    return attribute(store, LOCAL_OPERATOR, project, f"transformers:{folder}", method, asked)


def test_gradients_attention_and_our_own_methods_are_stored_for_one_model(
    store: Store, films: Project, folders: dict[str, Path]
) -> None:
    for method in ("integrated-gradients", "attention", "occlusion"):
        report = run(store, films, folders["bert"], method, too_long="cut", has_faithfulness=True, label="all")
        assert (report.n_left_out, report.n_seen_in_part > 0) == (0, True)
        assert (
            run(store, films, folders["bert"], method, too_long="cut", has_faithfulness=True, label="all").n_known == 3
        )
    by_method = {one.run.method: list(iterate_outputs(store, one.id)) for one in list_runs(store, films.id)}
    assert [len(output.attributions) for output in by_method["attention"]] == [1, 1, 1]  # of no label
    assert [len(output.attributions) for output in by_method["occlusion"]] == [3, 3, 3]
    assert np.isnan(by_method["occlusion"][2].attributions[0].scores[-1])
    assert check(store) == []


def test_a_text_that_is_too_long_is_left_out_unless_cutting_is_asked_for(
    store: Store, films: Project, folders: dict[str, Path]
) -> None:
    report = run(store, films, folders["bert"], "integrated-gradients")
    assert [key for key, _ in report.left_out] == ["2"]
    assert report.reasons == {"longer than the model sees": 1}
    assert report.n_attributions == 2


@pytest.mark.parametrize("method", ["occlusion", "lime", "integrated-gradients", "gold"])
def test_decoders_leave_no_text_out_however_short_it_is(
    store: Store, films: Project, import_rows: Callable[..., object], folders: dict[str, Path], method: str
) -> None:
    """Every word of a text of one word is taken out, and all of it is gold."""
    import_rows(
        films, [{"id": "short", "text": "dull", "label": "negative", "annotator": "source", "rationales": [[[0, 1]]]}]
    )
    parameters = {"samples": 20} if method == "lime" else {"steps": 5} if method == "integrated-gradients" else {}
    for name in ("gpt2-eos", "llama"):
        report = run(store, films, folders[name], method, too_long="cut", has_faithfulness=True, parameters=parameters)
        assert (report.n_left_out, report.reasons) == (0, {})
        assert report.n_reduced > 0


def test_a_model_that_cannot_have_a_method_is_refused_once_and_before_the_first_text(
    store: Store, films: Project, folders: dict[str, Path]
) -> None:
    with pytest.raises(InvalidValue, match=r"'gpt2' has no MASK subword \("):
        run(store, films, folders["gpt2"], "integrated-gradients", parameters={"baseline": "mask"})
    with pytest.raises(InvalidValue, match=r"adds no \[CLS\]\. Use --set from=last \(decoders\) or another method\."):
        run(store, films, folders["gpt2"], "attention", parameters={"from": "cls"})
    assert list_runs(store, films.id) == []


@pytest.mark.parametrize("method", ["integrated-gradients", "occlusion", "lime", "shap-partition"])
def test_a_reading_models_own_answer_is_explained_and_shown_on_saliency(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    folders: dict[str, Path],
    method: str,
) -> None:
    made = make_project("reading", name="Reading")
    import_rows(made, [{"id": "r", "passage": "the director wrote it", "question": "who wrote it?", "answer": "x"}])
    report = run(store, made, folders["reader"], method, has_faithfulness=True)
    assert (report.n_answers, report.n_attributions, report.n_left_out) == (1, 1, 0)
    assert run(store, made, folders["reader"], method, has_faithfulness=True).n_known == 1
    runs = {one.run.method: next(iter(iterate_outputs(store, one.id))) for one in list_runs(store, made.id)}
    answer = runs[""].predictions[0].result
    assert runs[method].attributions[0].label == answer
    assert answer in "the director wrote it"
    shown = show_instance(store, LOCAL_OPERATOR, runs[method].instance_id, None)
    (panel,) = [one for one in shown.panels if one.method]
    assert (panel.method, len(panel.scores), panel.unit) == (method, 4, "logit")


# Previews by transformers models: a classifier with the project's labels, and a model that answers questions.

TEXT = "the film was great and the plot was not dull"
SETS = [RationaleSet.of((1, 2), (3, 4)), RationaleSet.of((9, 10))]


def asks(store: Store, project: Project, folder: Path) -> Project:
    settings = replace(project.settings, preview_model=f"transformers:{folder}")
    return change_project(store, LOCAL_OPERATOR, replace(project, settings=settings))


@pytest.fixture
def previewed(store: Store, import_rows: Callable[..., object]) -> Project:
    made = create_project(
        store, LOCAL_OPERATOR, "Films", get_task("sentiment"), labels=["negative", "neutral", "positive"]
    )
    import_rows(made, [{"id": "a", "text": TEXT, "label": "positive"}, {"id": "long", "text": " ".join([TEXT] * 8)}])
    return made


def test_a_classifier_answers_as_it_does_when_it_is_asked_by_itself(
    store: Store, previewed: Project, folders: dict[str, Path], loaded: Callable[..., Any]
) -> None:
    project = asks(store, previewed, folders["bert"])
    [number] = find_instance_ids(store, project.id, "a")
    shown = preview(store, LOCAL_OPERATOR, number, "positive", SETS)
    model = loaded("bert")
    text = Input.of(get_instance(store, number))

    def p(*tokens: int) -> float:
        mask = [token in tokens for token in range(10)]
        import numpy as np

        return float(model.probabilities([text.kept(np.array(mask))])[0][model.labels.index("positive")])

    assert (shown.model, shown.kind, shown.unseen) == ("bert", "transformers", 0)
    assert shown.full.p == pytest.approx(p(*range(10)), abs=1e-4)
    assert shown.rest.p == pytest.approx(p(0, 2, 4, 5, 6, 7, 8), abs=1e-4)
    assert shown.sets[0].p == pytest.approx(p(1, 3), abs=1e-4)
    assert [place for place, _ in shown.sets[0].less] == [1, 3]
    assert shown.sets[0].less[0][1] == pytest.approx(p(3), abs=1e-4)


@pytest.mark.parametrize("name", ["gpt2", "gpt2-eos", "llama"])
def test_a_decoder_answers_where_the_sets_take_every_word(
    store: Store, previewed: Project, folders: dict[str, Path], name: str
) -> None:
    project = asks(store, previewed, folders[name])
    [number] = find_instance_ids(store, project.id, "a")
    shown = preview(store, LOCAL_OPERATOR, number, "positive", [RationaleSet.of((0, 10))])
    assert 0 < shown.rest.p < 1
    assert shown.sets[0].p == shown.full.p


def test_a_text_beyond_the_models_limit_is_cut_and_it_is_told(
    store: Store, previewed: Project, folders: dict[str, Path]
) -> None:
    project = asks(store, previewed, folders["bert"])
    [number] = find_instance_ids(store, project.id, "long")
    shown = preview(store, LOCAL_OPERATOR, number, None, SETS)
    assert 0 < shown.unseen < 80


def test_a_reading_model_is_asked_for_its_answer_and_says_nothing_of_others(
    store: Store, import_rows: Callable[..., object], folders: dict[str, Path], loaded: Callable[..., Any]
) -> None:
    made = create_project(store, LOCAL_OPERATOR, "Questions", get_task("reading"))
    import_rows(made, [{"id": "r", "passage": TEXT, "question": "who wrote the script?", "answer": "dull"}])
    project = asks(store, made, folders["reader"])
    [number] = find_instance_ids(store, project.id, "r")
    shown = preview(store, LOCAL_OPERATOR, number, "dull", SETS)
    [own] = loaded("reader").answers([Input.of(get_instance(store, number))])
    assert (shown.label, shown.full.predicted) == (own.result, own.result)
    assert shown.full.p == pytest.approx(own.probabilities[own.result], abs=1e-4)
    for told in (shown.rest, *shown.sets):
        assert (told.p is None) == (told.predicted != own.result)


def test_a_reading_model_cannot_be_asked_for_labels(store: Store, previewed: Project, folders: dict[str, Path]) -> None:
    project = asks(store, previewed, folders["reader"])
    [number] = find_instance_ids(store, project.id, "a")
    with pytest.raises(ModelError, match=r"answers questions, but 'Films' needs labels\."):
        preview(store, LOCAL_OPERATOR, number, None, SETS)


def test_a_zero_shot_model_answers_by_the_prompt_and_the_words_of_the_rules(
    store: Store, previewed: Project, lm_folders: Path
) -> None:
    folder = lm_folders / "plain"
    words = {"positive": "great", "negative": "dull", "neutral": "film"}
    [number] = find_instance_ids(store, previewed.id, "a")

    def zero_shot(**settings: Any) -> Project:
        given = replace(previewed.settings, preview_model=f"transformers-zero-shot:{folder}", **settings)
        return change_project(store, LOCAL_OPERATOR, replace(previewed, settings=given))

    def p_of_rules() -> float | None:
        shown = preview(store, LOCAL_OPERATOR, number, "positive", SETS)
        assert shown.kind == "transformers-zero-shot"
        return None if shown.full is None else shown.full.p

    def p_by_itself(**options: Any) -> Any:
        load = LoadOptions(device="cpu", labels=previewed.labels, label_words=words, **options)
        model = load_predictor(f"transformers-zero-shot:{folder}", load)
        probabilities = model.probabilities([Input.of(get_instance(store, number))])
        return pytest.approx(probabilities[0][model.labels.index("positive")], abs=1e-4)

    zero_shot(preview_words=words)
    assert p_of_rules() == p_by_itself()
    other = "the plot: {text} was {label}"
    zero_shot(
        preview_words=words, preview_prompt=other
    )  # another prompt is another model, though the folder is the same
    assert p_of_rules() == p_by_itself(prompt=other)
    assert p_by_itself(prompt=other) != p_by_itself().expected


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"preview_prompt": "{text}"},
            r"Invalid prompt '\{text\}': \{text\} once and \{label\} at the end, e\.g\. '\{text\}\\nLabel: \{label\}'\.",
        ),
        ({"preview_words": {"bad": "dull"}}, "Unknown label 'bad'. Available:"),
        ({"preview_words": {"positive": "dull", "negative": "dull"}}, "Each label needs its own words;"),
    ],
)
def test_a_prompt_that_cannot_be_asked_is_refused_when_it_is_saved(
    store: Store, previewed: Project, lm_folders: Path, settings: dict[str, Any], sentence: str
) -> None:
    given = replace(previewed.settings, preview_model=f"transformers-zero-shot:{lm_folders / 'plain'}", **settings)
    with pytest.raises(InvalidValue, match=sentence):
        change_project(store, LOCAL_OPERATOR, replace(previewed, settings=given))


# What every method for transformers models stores in a project: units, signs, layers, one score a token, once.

STORED_TEXTS = ["the film was great", "a dull plot, unbelievable 😀", "it’s the worst film of the year"]


@pytest.fixture
def sentiment(store, import_rows):
    labels = ["negative", "neutral", "positive"]
    project = create_project(store, LOCAL_OPERATOR, "films", get_task("sentiment"), labels=labels)
    import_rows(project, [{"id": f"i{n}", "text": text, "label": "neutral"} for n, text in enumerate(STORED_TEXTS)])
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


@pytest.mark.parametrize(
    ("name", "removal"), [("bert", "delete"), ("bert", "mask"), ("bert", "blank"), ("gpt2", "mask"), ("gpt2", "blank")]
)
def test_sufficient_sets_hold_seen_tokens_alone_and_a_text_without_words_has_an_answer(
    name: str, removal: Removal, store: Store, films: Project, folders: dict[str, Path], loaded: Callable[..., Any]
) -> None:
    spec = f"transformers:{folders[name]}"
    load = LoadOptions(device="cpu", too_long="cut")
    # Of drawn weights words hardly count. The decoder takes three times as long for each set, and need not go on.
    options = SufficientOptions(removal, Threshold(0.9999), goes_on=name == "bert", load=load)
    if (name, removal) == ("gpt2", "mask"):
        with pytest.raises(ModelError, match="no mask token"):
            find_sufficient_sets(store, LOCAL_OPERATOR, films, spec, options)
        return
    report = find_sufficient_sets(store, LOCAL_OPERATOR, films, spec, options)
    examined = all_sufficient_sets(store, films.id, report.model, report.parameters)
    assert (report.n_examined, report.n_left_out) == (3, 0)
    assert (f'"removal": "{removal}"' in report.parameters, '"too_long": "cut"' in report.parameters) == (True, True)
    judged = [(one, of.threshold) for of in examined.values() for one in of.own.sets]
    assert len(judged) >= 2
    assert all(one.is_compact(threshold) for one, threshold in judged)
    long = examined[max(examined)]
    seen = np.flatnonzero(loaded(name, too_long="cut").seen(Input.of(get_instance(store, max(examined)))))
    assert long.own.sets
    assert {token for tokens in long.own.tokens for token in tokens} <= set(seen.tolist())
    assert len(seen) < 75
