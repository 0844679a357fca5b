"""The Project page as a script: what it says of imported work and of missing labels, and how both are mended there."""

import io
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from openpyxl import Workbook
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.files import resource_folder
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.usecases.databases import find_project
from annotator.usecases.project.projects import change_project, instances_of
from annotator.usecases.transfer.import_report import ImportReport

PAGE = resource_folder("pages") / "project.py"
Rows = Callable[..., ImportReport]


@pytest.fixture
def page(app_for: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """A section of the page, run for the project's lead."""

    def run(project: Project, section: str) -> AppTest:
        app = app_for(PAGE, project, "lead")
        app.session_state["project_section"] = section
        return app.run()

    return run


@pytest.fixture
def unlabelled(store: Store, make_project: Callable[..., Project]) -> Project:
    """A project whose task wants labels, without any."""
    return change_project(store, LOCAL_OPERATOR, replace(make_project(), labels=()))


def several(n_texts: int = 4, n_annotators: int = 3) -> list[dict[str, object]]:
    return [
        {"id": f"t{text}", "text": f"Good food, bad music {text}.", "label": "positive", "annotator": f"ann{who}",
         "rationales": [[[0, 1 + who]]]}
        for text in range(n_texts) for who in range(n_annotators)
    ]  # fmt: skip


def as_file(rows: list[dict[str, object]]) -> tuple[str, bytes, str]:
    return ("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode(), "text/plain")


def said(elements: object) -> str:
    return " | ".join(element.value for element in elements).replace("\\", "").replace(":small[]", "")


# Imported work -------------------------------------------------------------------------------------------------------


def test_progress_counts_imported_annotations_by_person(page, make_project, import_rows) -> None:
    project = make_project()
    import_rows(project, several())
    app = page(project, "Progress")
    assert not app.exception
    people = next(table.value for table in app.dataframe if "imported" in table.value.columns)
    assert people["person"].tolist() == ["ann0 (imported)", "ann1 (imported)", "ann2 (imported)"]
    assert people["imported"].tolist() == [4, 4, 4]
    assert "Nobody has begun yet" not in said(app.caption)
    assert "Gold policy" not in said(app.caption), "it stands under Quality"


def test_progress_of_a_project_without_imported_work_is_as_it_was(page, make_project, import_rows) -> None:
    project = make_project()
    import_rows(project, [{"id": "a", "text": "Good food.", "label": "positive"}])
    app = page(project, "Progress")
    assert "Nothing yet." in said(app.caption)


def test_quality_shows_the_agreement_of_imported_annotations(page, make_project, import_rows) -> None:
    project = make_project()
    import_rows(project, several())
    app = page(project, "Quality")
    assert said(app.info).startswith("Nothing yet.")
    assert not app.exception
    table = next(one.value for one in app.dataframe if "measure" in one.value.columns)
    assert table[table["measure"] == "best-match IoU"]["value"].tolist() == ["0.500"]  # of 1/2, 1/3 and 2/3
    parts = table[table["about"] == "disagreement"]  # 1/3 is another reason, the two others another extent
    assert parts["measure"].tolist() == ["another label", "another reason", "another extent"]
    assert (parts["value"].tolist(), parts["n"].tolist()) == (["0", "0.222", "0.278"], [12] * 3)
    assert (
        "Gold policy “chosen”: the lead's choice, else the first accepted annotation with the gold result; 4 of 12 accepted annotations count."
        in said(app.caption)
    )
    against_rest = next(one for one in app.dataframe if "union F1" in one.value.columns)
    assert against_rest.proto.placeholder == "–", "a bound that is not defined is no “None”"
    pairs = next(one.value for one in app.dataframe if "token κ" in one.value.columns)
    assert set(map(tuple, pairs[["annotator", "and"]].values)) == {("ann0", "ann1"), ("ann0", "ann2"), ("ann1", "ann2")}
    assert pairs["token κ"].tolist() == sorted(pairs["token κ"], key=float)
    assert "4 of 12 accepted annotations count." in said(app.caption)


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("positive", "1 instance with one annotator is excluded."),
        ("negative", "Instances with one annotator are excluded: 1 for labels, 2 for tokens."),
    ],
)
def test_instances_with_one_annotator_are_counted_for_labels_and_tokens_apart_where_they_differ(
    page, make_project, import_rows, label: str, words: str
) -> None:
    project = make_project()
    rows = [
        {"id": key, "text": "Good food.", "label": "positive", "rationales": [[[0, 1]]], "annotator": name}
        for key, name in (("a", "ann0"), ("a", "ann1"), ("b", "ann0"), ("b", "ann1"), ("c", "ann0"))
    ]
    rows[3] |= {"annotator_label": label}
    import_rows(project, rows)
    app = page(project, "Quality")
    assert words in said(app.caption)
    heads = [head for table in app.dataframe for head in table.value.columns]
    assert "majority F1" in heads
    assert "union F1" not in heads, "of a single partner it is the same"
    assert "token majority" not in said(app.markdown)


def test_quality_without_several_annotations_says_that_nothing_is_there(page, make_project, import_rows) -> None:
    project = make_project()
    import_rows(project, several(n_annotators=1))
    assert said(page(project, "Quality").info).startswith("Nothing yet.")


def test_an_import_asks_which_of_several_annotators_sets_are_the_gold_and_sets_it(page, make_project, store) -> None:
    project = make_project()
    app = page(project, "Import")
    app.file_uploader(key="import_files").set_value([as_file(several())]).run()
    app.selectbox(key="import_format").set_value("jsonl")
    app = app.button(key="import_check").click().run()
    assert "3 annotators per text. Gold policy “chosen”" in said(app.warning)
    choice = app.radio(key="import_gold_policy")
    assert (choice.label, choice.value) == ("Gold of these texts", "chosen")
    assert "Gold policy “chosen”" in said(app.warning)
    choice.set_value("majority").run()
    assert "Gold policy “majority”: one set: tokens marked by over half of those with the gold result" in said(
        app.warning
    )
    assert "Gold policy “chosen”" not in said(app.warning)
    app.button(key="import_store").click().run()
    assert not app.exception
    assert find_project(store, "Project").settings.gold_policy == "majority"


def test_an_import_with_one_annotator_asks_nothing(page, make_project) -> None:
    app = page(make_project(), "Import")
    app.file_uploader(key="import_files").set_value([as_file(several(n_annotators=1))]).run()
    app.selectbox(key="import_format").set_value("jsonl")
    app = app.button(key="import_check").click().run()
    assert [radio.key for radio in app.radio] == []
    assert not app.warning


def test_the_same_problem_of_many_rows_is_one_line_of_the_table_with_its_whole_reason(page, make_project) -> None:
    odd = [{"id": f"t{n}", "text": "Good food.", "label": "furious"} for n in range(1200)]
    app = page(make_project(), "Import")
    app.file_uploader(key="import_files").set_value([as_file(odd)]).run()
    app.selectbox(key="import_format").set_value("jsonl")
    app = app.button(key="import_check").click().run()
    [table] = app.table
    told = table.value.iloc[0]
    assert (told["rows"], told["lines"], told["field"]) == ("1,200", "1, 2, 3, 4, 5, …", "label")
    assert told["reason"].replace("\\", "").replace(":small[]", "").endswith("or skip it (“Skip rows” above).")
    assert len(table.value) == 1
    assert said(app.error).startswith("No label 'furious' (only")


def test_the_format_is_that_of_the_file_until_the_person_chooses_one(page, make_project) -> None:
    app = page(make_project(), "Import")
    rows, table = as_file(several()), ("rows.csv", b"id,text\na,Good food.\n", "text/csv")
    app.file_uploader(key="import_files").set_value([rows]).run()
    assert app.selectbox(key="import_format").value == "jsonl"
    assert "| Looks like JSONL." in said(app.caption)
    app.file_uploader(key="import_files").set_value([table]).run()
    assert app.selectbox(key="import_format").value == "csv"
    app.selectbox(key="import_format").set_value("contrast").run()
    app.file_uploader(key="import_files").set_value([rows]).run()
    assert app.selectbox(key="import_format").value == "contrast"
    assert "Looks like JSONL (format jsonl), but you chose contrast." in said(app.caption)


def test_two_jsonl_files_of_texts_are_read_one_after_the_other(page, make_project, store) -> None:
    project = make_project()
    app = page(project, "Import")
    files = [
        (f"{name}.jsonl", f'{{"id": "{name}", "text": "Good food.", "label": "positive"}}\n'.encode(), "text/plain")
        for name in ("first", "second")
    ]
    app.file_uploader(key="import_files").set_value(files).run()
    assert "Files with equal columns, or a zip." in app.file_uploader(key="import_files").help
    app = app.button(key="import_check").click().run()
    assert len(app.success) == 2
    assert all("1 new instance, 0 changed" in done.value for done in app.success)
    app.button(key="import_store").click().run()
    assert all(find_instance_ids(store, project.id, name) for name in ("first", "second"))


def test_model_output_among_the_texts_is_told_where_it_belongs(page, make_project) -> None:
    app = page(make_project(), "Import")
    answers = ("out.jsonl", b'{"id": "a", "prediction": {"positive": 1}}\n', "text/plain")
    app.file_uploader(key="import_files").set_value([answers]).run()
    assert "Looks like a model's predictions. Import it on Saliency." in said(app.caption)


def test_a_check_says_what_columns_become_and_takes_the_only_one_that_looks_like_the_label(page, make_project) -> None:
    app = page(make_project(), "Import")
    table = ("rows.csv", b"id,text,Gold\na,Good food.,positive\n", "text/csv")
    app.file_uploader(key="import_files").set_value([table]).run()
    app = app.button(key="import_check").click().run()
    assert "Guessed." in said(app.caption)
    assert "| The column 'Gold' holds the label, 'text' the text, 'id' the ID." in said(app.caption)


def test_a_header_that_cannot_be_used_shows_all_that_is_wrong_with_it_at_once(page, make_project) -> None:
    app = page(make_project(), "Import")
    table = ("rows.csv", b"Nr,Tweet,Tweet 2,Gold,Class\na,Good food.,,positive,1\n", "text/csv")
    app.file_uploader(key="import_files").set_value([table]).run()
    assert "“Tweet” or “Tweet 2”? They look similar." in said(app.caption)
    app = app.button(key="import_check").click().run()
    reasons = [reason.replace("\\", "").replace(":small[]", "") for reason in app.table[0].value["reason"]]
    assert [reason.partition("?")[0] for reason in reasons] == [
        "No column holds the ID. Name its column 'id' (or 'key', 'instance_id', 'annotation_id', "
        "'sent_id'). Rows without IDs can be numbered (“Generate missing IDs” under “More”).",
        "No column holds the text. Is it 'Tweet' or 'Tweet 2'",
    ]
    assert "(“Tweet” for “The text” under “Columns” or “Tweet 2” for “The text” under “Columns”)" in reasons[1]
    assert "--" not in " ".join(reasons) + said(app.info)
    assert "'Gold', 'Class': looks like the label but becomes metadata." in said(app.info)


def test_a_preview_says_which_spans_were_widened(page, make_project) -> None:
    row = {
        "id": "a",
        "text": "An unlikeable plot.",
        "label": "negative",
        "annotator": "x",
        "rationales": [[{"start_char": 5, "end_char": 9}]],
    }
    app = page(make_project(), "Import")
    app.file_uploader(key="import_files").set_value([as_file([row])]).run()
    app.selectbox(key="import_format").set_value("jsonl")
    app = app.button(key="import_check").click().run()
    assert "1 of 1 span was widened to whole tokens: rows.jsonl, line 1: “like” became “unlikeable”." in said(
        app.warning
    )


def test_rows_are_pasted_under_the_columns_of_the_template(app_for, make_project) -> None:
    app = app_for(PAGE, make_project(), "lead")
    app.session_state["visit"] = replace(app.session_state["visit"], project=None)
    app.run()
    placeholders = []
    for template in ("verification", "entity", "custom"):
        app.selectbox(key="create_template").set_value(template).run()
        placeholders.append(app.text_area(key="create_pasted").placeholder)
    assert placeholders == ["document,query,label", "text,target,label", "text,label"]


def test_what_a_new_project_should_know_of_its_first_texts_is_said_and_stands_under_import(
    app_for, make_project, store
) -> None:
    rows = 'text,label,rationales,Gold\nAn unlikeable plot.,negative,"[{""start"": 5, ""end"": 9, ""label"": ""dull""}]",0\n'
    app = app_for(PAGE, make_project(), "lead")
    visit = app.session_state["visit"]
    app.session_state["visit"] = replace(visit, project=None)
    app.run().text_input(key="create_name").set_value("Films")
    app.text_area(key="create_pasted").set_value(rows)
    app.button(key="create_go").click().run()
    widened = "1 of 1 span was widened to whole tokens: pasted.csv, line 2: “like” became “unlikeable”."
    confirmed = app.session_state["confirmed"]
    assert confirmed["is_kept"]
    assert confirmed["words"].endswith(f"Numbered 1 row without an ID. {widened} 1 warning is under Import.")
    films = find_project(store, "Films")
    app.session_state["visit"] = replace(visit, project=films, roles=frozenset({"lead"}))
    app.run().session_state["project_section"] = "Import"
    app.run()
    assert widened in said(app.info)
    assert "1 warning" in said(app.caption)
    [reasons] = [table.value["reason"].tolist() for table in app.table]
    assert [reason.replace("\\", "").replace(":small[]", "") for reason in reasons] == [
        "Each span label became a rationale set (names not kept)."
    ]


@pytest.mark.parametrize(
    ("mode", "label", "seen"),
    [
        ("contest", "negative", "Annotators see the file's label or answer and can contest it."),
        ("confirm", "negative", "Annotators see the file's label or answer but can't change it."),
        ("give", "negative", ""),
        ("contest", None, ""),
    ],
)
def test_before_the_first_texts_are_stored_is_said_whether_annotators_see_the_labels_of_the_file(
    page, make_project, mode, label, seen
) -> None:
    app = page(make_project(result_mode=mode), "Import")
    rows = [{"id": "a", "text": "An unlikeable plot.", **({"label": label} if label else {})}]
    app.file_uploader(key="import_files").set_value([as_file(rows)]).run()
    app = app.button(key="import_check").click().run()
    assert not app.exception
    assert "1 new instance" in said(app.success)
    assert [
        info.value.replace("\\", "") for info in app.info if "Annotators see the file's label or answer" in info.value
    ] == [seen] * bool(seen)


def test_texts_that_come_later_say_nothing_of_it_again(page, make_project, import_rows) -> None:
    project = make_project()
    import_rows(project, several(n_annotators=1))
    app = page(project, "Import")
    row = {"id": "a", "text": "An unlikeable plot.", "label": "negative"}
    app.file_uploader(key="import_files").set_value([as_file([row])]).run()
    app = app.button(key="import_check").click().run()
    assert "1 new instance" in said(app.success)
    assert "Annotators see the file's label or answer" not in said(app.info)


# Labels that are missing ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("section", ["Progress", "Import", "People"])
def test_labels_that_are_missing_are_told_and_added_on_the_page(page, unlabelled, import_rows, store, section) -> None:
    import_rows(unlabelled, [{"id": f"t{n}", "text": "Fine food."} for n in range(30)])
    app = page(unlabelled, section)
    assert "Texts can't be assigned without labels." in said(app.warning)
    app.text_input(key=f"labels_text_{unlabelled.id}").set_value(" bad, good,")
    next(button for button in app.button if button.label == "Add labels").click().run()
    assert not app.exception
    assert find_project(store, "Project").labels == ("bad", "good")


def test_before_the_first_file_the_import_itself_says_nothing_of_labels(page, unlabelled) -> None:
    assert not [button for button in page(unlabelled, "Import").button if button.label == "Add labels"]


def test_an_empty_project_without_labels_says_where_they_come_from(page, unlabelled) -> None:
    app = page(unlabelled, "Progress")
    assert "No labels yet. Add or import some." in said(app.info)
    next(button for button in app.button if button.label == "Add labels").click().run()
    assert said(app.error) == "Enter at least one label."


def test_before_texts_without_labels_are_stored_the_lead_reads_it(page, unlabelled) -> None:
    app = page(unlabelled, "Import")
    app.file_uploader(key="import_files").set_value(
        [as_file([{"id": "a", "text": "x"}, {"id": "b", "text": "y"}])]
    ).run()
    app.selectbox(key="import_format").set_value("jsonl")
    app = app.button(key="import_check").click().run()
    assert "No labels for these 2 texts." in said(app.warning)


@pytest.mark.parametrize("section", ["Progress", "Import", "People"])
def test_with_labels_nothing_is_said_of_them(page, make_project, section) -> None:
    app = page(make_project(), section)
    assert "no label" not in said(app.warning) + said(app.info)
    assert not [button for button in app.button if button.label == "Add labels"]


def test_a_project_that_asks_for_answers_lacks_no_labels(page, make_project) -> None:
    assert not [button for button in page(make_project("reading"), "Progress").button if button.label == "Add labels"]


def test_a_file_of_another_format_is_one_sentence(page, make_project) -> None:
    app = page(make_project(), "Import")
    app.file_uploader(key="import_files").set_value([as_file(several())]).run()
    app.selectbox(key="import_format").set_value("csv")
    app = app.button(key="import_check").click().run()
    assert said(app.error).startswith("Looks like JSON, not a table. Choose its format.")
    assert "1 problem" in [caption.value for caption in app.caption]


def test_an_empty_upload_and_an_archive_that_cannot_be_are_one_sentence(page, make_project) -> None:
    app = page(make_project(), "Import")
    for name, content, sentence in (
        ("rows.jsonl", b"", "is empty."),
        ("rows.zip", b"PK\x05\x06" + b"\0" * 18, "'rows.zip' is empty."),
    ):
        app.file_uploader(key="import_files").set_value([(name, content, "text/plain")]).run()
        app = app.button(key="import_check").click().run()
        assert sentence in app.exception[0].message  # the frame shows it as a sentence


def test_texts_that_come_with_model_output_are_stored_together_with_it(page, make_project, store) -> None:
    app = page(make_project(), "Import")
    answers = [{"id": "a", "model": "m", "prediction": "positive"}]
    texts = as_file([{"id": "a", "text": "Good.", "label": "positive"}])
    files = [("answers.jsonl", json.dumps(answers[0]).encode(), "text/plain"), texts]
    app.file_uploader(key="import_files").set_value(files).run()
    assert "“answers.jsonl” is model output, read after the texts." in said(app.markdown)
    assert app.selectbox(key="import_format").value == "jsonl"
    app.button(key="import_check").click().run()
    assert "answers.jsonl (predictions): 1 prediction of 1 instance." in said(app.success)
    app.button(key="import_store").click().run()
    assert not app.exception
    assert "rows.jsonl: stored 1 new and 0 changed instances with 0 annotations." in said(app.success)
    assert store.value("SELECT count(*) FROM predictions") == 1


# Columns -------------------------------------------------------------------------------------------------------------

TABLE = "nr_a,nr_b,body,worker_id,label\n1,x,<b>Good</b> food.,ada,positive\n2,y,Bad food.,ada,negative\n"


def chosen(app: AppTest) -> dict[str, str | None]:
    return {box.label: box.value for box in app.selectbox if "import_column_" in (box.key or "")}


def box_of(app: AppTest, label: str):
    return next(box for box in app.selectbox if box.label == label)


def table(content: str = TABLE) -> tuple[str, bytes, str]:
    return ("table.csv", content.encode(), "text/csv")


def test_the_columns_of_a_file_are_taken_guessed_or_asked(page, make_project) -> None:
    app = page(make_project(), "Import")
    app.file_uploader(key="import_files").set_value([table()]).run()
    assert {name: chosen(app)[name] for name in ("The ID", "The text", "The annotator", "The label")} == {
        "The ID": None, "The text": "body", "The annotator": "worker_id", "The label": "label",
    }  # fmt: skip
    assert app.expander[0].proto.expanded


def test_chosen_columns_are_read_and_preselected_the_next_time(page, make_project, store) -> None:
    project = make_project()
    app = page(project, "Import")
    app.file_uploader(key="import_files").set_value([table()]).run()
    box_of(app, "The ID").set_value("nr_b").run()
    app.button(key="import_check").click().run()
    assert "2 new instances" in said(app.success)
    app.button(key="import_store").click().run()
    assert not app.exception
    settings = find_project(store, project.name).settings
    assert settings.import_columns == {"key": "nr_b", "text": "body", "annotator": "worker_id"}


def test_rows_are_numbered_where_that_is_chosen_as_their_key(page, make_project, store) -> None:
    app = page(make_project(), "Import")
    app.file_uploader(key="import_files").set_value([table("text\nGood.\nBad.\n")]).run()
    assert chosen(app)["The ID"] is None
    box_of(app, "The ID").set_value("\0numbers").run()
    app.button(key="import_check").click().run()
    assert "Numbered 2 rows without an ID." in said(app.warning)


def test_what_was_stored_stays_on_the_page_and_leads_to_the_instances(page, make_project) -> None:
    project = make_project()
    app = page(project, "Import")
    app.file_uploader(key="import_files").set_value([as_file(several(n_texts=2))]).run()
    app.button(key="import_check").click().run()
    app.button(key="import_store").click().run()
    app.text_input(key="import_split").set_value("train").run()
    assert said(app.success) == "Stored 2 new and 0 changed instances with 6 annotations."
    [link] = [one for one in app.get("link_button") if one.proto.label == "Open Saliency"]
    assert link.proto.url == f"/saliency?project={project.id}"
    app.text_input(key="import_split").set_value("").run()
    app.button(key="import_check").click().run()
    assert "Stored" not in said(app.success)
    app.file_uploader(key="import_files").set_value([as_file(several(n_texts=3))]).run()
    app.button(key="import_check").click().run()
    app.button(key="import_store").click().run()
    assert "Stored 1 new and 0 changed instances with 3 annotations; 2 unchanged." in said(app.success)
    app.button(key="import_instances").click().run()
    assert app.session_state["project_section"] == "Instances"


BY_THREE = (
    "id,text,annotator,label\nt1,Good food.,ada,positive\nt1,Good food.,ben,negative\nt1,Good food.,eve,positive\n"
    "t2,Bad food.,ada,negative\nt2,Bad food.,ben,positive\n"
)


def test_labels_in_which_annotators_of_a_text_differ_are_proposed_as_their_own(page, make_project, store) -> None:
    app = page(make_project(), "Import")
    app.file_uploader(key="import_files").set_value([table(BY_THREE)]).run()
    assert {name: chosen(app)[name] for name in ("The annotator's label", "The label")} == {
        "The annotator's label": "label", "The label": None,
    }  # fmt: skip
    assert "Guessed: differs between annotators of one text." in said(app.caption)
    app.button(key="import_check").click().run()
    assert "2 texts had no label; 1 got the majority label." in said(app.warning)
    assert "Choose its gold under “Texts”." in said(app.warning)
    app.button(key="import_store").click().run()
    assert not app.exception
    assert [row["result"] for row in store.rows("SELECT result FROM instances ORDER BY key")] == ["positive", None]


def test_annotators_and_labels_that_are_guesses_themselves_are_looked_at_too(page, make_project) -> None:
    app = page(make_project(), "Import")
    content = BY_THREE.replace("annotator,label", "worker_id,sentiment")
    app.file_uploader(key="import_files").set_value([table(content)]).run()
    assert {name: chosen(app)[name] for name in ("The annotator", "The annotator's label", "The label")} == {
        "The annotator": "worker_id", "The annotator's label": "sentiment", "The label": None,
    }  # fmt: skip


def test_the_majority_can_be_left_and_the_check_says_that_texts_have_no_label(page, make_project) -> None:
    app = page(make_project(), "Import")
    app.file_uploader(key="import_files").set_value([table(BY_THREE)]).run()
    next(radio for radio in app.radio if radio.label == "Label per text").set_value(False).run()
    app.button(key="import_check").click().run()
    assert "2 texts have only annotators' labels." in said(app.warning)


def test_labels_in_which_annotators_agree_are_the_texts_until_somebody_says_otherwise(page, make_project) -> None:
    app = page(make_project(), "Import")
    agreeing = "id,text,annotator,label\nt1,Good food.,ada,positive\nt1,Good food.,ben,positive\n"
    app.file_uploader(key="import_files").set_value([table(agreeing)]).run()
    assert {name: chosen(app)[name] for name in ("The annotator's label", "The label")} == {
        "The annotator's label": None, "The label": "label",
    }  # fmt: skip
    box_of(app, "The annotator's label").set_value("label").run()
    assert chosen(app)["The label"] is None


# Labels ---------------------------------------------------------------------------------------------------------------


def control(app: AppTest):
    return next(c for c in app.button_group if "import_label_" in (c.key or ""))


@pytest.fixture
def strange(page, make_project):
    """A file of which one row has a label that the project does not have, after the check."""
    project = make_project()
    app = page(project, "Import")
    rows = [{"id": "a", "text": "Good.", "label": "positive"}, {"id": "b", "text": "Bad.", "label": "<b>odd</b>"}]
    app.file_uploader(key="import_files").set_value([as_file(rows)]).run()
    return app.button(key="import_check").click().run(), project


def test_a_strange_label_can_be_left_out_by_a_button_which_checks_the_file_again(strange) -> None:
    app, _ = strange
    assert "“<b>odd</b>”" in said(app.markdown)
    control(app).set_value("Skip rows").run()
    assert "1 new instance" in said(app.success)
    assert "Skipped 1 row labelled '<b>odd</b>'." in said(app.warning)


def test_a_strange_label_can_be_added_by_a_button(strange, store) -> None:
    app, project = strange
    control(app).set_value("Add label").run()
    assert "2 new instances" in said(app.success)
    app.button(key="import_store").click().run()
    assert find_project(store, project.name).labels == (*project.labels, "<b>odd</b>")


def test_a_strange_label_can_be_renamed_by_a_button_and_a_choice(strange) -> None:
    app, _ = strange
    control(app).set_value("Map to another").run()
    assert not app.success
    next(box for box in app.selectbox if "import_label_to" in box.key).set_value("negative").run()
    assert "2 new instances" in said(app.success)


def test_rows_with_problems_are_left_out_by_a_button(page, make_project) -> None:
    app = page(make_project(), "Import")
    rows = [{"id": "a", "text": "Good."}, {"id": "b", "text": ""}]
    app.file_uploader(key="import_files").set_value([as_file(rows)]).run()
    app.button(key="import_check").click().run()
    app.button(key="import_skip_remedy").click().run()
    assert "1 new instance" in said(app.success)


# Encodings -----------------------------------------------------------------------------------------------------------


def test_a_file_in_another_encoding_is_said_to_be_so_and_read_in_the_one_that_is_chosen(
    store: Store, page, make_project
) -> None:
    app = page(make_project(), "Import")
    content = "id,text,label\n1,a café – fine,positive\n".encode("windows-1252")
    app.file_uploader(key="import_files").set_value([("excel.csv", content, "text/csv")]).run()
    assert "“excel.csv” isn't UTF-8 (line 2). Choose its encoding." in said(app.warning)
    app.selectbox(key="import_encoding").set_value("gb18030").run()
    assert "'excel.csv' isn't gb18030 (line" in said(app.error)
    app.selectbox(key="import_encoding").set_value("windows-1252").run()
    assert "Preview by line: 2: 1,a café – fine" in said(app.caption)
    app.button(key="import_check").click().run()
    app.button(key="import_store").click().run()
    assert not app.exception
    assert store.value("SELECT text FROM documents") == "a café – fine"


def test_texts_of_a_labelling_tool_are_numbered_by_a_button(page, make_project) -> None:
    app = page(make_project(), "Import")
    rows = [{"text": "Good.", "label": [[0, 4, "why"]]}, {"text": "Bad.", "label": []}]
    app.file_uploader(key="import_files").set_value([as_file(rows)]).run()
    app.button(key="import_check").click().run()
    app.button(key="import_number_remedy").click().run()
    assert "2 new instances" in said(app.success)
    assert app.checkbox(key="import_number").value


def test_each_entity_of_a_labelling_tool_is_imported_by_a_button(page, make_project) -> None:
    app = page(make_project("entity"), "Import")
    assert "import_entities" not in [box.key for box in app.checkbox]
    rows = [{"id": 1, "text": "Bo left Bonn.", "label": [[0, 2, "positive"], [8, 12, "negative"]]}]
    app.file_uploader(key="import_files").set_value([as_file(rows)]).run()
    app.button(key="import_check").click().run()
    assert "“One instance per labelled span”" in said(app.error)
    app.button(key="import_entities_remedy").click().run()
    assert "2 new instances" in said(app.success)
    assert app.checkbox(key="import_entities").value


def test_a_column_that_looks_like_marks_is_proposed_as_rationales_and_kept_as_metadata_by_a_choice(
    page, make_project
) -> None:
    app = page(make_project(), "Import")
    rows = [{"id": "1", "text": "Good film.", "spans": [{"start": 0, "end": 4, "label": "why"}]}]
    app.file_uploader(key="import_files").set_value([as_file(rows)]).run()
    app.button(key="import_check").click().run()
    assert "1 annotation with 1 rationale set" in said(app.success)
    next(box for box in app.multiselect if box.key.startswith("import_metadata")).set_value(["spans"]).run()
    app.button(key="import_check").click().run()
    assert "0 annotations with 0 rationale sets" in said(app.success)
    assert "'spans' becomes metadata" in said(app.caption)


def test_marks_that_only_the_check_meets_can_be_kept_as_metadata_too(page, make_project) -> None:
    app = page(make_project(), "Import")
    rows: list[dict[str, object]] = [{"id": str(n), "text": "Good film.", "meta": {"n": n}} for n in range(2)]
    rows[1]["meta"] = {"spans": [[0, 4, "why"]]}
    app.file_uploader(key="import_files").set_value([as_file(rows)]).run()
    assert not [box for box in app.multiselect if box.key.startswith("import_metadata")]
    app.button(key="import_check").click().run()
    assert "Looks like marks." in said(app.error)
    next(box for box in app.multiselect if box.key.startswith("import_metadata")).set_value(["meta"]).run()
    app.button(key="import_check").click().run()
    assert "2 new instances" in said(app.success)


def test_of_two_columns_with_marks_none_is_guessed_and_both_are_refused_with_what_to_do(page, make_project) -> None:
    app = page(make_project(), "Import")
    rows = [{"id": "1", "text": "Good film.", "spans": [[0, 4, "why"]], "tags": ["B-why", "O"]}]
    app.file_uploader(key="import_files").set_value([as_file(rows)]).run()
    app.button(key="import_check").click().run()
    reasons = [reason.replace("\\", "").replace(":small[]", "") for reason in app.table[0].value["reason"]]
    for reason in reasons:
        assert "metadata (“Marks kept as metadata” under “Columns”)" in reason
    assert [reason.split("'")[1] for reason in reasons] == ["spans", "tags"]


def test_labels_that_are_written_in_several_ways_are_merged_by_a_button(page, unlabelled, store) -> None:
    app = page(unlabelled, "Import")
    rows = [
        {"id": str(n), "text": f"Good {n}.", "label": label}
        for n, label in enumerate(("good", "Good ", "GOOD", "good"))
    ]
    app.file_uploader(key="import_files").set_value([as_file(rows)]).run()
    app.button(key="import_check").click().run()
    assert "New project labels: “good” (2), “Good” (1) and “GOOD” (1)." in said(app.caption)
    app.button(key="import_merge_labels_remedy").click().run()
    assert "New project labels: “good” (4)." in said(app.caption)
    app.button(key="import_store").click().run()
    assert find_project(store, unlabelled.name).labels == ("good",)


def test_a_sheet_of_a_spreadsheet_is_chosen_and_its_columns_are_asked_about(page, make_project) -> None:
    book = Workbook()
    book.active.append(["nothing", "here"])
    sheet = book.create_sheet("Texts")
    sheet.append(["Nr", "Text", "label"])
    sheet.append([1, "Good food.", "positive"])
    content = io.BytesIO()
    book.save(content)
    app = page(make_project(), "Import")
    app.file_uploader(key="import_files").set_value([("texts.xlsx", content.getvalue(), "")]).run()
    app.selectbox(key="import_sheet").set_value("Texts").run()
    key = next(box for box in app.selectbox if box.key.startswith("import_column_id"))
    key.set_value("Nr").run()
    text = next(box for box in app.selectbox if box.key.startswith("import_column_text"))
    text.set_value("Text").run()
    app.button(key="import_check").click().run()
    assert "1 new instance" in said(app.success)


# Raw corpora ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("corpus", "told"),
    [
        ("multirc", "Instances kept: 2 (train 2)."),
        ("movies", "Instances kept: 2 (train 1, val 1)."),
        ("fever", "Instances kept: 2 (train 2)."),
        ("evidence-inference", "Instances kept: 2 (train 2)."),
    ],
)
def test_a_raw_corpus_in_an_archive_is_known_checked_and_stored(
    page, make_project, store, tmp_path, corpus, told
) -> None:
    project = change_project(store, LOCAL_OPERATOR, replace(make_project(task="verification"), labels=()))
    samples = resource_folder("data") / "samples"
    archive = Path(shutil.make_archive(str(tmp_path / corpus), "zip", samples, corpus))
    app = page(project, "Import")
    app.file_uploader(key="import_files").set_value([(archive.name, archive.read_bytes(), "application/zip")]).run()
    assert app.selectbox(key="import_format").value == corpus
    app = app.button(key="import_check").click().run()
    assert "2 new instances, 0 changed" in said(app.success)
    assert told in said(app.caption)
    app.button(key="import_store").click().run()
    assert not app.exception
    assert len(instances_of(store, LOCAL_OPERATOR, project.id, limit=5)) == 2
