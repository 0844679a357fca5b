"""The Metrics page as a script: what it says without output or gold, its table, what waits for a click, who may see it."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.labels import LabelTable
from annotator.domain.models import Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.suites import Case, CaseAnswer
from annotator.files import resource_folder
from annotator.metrics.definitions import in_plain_words
from annotator.metrics.registry import all_definitions
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.models import forget_model
from annotator.store.suites import add_run, save_answers
from annotator.usecases.inspect import shown_table
from annotator.usecases.inspect.text_lists import views_of_project
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.models.label_tables import ModelLabels, remember
from annotator.usecases.project.projects import take_role
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.releases.frozen_gold import freeze_gold
from annotator.usecases.suites.construction import save_test
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake
from annotator.web.sections.metrics import numbers
from tests.usecases.edited_sentences import answered, edited_project
from tests.usecases.transfer.comparing import LABELS, LENGTH, N, blind, knowing, output, rows_of, said, take

PAGE = resource_folder("pages") / "metrics.py"
HOSTILE = "<b onclick=x>model</b>"


@pytest.fixture
def gold(make_project: Callable[..., Project], import_rows: Callable[..., ImportReport]) -> Project:
    """Three texts with gold, one of them changed."""
    made: Project = make_project(gold_policy="all")
    import_rows(made, [
        {"id": "a", "text": "bad slow dull plot", "label": "negative", "rationales": [[[0, 1]], [[1, 3]]]},
        {"id": "b", "text": "good fun nice cast", "label": "positive", "rationales": [[[0, 2]]], "split": "test"},
        {"id": "a1", "text": "bad slow dull film", "label": "negative", "rationales": [[[0, 1]]], "parent": "a", "perturbation_kind": "synonym"},
    ])  # fmt: skip
    return made


@pytest.fixture
def modelled(store: Store, gold: Project) -> Project:
    """Two models, one with two layers, the other with answers at two thresholds; one has a name with markup."""

    def said(p: float, on: Any = "full", threshold: float | None = None) -> Prediction:
        return Prediction(None, {"negative": p, "positive": 1 - p}, on, threshold)

    rows = []
    for key in ("a", "b", "a1"):
        layers = tuple(
            SourceAttribution((ScoredPart(s),), layer=n) for n, s in enumerate([(3.0, 2, 1, 0), (0.0, 1, 2, 3)])
        )
        split = "test" if key == "b" else ""
        rows.append(SourceOutput(key, Run("layered", "attention"), "f", 1, split, (said(0.8),), layers))
        answers = (said(0.7), said(0.4, "rest", 0.1), said(0.3, "rest", 0.5))
        whole = (SourceAttribution((ScoredPart((2.0, 3, 1, 0)),)),)
        rows.append(SourceOutput(key, Run(HOSTILE, "lime"), "f", 1, split, answers, whole))
    report = ImportReport(is_output=True)
    with store.transaction():
        Intake(store, gold, ImportOptions(), report, lambda _: None).run(rows)
    assert report.problems == []
    return gold


@pytest.fixture
def page(app_for: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """The page, run for somebody with a role in a project."""

    def run(project: Project, role: str = "researcher") -> AppTest:
        return app_for(PAGE, project, role).run()

    return run


def table_of(app: AppTest) -> str:
    return next(html for html in htmls(app) if 'class="metrics"' in html)


def htmls(app: AppTest) -> list[str]:
    return [element.proto.body for element in app.get("html")]


def button(app: AppTest, key: str) -> Any:
    return next((one for one in app.button if one.key and one.key.startswith(key)), None)


def test_a_project_without_model_output_says_what_to_do(page, gold) -> None:
    app = page(gold)
    assert not app.exception
    assert app.info[0].value.startswith("No model output yet. Compute or import some on Saliency.")


def test_output_without_gold_says_where_gold_comes_from(page, store, make_project, import_rows) -> None:
    made = make_project()
    import_rows(made, [{"id": "a", "text": "bad plot"}])
    report = ImportReport(is_output=True)
    with store.transaction():
        row = SourceOutput("a", Run("m"), "f", 1, None, (Prediction("negative"),))
        Intake(store, made, ImportOptions(), report, lambda _: None).run([row])
    app = page(made)
    assert not app.exception
    assert app.info[0].value.startswith("No gold under the policy “chosen”. Accept annotations or import rationales.")


def test_attributions_without_gold_are_scored_for_what_needs_none(page, store, make_project, import_rows) -> None:
    made = make_project()
    import_rows(made, [
        {"id": "a", "text": "bad slow dull plot", "label": "negative"},
        {"id": "b", "text": "bad slow dull film", "label": "negative", "parent": "a", "perturbation_kind": "synonym"},
    ])  # fmt: skip
    take(store, made, [
        SourceOutput(key, Run("m", "lime"), "f", 1, "", (), (SourceAttribution((ScoredPart((3.0, 2, 1, 0)),)),)) for key in "ab"
    ])  # fmt: skip
    app = page(made)
    assert not app.exception
    assert "MAP, full ranking" in table_of(app)
    assert "MAP, top k" not in table_of(app)
    assert any(
        caption.value.startswith(r"No gold sets here\: accuracy, faithfulness and consistency of 2 texts")
        for caption in app.caption
    )
    app.number_input(key=f"metrics_top_k_{made.id}").set_value(50).run()
    assert not app.exception
    assert "MAP, top k" in table_of(app)
    assert any("of the tokens, rounded up" in caption.value for caption in app.caption)
    fresh = another_tab(app, **shown_state(app))
    assert shown_state(fresh)["top_k"] == ["50"]
    assert "MAP, top k" in table_of(fresh)


def test_contrast_sets_that_have_labels_and_no_rationales_have_their_numbers(
    page, store, make_project, import_rows
) -> None:
    made = make_project()
    changed = {"parent": "a", "perturbation_kind": "contrast", "label": "positive"}
    import_rows(
        made, [{"id": "a", "text": "bad plot", "label": "negative"}, {"id": "b", "text": "good plot", **changed}]
    )
    take(store, made, (SourceOutput(key, Run("m"), "f", 1, None, (Prediction("negative"),)) for key in "ab"))
    app = page(made)
    assert not app.exception
    assert "Accuracy" in table_of(app)
    chart = app.selectbox(key=f"metrics_chart_{made.id}")
    app = chart.set_value("Contrast").run()
    contrasts = next(frame.value for frame in app.dataframe if "Delta" in frame.value.columns)
    assert contrasts[["model", "versions"]].to_dict("records") == [{"model": "m", "versions": 1}]
    for name in ("Functional tests", "Fairness"):
        app.selectbox(key=f"metrics_chart_{made.id}").set_value(name).run()
        assert not app.exception


def test_the_table_has_a_row_for_each_layer_and_for_random_and_about_six_columns(page, modelled) -> None:
    app = page(modelled)
    assert not app.exception
    table = table_of(app)
    assert table.count('<th scope="row">') == 2 + 1 + 1  # layers of one model, the other model, random
    assert "layered · attention · layer 1" in table
    assert 4 <= table.count('<th scope="col"') - 1 <= 7
    assert "★" not in table  # of three texts nothing is said
    assert "too few to tell" in table


def test_names_of_models_are_text_in_the_table(page, modelled) -> None:
    table = table_of(page(modelled))
    assert "<b onclick" not in table
    assert "&lt;b onclick=x&gt;model&lt;/b&gt; · lime" in table


def test_other_columns_can_be_chosen_and_rows_sorted_by_them(page, modelled) -> None:
    app = page(modelled)
    columns = app.multiselect(key=f"metrics_columns_{modelled.id}")
    assert len(columns.options) > 30
    app = columns.set_value(["editing.mrr"]).run()
    assert "MRR with removal" in table_of(app)
    assert "Accuracy" not in table_of(app)
    app = app.selectbox(key=f"metrics_order_{modelled.id}").set_value("editing.mrr").run()
    rows = table_of(app).split('<th scope="row">')[1:-1]  # random stands last
    values = [re.findall(r">(?:best: </span>)?(0\.\d{3}|1\.00)<", row)[0] for row in rows]
    assert len(set(values)) > 1
    assert values == sorted(values, reverse=True)
    app = columns.set_value([]).run()
    assert any("Choose a column and a row." in info.value for info in app.info)


def test_the_controls_of_the_table_keep_their_place_when_the_progress_bar_has_gone(page, modelled) -> None:
    app = page(modelled)
    key = f"metrics_columns_{modelled.id}"
    first = place_of(app.main, key)
    assert first
    assert place_of(app.run().main, key) == first


def place_of(block: Any, key: str) -> tuple[int, ...]:
    """Which child of which child of a page the control is; () where it is not there."""
    for number, child in block.children.items():
        if getattr(child, "key", None) == key:
            return (number,)
        if inner := place_of(child, key) if hasattr(child, "children") else ():
            return (number, *inner)
    return ()


def test_intervals_come_when_they_are_asked_for(page, modelled) -> None:
    app = page(modelled)
    assert not re.search(r"\d to -?\d", table_of(app))
    app = app.toggle(key=f"metrics_intervals_{modelled.id}").set_value(True).run()
    assert not app.exception
    assert re.search(r"\d to -?\d", table_of(app))


def test_only_one_split_can_be_scored(page, modelled) -> None:
    app = page(modelled)
    split = app.selectbox(key=f"metrics_split_{modelled.id}")
    assert split.options == ["all", "(none)", "test"]
    app = split.set_value("test").run()
    assert any(
        caption.value.startswith("1 instance with gold \\(policy “all”, split test\\)") for caption in app.caption
    )


def test_edited_sentences_can_be_scored_by_criterion(page, store, tmp_path) -> None:
    project = edited_project(store, tmp_path)
    answered(store, project)
    app = page(project)
    app = app.selectbox(key=f"metrics_group_by_{project.id}").set_value("criterion").run()
    criterion = app.selectbox(key=f"metrics_group_{project.id}")
    assert criterion.options == ["all", "deleted (1 instance)", "spelling (2 instances)"]
    app = criterion.set_value("spelling").run()
    assert not app.exception
    (said_of_gold,) = [caption.value for caption in app.caption if "with gold" in caption.value]
    assert said_of_gold.startswith(
        "2 instances with gold \\(policy “chosen”, criterion spelling\\) · by criterion\\: deleted 1, spelling 2 "
    )
    assert "F1 of “need edit”" in table_of(app)


def test_a_project_without_criteria_has_no_choice_of_them(page, modelled) -> None:
    app = page(modelled)
    assert "criterion" not in app.selectbox(key=f"metrics_group_by_{modelled.id}").options
    assert not any("by criterion" in caption.value for caption in app.caption)


@pytest.mark.parametrize("chart", ["Instances", "Confidence", "AOPC curves", "Layers", "Perturbed pairs"])
def test_every_chart_is_drawn(page, modelled, chart) -> None:
    app = page(modelled).selectbox(key=f"metrics_chart_{modelled.id}").set_value(chart).run()
    assert not app.exception
    [drawn] = app.get("plotly_chart")
    assert json.loads(drawn.proto.config)["toImageButtonOptions"]["filename"].startswith("Project-")
    if chart in {"Instances", "Confidence"}:
        links = r"/saliency\?project=\d+&amp;instance=\d+(&amp;gold=union)?\""
        assert {link[1] for html in htmls(app) for link in re.finditer(links, html)} == {None}
        app = app.selectbox(key=f"metrics_policy_{modelled.id}").set_value("union").run()
        assert {link[1] for html in htmls(app) for link in re.finditer(links, html)} == {"&amp;gold=union"}


@pytest.mark.parametrize("chart", ["Confidence", "AOPC curves", "Layers", "Perturbed pairs"])
def test_a_chart_without_numbers_says_what_to_import(page, store, gold, chart) -> None:
    report = ImportReport(is_output=True)
    attribution = SourceAttribution((ScoredPart((2.0, 3, 1, 0)),))
    with store.transaction():
        row = SourceOutput("a", Run("m", "lime"), "f", 1, None, (), (attribution,))
        Intake(store, gold, ImportOptions(), report, lambda _: None).run([row])
    app = page(gold).selectbox(key=f"metrics_chart_{gold.id}").set_value(chart).run()
    assert not app.exception
    assert app.info
    assert not app.get("plotly_chart")


def test_two_rows_are_compared_instance_by_instance(page, modelled) -> None:
    app = page(modelled)
    app = app.selectbox(key=f"metrics_minus_{modelled.id}").set_value("layered/attention//1").run()
    assert not app.exception
    assert any("paired bootstrap" in text.value for text in app.markdown)


def test_much_output_waits_for_a_click(page, modelled, monkeypatch) -> None:
    monkeypatch.setattr(numbers, "AUTOMATIC", 3)
    app = page(modelled)
    assert "takes a while." in app.info[0].value
    assert not app.get("html")
    app = app.button(key=f"metrics_compute_{modelled.id}").click().run()
    assert table_of(app)
    assert table_of(app.run())  # what is kept is shown without another click


def test_numbers_stay_as_they_were_until_one_asks_for_newer_ones(page, store, modelled, monkeypatch) -> None:
    app = page(modelled)
    scored: list[str] = []
    made = numbers.evaluate_with_instances
    monkeypatch.setattr(numbers, "evaluate_with_instances", lambda *a, **k: scored.append("again") or made(*a, **k))
    app = app.run()
    assert not button(app, "metrics_anew")
    assert scored == []
    with store.transaction():
        store.run(
            "INSERT INTO events (at, actor, action, project_id, subject, subject_id, detail) VALUES (?, 'x', 'import', ?, 'project', 1, '{}')",
            ("2026-11-21T00:00:00Z", modelled.id),
        )
    app = app.run()
    assert scored == []
    app = button(app, "metrics_anew").click().run()
    assert scored == ["again"]
    assert not button(app, "metrics_anew")


def test_the_table_cites_a_release_as_soon_as_there_is_one(page, store, modelled) -> None:
    app = page(modelled)
    assert not any("release" in caption.value for caption in app.caption)
    made = freeze_gold(store, LOCAL_OPERATOR, modelled, "camera ready", licence="CC0")
    app = app.run()
    assert any(made.words in caption.value.replace("\\", "") for caption in app.caption)


def test_kept_numbers_are_not_shown_to_whoever_lost_the_right(page, store, modelled) -> None:
    app = page(modelled)
    assert table_of(app)
    take_role(store, LOCAL_OPERATOR, modelled.id, "ada", "researcher")
    app = app.run()
    assert app.exception  # the frame shows it as a sentence
    assert not app.get("html")


def test_an_annotator_reads_why_there_is_nothing(page, modelled) -> None:
    app = page(modelled, role="annotator")
    assert app.info[0].value.startswith("You can't use models here. Ask a lead.")
    assert not app.get("html")


def test_failure_rates_of_functional_tests_stand_among_the_charts(page, modelled, store) -> None:
    app = page(modelled)
    app.selectbox(key=f"metrics_chart_{modelled.id}").set_value("Functional tests").run()
    assert not app.exception
    assert app.info[0].value.startswith("No functional tests yet. Run a suite on Tests.")
    case = Case("t", "MFT", "Logic", "0", ("x",), "label", ("negative",))
    test = save_test(store, LOCAL_OPERATOR, modelled, "s", [case])
    with store.transaction():
        run = add_run(store, test.suite_id, HOSTILE, "", computed_by=None, created_by="x")
        save_answers(store, run, test.id, [[CaseAnswer("positive", None)]], ["failed"])
    app.run()
    assert not app.exception
    assert len(app.get("plotly_chart")) == 1
    numbers = next(frame.value for frame in app.dataframe if "failure rate" in frame.value)
    alike = {"model": HOSTILE, "failure rate": 1.0, "low": pytest.approx(0.2065, abs=1e-4), "high": 1.0, "cases": 1}
    assert numbers.to_dict("records") == [{"capability": "Logic", **alike}, {"capability": "All tests", **alike}]


def test_counts_of_several_seeds_are_means_with_their_deviation(page, store, gold) -> None:
    rows = [
        SourceOutput(key, Run("m", "ig", seed=seed), "f", 1, None, (), (SourceAttribution((ScoredPart((3.0, 2, 1, 0)),)),))
        for seed, keys in ((1, ("a", "a1")), (2, ("a",)))
        for key in keys
    ]  # fmt: skip
    report = ImportReport(is_output=True)
    with store.transaction():
        Intake(store, gold, ImportOptions(), report, lambda _: None).run(rows)
    app = page(gold)
    assert not app.exception
    counts = next(one.value for one in app.dataframe if "truncated instances" in one.value.columns)
    assert counts["instances"].tolist() == ["1.5 ± 0.7"]
    assert counts["truncated instances"].tolist() == [0]


def test_contrast_accuracy_and_false_positive_rates_stand_among_the_charts(page, modelled, store) -> None:
    app = page(modelled)
    app.selectbox(key=f"metrics_chart_{modelled.id}").set_value("Fairness").run()
    assert not app.exception
    assert any("Groups are word lists" in info.value for info in app.info)
    save_word_list(store, LOCAL_OPERATOR, modelled, "group", ["a", "b"])
    app.run()
    assert not app.exception
    rates = next(frame.value for frame in app.dataframe if "FPRD ↓" in frame.value.columns)
    assert sorted(rates["model"]) == sorted(["layered", HOSTILE])
    app.selectbox(key=f"metrics_chart_{modelled.id}").set_value("Contrast").run()
    assert not app.exception
    contrasts = next(frame.value for frame in app.dataframe if "Delta" in frame.value.columns)
    assert contrasts[["model", "versions"]].to_dict("records") == [
        {"model": HOSTILE, "versions": 1}, {"model": "layered", "versions": 1},
    ]  # fmt: skip


# What numbers mean ------------------------------------------------------------------------------------------------------


def labelled_text(number: int) -> str:
    return " ".join([*(f"w{number}x{place}" for place in range(LENGTH - 1)), LABELS[number % 3]])


@pytest.fixture
def uneven(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., ImportReport]) -> Project:
    """A model that knows the gold of forty texts, one that is blind to it in 36, and the built-in one that learned from 15.

    The last word of a text is its label, so that the built-in one knows a word of each: its maps have an order.
    """
    made: Project = make_project(gold_policy="all")
    import_rows(made, rows_of(range(N), split=lambda n: "train" if n < 15 else "test", text=labelled_text))
    take(store, made, (output(n, Run("knowing", "ig"), knowing(n), [said(n, True)]) for n in range(N)))
    take(store, made, (output(n, Run("blind", "ig"), blind(n), [said(n, n % 2 == 0)]) for n in range(36)))
    attribute(store, LOCAL_OPERATOR, made, "built-in", "linear", AttributingOptions())
    return made


def test_the_first_sentence_says_which_rows_tie_and_that_the_model_learned_from_the_texts(
    page, store: Store, make_project: Callable[..., Project], import_rows: Callable[..., ImportReport]
) -> None:
    made: Project = make_project(gold_policy="all")
    import_rows(made, rows_of(range(N), split=lambda _n: "", text=labelled_text))
    for method in ("linear", "occlusion"):
        attribute(store, LOCAL_OPERATOR, made, "built-in", method, AttributingOptions())
    [sentence] = [plain(one.value) for one in page(made).markdown if "Tied with" in one.value]
    assert "built-in · linear is highest: Best-set token F1 0.125, no clear difference from random." in sentence
    assert "Tied with built-in · occlusion." in sentence
    assert sentence.strip("*").endswith(f"{N} of its texts are training texts.")


def test_the_first_sentence_is_made_once_for_the_same_rows(
    page, uneven: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, headline = [], shown_table.headline
    monkeypatch.setattr(shown_table, "headline", lambda *given: made.append(1) or headline(*given))
    app = page(uneven).run()
    assert any("agrees best" in element.value for element in app.markdown)
    assert made == [1]


def plain(words: str) -> str:
    """Without the signs that keep Markdown from reading them."""
    return re.sub(r"\\(.)", r"\1", words.replace(":small[]", ""))


def cells_of(app: AppTest, row: str) -> str:
    return next(part for part in re.split('<th scope="row"[^>]*>', table_of(app)) if part.startswith(row))


def test_two_models_say_by_which_labels_they_answer(page, store, modelled) -> None:
    asked = ModelLabels.of_model("layered", ["pos", "<b>neg"])
    remember(store, LOCAL_OPERATOR, modelled, asked, LabelTable({"pos": "positive", "<b>neg": "negative"}))
    app = page(modelled)
    app.selectbox(key=f"metrics_chart_{modelled.id}").set_value("Two models").run()
    said = "\n".join(element.value for element in app.caption).replace("\\", "")
    assert "Of “layered”: “pos” is “positive”, “<b>neg” is “negative”." in said
    assert "“<b>neg”" not in "".join(element.value for element in app.caption)


def test_two_models_stand_beside_each_other_with_what_is_won_and_lost(page, modelled) -> None:
    app = page(modelled)
    app.selectbox(key=f"metrics_chart_{modelled.id}").set_value("Two models").run()
    assert not app.exception
    said = "\n".join(element.value for element in (*app.markdown, *app.caption)).replace("\\", "")
    assert "too few to tell (n 3)." in said
    assert "Plausibility: ERASER's AUPRC on texts with gold sets. No training texts." in said
    assert "Both right: 2; both wrong: 1." in said
    assert "No independent check of plausibility" in said
    # neither model is here, so that what was imported of them can be compared, and nothing may be there to compute
    assert "Compute them on Saliency under “Compute attributions”." in said
    assert HOSTILE not in "".join(element.value for element in (*app.markdown, *app.caption))
    tables = [frame.value for frame in app.dataframe]
    (parts,) = (table for table in tables if "both wrong" in table.columns)
    assert parts["texts"].tolist() == ["all texts", "originals", "perturbed versions"]
    assert parts["won"].tolist() == parts["lost"].tolist() == ["0"] * 3
    (gains,) = (table for table in tables if "metric" in table.columns)
    assert gains["metric"].tolist() == ["Accuracy", "Plausibility by occlusion"]
    (bins,) = (table for table in tables if "change" in table.columns)
    assert bins["n"].sum() == 3
    links = [element.proto.url for element in app.get("link_button")]
    assert [re.sub(r"\d+", "N", link) for link in links] == [
        f"/saliency?project=N&which={which}&answers=N&other=N" for which in ("won", "lost")
    ]
    app.selectbox(key=f"metrics_other_{modelled.id}").set_value(HOSTILE).run()
    assert any(info.value == "Choose two different models." for info in app.info)


def test_rows_over_different_instances_are_brought_to_those_that_all_have_and_back(page, uneven) -> None:
    app = page(uneven)
    assert not app.exception
    toggle = app.toggle(key=f"metrics_shared_{uneven.id}")
    assert toggle.value
    assert "n 21 shared by all rows" in table_of(app)  # 25 that were not learned from, less the last four
    assert "★" in cells_of(app, "knowing · ig")
    assert any("knowing · ig agrees best with people" in plain(one.value) for one in app.markdown)
    app = toggle.set_value(False).run()
    assert any("none is best, as instances differ." in plain(one.value) for one in app.markdown)
    assert not any("agrees best" in plain(one.value) for one in app.markdown)
    assert "shared by all rows" not in table_of(app)
    assert "★" not in table_of(app)
    assert "n 40" in cells_of(app, "knowing · ig")
    assert "n 36" in cells_of(app, "blind · ig")


def test_the_switch_is_off_at_first_where_it_would_leave_too_few_to_say_anything(
    page, store, make_project, import_rows
) -> None:
    made: Project = make_project(gold_policy="all")
    import_rows(made, rows_of(range(N), split=lambda n: "train" if n < 30 else "test"))
    take(store, made, (output(n, Run("knowing", "ig"), knowing(n), [said(n, True)]) for n in range(N)))
    attribute(store, LOCAL_OPERATOR, made, "built-in", "linear", AttributingOptions())
    app = page(made)
    toggle = app.toggle(key=f"metrics_shared_{made.id}")
    assert not toggle.value
    assert "better than random" in cells_of(app, "knowing · ig")
    app = toggle.set_value(True).run()
    assert "too few to tell" in cells_of(app, "knowing · ig")


def test_rows_over_the_same_instances_need_no_switch(page, modelled) -> None:
    app = page(modelled)
    assert not [one for one in app.toggle if one.key == f"metrics_shared_{modelled.id}"]


def test_the_charts_and_the_file_follow_the_switch(page, store, uneven) -> None:
    app = page(uneven)

    def n_instances() -> str:
        return next(fold.label for fold in app.expander if fold.label.endswith(" instances"))

    assert n_instances().endswith(" 21 instances")
    app = app.toggle(key=f"metrics_shared_{uneven.id}").set_value(False).run()
    assert n_instances().endswith(" 36 instances")  # of the first row, which is the blind one


def test_it_is_said_in_words_whether_a_row_is_better_than_random(page, uneven) -> None:
    app = page(uneven)
    words = " ".join(plain(text.value) for text in app.markdown)
    assert re.search(r"knowing · ig: better than random on this gold \(\+0\.\d+ \[\+0\.\d+, \+0\.\d+\], n 21\)", words)
    assert re.search(r"blind · ig: (no clear difference from|worse than) random on this gold", words)
    assert "better than random" in cells_of(app, "knowing · ig")
    assert "★" not in cells_of(app, "blind · ig")


def test_how_far_the_built_in_model_is_to_be_trusted_stands_over_the_table_and_in_its_row(page, uneven) -> None:
    app = page(uneven)
    assert any(
        re.search(r"built-in: (?i:correct) on \d+\.\d % of 25 held-out texts", plain(one.value)) for one in app.caption
    )
    assert "15 training texts (split train) excluded" in table_of(app)
    app = app.checkbox(key=f"metrics_training_{uneven.id}").check().run()
    assert "15 of these are training texts" in table_of(app)


def test_where_random_was_not_measured_it_is_said_how_to_get_it(page, store, uneven) -> None:
    attribute(store, LOCAL_OPERATOR, uneven, "built-in", "linear", AttributingOptions(has_faithfulness=True))
    missing = (
        "No verdict on Sufficiency, Comprehensiveness of built-in. Compute method “random” with "
        "faithfulness, or normalised AOPC, on Saliency."
    )
    app = page(uneven)
    captions = [plain(caption.value) for caption in app.caption]
    assert any(caption.startswith(missing) for caption in captions)


# How numbers are shown --------------------------------------------------------------------------------------------------


def test_what_all_rows_have_in_common_stands_above_the_table_once(page, store, uneven) -> None:
    for samples in (20, 40):
        attribute(
            store, LOCAL_OPERATOR, uneven, "built-in", "lime",
            AttributingOptions(parameters={"samples": samples}, seeds=(1,)),
        )  # fmt: skip
    app = page(uneven)
    assert not app.exception
    said = [plain(one.value) for one in app.caption if "Shared parameters per method:" in plain(one.value)]
    assert len(said) == 1
    assert "removal delete" in said[0]
    assert "samples" not in said[0]
    assert "removal delete" not in table_of(app)
    assert "samples 20, seed 1" in table_of(app)
    assert "samples 40, seed 1" in table_of(app)


def test_selected_tokens_that_are_the_top_k_have_no_row_of_their_own(page, store, uneven) -> None:
    attribute(store, LOCAL_OPERATOR, uneven, "built-in", "linear", AttributingOptions(has_faithfulness=True))
    app = page(uneven)
    assert not app.exception
    assert "built-in · linear · selected tokens" not in table_of(app)
    about = " ".join(caption.value for caption in app.caption).replace("\\", "")
    assert "Selected tokens have the same numbers: built-in · linear." in about
    rows = next(one for one in app.selectbox if one.key and one.key.startswith("metrics_distribution_row")).options
    assert rows == ["blind · ig", "built-in · linear", "knowing · ig"]
    app = app.multiselect(key=f"metrics_columns_{uneven.id}").set_value(["eraser.iou_f1_macro"]).run()
    assert re.search(r"\d\.\d{2}", cells_of(app, "built-in · linear"))  # what only a selection has stands there


def test_each_column_tells_on_its_head_what_it_is_and_which_way_is_better(page, modelled) -> None:
    app = page(modelled)
    for meaning in re.findall(r'<th scope="col"[^>]* title="([^"]*)"', table_of(app)):
        assert re.match(r"[A-Z]\w* .+\. (Higher|Lower) is better\.$", meaning)


def test_every_column_that_a_table_may_have_is_told_in_plain_words(page, modelled) -> None:
    names = page(modelled).multiselect(key=f"metrics_columns_{modelled.id}")
    shown = {
        one.name for one in all_definitions() if one.title in " ".join(names.options) and "(released)" not in one.title
    }
    families = ("sets.", "editing.", "eraser.", "ferret.", "method.", "er_test.", "confidence.")
    assert not [name for name in shown if name.startswith(families) and in_plain_words(name) is None]


def test_gold_and_output_of_different_instances_are_said_to_have_nothing_in_common(
    page, store, make_project, import_rows
) -> None:
    made = make_project(gold_policy="all")
    import_rows(made, [
        {"id": "a", "text": "bad plot", "label": "negative", "rationales": [[[0, 1]]], "split": "test"},
        {"id": "b", "text": "good plot", "label": "positive", "split": "train"},
    ])  # fmt: skip
    take(store, made, [SourceOutput("b", Run("m"), "f", 1, "train", (Prediction("positive"),))])
    app = page(made)
    assert not app.exception
    assert app.info[0].value == (
        "No model output for instances with gold. Change “Gold and split”, or add some on Saliency."
    )


def test_what_is_not_there_is_a_dash_in_the_small_tables(page, modelled) -> None:
    for frame in page(modelled).dataframe:
        assert frame.proto.placeholder == "–"


def test_a_report_offers_the_texts_on_which_two_models_differ(page, modelled) -> None:
    app = page(modelled)
    app.button(key=f"metrics_report_open_{modelled.id}").click().run()
    assert not app.exception
    offered = app.selectbox(key=f"metrics_report_texts_{modelled.id}").options
    assert offered == ["random", "largest differences"]


def test_only_leads_are_asked_whether_names_are_told(page, modelled) -> None:
    app = page(modelled)
    app.button(key=f"metrics_report_open_{modelled.id}").click().run()
    assert "Name annotators" not in [box.label for box in app.checkbox]


def test_a_lead_is_asked_whether_names_are_told(page, modelled) -> None:
    app = page(modelled, "lead")
    app.button(key=f"metrics_report_open_{modelled.id}").click().run()
    assert "Name annotators" in [box.label for box in app.checkbox]


def another_tab(app: AppTest, **address: list[str]) -> AppTest:
    """The page as a link with these parameters opens it for the same person, in a tab of its own."""
    fresh = AppTest.from_file(str(PAGE), default_timeout=30)
    fresh.session_state["visit"] = app.session_state["visit"]
    for name, texts in address.items():
        fresh.query_params[name] = texts
    return fresh.run()


def shown_state(app: AppTest) -> dict[str, list[str]]:
    params = {name: texts for name, texts in app.query_params.items() if name != "project"}
    return {name: [texts] if isinstance(texts, str) else list(texts) for name, texts in params.items()}


def test_the_address_follows_what_is_chosen_and_opens_the_same_table_elsewhere(page, modelled) -> None:
    app = page(modelled)
    assert shown_state(app) == {}
    app.multiselect(key=f"metrics_columns_{modelled.id}").set_value(["editing.mrr", "sets.best_f1"]).run()
    app.selectbox(key=f"metrics_order_{modelled.id}").set_value("editing.mrr").run()
    app.selectbox(key=f"metrics_split_{modelled.id}").set_value("").run()
    app.multiselect(key=f"metrics_models_{modelled.id}").set_value(["layered"]).run()
    app.selectbox(key=f"metrics_chart_{modelled.id}").set_value("Confidence").run()
    app.selectbox(key=f"metrics_confidence_row_{modelled.id}").set_value("layered/attention//1").run()
    assert not app.exception
    address = shown_state(app)
    assert address == {
        "columns": ["editing.mrr", "sets.best_f1"], "order": ["editing.mrr"], "split": [""], "models": ["layered"],
        "chart": ["Confidence"], "row": ["layered/attention//1"],
    }  # fmt: skip
    app.multiselect(key=f"metrics_models_{modelled.id}").set_value([]).run()
    fresh = another_tab(app, **address)
    assert not fresh.exception
    assert not fresh.warning
    assert shown_state(fresh) == address
    assert table_of(fresh).count('<th scope="row">') == 2 + 1  # the layers of one model, random
    assert "best first" in table_of(fresh)
    assert fresh.selectbox(key=f"metrics_confidence_row_{modelled.id}").value == "layered/attention//1"


def test_what_the_address_names_and_is_not_there_is_said_and_the_rest_is_shown(page, modelled) -> None:
    address = {
        "policy": ["union"], "split": ["<b>dev</b>"], "models": ["gone", "layered"], "columns": ["sets.best_f1", "x" * 9999],
        "chart": ["../../etc"], "row": ["gone/lime"], "metric": ["\x00"], "page": ["-1"], "criterion": ["deleted"], "evil": ["1"],
    }  # fmt: skip
    fresh = another_tab(page(modelled), **address)
    assert not fresh.exception
    (warning,) = fresh.warning
    for name in ("Split “<b>dev</b>”", "Columns “xxx", "Model “gone”", "4 more"):
        assert name in warning.value.replace("\\", "")
    assert any("policy “union”" in caption.value for caption in fresh.caption)
    assert table_of(fresh).count('<th scope="col"') == 1


def test_a_link_to_much_output_keeps_its_choices_until_the_numbers_are_computed(page, modelled, monkeypatch) -> None:
    app = page(modelled)
    monkeypatch.setattr(numbers, "AUTOMATIC", 3)
    fresh = another_tab(app, split=["test"], columns=["editing.mrr"])
    assert shown_state(fresh) == {"split": ["test"], "columns": ["editing.mrr"]}
    button(fresh, f"metrics_compute_{modelled.id}").click().run()
    assert "MRR with removal" in table_of(fresh)
    assert "Accuracy" not in table_of(fresh)


def test_a_view_is_saved_opened_by_its_number_and_says_what_is_gone(page, store, modelled) -> None:
    app = page(modelled)
    app.multiselect(key=f"metrics_models_{modelled.id}").set_value(["layered"]).run()
    app.selectbox(key=f"metrics_chart_{modelled.id}").set_value("Layers").run()
    app.text_input(key=f"metrics_view_name_{modelled.id}").set_value("By layer")
    button(app, f"metrics_view_save_{modelled.id}").click().run()
    assert not app.exception
    ((view, _),) = views_of_project(store, LOCAL_OPERATOR, modelled)
    assert shown_state(app) == {"view": [str(view.id)]}
    fresh = another_tab(app, view=[str(view.id)])
    assert not fresh.exception
    assert not fresh.warning
    assert fresh.multiselect(key=f"metrics_models_{modelled.id}").value == ["layered"]
    assert fresh.selectbox(key=f"metrics_chart_{modelled.id}").value == "Layers"
    fresh.selectbox(key=f"metrics_chart_{modelled.id}").set_value("Confidence").run()
    assert shown_state(fresh) == {"models": ["layered"], "chart": ["Confidence"]}  # it is not that view any more

    with store.transaction():
        forget_model(store, modelled.id, "layered")
        add_event(store, "operator", "import", "project", modelled.id, project_id=modelled.id, format="x", file="y")
    later = another_tab(app, view=[str(view.id)])
    assert not later.exception
    assert "The view “By layer”\\: Not found, so ignored\\: Model “layered”\\." in later.warning[0].value
    assert "&lt;b onclick" in table_of(later)
    assert "Not found, so ignored\\: View “4711”\\." in another_tab(app, view=["4711"]).warning[0].value


def test_the_table_of_a_group_is_in_the_address_and_one_that_is_gone_is_said(page, modelled) -> None:
    app = page(modelled)
    grouping = app.selectbox(key=f"metrics_group_by_{modelled.id}")
    assert grouping.options == ["(none)", "label", "split", "perturbation type"]  # no annotators to a researcher
    grouping.set_value("label").run()
    group = app.selectbox(key=f"metrics_group_{modelled.id}")
    assert group.options == ["all", "negative (2 instances)", "positive (1 instance)"]
    assert "2 groups by label" in " ".join(text.value for text in app.markdown)
    side_by_side = next(
        text.proto.body for text in app.get("html") if 'aria-label="Best-set token F1' in text.proto.body
    )
    assert side_by_side.index(">negative<small>2 instances") < side_by_side.index(">positive<small>1 instance")
    group.set_value("negative").run()
    assert not app.exception
    assert "groups by label" not in " ".join(text.value for text in app.markdown)
    assert shown_state(app) == {"group_by": ["label"], "group": ["negative"]}
    button(app, "metrics_report_open").click().run()
    assert not app.exception
    assert any("Covers one group: label" in caption.value.replace("\\", "") for caption in app.caption)
    fresh = another_tab(app, **shown_state(app))
    assert not fresh.warning
    assert any("label negative" in caption.value for caption in fresh.caption)
    assert fresh.selectbox(key=f"metrics_group_{modelled.id}").options == group.options
    stale = another_tab(app, group_by=["label"], group=["neutral"])
    assert not stale.exception
    assert "Not found, so ignored\\: Group “neutral”\\." in stale.warning[0].value
    assert any("by label" in caption.value for caption in stale.caption)
    hostile = another_tab(app, group_by=["annotator"], group=["ada"])
    assert "Group by “annotator”, Group “ada”" in hostile.warning[0].value
