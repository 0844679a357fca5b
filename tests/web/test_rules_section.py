"""The rules on the Project page: what is read before they are saved, and that they were."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from annotator.domain.instances import Draft
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.store import Store
from annotator.store.projects import get_project_by_id
from annotator.usecases.annotate.work import next_work, submit


def test_more_annotators_are_wanted_only_once_the_lead_has_read_what_becomes_incomplete(
    store: Store,
    project: Project,
    annotator: User,
    project_page: Callable[[Project, str], AppTest],
) -> None:
    work = next_work(store, annotator, project.id).work
    assert work is not None
    submit(store, annotator, work.assignment.id, work.assignment.revision, Draft(sets=(RationaleSet.of((0, 2)),)))
    page = project_page(project, "Rules").run()
    page.number_input(key=f"rules_annotators_{project.id}").set_value(2)
    page.button(key="rules_save").click().run()
    assert not page.exception
    assert any("1 complete text becomes incomplete" in element.value for element in page.markdown)
    assert get_project_by_id(store, project.id).settings.annotators_per_instance == 1
    assert any(button.key == "rules_save_anyway" for button in page.button)
    page.number_input(key=f"rules_annotators_{project.id}").set_value(1)
    page.number_input(key=f"rules_idle_{project.id}").set_value(30)
    page.button(key="rules_save").click().run()
    assert get_project_by_id(store, project.id).settings.idle_after_seconds == 30
    assert page.toast[0].value == "The rules are saved\\."
