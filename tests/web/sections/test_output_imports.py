"""Model output on the Saliency page: what is said of each file, and of how many texts there are answers and maps."""

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.projects import Project
from annotator.files import resource_folder
from annotator.store import Store
from annotator.store.models import list_runs

PAGE = resource_folder("pages") / "saliency.py"
ANSWERS = [{"id": f"t{n}", "model": "m", "prediction": "positive"} for n in (1, 2)]
MAP = [{"id": "t2", "model": "m", "method": "x", "scores": [0.5] * 14}]


@pytest.fixture
def page(app_for: Callable[..., AppTest], project: Project) -> AppTest:
    return app_for(PAGE, project, "lead").run()


def as_file(name: str, rows: list[dict[str, object]]) -> tuple[str, bytes, str]:
    return name, "".join(json.dumps(row) + "\n" for row in rows).encode(), "text/plain"


def said(elements: object) -> str:
    return " | ".join(element.value for element in elements).replace("\\", "").replace(":small[]", "")


def test_what_was_stored_says_how_many_texts_have_answers_and_maps_and_leads_to_the_first_map(
    page: AppTest, store: Store, project: Project
) -> None:
    page.file_uploader(key="import_files").set_value([as_file("all.jsonl", ANSWERS + MAP)]).run()
    page.button(key="import_check").click().run()
    assert "The file has predictions for 2 texts, attributions for 1." in said(page.success)
    page.button(key="import_store").click().run()
    assert not page.exception
    assert said(page.success).startswith(
        "Stored 1 attribution and 2 predictions of 2 instances. The file has predictions for 2 texts, attributions for 1."
    )
    second = store.value("SELECT id FROM instances WHERE key = 't2'")
    [link] = page.get("link_button")
    assert link.proto.url == f"/saliency?project={project.id}&instance={second}"


def test_problems_of_a_file_name_the_fields_of_the_page_and_no_option_of_a_command(page: AppTest) -> None:
    reply = {"custom_id": "t1", "answer": '{"label": "odd", "quotes": []}'}
    page.file_uploader(key="import_files").set_value(
        [as_file("out.jsonl", [{"id": "t1", "prediction": "positive"}, reply])]
    )
    page.run()
    page.selectbox(key="import_format").select("self-explanations").run()
    page.button(key="import_check").click().run()
    words = said(page.error) + " | ".join(str(table.value.to_dict()) for table in page.table)
    assert "“Model (if not in the file)”" in words
    assert "--" not in words


def test_several_files_are_checked_each_in_its_own_format_and_stored_together(
    page: AppTest, store: Store, project: Project
) -> None:
    words = ["Everything", "worked", "at", "once", ";", "even", "the", "printer", "."]
    scores = "".join(f"t4,y,n,{number},{word},1\n" for number, word in enumerate(words))
    csv = ("captured.csv", f"id,method,model,token_index,token,score\n{scores}".encode(), "text/plain")
    page.file_uploader(key="import_files").set_value([as_file("answers.jsonl", ANSWERS), csv]).run()
    assert "answers.jsonl as predictions, captured.csv as attributions-csv." in said(page.caption)
    page.button(key="import_check").click().run()
    assert "answers.jsonl (predictions): 2 predictions of 2 instances." in said(page.success)
    assert "captured.csv (attributions-csv): 1 attribution of 1 instance." in said(page.success)
    page.button(key="import_store").click().run()
    assert {stored.run.model for stored in list_runs(store, project.id)} == {"m", "n"}


def test_of_several_files_nothing_is_stored_while_one_has_a_problem(
    page: AppTest, store: Store, project: Project
) -> None:
    strange = [{"id": "nobody", "model": "m", "prediction": "positive"}]
    files = [as_file("good.jsonl", ANSWERS), as_file("bad.jsonl", strange + MAP)]
    page.file_uploader(key="import_files").set_value(files).run()
    page.button(key="import_check").click().run()
    assert "'good.jsonl': no problem (2 predictions of 2 instances)." in said(page.info)
    assert list_runs(store, project.id) == []
    page.button(key="import_skip_remedy").click().run()
    page.button(key="import_store").click().run()
    assert {stored.run.model for stored in list_runs(store, project.id)} == {"m"}
    assert "good.jsonl: stored 2 predictions of 2 instances." in said(page.success)
    assert "bad.jsonl: stored 1 attribution of 1 instance." in said(page.success)


def test_where_texts_stand_within_a_prompt_its_field_appears_and_a_button_fills_it(
    page: AppTest, store: Store, project: Project
) -> None:
    texts = [["The", "staff", "never", "smiled", "and", "the", "soup", "was", "cold", "."]]
    texts.append(["Everything", "worked", "at", "once", ";", "even", "the", "printer", "."])
    sequences = [
        {
            "source": [{"token": piece} for piece in ("▁Review", ":", *(f"▁{word}" for word in words), "</s>")],
            "target": [{"token": "▁good"}], "attr_pos_start": 0, "attr_pos_end": 1,
            "source_attributions": [[1.0]] * (len(words) + 3),
        }
        for words in texts
    ]  # fmt: skip
    info = {
        "attribution_method": "saliency",
        "model_name": "t5",
        "input_texts": [f"Review: {' '.join(words)}" for words in texts],
        "generated_texts": ["good", "good"],
    }
    saved = json.dumps({"sequence_attributions": sequences, "info": info}).encode()
    page.file_uploader(key="import_files").set_value([("saved.json", saved, "text/plain")]).run()
    assert not [field for field in page.text_input if field.label == "Text around the text"]
    page.button(key="import_check").click().run()
    [field] = [field for field in page.text_input if field.label == "Text around the text"]
    assert (field.value, field.placeholder) == ("", "Review: {text}")
    page.button(key="import_prompt_remedy").click().run()
    assert not page.exception
    assert "2 attributions of 2 instances" in said(page.success)
    page.button(key="import_store").click().run()
    assert [stored.run.model for stored in list_runs(store, project.id)] == ["t5"]


def test_a_file_of_token_ids_is_read_with_the_vocabulary_beside_it_and_by_its_texts_where_ids_are_row_numbers(
    page: AppTest, store: Store, project: Project
) -> None:
    words = ["Everything", "worked", "at", "once", ";", "even", "the", "printer", "."]
    row = {"idx": 0, "attributions": [0.5] * 9, "input_ids": [*range(9)], "label": 1, "predictions": [-1.0, 1.0]}
    alone = [as_file("thermostat.jsonl", [row])]
    page.file_uploader(key="import_files").set_value(alone).run()
    page.text_input(key="import_model").input("bert").run()
    page.button(key="import_check").click().run()
    assert "Add vocab.txt, vocab.json or tokenizer.json (“Files” above)." in said(page.error)
    vocabulary = ("vocab.txt", "\n".join(words).encode(), "text/plain")
    page.file_uploader(key="import_files").set_value([*alone, vocabulary]).run()
    page.button(key="import_check").click().run()
    assert "1 attribution and 1 prediction of 1 instance" in said(page.success)
    page.button(key="import_store").click().run()
    assert not page.exception
    assert {stored.run.model for stored in list_runs(store, project.id)} == {"bert"}
