"""The perturbed half, whole: one version of each kind in English and in Chinese, checked, annotated, explained, measured."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.perturbations import KINDS
from annotator.store import open_store
from annotator.store.projects import get_project_by_id
from annotator.usecases.project.projects import change_project
from benchmarks.served import Server
from tests.browser.stories.story import Person
from tests.browser.stories.test_perturb_story import approve_all, choose_kind, copy_of, hand_in, write_at

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

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
    "dispensable": ("剪得是真好", "剪得那是真好", "positive"),
    "important": ("真好", "真棒", "positive"),
    "syntax": ("老板话不多，但剪得是真好", "剪得是真好，但老板话不多", "positive"),
    "contrast": ("真好", "真差", "negative"),
    "vocabulary": ("真好", "非常好", "positive"),
    "robustness": ("返工。", "返工！", "positive"),
    "logic": ("剪得是真好", "剪得不是真好", "negative"),
    "entity": ("老板", "店长", "positive"),
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
    """A version of each kind of one original."""
    page = write_at(author, key)
    for kind, (before, after, label) in edits.items():
        choose_kind(page, kind)
        text = copy_of(page).input_value()
        assert before in text
        copy_of(page).fill(text.replace(before, after))
        page.get_by_role("radio", name=label).click()
        hand_in(page)


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
    assert ENGLISH.keys() == CHINESE.keys() == {kind.name for kind in KINDS}
    author = person("Annotator 1")
    for key, edits in WRITTEN.items():
        write_all(author, key, edits)
    for checker in ("Annotator 2", "Reviewer 1"):
        approve_all(person(checker), len(ENGLISH) + len(CHINESE))

    annotator = person("Annotator 2")
    for key, edits in WRITTEN.items():
        for kind in edits:
            annotate(annotator, f"{key}~{kind}")
    with open_store(unreviewed.database) as store:
        states = store.rows("SELECT state, count(*) AS n FROM instances WHERE parent_key IS NOT NULL GROUP BY state")
        assert [tuple(row) for row in states] == [("complete", 16)]

    page = person("Researcher").open("/saliency?project=1").page
    page.get_by_text("Compute attributions").click()
    page.get_by_role("button", name="Compute", exact=True).click()
    expect(page.get_by_text(re.compile("16 attributions")).first).to_be_visible()
    page.goto(f"{unreviewed.address}/metrics?project=1")
    page.get_by_text("Perturbed pairs", exact=True).click()
    expect(page.locator(".js-plotly-plot .xtick text")).to_have_count(len(KINDS))
    assert kinds_in_chart(page) == {kind.name for kind in KINDS}
