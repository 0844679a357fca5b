"""The annotator: three instances with the mouse, three with the keyboard alone, away and back, and nothing is lost."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import ProjectSettings
from annotator.domain.tasks import get_task
from annotator.store import open_store
from annotator.store.projects import get_project_by_id
from annotator.usecases.access.accounts import add_user
from annotator.usecases.databases import find_project
from annotator.usecases.gold import GoldOptions, gold_instances
from annotator.usecases.project.projects import change_project, create_project, give_role
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from benchmarks.served import Server
from tests.browser.stories.ready_server import ready_server
from tests.browser.stories.story import Person, take

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

SENTIMENT, READING = 1, 3


def words_of(server: Server, key: str) -> list[list[str]]:
    """The words of each set that was handed in for an instance."""
    with open_store(server.database) as store:
        name = store.value(
            "SELECT projects.name FROM instances JOIN projects ON projects.id = project_id WHERE key = ?", (key,)
        )
        for gold in gold_instances(store, find_project(store, name), "chosen", GoldOptions(include_submitted=True)):
            if gold.instance.key == key:
                return [[gold.instance.token(i) for i in s.token_indices] for s in gold.sets]
    return []


def waiting(server: Server, project: int, language: str, n: int) -> list[tuple[str, str]]:
    """(key, text) of some instances that wait."""
    with open_store(server.database) as store:
        rows = store.rows(
            """SELECT key, text FROM instances JOIN segments ON instance_id = instances.id AND position = 0
                JOIN documents ON documents.id = document_id
                WHERE instances.project_id = ? AND language = ? AND open_slots > 0 ORDER BY length(text) DESC""",
            (project, language),
        )
    return [(row["key"], row["text"]) for row in rows][:n]


def first_words(text: str, n: int = 3) -> str:
    return " ".join(text.split("\n", maxsplit=1)[0].split(" ")[:n])


def test_ten_new_people_submit_their_first_text_five_actions_after_start(server: Server, person: Come) -> None:
    """In three kinds of task, through the guidelines, which nobody has read yet; with the mouse, and with keys alone.

    They come one after the other to one browser, which holds nothing of those before.
    """
    projects = ("Sentiment", "Similarity", "Reading")
    with open_store(server.database) as store:
        for number in range(10):
            add_user(store, LOCAL_OPERATOR, f"Newcomer {number}", "annotator", projects[number % 3])
    new = person("Newcomer 0")
    for number in range(10):
        new.page.context.clear_cookies()
        new.come_in(f"Newcomer {number}").open("/start")
        new.page.evaluate("localStorage.clear()")
        new.page.get_by_role("link", name="to annotate").first.click()
        expect(new.page.locator(".guidelines-read")).to_be_focused()
        expect(new.page.locator(".segment-text").first).to_be_visible()
        if projects[number % 3] == "Reading":
            new.press("Enter")
            expect(new.page.get_by_role("application")).to_be_focused()
            new.press("ArrowRight", "Space", "Control+Enter")
        else:
            new.page.locator(".guidelines-read").click()
            for sentence in new.page.locator(".segment-text").all():  # one, or a pair
                sentence.click(position={"x": 14, "y": 14})
            new.page.get_by_role("button", name="Submit").click()
        new.sees("1 today")


def test_an_english_a_chinese_and_a_long_text_are_marked_with_the_mouse(server: Server, person: Come) -> None:
    ann = person("Annotator 1")
    for project, language in ((SENTIMENT, "en"), (SENTIMENT, "zh"), (READING, "en")):
        key, text = waiting(server, project, language, 1)[0]
        ann.annotate(project, key)
        first = first_words(text) if language == "en" else text[2:6]
        last_line = text.rsplit("\n", 1)[-1]
        second = " ".join(last_line.split(" ")[-4:-1]) if language == "en" else last_line[-6:-2]
        ann.mark(first)
        ann.press("n")
        ann.mark(second)
        ann.saved()
        ann.submit()
        sets = words_of(server, key)
        joined = ["".join(words).replace(" ", "") for words in sets]
        assert joined == [first.replace(" ", ""), second.replace(" ", "")], key


def test_below_a_path_everything_is_found_and_nothing_is_asked_beside_it(
    demonstration: Path, tmp_path: Path, browser: Browser
) -> None:
    database = tmp_path / "demo.db"
    shutil.copy(demonstration, database)
    with ready_server(database, "http://127.0.0.1/team") as server, browser.new_context() as context:
        assert server.address.endswith("/team")
        ann = Person(context.new_page(), server).come_in("Annotator 1")
        key, text = waiting(server, SENTIMENT, "en", 1)[0]
        ann.annotate(SENTIMENT, key)
        ann.mark(first_words(text))
        ann.submit()
        assert ["".join(words) for words in words_of(server, key)] == [first_words(text).replace(" ", "")]
        ann.open(f"/saliency?project={SENTIMENT}").page.get_by_test_id("stSidebarNav").get_by_text("Start").click()
        ann.page.wait_for_url(f"{server.address}/start*")
        ann.settles()
        first: list[Route] = []  # what is found without words comes late, and is not what was asked for
        ann.page.route(re.compile(r"/api/palette\?words=(&|$)"), lambda route: first.append(route))  # noqa: PLW0108  (Playwright needs a function)
        ann.press("Control+k")
        ann.page.keyboard.type("Annotate")
        ann.press("Enter")
        for route in first:
            route.continue_()
        ann.wait_for_text()
        assert ann.page.url.startswith(f"{server.address}/annotate?")
        context.clear_cookies()
        ann.page.reload()
        ann.page.get_by_role("button", name="Annotator 1").click()
        ann.wait_for_text()
        assert ann.foreign == []


def test_three_texts_are_marked_with_the_keyboard_alone_and_export_and_import_back_with_the_same_sets_and_spans(
    server: Server, person: Come, tmp_path: Path
) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT)
    for _ in range(3):
        key = ann.key
        ann.press("Home", "Space", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Space")
        ann.press("n", "ArrowRight", "ArrowRight", "Space")
        ann.press("ArrowRight", "Space", "Control+z")
        ann.saved()
        ann.submit()
        sets = words_of(server, key)
        assert [len(words) for words in sets] == [3, 1]

    with open_store(server.database) as store:
        project = find_project(store, "Sentiment")
        export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "all.jsonl")
        copy = create_project(store, LOCAL_OPERATOR, "Copy", project.task)
        import_file(store, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl")
        mine, theirs = (list(gold_instances(store, find_project(store, name), "all")) for name in ("Sentiment", "Copy"))
    assert [(g.instance.key, g.sets, g.result) for g in mine] == [(g.instance.key, g.sets, g.result) for g in theirs]
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sum(line["record"] == "instance" for line in lines) == 73


def test_whoever_closes_the_tab_finds_every_mark_again(server: Server, person: Come) -> None:
    ann = person("Annotator 1")
    key, text = waiting(server, SENTIMENT, "en", 1)[0]
    ann.annotate(SENTIMENT, key)
    ann.mark(first_words(text))
    ann.page.close(run_before_unload=True)
    again = person("Annotator 1").annotate(SENTIMENT)
    assert again.key == key
    again.submit()
    assert "".join(words_of(server, key)[0]) == first_words(text).replace(" ", "")


def test_all_eleven_marks_are_there_after_a_reload_right_after_the_eleventh(server: Server, person: Come) -> None:
    ann = person("Annotator 1")
    key, _ = waiting(server, SENTIMENT, "en", 1)[0]
    ann.annotate(SENTIMENT, key)
    ann.press("Home")
    for _ in range(11):
        ann.press("Space", "ArrowRight")
    ann.page.reload()
    ann.wait_for_text()
    assert ann.key == key
    assert ann.page.locator(".chip .count").first.inner_text() == "11"


def shown_key(ann: Person) -> Locator:
    return ann.page.locator(".key-words").first


def test_a_submission_can_be_taken_back_from_the_list_of_finished_work(server: Server, person: Come) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT)
    key = ann.key
    ann.press("Home", "Space")
    ann.saved()
    ann.submit()
    ann.press("m")
    ann.page.get_by_role("dialog").get_by_text(key).first.click()
    ann.page.get_by_role("button", name="Reopen").first.click()
    ann.sees("Reopened as a draft: submit it again.")
    expect(shown_key(ann)).to_have_text(key)
    ann.press("Home", "ArrowRight", "Space")
    ann.saved()
    ann.submit()
    assert len(words_of(server, key)[0]) == 2


def test_a_text_is_skipped_and_another_proposed_to_be_discarded(server: Server, person: Come) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT)
    skipped = ann.key
    ann.press("s")
    expect(shown_key(ann)).not_to_have_text(skipped)
    proposed = ann.key
    ann.press("d")
    ann.page.get_by_role("dialog").get_by_text("names a person").click()
    ann.page.get_by_role("dialog").get_by_role("button", name="Propose").click()
    expect(shown_key(ann)).not_to_have_text(proposed)
    assert ann.key != skipped
    lead = person("Lead").open(f"/project?project={SENTIMENT}&section=Decisions")
    lead.sees("names a person")
    lead.page.get_by_role("button", name="Keep and return").click()
    lead.sees("Nothing to decide.")
    ann.annotate(SENTIMENT)
    assert ann.key == proposed
    ann.sees("Proposal to discard rejected")


def test_the_guidelines_stand_beside_the_text_while_one_marks_and_submits_and_the_sidebar_follows(person: Come) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT)
    beside = ann.page.locator(".st-key-guidelines")
    expect(beside.get_by_text("The three properties")).to_be_visible()
    text, shown = ann.page.locator(".text").bounding_box(), beside.bounding_box()
    assert text is not None
    assert shown is not None
    assert text["x"] + text["width"] <= shown["x"]
    ann.sees("34 to annotate")
    ann.press("Home", "Space")
    ann.submit()
    ann.sees("33 to annotate")
    assert ann.page.locator(".text").bounding_box()["x"] == text["x"]
    expect(beside.get_by_text("The three properties")).to_be_visible()
    ann.press("g")
    expect(beside).to_be_hidden()
    ann.annotate(SENTIMENT)
    expect(beside).to_be_hidden()


def test_the_guidelines_are_read_with_the_keyboard_alone(person: Come) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT)
    beside = ann.page.locator(".st-key-guidelines")
    expect(beside).to_be_visible()
    ann.press("Shift+G", "PageDown")
    ann.page.wait_for_function("document.querySelector('.st-key-guidelines').scrollTop > 0")
    ann.press("Escape")
    expect(beside).to_be_hidden()
    ann.press("Home", "Space")
    expect(ann.page.locator(".chip .count").first).to_have_text("1")


def test_changed_guidelines_are_read_before_the_next_text_and_the_draft_waits(person: Come) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT)
    ann.press("Home", "Space")
    ann.saved()
    change(ann, "Mark *little*. <b>Not much.</b>")
    ann.annotate(SENTIMENT)
    ann.sees("The guidelines have changed.")
    beside = ann.page.locator(".st-key-guidelines")
    expect(beside.locator(".added").get_by_text("Mark *little*. <b>Not much.</b>")).to_be_visible()
    ann.page.keyboard.press("Enter")
    expect(beside.get_by_role("button", name="I've read them")).to_be_hidden()
    expect(beside.get_by_text("Mark little. <b>Not much.</b>")).to_be_visible()
    expect(ann.page.locator(".chip .count").first).to_have_text("1")
    ann.submit()
    ann.sees("33 to annotate")
    change(ann, "Mark *nothing*.")
    ann.press("Home", "Space")
    ann.submit()
    ann.sees("32 to annotate")
    ann.sees("The guidelines changed. Press g to read them.")
    ann.press("Home", "Space")
    ann.submit()
    expect(beside.get_by_role("button", name="I've read them")).to_be_visible()
    ann.page.keyboard.press("Escape")
    ann.press("Home")
    ann.sees("31 to annotate")  # the last submission is stored
    with open_store(ann.database) as store:
        query = "SELECT guidelines FROM annotations WHERE annotator = 'Annotator 1' ORDER BY id DESC LIMIT 3"
        assert [row["guidelines"] for row in store.rows(query)] == [2, 2, 2]
    lead = person("Lead").open(f"/project?project={SENTIMENT}")
    lead.sees("Not yet: Annotator 1, ")
    expect(lead.page.locator(".st-key-guidelines")).to_have_count(0)


def change(ann: Person, guidelines: str) -> None:
    """The lead writes other guidelines."""
    with open_store(ann.database) as store:
        project = get_project_by_id(store, SENTIMENT)
        change_project(store, LOCAL_OPERATOR, replace(project, guidelines=guidelines))


# Proposed sets: the lead chooses a word list, an annotator accepts, rejects and marks, and the lead sees what was kept.

ORIGINAL = "The plot is slow, but the acting is superb and the music lifts every scene."
CHANGED = "The plot is rather slow, but the acting is truly superb and the music lifts every scene."
ROWS: list[dict[str, object]] = [
    {"id": "film", "text": ORIGINAL, "label": "positive", "rationales": [[[7, 10]], [[11, 16]]]},
    {"id": "film-changed", "text": CHANGED, "label": "positive", "parent": "film", "perturbation_kind": "dispensable"},
]


@pytest.fixture
def pairs(server: Server, tmp_path: Path) -> int:
    """A project with an original that has gold, and a changed version that waits; and two word lists."""
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    with open_store(server.database) as store:
        settings = ProjectSettings(reviewers_per_annotation=0)
        made = create_project(
            store, LOCAL_OPERATOR, "Pairs", get_task("sentiment"), labels=["negative", "positive"], settings=settings
        )
        import_file(store, LOCAL_OPERATOR, made, "jsonl", path)
        save_word_list(store, LOCAL_OPERATOR, made, "praise", ["superb", "lifts"], role="keep")
        save_word_list(store, LOCAL_OPERATOR, made, "fillers", ["the", "is", "but", "and"], role="ignore")
        give_role(store, LOCAL_OPERATOR, made.id, "Annotator 1", "annotator")
        give_role(store, LOCAL_OPERATOR, made.id, "Lead", "lead")
    return made.id


def chips(ann: Person) -> list[str]:
    ann.page.locator(".proposal").first.wait_for()
    return ann.page.locator(".proposal-title").all_inner_texts()


def states(server: Server) -> list[tuple[str, str, str]]:
    with open_store(server.database) as store:
        return [(r["source"], r["name"], r["state"]) for r in store.rows("SELECT * FROM proposed_sets ORDER BY id")]


def test_what_is_proposed_is_chosen_answered_and_counted(server: Server, person: Come, pairs: int) -> None:
    lead = person("Lead").open(f"/project?project={pairs}&section=Rules")
    lead.unfold("Marking")
    lists = lead.page.get_by_role("combobox", name="Word lists that suggest sets")
    take(lists, "fillers (ignore)", "praise (keep)")
    lead.press("Escape")
    lead.page.get_by_role("button", name="Save rules").click()
    lead.sees("Rules saved.")

    ann = person("Annotator 1").annotate(pairs)
    assert ann.key == "film-changed"
    ann.sees("A perturbed version: judge the text as it stands.")
    ann.press("c")
    expect(ann.page.locator("dialog .since ins")).to_have_text(["rather", "truly"])
    ann.press("c")
    expect(ann.page.locator("dialog")).to_have_count(0)
    assert chips(ann) == ["original A", "original B", "“praise”", "all but “fillers”?"]
    ann.press("a", "r")
    ann.saved()
    ann.page.reload()
    ann.wait_for_text()
    assert chips(ann) == ["“praise”", "all but “fillers”?"]
    ann.press("Control+Enter")
    ann.sees("1 undecided proposed set will be dropped. Submit again to confirm.")
    ann.press("Control+Enter")
    ann.sees("Nothing left to annotate")
    ann.saved()
    assert states(server) == [
        ("carried", "dispensable", "accepted"),
        ("carried", "dispensable", "rejected"),
        ("lexicon", "praise", "undecided"),
        ("complement", "fillers", "unasked"),
    ]

    lead.section("Quality")
    lead.sees("Submitted work: 3 suggested, 1 kept.")
