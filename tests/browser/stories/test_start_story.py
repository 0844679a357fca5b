"""The start page in a browser: a line leads to where something is done."""

from collections.abc import Callable

import pytest

from annotator.store import open_store
from annotator.store.people import get_user
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.project.projects import find_project
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser


def test_a_lead_begins_with_what_waits_and_is_led_to_it(server: Server, person: Callable[..., Person]) -> None:
    with open_store(server.database) as store:
        user, project = get_user(store, "Annotator 1"), find_project(store, "Similarity")
        work = annotate_work.next_work(store, user, project.id).work
        assert work is not None
        annotate_work.propose_discard(store, user, work.assignment.id, "broken text")
    lead = person("Lead").open("/").page
    lead.get_by_text("1 proposal waits for your decision").click()
    lead.get_by_text("Discard this text?").wait_for()
    lead.wait_for_url(f"**/project?project={project.id}&section=Decisions")
