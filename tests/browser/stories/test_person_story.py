"""Somebody is erased while they have a page open and hold work; and somebody looks after their own account."""

from collections.abc import Callable

from playwright.sync_api import expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.store import open_store
from annotator.usecases.access.accounts import add_user
from benchmarks.served import Server
from tests.browser.stories.story import Person, choose

Come = Callable[..., Person]


def test_somebody_is_erased_while_they_have_a_text_open(server: Server, person: Come) -> None:
    with open_store(server.database) as store:
        add_user(store, LOCAL_OPERATOR, "Ada", "administrator")
    ann = person("Annotator 2").annotate(1)
    ada = person("Ada").open("/project?project=1")
    ada.section("People")
    page = ada.page
    page.get_by_role("heading", name="Crowd doors").scroll_into_view_if_needed()  # the page is drawn to its end
    page.get_by_text("A person's data", exact=True).first.click()
    choose(page.get_by_role("combobox", name="Whose").first, "Annotator 2")
    page.get_by_role("button", name="Erase", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("What goes: the account and the name")).to_be_visible()
    expect(dialog.get_by_text("Backups that were made before still hold")).to_be_visible()
    dialog.get_by_label("Type the name").fill("Annotator 2")
    dialog.get_by_role("button", name="Erase", exact=True).click()
    ada.sees("Done. They are called “someone who was erased” now.")
    ann.mark("the")
    ann.page.reload()
    expect(ann.page).to_have_url(f"{ann.address}/sign-in?next=%2Fannotate%3Fproject%3D1")
    assert b"Annotator 2" not in server.database.read_bytes()


def test_somebody_leaves_a_project_from_their_own_account(person: Come) -> None:
    ann = person("Annotator 2").annotate(1)
    page = ann.page
    page.get_by_role("link", name="My account").click()
    ann.sees("You are signed in as")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download everything about you").click()
    assert download.value.suggested_filename == "my-data.zip"
    page.get_by_role("listitem").filter(has_text="Sentiment").get_by_role("link", name="Leave").click()
    ann.sees("that you hold will go to")
    page.get_by_role("button", name="Leave the project").click()
    ann.sees("You have left the project.")
    expect(page.get_by_role("listitem").filter(has_text="Sentiment")).to_have_count(0)
