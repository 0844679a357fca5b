"""The Metrics page with its rows against one of them: differences, what is not compared, the files, and the instances that differ."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.models import Run
from annotator.domain.projects import Project
from annotator.files import resource_folder
from annotator.store import Store
from annotator.web import cached_numbers
from annotator.web.cached_numbers import Kept
from tests.usecases.transfer.comparing import N, blind, knowing, mistaken, output, project_of, said, take

HOSTILE = "<img src=x onerror=alert(1)> (a), b · c"


@pytest.fixture
def compared(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Two models and attributions from a file that came without answers."""
    made = project_of(make_project, import_rows)
    take(store, made, (output(k, Run("knowing", "ig"), knowing(k), [said(k, True)]) for k in range(N)))
    for seed, scores in ((1, mistaken), (2, blind)):
        take(store, made, (output(k, Run("seeded", "lime", seed=seed), scores(k), [said(k, k < 20)]) for k in range(N)))
    take(store, made, (output(k, Run(HOSTILE, "theirs"), blind(k)) for k in range(N)))
    return made


@pytest.fixture
def app(app_for: Callable[..., AppTest], compared: Project) -> AppTest:
    return app_for(resource_folder("pages") / "metrics.py", compared, "researcher").run(timeout=60)


def choice(app: AppTest, label: str) -> Any:
    return next(box for box in app.selectbox if box.label == label)


def htmls(app: AppTest) -> list[str]:
    return [element.proto.body for element in app.get("html")]


def row_of(app: AppTest, name: str) -> str:
    table = next(html for html in htmls(app) if 'class="metrics"' in html)
    return next(part for part in table.split('<th scope="row">') if part.startswith(name))


def words_of(app: AppTest) -> str:
    return "\n".join(element.value for element in (*app.markdown, *app.caption)).replace("\\", "")


def test_no_row_is_compared_with_until_one_is_chosen_and_back_again(app: AppTest) -> None:
    assert choice(app, "Compare with").value == ""
    before = row_of(app, "knowing · ig")
    choice(app, "Compare with").set_value("knowing · ig").run()
    assert not app.exception
    assert "reference for the other rows" in row_of(app, "knowing · ig")
    choice(app, "Compare with").set_value("").run()
    assert row_of(app, "knowing · ig") == before


def test_attributions_from_files_single_seeds_and_random_can_all_be_compared_with(app: AppTest) -> None:
    assert choice(app, "Compare with").options[1:] == [
        f"{HOSTILE} · theirs",
        "knowing · ig",
        "seeded · lime",
        "seeded · lime (seed 1)",
        "seeded · lime (seed 2)",
        "random",
    ]
    for name in (f"{HOSTILE} · theirs", "seeded · lime (seed 2)", "random"):
        choice(app, "Compare with").set_value(name).run()
        assert not app.exception
        assert (
            "mean over shared instances (n), paired 95 % bootstrap interval. p: sign-flip test (exact if few differ, else 9,999 draws), Holm-corrected for"
            in words_of(app)
        )
    assert "<img" not in "".join(htmls(app))


def test_differences_have_their_interval_p_n_and_verdict_and_how_many_comparisons_there_are(app: AppTest) -> None:
    choice(app, "Compare with").set_value("seeded · lime (seed 1)").run()
    knowing_row = row_of(app, "knowing · ig")
    assert "+0.875*" in knowing_row  # the reciprocal rank 1 instead of 1/8
    assert "p &lt; .001, corrected" in knowing_row
    assert f"n {N}" in knowing_row
    assert "better" in knowing_row
    # the row's other seed stands by itself
    assert row_of(app, "seeded · lime<small>").startswith("seeded · lime<small>seed 2<")
    assert re.search(r"Holm-corrected for this table's \d+ comparisons\.", words_of(app))


def test_the_instances_that_differ_are_listed_with_links_that_open_both_maps(app: AppTest) -> None:
    choice(app, "Compare with").set_value(f"{HOSTILE} · theirs").run()
    choice(app, "Compared metric").set_value("editing.mrr").run()
    choice(app, "Compared row").set_value("knowing · ig").run()
    assert not app.exception
    assert f"Instances: knowing · ig higher in 35, {HOSTILE} · theirs in 0, equal in 5." in words_of(app)
    higher = next(html for html in htmls(app) if "instance-list" in html)
    assert higher.count("<a href") == 10
    assert "instance=" in higher
    assert "panels=" in higher
    assert "In no instance." in words_of(app)


def test_a_report_of_the_differences_is_offered_with_the_texts_of_the_two_rows(app: AppTest, compared: Project) -> None:
    choice(app, "Compare with").set_value("seeded · lime (seed 1)").run()
    choice(app, "Compared metric").set_value("editing.mrr").run()
    choice(app, "Compared row").set_value("seeded · lime (seed 2)").run()
    app.button(key=f"metrics_report_open_{compared.id}").click().run()
    assert not app.exception
    assert "Contains everything shown, 95 % intervals, charts, and texts with heatmaps and gold." in words_of(app)
    offered = app.selectbox(key=f"metrics_report_texts_{compared.id}").options
    assert offered == ["random", "largest differences"]


def test_a_column_that_is_not_compared_says_why(app: AppTest) -> None:
    choice(app, "Compare with").set_value("knowing · ig").run()
    chooser = next(box for box in app.multiselect if box.label.startswith("Columns"))
    chooser.set_value(["er_test.mae", "editing.mrr"]).run()
    assert not app.exception
    assert "Score scales of different methods differ." in words_of(app)
    assert "not comparable" in row_of(app, "seeded · lime")


def test_only_the_rows_that_are_shown_are_compared_and_where_none_is_left_that_is_said(app: AppTest) -> None:
    choice(app, "Compare with").set_value("random").run()
    for box in app.multiselect:
        if box.label == "Only models":
            box.set_value(["knowing"]).run()
    assert not app.exception
    assert "seeded · lime" not in next(html for html in htmls(app) if 'class="metrics"' in html)
    for box in app.multiselect:
        if box.label == "Only models":
            box.set_value([]).run()
    choice(app, "Compare with").set_value("knowing · ig").run()
    next(box for box in app.multiselect if box.label == "Only models").set_value(["knowing"]).run()
    assert not app.exception
    assert any(info.value.startswith("No other rows shown. Choose some under “Rows”.") for info in app.info)


# When numbers over a whole project are counted again.


@pytest.mark.parametrize(
    ("seconds", "age", "made_of", "holds", "reason"),
    [
        (0.01, 0, "then", True, "nothing has happened since"),
        (0.01, 0, "now", False, "quick ones are counted at once"),
        (1.0, 19, "now", True, "slow ones rest for twenty times as long"),
        (1.0, 21, "now", False, "and no longer"),
        (1.0, 3600, "then", True, "nothing has happened since, however long ago"),
    ],
)
def test_numbers_hold_until_something_happens_and_slow_ones_rest_for_a_while(
    seconds: float, age: float, made_of: str, holds: bool, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached_numbers, "time", type("Clock", (), {"monotonic": staticmethod(lambda: 10_000.0)}))
    assert Kept(7, "then", 10_000.0 - age, seconds).holds(made_of) is holds, reason
