"""Order on the Project page: what comes first, why, and two leads at once."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.models import Output, Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.queue_orders import ModelOrder, QueueOrder
from annotator.domain.projects import Project
from annotator.files import resource_folder
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.jobs import open_jobs
from annotator.store.models import RunFinder, forget_model, write_outputs
from annotator.usecases.access import accounts
from annotator.usecases.queue.orders import present_order, set_order

PAGE = resource_folder("pages") / "project.py"
LEAST = QueueOrder(first=ModelOrder("least confident", ("bert",)))


@pytest.fixture
def lea(store: Store, project: Project) -> User:
    return accounts.add_user(store, LOCAL_OPERATOR, "lea", "lead", project.name).user


@pytest.fixture
def answered(store: Store, project: Project) -> Project:
    """The probability of “positive” of t1 to t4, whose labels are negative, positive, negative, positive."""
    p_positive = {"t1": 0.2, "t2": 0.6, "t3": 0.9, "t4": 0.95}
    outputs = [
        Output(
            *find_instance_ids(store, project.id, key, None), (Prediction(None, {"positive": p, "negative": 1 - p}),)
        )
        for key, p in p_positive.items()
    ]
    with store.transaction():
        write_outputs(store, RunFinder(store, project.id).id_of(Run("bert")), outputs)
    return project


@pytest.fixture
def page(app_for: Callable[..., AppTest], project: Project, lea: User) -> AppTest:
    """The section, as lea sees it."""
    app = app_for(PAGE, project, who=lea)
    app.session_state["project_section"] = "Order"
    return app


def choose(page: AppTest, project: Project, kind: str) -> AppTest:
    page.selectbox(key=f"order_kind_{project.id}_0").set_value(kind).run()
    assert not page.exception
    return page


def rows(page: AppTest) -> list[dict[str, str]]:
    return list(page.dataframe[0].value.to_dict("records"))


def test_what_is_chosen_is_shown_with_its_reasons_and_set_by_the_button_alone(
    page: AppTest, store: Store, answered: Project
) -> None:
    page.run()
    assert [row["key"] for row in rows(page)] == ["t1", "t2", "t3", "t4"]
    assert "why now" not in rows(page)[0]
    choose(page, answered, "least confident")
    first = rows(page)[0]
    assert (first["key"], first["label"]) == ("t3", "negative")
    assert first["why now"] == "0.100 for its label “negative”; predicts “positive”"
    assert "rankable, 4 first." in page.markdown[1].value
    assert present_order(store, LOCAL_OPERATOR, answered.id).order == QueueOrder()
    page.button(key="order_set").click().run()
    assert not page.exception
    assert present_order(store, LOCAL_OPERATOR, answered.id).order == LEAST
    assert "Assignment order: **first lowest label probability by bert, then as imported**" in page.markdown[0].value
    assert "Set by lea on" in page.markdown[0].value


def test_the_second_of_two_leads_is_told_and_nothing_changes(page: AppTest, store: Store, answered: Project) -> None:
    choose(page.run(), answered, "most confident")
    set_order(store, LOCAL_OPERATOR, answered.id, LEAST)
    page.button(key="order_set").click().run()
    assert "Copy your changes, reload and redo them\\." in page.error[0].value
    assert present_order(store, LOCAL_OPERATOR, answered.id).order == LEAST
    page.button(key="order_set").click().run()
    assert not page.error
    now = present_order(store, LOCAL_OPERATOR, answered.id).order.first
    assert now is not None
    assert now.kind == "most confident"


def test_the_order_before_is_set_back_by_a_button(page: AppTest, store: Store, answered: Project) -> None:
    choose(page.run(), answered, "least confident")
    page.button(key="order_set").click().run()
    assert "Previous order:" in " ".join(caption.value for caption in page.caption)
    page.button(key="order_back").click().run()
    assert not page.exception
    assert present_order(store, LOCAL_OPERATOR, answered.id).order == QueueOrder()
    assert page.selectbox(key=f"order_kind_{answered.id}_2").value == "nothing"
    assert [row["key"] for row in rows(page)] == ["t1", "t2", "t3", "t4"]


def test_the_section_says_that_the_model_of_the_order_is_gone(page: AppTest, store: Store, answered: Project) -> None:
    set_order(store, LOCAL_OPERATOR, answered.id, LEAST)
    with store.transaction():
        forget_model(store, answered.id, "bert")
    page.run()
    assert not page.exception
    assert "Data of “bert” was deleted; the order stays." in page.info[0].value
    assert "4 prioritised texts are still waiting." in page.markdown[0].value


@pytest.mark.parametrize("kind", ["least confident", "models disagree", "least plausible", "nothing found"])
def test_without_answers_the_section_says_where_they_come_from(page: AppTest, project: Project, kind: str) -> None:
    choose(page.run(), project, kind)
    assert page.info[0].value.startswith(
        (
            "No predictions yet. Compute or import some on Saliency.",
            "No attribution metrics yet. Compute them on Metrics.",
        )
    )
    assert not page.dataframe


def test_what_a_kind_lacks_is_said_before_anything_is_set(page: AppTest, answered: Project) -> None:
    choose(page.run(), answered, "models disagree")
    assert "Disagreement needs two models or seeds\\." in page.warning[0].value


def test_a_sample_of_what_was_answered_with_one_label(page: AppTest, answered: Project) -> None:
    choose(page.run(), answered, "nothing found")
    assert rows(page)[0]["why now"] == "the prediction is “negative”"
    assert [row["why now"] for row in rows(page)[1:]] == ["remaining order"] * 3


def test_where_no_answers_are_stored_the_built_in_model_is_trained_here_and_its_progress_stands_in_its_place(
    page: AppTest, store: Store, project: Project
) -> None:
    page.run()
    [kinds] = [one for one in page.selectbox if one.label == "First"]
    kinds.set_value("least confident").run()
    assert not page.exception
    page.button(key="built_in_go_order").click().run()
    [job] = open_jobs(store, project.id)
    assert (job.title, '"trains":true' in job.options) == ("Exact weights (linear) of built-in", True)
    [progress] = page.get("progress")
    assert progress.proto.text.endswith(": queued")
    assert [one.value for one in page.info] == ["A model is running. Choose its predictions afterwards."]
    assert not [one for one in page.button if one.key == "built_in_go_order"]


def test_the_section_says_that_a_new_order_reaches_people_one_text_later(page: AppTest) -> None:
    assert "Applies after reserved texts. Annotators don't see it." in " ".join(one.value for one in page.run().caption)
