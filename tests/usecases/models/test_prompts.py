"""Prompts go out, what a model answers comes back as a run; it is never people's gold."""

import json

import pytest

from annotator.domain.models import Quotes
from annotator.domain.people import LOCAL_OPERATOR
from annotator.errors import ImportRefused, InvalidValue, NotAllowed
from annotator.scoring.table import metric_table
from annotator.store.models import iterate_outputs, list_runs
from annotator.usecases.gold import GoldOptions, gold_instances
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.inspect.saliency import show_instance
from annotator.usecases.inspect.shown_table import summaries_of_rows
from annotator.usecases.models.self_explanations import PromptOptions, write_prompts
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.contents import export_output_lines
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import guessed, import_file
from annotator.usecases.transfer.import_report import ImportOptions

HOSTILE = "<img src=x onerror=alert(1)> {labels}"


@pytest.fixture
def written(store, project, tmp_path):
    """Write the prompts of a project; their lines."""

    def write(**options: object) -> list[dict]:
        path = tmp_path / "prompts.jsonl"
        n = write_prompts(store, LOCAL_OPERATOR, project, path, PromptOptions(**options))
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert len(lines) == n
        return lines

    return write


@pytest.fixture
def brought(store, project, tmp_path):
    """Import answers."""

    def bring(answers: list[dict], **options: object):
        path = tmp_path / "answers.jsonl"
        path.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
        given = ImportOptions(**{"model": "gpt", **options})
        return import_file(store, LOCAL_OPERATOR, project, "self-explanations", path, given)

    return bring


def answer(prompt: dict, label: str, *quotes: str) -> dict:
    return {"custom_id": prompt["custom_id"], "answer": json.dumps({"label": label, "quotes": quotes})}


def runs_of(store, project):
    return {(stored.run.model, stored.run.method): stored.id for stored in list_runs(store, project.id)}


def test_a_prompt_holds_the_text_and_the_labels_and_nothing_of_gold(store, import_rows, project, written):
    import_rows(project, [{"id": "gold", "text": HOSTILE, "label": "negative", "rationales": [[[0, 1]]]}])
    lines = written()
    assert [line["key"] for line in lines][-1] == "gold"
    prompt = lines[-1]["prompt"]
    assert HOSTILE in prompt  # the text is put in as it is, and not looked through for places
    assert '"negative", "positive"' in prompt
    others = {json.dumps(line).replace(json.dumps(HOSTILE)[1:-1], "") for line in lines[-1:]}
    assert all('"label": "negative"' not in line and "rationale" not in line for line in others)
    assert set(lines[-1]) == {"custom_id", "key", "split", "prompt_version", "prompt"}
    assert prompt.replace(HOSTILE, "") == lines[0]["prompt"].replace(_text_of(lines[0]["prompt"]), "")


def _text_of(prompt: str) -> str:
    return prompt.split("==========\n")[1].rstrip("\n")


def test_another_template_has_a_name_of_its_own_and_one_without_its_places_is_refused(written):
    standard, changed = written()[0], written(template="{labels}: {text}")[0]
    assert standard["prompt_version"] == "1"
    assert changed["prompt_version"] not in ("", "1")
    assert changed["prompt"].startswith('"negative", "positive": ')
    with pytest.raises(InvalidValue, match="must hold {text} once"):
        written(template="{labels}")
    with pytest.raises(InvalidValue, match="must hold {labels}"):
        written(template="{text}")
    with pytest.raises(InvalidValue, match="has no split 'x'"):
        written(split="x")


def test_prompts_may_be_requests_of_a_batch(written):
    [first, *_] = written(batch_model="gpt-x")
    assert first["method"] == "POST"
    assert first["body"]["model"] == "gpt-x"
    assert first["body"]["messages"][0]["role"] == "user"


def test_who_may_not_use_models_gets_no_prompts(store, project, add_person, tmp_path):
    annotator = add_person("Ann", project, "annotator")
    with pytest.raises(NotAllowed):
        write_prompts(store, annotator, project, tmp_path / "p.jsonl")
    assert not (tmp_path / "p.jsonl").exists()


def test_answers_become_a_run_with_what_was_found_and_what_was_not(store, project, written, brought):
    first, second, third, fourth = written()
    report = brought(
        [
            answer(first, "Negative", "never smiled", "the soup was cold", HOSTILE),
            answer(second, "positive"),
            answer(third, "mixed", "loud"),
            {"custom_id": fourth["custom_id"], "answer": "I cannot say."},
        ]
    )
    assert report.output_words == "2 predictions and 2 machine rationales of 2 instances"
    assert report.notes == [
        "2 answers with 3 quotes: 2 found in their texts, 1 is not there.",
        "Left out: 1 answer could not be read, 1 answer has a label that the project does not have.",
    ]
    name = "gpt · self-explanation (prompt 1)"
    assert set(runs_of(store, project)) == {(name, ""), (name, "quotes")}
    outputs = list(iterate_outputs(store, runs_of(store, project)[name, "quotes"]))
    assert [output.rationales[0].quotes for output in outputs] == [Quotes(3, 1, (HOSTILE,)), Quotes(0)]
    assert [len(output.rationales[0].spans) for output in outputs] == [2, 0]
    assert brought([answer(first, "negative", "never smiled", "the soup was cold", HOSTILE)]).n_unchanged == 1


def test_labels_of_the_answers_may_be_renamed(written, brought):
    first = written()[0]
    assert brought([answer(first, "Bad", "cold")], renamed={"Bad": "negative"}).n_new == 1


def test_a_self_explanation_is_never_peoples_gold(store, project, import_rows, written, brought):
    def gold() -> list:
        return [(g.instance.key, g.sets, g.result) for g in gold_instances(store, project, "union", GoldOptions())]

    import_rows(project, [{"id": "g", "text": "Cold soup.", "label": "negative", "rationales": [[[0, 1]]]}])
    before, annotations = gold(), store.value("SELECT count(*) FROM annotations")
    brought([answer(line, "negative", "the", "cold", "soup") for line in written()])
    assert gold() == before
    assert store.value("SELECT count(*) FROM annotations") == annotations
    assert store.value("SELECT count(*) FROM assignments") == 0
    assert store.value("SELECT count(*) FROM proposed_sets") == 0


def test_metrics_score_the_quotes_as_selected_tokens_and_say_no_faithfulness(
    store, project, import_rows, written, brought
):
    import_rows(project, [{"id": "g", "text": "Cold soup today.", "label": "negative", "rationales": [[[0, 2]]]}])
    line = next(line for line in written() if line["key"] == "g")
    brought([answer(line, "negative", "Cold soup")])
    numbers = evaluate_project(store, LOCAL_OPERATOR, project)
    [model] = numbers["models"]
    [row] = model["methods"]
    assert (row["method"], row["kind"], row["parameters"]) == ("quotes", "hard", {"prompt": "1"})
    assert row["plausibility"]["eraser.token_f1_macro"]["value"] == 1.0
    assert row["faithfulness"] == {}
    [line] = [
        line
        for line in summaries_of_rows(metric_table(numbers).rows)
        if line.startswith("gpt · self-explanation (prompt 1): ")
    ]
    assert "what is scored are words that the model quoted" in line
    assert "faithfulness needs probabilities" in line


def test_saliency_shows_the_quotes_that_are_not_in_the_text(store, project, written, brought):
    brought([answer(written()[0], "negative", "soup", HOSTILE)])
    [panel] = show_instance(store, LOCAL_OPERATOR, 1, None).panels[-1:]
    assert panel.quotes.missing == (HOSTILE,)
    assert (panel.quotes.n, panel.quotes.n_missing, len(panel.spans)) == (2, 1, 1)


def test_our_own_export_brings_quotes_back(store, project, written, brought, tmp_path):
    brought([answer(written()[0], "negative", "soup", HOSTILE)])
    export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "all.jsonl")
    other = create_project(store, LOCAL_OPERATOR, "Other", project.task, labels=list(project.labels))
    import_file(store, LOCAL_OPERATOR, other, "jsonl", tmp_path / "all.jsonl")
    name = "gpt · self-explanation (prompt 1)", "quotes"
    [before] = iterate_outputs(store, runs_of(store, project)[name])
    [after] = iterate_outputs(store, runs_of(store, other)[name])
    assert before.rationales == after.rationales


def test_lines_of_model_output_bring_quotes_back_as_well(store, project, written, brought, tmp_path):
    brought([answer(written()[0], "negative", "soup", HOSTILE)])
    path = tmp_path / "lines.jsonl"
    export_output_lines(store, LOCAL_OPERATOR, project, path)
    quotes = [json.loads(line)["rationale"]["quotes"] for line in path.read_text().splitlines() if "rationale" in line]
    assert quotes == [{"n": 2, "n_missing": 1, "missing": [HOSTILE]}]
    assert import_file(store, LOCAL_OPERATOR, project, "attributions", path).n_unchanged == 2
    path.write_text(path.read_text().replace('"n_missing":1', '"n_missing":3'))
    with pytest.raises(ImportRefused) as refused:
        import_file(store, LOCAL_OPERATOR, project, "attributions", path)
    assert [problem.field for problem in refused.value.problems] == ["rationale.quotes"]


def test_files_of_answers_are_recognised(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"id": "batch_1", "custom_id": "a", "response": {"status_code": 200, "body": {}}, "error": null}\n'
    )
    guess = guessed(path)
    assert guess is not None
    assert guess.format_name == "self-explanations"
