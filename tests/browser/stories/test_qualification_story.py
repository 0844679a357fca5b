"""A lead switches training on; somebody new fails once, passes at the second try, and gets work."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.qualification import QualificationRules
from annotator.domain.projects import Project
from annotator.store import open_store
from annotator.store.instances import get_instance
from annotator.store.projects import get_project_by_id
from annotator.usecases.access import accounts
from annotator.usecases.qualification.items import known_of, pick, set_rules
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

SENTIMENT = 1
N_TEXTS = 4


@pytest.fixture
def texts(server: Server) -> list[int]:
    """Short texts with gold, which the lead picked; somebody new has come."""
    with open_store(server.database) as store:
        project = get_project_by_id(store, SENTIMENT)
        accounts.add_user(store, LOCAL_OPERATOR, "Nora", "annotator", project.name)
        ids = [
            row["id"]
            for row in store.rows(
                "SELECT id FROM instances WHERE project_id = ? AND state = 'complete' AND language = 'en' ORDER BY id",
                (SENTIMENT,),
            )
        ]
        ids = [number for number in ids if phrases(store, project, number)][:N_TEXTS]
        pick(store, LOCAL_OPERATOR, project, "annotators", ids)
    assert len(ids) == N_TEXTS
    return ids


def phrases(store: object, project: Project, number: int) -> list[list[str]]:
    """For each gold set the words of its spans, where these can be found again on the screen; else nothing."""
    instance = get_instance(store, number)  # type: ignore[arg-type]
    known = known_of(store, project, instance)  # type: ignore[arg-type]
    if known is None or not known.sets or known.result != instance.result or len(instance.segments) > 1:
        return []
    body = instance.segments[0].body
    sets = [[body.text[body.starts[s.start] : body.ends[s.end - 1]] for s in each.spans] for each in known.sets]
    is_plain = all(body.text.count(words) == 1 and "\n" not in words for words_of in sets for words in words_of)
    return sets if is_plain else []


def shown_text(nora: Person) -> int:
    """The text to be marked, when what came of the one before is gone."""
    expect(nora.page.get_by_text("What you marked")).to_have_count(0)
    expect(nora.page.get_by_role("button", name="Submit")).to_be_enabled()
    expect(nora.page.locator(".instance-key")).to_have_count(1)
    expect(nora.page.locator(".instance-key")).to_contain_text("sentiment")
    return nora.instance_id(nora.key)


def mark_gold(nora: Person, number: int) -> None:
    with open_store(nora.database) as store:
        sets = phrases(store, get_project_by_id(store, SENTIMENT), number)
    for at, spans in enumerate(sets):
        if at:
            nora.press("n")
        for words in spans:
            nora.mark(words)


def go_on(nora: Person, name: str) -> None:
    nora.page.get_by_role("button", name=name).click()


def test_somebody_new_fails_once_passes_at_the_second_try_and_gets_work(
    person: Come, texts: list[int], tmp_path: Path
) -> None:
    lead = person("Lead").open(f"/project?project={SENTIMENT}")
    lead.section("Training")
    lead.page.get_by_text("Annotators get texts only after they have passed the training").click()
    lead.page.get_by_role("spinbutton", name="Texts in a try").fill("2")
    lead.page.get_by_role("button", name="Save", exact=True).click()
    lead.sees("The rules are saved.")
    lead.picture(tmp_path / "lead.png")

    nora = person("Nora").open(f"/annotate?project={SENTIMENT}")
    nora.sees("2 training texts")
    nora.picture(tmp_path / "begin.png")
    go_on(nora, "Begin the training")
    for number, name in ((1, "Next training text"), (2, "Go on")):
        nora.sees(f"Training {number} of 2")
        assert shown_text(nora) in texts
        if number == 1:
            nora.page.get_by_role("button", name="I have read them").click()
        expect(nora.page.get_by_role("button", name="Skip")).to_have_count(0)
        nora.press("ArrowRight", "Space")
        nora.picture(tmp_path / f"text{number}.png")
        nora.press("Control+Enter")
        nora.sees("What you marked")
        nora.sees("Gold set A")
        nora.picture(tmp_path / f"feedback{number}.png")
        go_on(nora, name)
    nora.sees("You can try again")
    nora.picture(tmp_path / "again.png")
    go_on(nora, "Begin the training")
    for number, name in ((1, "Next training text"), (2, "Go on")):
        nora.sees(f"Training {number} of 2")
        mark_gold(nora, shown_text(nora))
        nora.press("Control+Enter")
        nora.sees("token for token")
        nora.picture(tmp_path / f"passing{number}.png")
        go_on(nora, name)
    nora.page.get_by_role("button", name="Skip").wait_for()
    assert shown_text(nora) not in texts
    nora.picture(tmp_path / "work.png")
    nora.mark(nora.page.locator(".segment-text").first.inner_text().split()[0])
    nora.submit()
    lead.open(f"/project?project={SENTIMENT}").section("Training")
    lead.sees("Of those who have not passed")
    lead.picture(tmp_path / "people.png")


def test_a_reviewer_is_trained_on_worsened_sets_and_sees_what_was_expected(
    server: Server, person: Come, texts: list[int], tmp_path: Path
) -> None:
    with open_store(server.database) as store:
        project = get_project_by_id(store, SENTIMENT)
        accounts.add_user(store, LOCAL_OPERATOR, "Rita", "reviewer", project.name)
        n_sets = len(phrases(store, project, texts[0]))
        pick(store, LOCAL_OPERATOR, project, "reviewers", texts[:1], ["token too much"], seed=1)
        set_rules(store, LOCAL_OPERATOR, SENTIMENT, "reviewers", QualificationRules(is_on=True, tries=1), based_on=0)
    rita = person("Rita").open(f"/review?project={SENTIMENT}")
    go_on(rita, "Begin the training")
    rita.sees("Training 1 of 1")
    rita.page.get_by_role("button", name="I have read them").click()
    expect(rita.page.get_by_role("button", name="Skip")).to_have_count(0)
    rita.picture(tmp_path / "scoring.png")
    rita.press(*"1" * (2 * n_sets + 1))
    rita.press("Control+Enter")
    rita.sees("A token was added to one of the gold sets on purpose.")
    rita.sees("You have not passed this time.")
    rita.picture(tmp_path / "scored.png")
    go_on(rita, "Go on")
    rita.sees("no try is left")
    rita.picture(tmp_path / "failed.png")
