"""Progress on the Project page: each of its views, with work and without."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.projects import get_project_by_id
from tests.usecases.review.test_reviews import annotate
from tests.web.test_project_page import SETS, Opened, lea, opened, table_with, texts

__all__ = ["lea", "opened", "texts"]  # fixtures
VIEWS = ("Days and people", "Time", "Hours and cost", "Worth a look")


@pytest.fixture
def worked(store: Store, texts: Callable[..., Project], add_person: Callable[..., User]) -> Project:
    """Thirty texts, of which ann has submitted two that took her 6 and 12 s."""
    project = texts(30)
    ann = add_person("ann", project, "annotator")
    for seconds in (6, 12):
        work = annotate(store, ann, project, SETS)
        store.run("UPDATE assignments SET active_ms = ? WHERE id = ?", (1000 * seconds, work.assignment.id))
    return project


def view(opened: Opened, project: Project, lead: User, name: str) -> AppTest:
    page = opened(project, lead, "Progress")
    page.session_state[f"progress_view_{project.id}"] = name
    return page.run()


@pytest.mark.parametrize("name", VIEWS)
def test_before_anybody_has_submitted_each_view_says_so_and_none_fails(
    texts: Callable[..., Project], lea: Callable[[Project], User], opened: Opened, name: str
) -> None:
    project = texts(3)
    page = view(opened, project, lea(project), name)
    assert not page.exception
    assert not page.error


def test_time_is_told_by_person_with_what_it_was_measured_from(
    worked: Project, lea: Callable[[Project], User], opened: Opened
) -> None:
    page = view(opened, worked, lea(worked), "Time")
    everybody, ann = table_with(page, "time not known")
    assert (everybody["texts"], everybody["median s per text"]) == (2, 9.0)
    assert (ann["person"], ann["median s per token"]) == ("ann", 3.0)
    assert "A pause of more than 60 s does not count" in page.caption[-2].value


def test_a_rate_is_typed_once_and_then_costs_are_there(
    store: Store, worked: Project, lea: Callable[[Project], User], opened: Opened
) -> None:
    page = view(opened, worked, lea(worked), "Hours and cost")
    assert page.metric[-1].value == "–"
    page.selectbox(key=f"progress_rate_unit_{worked.id}").set_value("text")
    page.text_input(key=f"progress_rate_annotating_{worked.id}").set_value("0,35")
    page.text_input(key=f"progress_rate_currency_{worked.id}").set_value("EUR")
    page.button(key=f"progress_rate_save_{worked.id}").click().run()
    assert not page.exception
    rate = get_project_by_id(store, worked.id).settings.pay_rate
    assert rate is not None
    assert (rate.unit, rate.annotating, rate.reviewing, rate.currency) == ("text", Decimal("0.35"), Decimal(0), "EUR")
    lead = page.session_state["visit"].user
    page = view(
        opened, get_project_by_id(store, worked.id), lead, "Hours and cost"
    )  # as the next run reads the project
    assert page.metric[-1].value == r"0\.70 EUR"  # Markdown, in which a point may mean a list
    [row] = table_with(page, "amount")
    assert (row["person"], row["submitted"], row["amount"]) == ("ann", 2, 0.7)


def test_a_typed_rate_counts_at_once_and_is_not_yet_the_projects(
    store: Store, worked: Project, lea: Callable[[Project], User], opened: Opened
) -> None:
    page = view(opened, worked, lea(worked), "Hours and cost")
    [row] = table_with(page, "amount")
    assert row["amount"] == "–"
    assert page.get("download_button")[0].label == "Table without amounts (CSV)"
    page.selectbox(key=f"progress_rate_unit_{worked.id}").set_value("text")
    page.text_input(key=f"progress_rate_annotating_{worked.id}").set_value("0.35").run()
    assert page.metric[-1].value == r"0\.70 EUR"
    [row] = table_with(page, "amount")
    assert row["amount"] == 0.7
    assert page.get("download_button")[0].label == "Table to pay by (CSV)"
    assert any("not remembered yet" in caption.value for caption in page.caption)
    assert get_project_by_id(store, worked.id).settings.pay_rate is None


def test_a_rate_without_a_currency_says_which_word_is_missing(
    worked: Project, lea: Callable[[Project], User], opened: Opened
) -> None:
    page = view(opened, worked, lea(worked), "Hours and cost")
    page.text_input(key=f"progress_rate_annotating_{worked.id}").set_value("12")
    page.text_input(key=f"progress_rate_currency_{worked.id}").set_value("").run()
    assert page.error[0].value == r"Write the currency of the rate, such as EUR\."
    assert page.metric[-1].value == "–"


def test_a_rate_that_is_no_number_is_refused_in_a_sentence(
    store: Store, worked: Project, lea: Callable[[Project], User], opened: Opened
) -> None:
    page = view(opened, worked, lea(worked), "Hours and cost")
    page.text_input(key=f"progress_rate_annotating_{worked.id}").set_value("twelve")
    page.button(key=f"progress_rate_save_{worked.id}").click().run()
    assert "“twelve” is no number" in page.error[0].value
    assert get_project_by_id(store, worked.id).settings.pay_rate is None


def test_a_count_leads_to_the_annotations_behind_it_with_a_good_reason_beside_them(
    store: Store, worked: Project, lea: Callable[[Project], User], opened: Opened
) -> None:
    page = view(opened, worked, lea(worked), "Worth a look")
    page.number_input(key=f"progress_looks_bound_{worked.id}").set_value(300.0).run()
    assert not page.exception
    counts, rows = table_with(page, "annotations"), table_with(page, "gold")
    assert (counts[0]["person"], counts[0]["annotations"], counts[0]["quick"]) == ("ann", 2, 1)
    assert [(row["annotator"], row["time"]) for row in rows] == [("ann", "6 s")]
    sentences = "\n".join(caption.value for caption in page.caption)
    assert "A text may be short and clear" in sentences


def test_among_many_people_one_is_found_by_a_part_of_the_name(
    store: Store, texts: Callable[..., Project], lea: Callable[[Project], User], opened: Opened,
    add_person: Callable[..., User],
) -> None:  # fmt: skip
    project = texts(40)
    for number in range(14):
        annotate(store, add_person(f"ann {number}", project, "annotator"), project, SETS)
    page = view(opened, project, lea(project), "Days and people")
    assert len(table_with(page, "under review")) == 14
    page.text_input(key="progress_search").set_value("N 13").run()
    assert [row["person"] for row in table_with(page, "under review")] == ["ann 13"]
    page.text_input(key="progress_search").set_value("<b>nobody").run()
    assert not page.exception
