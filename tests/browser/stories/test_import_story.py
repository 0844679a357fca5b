"""Files as others write them: columns with other names, rows without keys, labels of their own, model output without keys."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotator.store import open_store
from annotator.store.instances import instances_of_keys
from annotator.store.projects import get_project_by_id
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

TABLE = (
    "phrase,worker_id,label,rationale_index\n"
    '"<b>Good</b> soup, good bread, and friendly people.",w1,positive,"[0, 2]"\n'
    '"Cold soup, old bread, and nobody who smiled once.",w1,<b>odd</b>,[0]\n'
)


def test_a_plain_table_comes_in_by_keyboard_with_its_columns_numbers_and_labels(
    server: Server, person: Come, tmp_path: Path
) -> None:
    file = tmp_path / "plain.csv"
    file.write_text(TABLE, encoding="utf-8")
    lead = person("Lead").open("/project?project=1")
    page = lead.page
    lead.section("Import")
    page.locator("input[type=file]").set_input_files(file)
    lead.sees("This looks like a CSV table")
    lead.sees("A guess.")  # the text and the annotator
    key = page.get_by_role("combobox", name="The key")
    key.focus()
    page.keyboard.press("ArrowDown")
    page.get_by_role("option", name="number the rows").wait_for()
    page.keyboard.press("Enter")
    expect(key).to_have_value("number the rows")
    page.get_by_role("button", name="Check").focus()
    page.keyboard.press("Enter")
    lead.sees("“<b>odd</b>”")
    leave = page.get_by_role("radio", name="Leave it out").or_(page.get_by_role("button", name="Leave it out"))
    leave.first.focus()
    page.keyboard.press("Space")
    lead.sees("1 row with the label '<b>odd</b>' was left out.")
    page.get_by_role("button", name="Store 1 instance").click()
    lead.sees("Stored 1 new and 0 changed instances")
    with open_store(server.database) as store:
        assert get_project_by_id(store, 1).settings.import_columns == {"text": "phrase", "annotator": "worker_id"}
        [stored] = instances_of_keys(store, 1, ["1"])["1"]
        assert stored.n_tokens == 7


def test_model_output_without_keys_goes_to_the_texts_and_doubles_are_named(
    server: Server, person: Come, tmp_path: Path
) -> None:
    with open_store(server.database) as store:
        [row] = store.rows(
            "SELECT text, instances.key AS key FROM instances JOIN segments ON instance_id = instances.id "
            "JOIN documents ON documents.id = document_id WHERE instances.project_id = 1 ORDER BY instances.id LIMIT 1"
        )
    twice = tmp_path / "twice.csv"
    twice.write_text(f'id,text,label\none,"{row["text"]}",positive\n', encoding="utf-8")
    lead = person("Lead").open("/project?project=1")
    lead.section("Import")
    lead.page.locator("input[type=file]").set_input_files(twice)
    lead.page.get_by_role("button", name="Check").click()
    lead.page.get_by_role("button", name="Store 1 instance").click()
    lead.sees("Stored 1 new")
    said = tmp_path / "said.csv"
    said.write_text(
        f'text,prediction,p_negative,p_positive\n"{row["text"].upper()}",positive,0.2,0.8\n', encoding="utf-8"
    )
    lead.open("/saliency?project=1")
    lead.sees("Import predictions and attributions")
    lead.page.get_by_text("Import predictions and attributions").click()
    lead.page.locator("input[type=file]").set_input_files(said)
    lead.sees("This looks like predictions of a model")
    model = lead.page.get_by_label("Model, if the file names none")
    expect(model).to_have_count(1)  # until a script run has ended, what it draws anew stands beside what it takes away
    model.fill("mine")
    lead.page.keyboard.press("Enter")
    lead.page.get_by_role("button", name="Check").click()
    lead.sees(f"2 instances of the project have its text: '{row['key']}', 'one'.")
    lead.page.get_by_role("button", name="Give all instances with the text what is said of it").click()
    lead.sees("2 predictions of 2 instances")
