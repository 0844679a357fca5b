"""How many tokens of a map are taken (k) follows from the project's whole gold: a text has the same numbers whatever else is asked for."""

from collections.abc import Callable

import numpy as np
import pytest

from annotator.domain.models import Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.table import metric_table
from annotator.store import Store
from annotator.usecases.inspect.metric_values import InstanceValues, RowChoice, values_of_row, values_of_rows
from annotator.usecases.inspect.metrics_table import gold_summary
from annotator.usecases.inspect.project_scores import evaluate_project, evaluate_with_instances
from tests.usecases.transfer.comparing import N, blind, gold_token, key_of, output, rows_of, take

F1 = "sets.best_f1"
ROW = RowChoice("model", "ig", "attribution")


@pytest.fixture
def project(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Of eight tokens one is gold in the split test, and five are in the split train; a criterion has others still."""
    made = make_project(gold_policy="all")
    rows = rows_of(range(N), split=lambda k: "train" if k < 15 else "test")
    for k, row in enumerate(rows):
        row["rationales"] = [[[0, 5]]] if k < 15 else [[[gold_token(k), gold_token(k) + 1]]]
        row["metadata"] = {"criterion": "spelling" if k < 10 else "deleted"}
    import_rows(made, rows)
    take(store, made, (output(k, Run("model", "ig"), blind(k)) for k in range(N)))
    return made


def by_key(values: InstanceValues) -> dict[str, float]:
    return dict(zip((one.key for one in values.instances), values.values[F1].tolist(), strict=True))


@pytest.mark.parametrize(
    "asked",
    [ScoringOptions(split="test"), ScoringOptions(split="train"), ScoringOptions(criterion="spelling"), ScoringOptions(split="test", criterion="deleted")],
)  # fmt: skip
def test_the_same_texts_have_the_same_value_whatever_else_is_asked_for(
    store: Store, project: Project, asked: ScoringOptions
) -> None:
    whole = by_key(values_of_row(store, LOCAL_OPERATOR, project, ROW))
    part = by_key(values_of_row(store, LOCAL_OPERATOR, project, ROW, asked))
    assert 0 < len(part) < len(whole)
    assert part == {key: whole[key] for key in part}
    [of_run] = evaluate_project(store, LOCAL_OPERATOR, project, options=asked)["models"]
    assert of_run["methods"][0]["plausibility"][F1]["value"] == pytest.approx(np.mean(list(part.values())))


def test_k_is_the_ratio_of_the_whole_gold_times_the_tokens(store: Store, project: Project) -> None:
    report = evaluate_project(store, LOCAL_OPERATOR, project, options=ScoringOptions(split="test"))
    ratio = (15 * 5 / 8 + 25 * 1 / 8) / 40
    assert report["gold"]["ratios"] == {"": pytest.approx(ratio)}
    assert report["gold"]["instances"] == 25
    # ceil(0.3125 × 8) = 3 of 8 tokens: the gold one is at rank 1 + k mod 8, and found where that is at most 3
    whole = by_key(values_of_row(store, LOCAL_OPERATOR, project, ROW, ScoringOptions(split="test")))
    assert whole == {key_of(k): (2 * (1 / 3) / (1 + 1 / 3) if k % 8 < 3 else 0) for k in range(15, N)}


def test_single_instances_of_all_rows_are_those_of_the_table(store: Store, project: Project) -> None:
    [(_, values)] = values_of_rows(store, LOCAL_OPERATOR, project, options=ScoringOptions(split="test"))
    assert by_key(values) == by_key(values_of_row(store, LOCAL_OPERATOR, project, ROW, ScoringOptions(split="test")))


@pytest.mark.parametrize(("split", "of_what"), [("test", " of the whole project’s gold"), (None, "")])
def test_it_is_said_over_the_table_where_the_ratio_is_from(
    store: Store, project: Project, split: str | None, of_what: str
) -> None:
    table = metric_table(*evaluate_with_instances(store, LOCAL_OPERATOR, project, options=ScoringOptions(split=split)))
    assert f"RLR 0.312{of_what} · " in gold_summary(table)
