"""Changed versions on their way: written, checked by two others, sent back, annotated, measured, and audited."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.perturbations import KINDS, ChangedText
from annotator.domain.project.audits import Drawing
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import get_task
from annotator.store import open_store
from annotator.store.instances import find_instance_ids
from annotator.store.people import get_user
from annotator.store.projects import get_project_by_id
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.proposals import propose
from annotator.usecases.perturb import versions
from annotator.usecases.perturb.audit_results import audits_of_project
from annotator.usecases.perturb.audits import draw_audit
from annotator.usecases.perturb.checks import approve, reject
from annotator.usecases.project.projects import change_project, create_project, give_role
from annotator.usecases.transfer.file_import import import_file
from benchmarks.served import Server
from tests.browser.stories.story import Person, choose, unfold

pytestmark = pytest.mark.browser

Come = Callable[..., Person]
HOSTILE = "<img src=x onerror=document.title='broken'>"


def write_at(somebody: Person, key: str) -> Page:
    """Perturb, at an original."""
    somebody.open(f"/perturb?project=1&instance={somebody.instance_id(key)}")
    expect(somebody.page.locator(".work-title")).to_contain_text(key)
    return somebody.page


def choose_kind(page: Page, kind: str) -> None:
    page.locator(f".kind-row[data-kind={kind}]").click()
    expect(copy_of(page)).to_be_focused()
    # The first look after the server's start waits for the tokeniser.
    expect(page.locator(".word")).to_have_text("saved")
    expect(page.locator(".desk-facts")).to_contain_text("nothing edited yet")


def copy_of(page: Page) -> Locator:
    """What one types in; the first segment's."""
    return page.locator("textarea.copy:visible").first


def hand_in(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^Submit")).click()
    expect(page.locator(".pt-notice")).to_contain_text("Submitted")


def approve_all(somebody: Person, n: int) -> None:
    """Check: approve what waits, one after the other."""
    somebody.open("/perturb?project=1&tab=check")
    page = somebody.page
    for left in range(n, 0, -1):
        expect(page.get_by_role("tab", name="Check")).to_contain_text(str(left))
        expect(page.get_by_test_id("stSidebar")).to_contain_text(f"{left} to check")
        with page.expect_response(re.compile("check/next")):
            page.get_by_role("button", name=re.compile("^Approve")).click()
    somebody.sees("Nothing to do right now.")
    expect(page.get_by_test_id("stSidebar")).not_to_contain_text("to check")


def test_versions_of_two_kinds_and_one_in_chinese_are_checked_by_two_and_come_to_annotation(
    server: Server, person: Come
) -> None:
    author = person("Annotator 1")
    page = write_at(author, "sentiment-en-01")
    expect(copy_of(page)).to_have_count(0)  # nothing is offered before the kind
    choose_kind(page, "dispensable")
    copy_of(page).press("Control+End")
    copy_of(page).press_sequentially(" Honestly.")
    expect(page.locator(".diff ins")).to_have_text("Honestly.")
    expect(page.locator(".desk-facts")).to_contain_text(re.compile(r"^2 of \d+ tokens edited \("))
    expect(page.get_by_role("radio", name="positive")).to_be_checked()  # the original's, which the type keeps
    expect(page.locator(".desk-problems li")).to_have_count(0)
    expect(page.locator(".word")).to_have_text("saved")
    hand_in(page)
    author.sees("Perturbed versions of this text")

    choose_kind(page, "contrast")
    expect(page.locator(".pill[aria-checked=true]")).to_have_count(0)
    copy_of(page).fill("Crisp treble, but the bass drowns the voices.")
    expect(page.locator(".diff del").first).to_be_visible()
    page.get_by_role("radio", name="positive").click()
    expect(page.locator(".desk-problems")).to_have_text("The result is the original's; this type usually changes it.")
    page.get_by_role("radio", name="negative").click()
    expect(page.locator(".desk-problems li")).to_have_count(0)
    hand_in(page)

    write_at(author, "sentiment-zh-01")
    choose_kind(page, "logic")
    copy_of(page).press("Control+End")
    copy_of(page).press_sequentially("我不推荐。")
    expect(page.locator(".diff ins")).to_have_text("我不推荐。")
    expect(page.locator(".suggestion").first).to_contain_text("不推荐")
    page.get_by_role("radio", name="negative").click()
    hand_in(page)

    approve_all(person("Annotator 2"), 3)
    approve_all(person("Reviewer 1"), 3)
    author.open("/perturb?project=1&tab=mine")
    expect(page.locator(".state.approved")).to_have_count(3)
    page.locator("summary", has_text="sentiment-zh-01").click()
    page.get_by_role("link", name="open in Annotate").last.click()
    author.wait_for_text()
    assert author.key == "sentiment-zh-01~logic"
    with open_store(server.database) as store:
        rows = store.rows(
            "SELECT key, perturbation_kind, parent_key, result FROM instances WHERE key LIKE '%~%' ORDER BY key"
        )
    assert [tuple(row) for row in rows] == [
        ("sentiment-en-01~contrast", "contrast", "sentiment-en-01", "negative"),
        ("sentiment-en-01~dispensable", "dispensable", "sentiment-en-01", "positive"),
        ("sentiment-zh-01~logic", "logic", "sentiment-zh-01", "negative"),
    ]


_SEEN = """
() => {
  const host = [...document.querySelectorAll('*')].find((one) => one.shadowRoot?.querySelector('.perturb')).shadowRoot;
  const copy = host.querySelector('.copy:focus'), change = host.querySelector('.diff ins');
  const diff = change.closest('.diff').getBoundingClientRect(), at = change.getBoundingClientRect();
  const bar = host.querySelector('.desk .bar').getBoundingClientRect().bottom;
  return {
    copyBelowBar: copy.getBoundingClientRect().top >= bar,
    linesBelowCaret: (copy.scrollHeight - copy.scrollTop - copy.clientHeight) / parseFloat(getComputedStyle(copy).lineHeight),
    changeInDiff: at.top >= Math.max(diff.top, bar) && at.bottom <= Math.min(diff.bottom, innerHeight) + 1,
  };
}
"""


def test_what_a_suggestion_put_in_is_in_sight_below_the_bar_in_the_copy_and_in_the_diff(person: Come) -> None:
    author = person("Lead")
    author.open(f"/perturb?project=3&instance={author.instance_id('reading-en-04')}")
    page = author.page
    choose_kind(page, "robustness")
    suggestion = page.locator(".suggestion", has_text=" at the end").first
    suggestion.focus()
    author.press("Enter")
    expect(page.locator(".diff ins").first).to_be_visible()
    seen = page.evaluate(_SEEN)
    assert seen["copyBelowBar"]
    assert seen["linesBelowCaret"] < 1, "the end of the text, where it was put in, is on the screen"
    assert seen["changeInDiff"]


def test_a_version_is_written_and_checked_by_the_keyboard_alone(person: Come) -> None:
    author = person("Annotator 1")
    page = write_at(author, "sentiment-en-02")
    author.press("k")  # to the kinds
    expect(page.locator(".kind-row").first).to_be_focused()
    author.press("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown")
    expect(page.locator(".kind-row[data-kind=robustness]")).to_be_focused()
    author.press("Enter")
    expect(copy_of(page)).to_be_focused()
    expect(page.locator(".suggestion").first).to_be_visible()
    before = copy_of(page).input_value()
    author.press("Escape", "s")
    expect(page.locator(".suggestion").first).to_be_focused()
    author.press("Enter")
    expect(page.locator(".diff ins, .diff del").first).to_be_visible()
    assert copy_of(page).input_value() != before
    author.press("Control+z")
    expect(copy_of(page)).to_have_value(before)  # what a suggestion changed is taken back at once
    author.press("Control+End")
    page.keyboard.type(" !!")
    author.press("Escape", "2", "t")
    page.keyboard.type("noise at the end")
    author.press("Control+Enter")
    expect(page.locator(".pt-notice")).to_contain_text("Submitted")

    checker = person("Reviewer 2")
    checker.open("/perturb?project=1")
    expect(checker.page.locator(".work-title:visible")).to_contain_text("sentiment-en-02")
    checker.sees("noise at the end")
    checker.press("r", "Control+Enter")
    checker.sees("Say briefly why.")
    checker.press("Escape", "a")
    checker.sees("Nothing to do right now.")
    checker.press("?")
    expect(checker.page.get_by_role("dialog", name="Keys")).to_be_visible()


def test_a_returned_version_is_told_why_corrected_versions_show_what_changed_and_it_is_written_anew(
    server: Server, person: Come
) -> None:
    author, corrector, rejector = person("Annotator 1"), person("Reviewer 1"), person("Annotator 2")
    page = write_at(author, "sentiment-en-01")
    choose_kind(page, "dispensable")
    copy_of(page).press("Control+End")
    copy_of(page).press_sequentially(" Truly.")
    page.get_by_role("radio", name="positive").click()
    hand_in(page)

    corrector.open("/perturb?project=1")
    expect(corrector.page.locator(".check-result")).to_contain_text("stays positive")
    corrector.press("x")
    copy_of(corrector.page).press("End")
    copy_of(corrector.page).press_sequentially(" Really.")
    expect(corrector.page.locator(".diff:visible ins").last).to_contain_text("Really")
    corrector.press("Control+Enter")
    corrector.sees("Say briefly what you corrected.")
    corrector.page.keyboard.type("one more, for balance")
    corrector.press("Control+Enter")
    corrector.sees("Nothing to do right now.")

    rejector.open("/perturb?project=1&tab=check")
    expect(rejector.page.locator(".check-result")).to_contain_text("for you to check", timeout=30_000)
    for hidden in ("one more, for balance", "Annotator 1", "Reviewer 1"):  # neither the first one's word nor the author
        expect(rejector.page.get_by_text(hidden)).to_have_count(0)
    rejector.press("r")
    rejector.page.keyboard.type("two fillers are too many")
    rejector.press("Control+Enter")
    rejector.sees("Nothing to do right now.")

    author.open("/perturb?project=1&tab=mine")
    author.sees("two fillers are too many")
    author.sees("one more, for balance")
    expect(page.locator(".history .since ins")).to_have_text("Really.")
    expect(page.locator(".mine-one > .since ins")).to_have_text("Truly. Really.")
    page.get_by_role("button", name="Revise").click()
    copy_of(page).fill(copy_of(page).input_value().replace(" Truly. Really.", " All in all."))
    expect(page.locator(".diff:visible ins")).to_have_text("All in all.")
    page.get_by_role("button", name=re.compile("^Submit again")).click()
    author.sees("Submitted again. Checking starts over")
    with open_store(server.database) as store:
        rows = store.rows("SELECT number, reason FROM perturbation_versions ORDER BY number")
        state = store.value("SELECT state FROM perturbations")
    assert [tuple(row) for row in rows] == [(1, ""), (2, "one more, for balance"), (3, "")]
    assert state == "waiting"


def test_hostile_text_is_text_everywhere_and_what_is_gone_is_confirmed_by_a_second_press(
    server: Server, person: Come, tmp_path: Path
) -> None:
    row = {"id": HOSTILE, "text": f"bad {HOSTILE} soup", "tokens": ["bad", HOSTILE, "soup"], "label": "negative", "rationales": [[[0, 1]]]}  # fmt: skip
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with open_store(server.database) as store:
        import_file(store, LOCAL_OPERATOR, get_project_by_id(store, 1), "jsonl", path)
    author = person("Annotator 1")
    page = write_at(author, HOSTILE)
    choose_kind(page, "contrast")
    copy_of(page).fill(f"{HOSTILE} soup")
    page.get_by_label("Note").fill(HOSTILE)
    page.get_by_role("radio", name="positive").click()
    author.sees("has no tokens left and isn't proposed.")
    page.get_by_role("button", name=re.compile("^Submit")).click()
    expect(page.locator(".desk-problems.asked")).to_contain_text("No rationale tokens are left: no set proposed.")
    page.get_by_role("button", name="Submit anyway").click()
    expect(page.locator(".pt-notice")).to_contain_text("Submitted")
    checker = person("Annotator 2").open("/perturb?project=1&tab=check")
    expect(checker.page.locator(".diff:visible")).to_contain_text(f"{HOSTILE}")
    checker.sees("No rationale tokens are left: no set proposed.")
    for one in (page, checker.page):
        assert one.title() != "broken"
        assert one.locator(".perturb img").count() == 0


def test_a_draft_is_listed_under_mine_and_what_was_done_goes_when_the_next_version_is_begun(person: Come) -> None:
    author = person("Annotator 1")
    page = write_at(author, "sentiment-en-01")
    choose_kind(page, "dispensable")
    copy_of(page).press("Control+End")
    copy_of(page).press_sequentially(" Truly.")
    expect(page.locator(".diff ins")).to_have_text("Truly.")
    author.open("/perturb?project=1&tab=mine")
    draft = page.locator(".mine-one", has_text="sentiment-en-01")
    expect(draft.locator(".state")).to_have_text("draft")
    draft.locator("summary").click()
    draft.get_by_role("button", name="Continue").click()
    expect(copy_of(page)).to_have_value(re.compile(r" Truly\.$"))
    page.get_by_role("radio", name="positive").click()
    hand_in(page)
    expect(page.locator(".pt-notice.done")).to_be_visible()
    choose_kind(page, "contrast")
    expect(page.locator(".pt-notice")).to_be_hidden()
    checker = person("Annotator 2").open("/perturb?project=1&tab=check")
    checker.sees("Insert, delete or replace unimportant words")
    checker.press("r")
    expect(checker.page.get_by_placeholder("why you reject it")).to_be_focused()


def test_a_draft_is_discarded_after_a_question_and_does_not_come_back(person: Come) -> None:
    author = person("Annotator 1")
    page = write_at(author, "sentiment-en-02")
    expect(page.get_by_role("button", name="Discard draft")).to_be_hidden()
    choose_kind(page, "dispensable")
    copy_of(page).press("Control+End")
    copy_of(page).press_sequentially(" Truly.")
    expect(page.locator(".diff ins")).to_have_text("Truly.")
    row = page.locator(".list-row[aria-current=true] .facts")
    expect(row).to_have_text("draft")
    page.get_by_role("button", name="Discard draft").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(copy_of(page)).to_have_value(re.compile("Truly"))
    page.get_by_role("button", name="Discard draft").click()
    page.get_by_role("dialog").get_by_role("button", name="Discard draft").click()
    author.sees("The draft was discarded.")
    expect(row).to_have_text("positive")
    choose_kind(page, "dispensable")
    author.open("/perturb?project=1&tab=mine")
    page.locator(".mine-one summary").click()
    page.get_by_role("button", name="Discard draft").click()
    page.get_by_role("dialog").get_by_role("button", name="Discard draft").click()
    expect(page.locator(".mine-one")).to_have_count(0)
    write_at(author, "sentiment-en-02")
    expect(page.locator(".kind-row").first).to_be_visible()
    expect(page.locator(".list-row[aria-current=true] .facts")).to_have_text("positive")


def test_nothing_is_lost_while_the_server_is_away_and_when_the_tab_is_closed(server: Server, person: Come) -> None:
    author = person("Annotator 1")
    page = write_at(author, "sentiment-en-01")
    choose_kind(page, "syntax")
    expect(page.locator(".word")).to_have_text("saved")
    page.route("**/api/perturb/look", lambda route: route.abort())
    copy_of(page).fill("Deep bass, crisp treble.")
    expect(page.locator(".word")).to_contain_text("kept in this browser")
    page.reload()  # the server has heard nothing of it; the browser still knows
    expect(copy_of(page)).to_have_value("Deep bass, crisp treble.")
    expect(page.locator(".word")).to_contain_text("kept in this browser")
    page.unroute("**/api/perturb/look")
    expect(page.locator(".word")).to_have_text("saved")
    page.evaluate("localStorage.clear()")
    page.reload()  # now the server's draft alone
    expect(copy_of(page)).to_have_value("Deep bass, crisp treble.")


def test_two_tabs_of_one_person_tell_each_other(person: Come) -> None:
    author = person("Annotator 1")
    page = write_at(author, "sentiment-en-01")
    choose_kind(page, "syntax")
    expect(page.locator(".word")).to_have_text("saved")
    other = page.context.new_page()
    other.goto(page.url)
    expect(copy_of(other)).to_be_visible()
    copy_of(other).fill("Deep bass, crisp treble.")
    expect(page.locator(".pt-notice")).to_contain_text("another tab")
    page.get_by_role("button", name="Use the other tab's").click()
    expect(copy_of(page)).to_have_value("Deep bass, crisp treble.")


def test_a_decision_of_another_one_meanwhile_is_said_and_shown(server: Server, person: Come) -> None:
    with open_store(server.database) as store:
        ann, ben = get_user(store, "Annotator 1"), get_user(store, "Annotator 2")
        original = int(store.value("SELECT id FROM instances WHERE key = 'sentiment-en-01'"))
        text = store.value(
            "SELECT text FROM documents JOIN segments ON document_id = documents.id WHERE instance_id = ?", (original,)
        )
        one = versions.hand_in(store, ann, original, ChangedText("syntax", {"text": f"{text} So."}, "positive"))
    checker = person("Reviewer 1").open("/perturb?project=1")
    expect(checker.page.locator(".check-result")).to_contain_text("for you to check")
    with open_store(server.database) as store:
        reject(store, ben, one.id, 1, "no")
    checker.press("a")
    checker.sees("This has changed. Reload and check it again.")
    expect(checker.page.locator(".check-result")).to_contain_text("returned")
    expect(checker.page.get_by_role("button", name=re.compile("^Approve"))).to_be_hidden()


def test_a_lead_gives_a_project_kinds_of_its_own(person: Come) -> None:
    lead = person("Lead").open("/project?project=1&section=Rules")
    lead.unfold("Perturbed versions")
    kinds = lead.page.get_by_role("textbox", name="Custom types, comma-separated")
    kinds.fill("irony, contrast")
    kinds.press("Tab")  # a press that the page's answer to the field overtakes is lost
    lead.settles()
    lead.page.get_by_role("button", name="Save rules").click()
    lead.sees("'contrast' already exists. Choose another name.")
    kinds.fill("irony")
    kinds.press("Tab")
    lead.settles()
    lead.page.get_by_role("button", name="Save rules").click()
    lead.sees("Rules saved.")
    page = write_at(lead, "sentiment-en-01")
    choose_kind(page, "irony")


def test_what_was_typed_the_moment_before_the_tab_closed_is_on_the_server(server: Server, person: Come) -> None:
    page = write_at(person("Annotator 1"), "sentiment-en-01")
    choose_kind(page, "syntax")
    copy_of(page).fill("Deep bass, crisp treble.")
    page.goto("about:blank")  # before the pause is over
    with open_store(server.database) as store:
        for _ in range(100):
            if "Deep bass, crisp" in str(store.value("SELECT texts FROM perturbation_drafts")):
                break
            page.wait_for_timeout(100)
    again = write_at(person("Annotator 1"), "sentiment-en-01")  # another browser, which has kept nothing
    expect(copy_of(again)).to_have_value("Deep bass, crisp treble.")


def test_of_a_reading_text_the_question_alone_may_change_and_the_answer_with_it(server: Server, person: Come) -> None:
    author = person("Annotator 1")
    page = author.page
    author.open(f"/perturb?project=3&instance={author.instance_id('reading-en-04')}")
    choose_kind(page, "contrast")
    page.locator("textarea.copy[data-segment=question]").fill("Who hung the bell?")
    expect(page.locator(".diff[aria-label='Changes in question'] ins").first).to_be_visible()
    expect(page.locator(".desk-problems")).to_contain_text("Give the answer")
    page.get_by_role("button", name="no answer").click()
    expect(page.locator(".desk-problems li")).to_have_count(0)
    hand_in(page)
    with open_store(server.database) as store:
        row = store.row("SELECT result, json_extract(texts, '$.question') AS question FROM perturbation_versions")
    assert row is not None
    assert (row["result"], row["question"]) == ("", "Who hung the bell?")


# The perturbed half, whole: one version of each kind, and two in Chinese, checked, annotated, explained, measured.


# By kind: what stands in the original, what in its place, and the label of the changed version.
ENGLISH = {
    "dispensable": ("wearing them.", "wearing them, honestly.", "positive"),
    "important": ("Crisp treble", "Clear treble", "positive"),
    "syntax": ("after six hours on a plane I'd forgotten I was wearing them",
               "I'd forgotten I was wearing them after six hours on a plane", "positive"),
    "contrast": ("never drowns", "always drowns", "negative"),
    "vocabulary": ("deep bass", "very deep bass", "positive"),
    "robustness": ("I'd forgotten", "I had forgotten", "positive"),
    "logic": ("I'd forgotten", "I'd not forgotten", "negative"),
    "entity": ("six hours", "nine hours", "positive"),
}  # fmt: skip
CHINESE = {
    "syntax": ("老板话不多，但剪得是真好", "剪得是真好，但老板话不多", "positive"),
    "logic": ("剪得是真好", "剪得不是真好", "negative"),
}
WRITTEN = {"sentiment-en-01": ENGLISH, "sentiment-zh-01": CHINESE}


@pytest.fixture
def unreviewed(server: Server) -> Server:
    """The demonstration, where what is handed in counts at once: reviewing has stories of its own."""
    with open_store(server.database) as store:
        project = get_project_by_id(store, 1)
        settings = replace(project.settings, reviewers_per_annotation=0)
        change_project(store, LOCAL_OPERATOR, replace(project, settings=settings))
    return server


def write_all(author: Person, key: str, edits: dict[str, tuple[str, str, str]]) -> None:
    """A version of each of these kinds of one original."""
    page = write_at(author, key)
    for kind, (before, after, label) in edits.items():
        choose_kind(page, kind)
        text = copy_of(page).input_value()
        assert before in text
        copy_of(page).fill(text.replace(before, after))
        page.get_by_role("radio", name=label).click()
        hand_in(page)


def approved_by(server: Server, *names: str) -> None:
    """All versions, by these people one after the other; approving on the screen has a story above."""
    with open_store(server.database) as store:
        for name in names:
            checker = get_user(store, name)
            for row in store.rows("SELECT id FROM perturbations WHERE state = 'waiting' ORDER BY id"):
                approve(store, checker, row["id"], 1)


def annotated_by(server: Server, name: str, key: str) -> None:
    """As `annotate`, without a screen."""
    with open_store(server.database) as store:
        user = get_user(store, name)
        work = annotate_work.next_work(store, user, 1, find_instance_ids(store, 1, key)[0]).work
        assert work is not None
        offer = propose(store, user, work.assignment.id)
        sets = tuple(proposed.rationale_set for proposed in offer.proposals.sets)
        draft = replace(work.assignment.draft, sets=sets, proposed=dict.fromkeys(offer.numbers, "accepted"))
        annotate_work.submit(store, user, work.assignment.id, work.assignment.revision, draft)


def annotate(somebody: Person, key: str) -> None:
    """Accept the proposed sets one by one, as one must where the label is another one, and hand them in."""
    somebody.annotate(1, key)
    proposals = somebody.page.locator(".proposal")
    expect(proposals.first).to_be_visible()
    for left in range(proposals.count() - 1, -1, -1):
        somebody.press("a")
        expect(proposals).to_have_count(left)
    somebody.saved()
    somebody.submit()


def kinds_in_chart(page: Page) -> set[str]:
    return set(page.locator(".js-plotly-plot .xtick text").all_text_contents())


def test_a_version_of_each_kind_in_two_languages_goes_all_the_way_to_its_map(unreviewed: Server, person: Come) -> None:
    assert ENGLISH.keys() == {kind.name for kind in KINDS}
    author = person("Annotator 1")
    for key, edits in WRITTEN.items():
        write_all(author, key, edits)
    approved_by(unreviewed, "Annotator 2", "Reviewer 1")

    on_screen = ("sentiment-en-01~contrast", "sentiment-zh-01~logic")  # both have another label than their originals
    for key, edits in WRITTEN.items():
        for changed in {f"{key}~{kind}" for kind in edits}.difference(on_screen):
            annotated_by(unreviewed, "Annotator 2", changed)
    annotator = person("Annotator 2")
    for changed in on_screen:
        annotate(annotator, changed)
    with open_store(unreviewed.database) as store:
        states = store.rows("SELECT state, count(*) AS n FROM instances WHERE parent_key IS NOT NULL GROUP BY state")
        assert [tuple(row) for row in states] == [("complete", 14)]  # four come with the demonstration

    page = person("Researcher").open("/saliency?project=1").page
    unfold(page, "Add predictions, models and attributions")
    unfold(page, "Compute attributions")
    page.get_by_role("button", name="Compute", exact=True).click()
    expect(page.get_by_text(re.compile("10 attributions")).first).to_be_visible()
    page.goto(f"{unreviewed.address}/metrics?project=1")
    choose(page.get_by_role("combobox", name="Chart"), "Perturbed pairs")
    expect(page.locator(".js-plotly-plot .xtick text")).to_have_count(len(KINDS))
    assert kinds_in_chart(page) == {kind.name for kind in KINDS}


# An audit: the lead draws it, somebody who had no part judges it, the lead sends back what is wrong, the author reads why.

TEXT = "The plot is slow, but the acting is superb and the music lifts every scene."


@pytest.fixture
def films(server: Server, tmp_path: Path) -> Project:
    """Two films, each with a changed version that Annotator 1 wrote and that was accepted."""
    path = tmp_path / "films.jsonl"
    rows = [{"id": k, "text": TEXT, "label": "positive", "rationales": [[[7, 10]]]} for k in ("f1", "f2")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with open_store(server.database) as store:
        settings = ProjectSettings(reviewers_per_annotation=0, checkers_per_perturbation=0)
        made = create_project(
            store, LOCAL_OPERATOR, "Films", get_task("sentiment"), labels=["negative", "positive"], settings=settings
        )
        import_file(store, LOCAL_OPERATOR, made, "jsonl", path)
        for name, role in (("Annotator 1", "annotator"), ("Annotator 2", "annotator"), ("Lead", "lead")):
            give_role(store, LOCAL_OPERATOR, made.id, name, role)  # type: ignore[arg-type]
        author = get_user(store, "Annotator 1")
        for key, word in (("f1", "truly"), ("f2", "*quite*")):
            changed = ChangedText("dispensable", {"text": TEXT.replace("is superb", f"is {word} superb")}, "positive")
            versions.hand_in(store, author, find_instance_ids(store, made.id, key)[0], changed)
    return made


def test_a_sample_is_judged_with_the_keyboard_alone(server: Server, person: Come, films: Project) -> None:
    with open_store(server.database) as store:
        draw_audit(store, LOCAL_OPERATOR, films, Drawing())
    somebody = person("Annotator 2").open(f"/perturb?project={films.id}&audit=1")
    page = somebody.page
    somebody.sees("2 versions left.")
    somebody.sees("give the verdict and go on")
    wrong = page.get_by_role("button", name="Wrong", exact=True)
    field = page.locator("[data-stale=false][class*=st-key-audit_][class*=_comment]")
    first = field.get_attribute("class") or ""
    somebody.press("2")
    expect(wrong).to_be_enabled()
    somebody.press("2")
    expect(wrong).to_be_disabled()
    somebody.press("Control+Enter")
    somebody.sees("1 version left. Authors and checkers are hidden.")

    expect(field).not_to_have_class(first)
    somebody.settles()
    somebody.press("c")
    expect(page.get_by_role("textbox", name="Comment")).to_be_focused()
    page.keyboard.type("2 things are wrong")
    somebody.press("Escape", "2", "Control+Enter")
    somebody.sees("Nothing to audit. Your own versions are hidden.")
    with open_store(server.database) as store:
        [result] = audits_of_project(store, LOCAL_OPERATOR, films)
    [judged] = result.wrong
    assert (result.overall.n_judged, result.overall.n_right) == (2, 1)
    assert judged.item.verdict is not None
    assert (judged.item.verdict.faults, judged.item.verdict.comment) == (("result",), "2 things are wrong")


def test_a_sample_is_drawn_judged_and_what_is_wrong_goes_back(person: Come, films: Project) -> None:
    lead = person("Lead").open(f"/project?project={films.id}&section=Quality")
    page = lead.page
    page.get_by_role("button", name="Draw a sample").click()
    lead.sees("95 % of 2 versions right gives a 95 % interval of")
    page.get_by_role("button", name="Draw sample").click()
    lead.sees("none judged yet")

    somebody = person("Annotator 2").open(f"/perturb?project={films.id}&audit=1")
    judged = somebody.page
    somebody.sees("2 versions left.")
    expect(judged.get_by_text("Annotator 1")).to_have_count(0)
    judged.get_by_role("button", name="Right").click()
    somebody.sees("1 version left. Authors and checkers are hidden.")
    somebody.settles()  # the problems of the first version look the same
    judged.get_by_text("its label or answer is wrong").click()
    wrong = judged.get_by_role("button", name="Wrong", exact=True)
    expect(wrong).to_be_enabled()
    wrong.click()
    somebody.sees("Nothing to audit. Your own versions are hidden.")

    lead.open(f"/project?project={films.id}&section=Quality")
    lead.sees("50.0 % right of 2 judged (95 % CI 9.5 % to 90.5 %)")
    lead.sees("1 wrong version")
