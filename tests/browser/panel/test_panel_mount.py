"""Mounting: script runs that come again, the read-only mode, and texts that mean harm."""

from collections.abc import Callable

import pytest

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, work

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]


def two() -> Fake:
    return Fake([work(1, samples.english()), work(2, samples.short("second"))])


def test_another_script_run_redraws_nothing_and_keeps_every_mark(panel: Open) -> None:
    shown = panel(two())
    shown.click(3)
    shown.page.evaluate("window.before = shadow.querySelector('.segment-text').firstChild.firstChild")
    shown.page.evaluate("mount({ csrf: 'other' })")
    assert shown.page.evaluate("before === shadow.querySelector('.segment-text').firstChild.firstChild")
    assert shown.page.locator(".panel").count() == 1
    assert shown.sets() == [[[3, 4]]]


def test_an_old_start_of_a_late_script_run_does_not_bring_the_old_text_back(panel: Open) -> None:
    fake = two()
    fake.start = 101
    fake.works[0]["draft"] = samples.draft([[1, 2]])
    shown = panel(fake)
    shown.keys("Control+Enter")
    shown.shown("second")
    shown.page.evaluate("mount()")
    shown.settle()
    assert shown.key == "second"


def test_a_start_that_the_page_changes_is_opened(panel: Open) -> None:
    shown = panel(two())
    shown.page.evaluate("mount({ start: 102 })")
    shown.shown("second")


def test_the_cleanup_of_an_earlier_call_does_not_take_the_panel_away(panel: Open) -> None:
    shown = panel(two())
    shown.page.evaluate("mount(); mounted[0]()")
    assert shown.page.locator(".panel").count() == 1
    shown.page.evaluate("mounted[1]()")
    assert shown.page.locator(".panel").count() == 0
    assert shown.page.evaluate("CSS.highlights.size") == 0


def test_the_read_mode_shows_sets_and_leaves_all_keys_to_the_screen(panel: Open) -> None:
    fake = Fake([])
    fake.read = work(7, samples.english(), state="submitted", draft=samples.draft([[1, 3]], [[2, 5]]))
    shown = panel(fake)
    assert shown.page.locator(".chip").count() == 2
    shown.click(10)
    shown.page.locator(".text").focus()
    shown.keys("n", "2", "Control+Enter")
    assert shown.page.evaluate("window.leaked.filter((key) => key !== 'Control')") == ["n", "2", "Enter"]
    assert shown.marks() == {"other-0": ["soup arrived"], "other-1": ["arrived lukewarm,"]}
    shown.page.get_by_role("radio", name="Set B").hover()
    assert set(shown.marks()) == {"dim-0", "current-1"}
    assert shown.page.get_by_role("button", name="Submit").count() == 0


def test_the_read_mode_shows_another_work_when_the_script_gives_one(panel: Open) -> None:
    fake = Fake([])
    fake.read = work(7, samples.english(), state="submitted", draft=samples.draft([[1, 3]]))
    shown = panel(fake)
    shown.page.evaluate("mount({ work: { ...mountData.work, draft: { ...mountData.work.draft, sets: [[[5, 6]]] } } })")
    assert list(shown.marks().values()) == [["and"]]


def test_two_panels_on_a_page_do_not_mix_their_marks(panel: Open) -> None:
    shown = panel(two())
    names = shown.page.evaluate(
        """async () => { const { default: make } = await import(`${panelAt}/annotate/main.js`);
        const host = document.createElement('div'); document.getElementById('block').append(host);
        const parentElement = host.attachShadow({ mode: 'open' });
        const cleanup = make({ data: { ...mountData, mode: 'read', work: { ...instances.work, assignment: 9, revision: 1, round: 1,
          state: 'submitted', result: { kind: 'label', given: 'a' }, draft: { sets: [[[0, 1]]] }, locked_sets: [], feedback: null,
          instance: { id: 1, ...instances['second'] } } }, parentElement, setTriggerValue() {} });
        const names = [...CSS.highlights.keys()]; cleanup(); return names; }"""
    )
    assert len(set(names)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 1'> &amp; done",
        "nul \x00 byte and \u202e override \u202c and e\u0301\u0323 marks",
        "tabs\tand  blanks \n\n\nand lines\r\nof every kind\u2028end",
    ],
    ids=["markup", "control", "white space"],
)
def test_a_hostile_text_is_only_text_and_keeps_its_offsets(panel: Open, text: str) -> None:
    fake = Fake([work(1, samples.short("hostile", text))])
    shown = panel(fake)
    assert shown.page.evaluate("shadow.querySelector('.segment-text').textContent") == text
    count = len(fake.works[0]["instance"]["segments"][0]["starts"])
    shown.keys("Control+End", "Space")
    assert shown.sets() == [[[count - 1, count]]]
    segment = fake.works[0]["instance"]["segments"][0]
    assert shown.marks()["current-0"] == [text[segment["starts"][-1] : segment["ends"][-1]]]
    assert shown.page.evaluate("window.hurt") is None


def test_a_lone_surrogate_does_no_harm(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.short("lone", "before \ud800 after"))]))
    shown.keys("Control+End", "Space")
    assert len(shown.sets()[0]) == 1


def test_a_megabyte_in_one_line_can_be_marked_at_both_ends(panel: Open) -> None:
    text = "word " * 200_000
    shown = panel(Fake([work(1, samples.short("mega", text))]))
    shown.click(2)
    shown.page.wait_for_function("shadow.querySelector('.segment-text').textContent.length === 1000000")
    shown.keys("Control+End", "Space")
    assert shown.sets() == [[[2, 3], [199_999, 200_000]]]


def test_the_panel_says_when_there_is_nothing_to_do(panel: Open) -> None:
    shown = panel(Fake([]))
    assert "Nothing is left to annotate here." in shown.text(".empty")


def test_a_server_that_is_not_there_yet_is_waited_for(panel: Open) -> None:
    fake = two()
    fake.refuse["next"] = [(503, {})]
    shown = panel(fake)
    shown.page.wait_for_selector(".segment-text")
    assert shown.key == "sentiment-en-05"


def test_a_refused_start_is_said_in_the_servers_words(panel: Open) -> None:
    fake = two()
    fake.refuse["next"] = [(403, {"error": "You are not an annotator of this project."})]
    shown = panel(fake)
    assert shown.text(".empty") == "You are not an annotator of this project."


def test_everything_that_can_be_pressed_has_a_name(panel: Open) -> None:
    shown = panel(two())
    nameless = shown.page.evaluate(
        """() => [...shadow.querySelectorAll('button, input, textarea, select, [role=radio]')].filter((one) =>
        !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length)).length"""
    )
    assert nameless == 0
    assert shown.page.locator(".text").get_attribute("aria-label") == "Text to mark"


def test_the_dark_theme_is_recognised_by_its_background(panel: Open) -> None:
    shown = panel(two())
    assert shown.page.locator(".panel").get_attribute("data-theme") == "light"
    shown.page.evaluate("document.documentElement.style.setProperty('--st-background-color', '#0e1117'); mount()")
    assert shown.page.locator(".panel").get_attribute("data-theme") == "dark"


def test_a_page_finds_nothing_that_the_page_before_it_kept(panel: Open) -> None:
    """One tab serves all tests of a worker; what they keep lies apart, since each has an origin of its own."""
    kept = "[localStorage.getItem('kept'), sessionStorage.getItem('kept')]"
    first = panel(Fake([work(1, samples.english())]))
    first.page.evaluate("localStorage.setItem('kept', 'yes'); sessionStorage.setItem('kept', 'yes')")
    assert first.page.evaluate(kept) == ["yes", "yes"]
    second = panel(Fake([work(1, samples.english())]))
    assert second.page.evaluate(kept) == [None, None]
