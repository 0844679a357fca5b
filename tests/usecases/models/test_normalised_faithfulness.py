"""Normalised faithfulness through models: what is asked, stored, resumed, shared between methods, left out and scored."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from annotator.attribution.base import Input
from annotator.domain.models import Output, facts_from
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError
from annotator.metrics.normalised_aopc import MeasuredAopc
from annotator.scoring.table import metric_table
from annotator.store import Store
from annotator.store.models import iterate_outputs, list_runs, store_outputs
from annotator.usecases.inspect.metrics_table import normalised_aopc_lines
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.models import project_model
from annotator.usecases.models.attributions import AttributingOptions, AttributingReport, attribute, normalising_lines
from tests.attribution_inputs import Scripted, weighing

TEXTS = {"positive": ("a good book", "the good food was kind"), "negative": ("a bad book", "one bad cat")}
WEIGHTS = {"good": 2.0, "bad": -2.0, "kind": 1.0, "a": 0.3, "the": -0.4, "book": 0.1, "cat": 0.2, "one": -0.1}
LONG = "the good book was kind and a bad cat ate the one good food"  # 14 tokens


@pytest.fixture
def tastes(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project(name="Tastes")
    rows = [
        {"id": f"{label}-{n}", "text": text, "label": label, "annotator": "source", "rationales": [[[1, 2]]]}
        for label, texts in TEXTS.items()
        for n, text in enumerate(texts)
    ]
    import_rows(made, rows)
    return made


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Scripted]:
    def use(model: Scripted, name: str = "scripted") -> Scripted:
        model.labels, model.name = ("negative", "positive"), name
        monkeypatch.setattr(project_model, "load_predictor", lambda *_: model)
        return model

    return use


def run(
    store: Store, project: Project, method: str = "occlusion", model: str = "spacy:x",
    announce: Callable[[str], None] = lambda _: None, **options: Any,
) -> AttributingReport:  # fmt: skip
    parameters = {"output": "probability"} if method == "occlusion" else {}
    options = {"is_normalised": True, "parameters": parameters, **options}
    return attribute(
        store, LOCAL_OPERATOR, project, model, method, AttributingOptions(**options), announce=announce
    )  # fmt: skip


def outputs(store: Store, project: Project, method: str = "occlusion", seed: int | None = None) -> list[Output]:
    runs = [stored for stored in list_runs(store, project.id, method=method) if stored.run.seed == seed]
    return list(iterate_outputs(store, runs[0].id)) if runs else []


def measured(store: Store, project: Project, method: str = "occlusion", seed: int | None = None) -> list[MeasuredAopc]:
    facts = [dict(output.attributions[0].facts) for output in outputs(store, project, method, seed)]
    return [aopc for of_one in facts if (aopc := MeasuredAopc.of_facts(of_one)) is not None]


def faithfulness(store: Store, project: Project, at: int = 0) -> dict[str, Any]:
    methods = [row for model in evaluate_project(store, LOCAL_OPERATOR, project)["models"] for row in model["methods"]]
    return dict(methods[at]["faithfulness"])


def test_the_weights_of_a_linear_model_are_its_best_order(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    """Each prefix of the order by weight is the subset that lowers a sum of weights most (by arithmetic)."""
    scripted(weighing(WEIGHTS))
    report = run(store, tastes)
    assert report.n_normalised == 4
    numbers = faithfulness(store, tastes)
    assert numbers["naopc.comprehensiveness"]["value"] == pytest.approx(1.0, abs=1e-4)
    assert numbers["naopc.sufficiency"]["value"] == pytest.approx(0.0, abs=1e-4)
    assert numbers["naopc.sufficiency"]["n"] == 4
    assert "method.sufficiency" in numbers  # the faithfulness run is asked for with it


def test_calls_are_counted_and_said_before_and_after(
    store: Store, tastes: Project, import_rows: Callable[..., object], scripted: Callable[..., Scripted]
) -> None:
    import_rows(tastes, [{"id": "long", "text": LONG}, {"id": "longer", "text": f"{LONG} . {LONG}"}])
    model = scripted(weighing(WEIGHTS))
    run(store, tastes, is_normalised=False, has_faithfulness=True)
    before, said = model.n_asked, list[str]()
    report = run(store, tastes, most_tokens=20, announce=said.append)
    assert report.n_calls == model.n_asked - before
    # 3 texts of 3 tokens, one of 5, one of 14 with a beam of 5, once again of 10; 2n of each order (by hand)
    most = 3 * (8 + 6) + (32 + 10) + (5 * 14 * 15 + 28) + 10 * 14 * 15
    assert said == [
        f"Normalising asks the model about at most {most:,} reduced texts of 5 texts; 1 text of more than 20 tokens left out "
        "(--most-tokens)."
    ]
    assert report.n_calls <= most
    assert (report.n_normalised, report.n_too_long, report.n_gaps) == (5, 1, 1)
    assert report.gap == pytest.approx(0.0)  # a linear model's bounds need no beam
    lines = list(normalising_lines(report))
    assert lines[0] == f"Normalised the AOPC of 5 attributions, asking about {report.n_calls:,} reduced texts."
    assert lines[1] == "1 attribution of longer texts not normalised (--most-tokens)."
    assert lines[2].startswith("A beam twice as wide adds 0.0 % to the range of the bounds (1 text)")
    long = measured(store, tastes)[-1]
    assert (long.n_tokens, long.bounds.width, long.gap) == (14, 5, 0.0)
    assert 0 < long.n_calls <= 5 * 14 * 15


def test_what_is_stored_is_not_asked_about_again_and_another_width_is(
    store: Store, tastes: Project, import_rows: Callable[..., object], scripted: Callable[..., Scripted]
) -> None:
    import_rows(tastes, [{"id": "long", "text": LONG}])
    model = scripted(weighing(WEIGHTS))
    run(store, tastes)
    asked = model.n_asked
    again = run(store, tastes)
    assert (again.n_calls, again.n_known, model.n_asked) == (0, 5, asked)
    wider = run(store, tastes, beam_width=7)
    assert (wider.n_normalised, wider.n_known) == (1, 4)
    assert measured(store, tastes)[-1].bounds.width == 7


def test_other_methods_and_seeds_of_a_model_take_its_bounds_over(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted(weighing(WEIGHTS))
    run(store, tastes)
    report = run(store, tastes, "random", seeds=(0, 1))
    assert report.n_normalised == 8
    assert report.n_calls <= 2 * 2 * (3 + 5 + 3 + 3)  # the orders alone
    assert [aopc.bounds for aopc in measured(store, tastes, "random", 1)] == [
        aopc.bounds for aopc in measured(store, tastes)
    ]
    scripted(weighing({"good": 1.0}), "other")
    other = run(store, tastes)
    assert other.n_calls > 2 * (3 + 5 + 3 + 3)  # another model has other bounds


def test_a_stop_in_the_middle_keeps_what_is_done_and_the_next_run_goes_on(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    whole = weighing(WEIGHTS)
    scripted(whole)
    run(store, tastes, is_normalised=False, has_faithfulness=True)
    n = 0

    def stops(one: Input) -> float:
        nonlocal n
        n += 1
        if n > 20:
            raise KeyboardInterrupt
        return whole.logit(one)

    scripted(Scripted(stops))
    with pytest.raises(KeyboardInterrupt):
        run(store, tastes, batch_size=1)
    done = len(measured(store, tastes))
    assert 0 < done < 4
    scripted(whole)
    assert run(store, tastes).n_normalised == 4 - done
    assert len(measured(store, tastes)) == 4


def test_a_text_for_which_the_model_fails_is_left_out_and_the_others_are_normalised(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    inner = weighing(WEIGHTS)

    def fails(one: Input) -> float:
        if one.segments[0].tokens == ("kind",):
            raise ModelError("It is broken.")
        return inner.logit(one)

    scripted(Scripted(fails))
    report = run(store, tastes)
    assert (report.n_normalised, report.left_out) == (3, [("positive-1", "It is broken.")])


def test_probabilities_that_are_no_numbers_are_a_models_failure(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted(Scripted(lambda one: np.nan if not one.segments[0].tokens else 1.0))
    with pytest.raises(ModelError, match="gives probabilities that aren't numbers"):
        run(store, tastes, "random", seeds=(0,))


def test_equal_scores_have_no_order_and_cost_no_call(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    scripted(Scripted(lambda _: 0.0))
    report = run(store, tastes)
    assert (report.n_normalised, report.n_calls, report.n_without_order) == (0, 0, 4)
    assert list(normalising_lines(report)) == ["4 attributions without an order (all scores equal) not normalised."]
    assert "naopc.comprehensiveness" not in faithfulness(store, tastes)


def test_one_token_and_a_model_that_hardly_reacts_are_undefined_and_counted(
    store: Store, tastes: Project, import_rows: Callable[..., object], scripted: Callable[..., Scripted]
) -> None:
    gold = {"label": "positive", "annotator": "source", "rationales": [[[0, 1]]]}
    import_rows(tastes, [{"id": "one", "text": "Good", **gold}])
    scripted(weighing({"good": 2.0, "bad": -0.001, "a": 0.0005, "Good": 1.0}))
    report = run(store, tastes)
    assert report.n_normalised == 5
    row = evaluate_project(store, LOCAL_OPERATOR, tastes)["models"][0]["methods"][0]
    assert row["faithfulness"]["naopc.comprehensiveness"]["n"] == 2
    assert row["faithfulness"]["naopc.comprehensiveness"]["n_left_out"] == 3
    assert row["counts"]["instances_without_reaction"] == 3  # two "bad" texts, and one token
    assert row["counts"]["instances_outside_aopc_bounds"] == 0
    table = metric_table(evaluate_project(store, LOCAL_OPERATOR, tastes))
    assert normalised_aopc_lines(table.rows)[0].endswith(
        "the model hardly reacts to 3 texts: normalised AOPC undefined."
    )


def test_values_outside_a_narrow_beams_bounds_are_not_cut_and_are_counted(
    store: Store, tastes: Project, import_rows: Callable[..., object], scripted: Callable[..., Scripted]
) -> None:
    """An area as of an order that the beam did not look at is put in the place of the stored one."""
    gold = {"label": "positive", "annotator": "source", "rationales": [[[0, 1]]]}
    import_rows(tastes, [{"id": "long", "text": LONG, **gold}])
    scripted(weighing(WEIGHTS))
    run(store, tastes)
    run_id = list_runs(store, tastes.id, method="occlusion")[0].id
    last = outputs(store, tastes)[-1]
    facts = dict(last.attributions[0].facts) | {"aopc_comprehensiveness": 2.0}
    changed = replace(last.attributions[0], facts=facts_from(facts))
    store_outputs(store, run_id, [Output(last.instance_id, attributions=(changed,))])
    row = evaluate_project(store, LOCAL_OPERATOR, tastes)["models"][0]["methods"][0]
    assert row["counts"]["instances_outside_aopc_bounds"] == 1
    table = metric_table(evaluate_project(store, LOCAL_OPERATOR, tastes))
    assert normalised_aopc_lines(table.rows)[-1].endswith(
        "normalised AOPC of 1 text is outside 0 to 1; a wider beam finds wider bounds."
    )


def test_one_instance_alone_is_normalised(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object],
    scripted: Callable[..., Scripted],
) -> None:  # fmt: skip
    made = make_project(name="Alone")
    import_rows(made, [{"id": "1", "text": "a good book"}])
    scripted(weighing(WEIGHTS))
    assert run(store, made, ratio=0.3).n_normalised == 1
    assert faithfulness(store, made)["naopc.sufficiency"]["value"] == pytest.approx(0.0, abs=1e-4)


def test_the_built_in_model_is_normalised_by_its_own_weights(store: Store, tastes: Project) -> None:
    report = run(store, tastes, "linear", "built-in")
    assert report.n_normalised == 4
    assert report.n_calls == 3 * 8 + 32


def test_gold_has_no_order_to_normalise(store: Store, tastes: Project, scripted: Callable[..., Scripted]) -> None:
    scripted(weighing(WEIGHTS))
    with pytest.raises(InvalidValue, match="Gold doesn't order tokens"):
        run(store, tastes, "gold")
