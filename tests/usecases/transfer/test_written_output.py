"""Answers that inseq explained come in with the map of each subword, on the project's own tokens."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.models import Attribution, Output, Run, Written
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import ImportRefused, InvalidValue
from annotator.language import speaking
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.models import RunFinder, iterate_outputs, list_runs, store_outputs
from annotator.usecases.inspect.saliency import show_instance
from annotator.usecases.transfer.contents import export_output_lines
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from annotator.usecases.transfer.text_index import proposed_prompt


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A decoder that goes on with “not unlikeable” (in three subwords) by two subwords."""
    target = [{"token": subword} for subword in ("not", "Ġunlike", "able", "Ġgood", "Ġfilm")]
    scores = [[1.0, 2.0], [3.0, 4.0], [0.5, 0.5], [None, 7.0], [None, None]]
    sequence = {
        "target": target, "source": [], "attr_pos_start": 3, "attr_pos_end": 5, "source_attributions": None,
        "target_attributions": [[0.0 if score is None else score for score in row] for row in scores],
    }  # fmt: skip
    info = {"attribution_method": "saliency", "model_name": "gpt2", "input_texts": ["not unlikeable"],
            "generated_texts": ["not unlikeable good film"]}  # fmt: skip
    path = tmp_path / "inseq.json"
    path.write_text(json.dumps({"sequence_attributions": [sequence], "info": info}), encoding="utf-8")
    return path


def test_a_file_of_inseqs_is_laid_on_words_subword_by_subword_and_shown(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], saved: Path
) -> None:
    made = make_project(name="Films")
    import_rows(made, [{"id": "0", "text": "not unlikeable", "label": "positive"}])
    for _ in range(2):  # once more changes nothing
        import_file(store, LOCAL_OPERATOR, made, "inseq", saved, ImportOptions())
    (stored,) = [one for one in list_runs(store, made.id) if one.run.method]
    (output,) = iterate_outputs(store, stored.id)
    (attribution,) = output.attributions
    assert attribution.scores == (1.5, 4.0)
    assert attribution.written is not None
    assert attribution.written.scores == ((1.0, 3.5), (2.0, 4.5))
    assert attribution.written.earlier == ((), (7.0,))
    (panel,) = show_instance(store, LOCAL_OPERATOR, output.instance_id, None).panels
    assert panel.written is not None
    assert panel.written.subwords == (" good", " film")
    assert panel.answer is None  # what was written is no label of the project


def test_a_text_that_is_not_that_of_its_subwords_is_refused_with_what_was_compared_and_where_they_part(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], saved: Path
) -> None:
    made = make_project(name="Films")
    import_rows(made, [{"id": "0", "text": "not"}])
    content = json.loads(saved.read_text(encoding="utf-8"))
    content["info"]["input_texts"] = ["not"]
    saved.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ImportRefused) as refused:
        import_file(store, LOCAL_OPERATOR, made, "inseq", saved, ImportOptions())
    [problem] = refused.value.problems
    assert problem.value == "not unlike able"
    assert "No instance matches the subwords. After" in problem.reason
    assert "No instance matches the subwords. After 'not': 'unlike able' against" in problem.reason


@pytest.fixture
def within_a_prompt(tmp_path: Path) -> Path:
    """Two texts that were read within “Review: … Sentiment:”, by a model with an encoder, on one line."""
    sequences = [
        {
            "source": [{"token": subword} for subword in ("▁Review", ":", *text, "▁Sentiment", ":", "</s>")],
            "target": [{"token": "▁good"}], "attr_pos_start": 0, "attr_pos_end": 1,
            "source_attributions": [[score] for score in (1.0, 1.0, *([2.0] * len(text)), 1.0, 1.0, 0.0)],
        }
        for text in (("▁fine", "▁film"), ("▁bad", "▁film", "s"))
    ]  # fmt: skip
    inputs = ["Review: fine film Sentiment:", "Review: bad films Sentiment:"]
    info = {
        "attribution_method": "saliency",
        "model_name": "t5",
        "input_texts": inputs,
        "generated_texts": ["good"] * 2,
    }
    path = tmp_path / "prompted.json"
    path.write_text(json.dumps({"sequence_attributions": sequences, "info": info}), encoding="utf-8")
    return path


def test_the_option_for_a_prompt_around_the_texts_is_proposed_with_the_number_of_each_record(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], within_a_prompt: Path
) -> None:
    made = make_project(name="Films")
    import_rows(made, [{"id": "a", "text": "fine film"}, {"id": "b", "text": "bad films"}])
    with pytest.raises(ImportRefused) as refused:
        import_file(store, LOCAL_OPERATOR, made, "inseq", within_a_prompt, ImportOptions())
    problems = refused.value.problems
    assert [problem.source for problem in problems] == ["prompted.json[0]", "prompted.json[1]"]
    for problem in problems:
        assert "Add an ID or use --prompt 'Review: {text} Sentiment:'." in problem.reason
        assert "line 1" not in str(problem)


def test_the_prompt_that_a_button_fills_in_is_the_same_where_the_reason_is_chinese(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], within_a_prompt: Path
) -> None:
    made = make_project(name="Films")
    import_rows(made, [{"id": "a", "text": "fine film"}, {"id": "b", "text": "bad films"}])
    with speaking("zh"), pytest.raises(ImportRefused) as refused:
        import_file(store, LOCAL_OPERATOR, made, "inseq", within_a_prompt, ImportOptions())
    assert (
        "没有编号，文本在提示词中。请写上编号，或用 --prompt 'Review: {text} Sentiment:'。"
        in refused.value.problems[0].reason
    )
    assert proposed_prompt(refused.value.problems) == "Review: {text} Sentiment:"


def test_scores_of_a_prompt_around_a_text_are_left_out_and_told_as_a_share(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], within_a_prompt: Path
) -> None:
    made = make_project(name="Films")
    import_rows(made, [{"id": "a", "text": "fine film"}, {"id": "b", "text": "bad films"}])
    options = ImportOptions(prompt="Review: {text} Sentiment:")
    import_file(store, LOCAL_OPERATOR, made, "inseq", within_a_prompt, options)
    (stored,) = [one for one in list_runs(store, made.id) if one.run.method]
    first, second = [output.attributions[0] for output in iterate_outputs(store, stored.id)]
    assert (first.scores, second.scores) == ((2.0, 2.0), (2.0, 4.0))
    assert dict(first.facts) == {"prompt_share": pytest.approx(0.5), "special_share": 0}
    assert dict(second.facts) == {"prompt_share": pytest.approx(0.4), "special_share": 0}


def test_shares_are_of_everything_that_was_explained_by_the_prompt_and_earlier_subwords_too(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], saved: Path
) -> None:
    made = make_project(name="Films")
    import_rows(made, [{"id": "0", "text": "unlikeable"}])
    import_file(store, LOCAL_OPERATOR, made, "inseq", saved, ImportOptions(prompt="not {text}"))
    (stored,) = [one for one in list_runs(store, made.id) if one.run.method]
    (output,) = iterate_outputs(store, stored.id)
    [attribution] = output.attributions
    # Of the file's columns, 4.5 and 6.5 + 7: the prompt has 1 and 2 of them, the first subword 7 of the second.
    assert dict(attribution.facts) == {
        "prompt_share": pytest.approx(3 / 18, abs=1e-5),
        "earlier_share": pytest.approx(7 / 18, abs=1e-5),
    }
    panel = show_instance(store, LOCAL_OPERATOR, output.instance_id, None).panels[0]
    assert panel.written is not None
    assert [dict(facts) for facts in panel.written.facts] == [
        {"prompt_share": pytest.approx(1 / 4.5, abs=1e-5), "earlier_share": 0},
        {"prompt_share": pytest.approx(2 / 13.5, abs=1e-5), "earlier_share": pytest.approx(7 / 13.5, abs=1e-5)},
    ]


@pytest.mark.parametrize(
    ("format_name", "prompt", "expected"),
    [
        ("inseq", "Review: ", r"Prompt 'Review: ' must contain \{text\} once: 'Review: \{text\} Sentiment:'\."),
        ("lime", "Review: {text}", "--prompt is only for inseq. Remove it."),
    ],
)
def test_a_prompt_that_cannot_be_taken_away_is_refused(
    store: Store,
    make_project: Callable[..., Project],
    within_a_prompt: Path,
    format_name: str,
    prompt: str,
    expected: str,
) -> None:
    options = ImportOptions(prompt=prompt)
    with pytest.raises(InvalidValue, match=expected):
        import_file(store, LOCAL_OPERATOR, make_project(name="Films"), format_name, within_a_prompt, options)


def test_subwords_of_written_answers_are_written_out_and_read_back_equal(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], saved: Path, tmp_path: Path
) -> None:
    """Also of a text whose end the model did not see; read once more, they change nothing."""
    rows = [{"id": "0", "text": "not unlikeable", "label": "positive"}, {"id": "1", "text": "fine but long"}]
    made, other = make_project(name="Films"), make_project(name="Others")
    for project in (made, other):
        import_rows(project, rows)
    import_file(store, LOCAL_OPERATOR, made, "inseq", saved, ImportOptions())
    nan = float("nan")
    written = Written(
        (" no", "t", ""), ((1.0, 0.1, nan), (0.25, -0.7, nan), (0.0, 0.0, nan)), ((), (3.0,), (0.5, 1 / 3)),
        ((), (("earlier_share", 0.75),), (("earlier_share", 1.0),)),
    )  # fmt: skip
    cut = Attribution((1.25 / 3, -0.2, nan), written=written, facts=(("earlier_share", 0.5),))
    [number] = find_instance_ids(store, made.id, "1")
    with store.transaction():
        store_outputs(store, RunFinder(store, made.id).id_of(Run("gpt", "occlusion")), [Output(number, (), (cut,))])
    path = tmp_path / "out.jsonl"
    export_output_lines(store, LOCAL_OPERATOR, made, path)
    report = import_file(store, LOCAL_OPERATOR, other, "attributions", path, ImportOptions())
    assert (report.problems, report.n_new) == ([], 2)
    assert repr(_attributions(store, other)) == repr(_attributions(store, made))
    again = import_file(store, LOCAL_OPERATOR, other, "attributions", path, ImportOptions())
    assert (again.problems, again.n_new, again.n_updated) == ([], 0, 0)


def _attributions(store: Store, project: Project) -> dict[str, tuple[Attribution, ...]]:
    return {
        f"{stored.run.model} {stored.run.method}": tuple(
            replace(attribution, subwords=None)  # of the text: their scores have been joined to those of its words
            for output in iterate_outputs(store, stored.id)
            for attribution in output.attributions
        )
        for stored in list_runs(store, project.id)
    }


@pytest.mark.parametrize(
    ("written", "field"),
    [
        ({"pieces": [], "steps": [], "earlier": []}, "written.pieces"),
        ({"pieces": ["a", "b"], "steps": [[{"scores": [1, 2]}]], "earlier": [[], [1]]}, "written.steps"),
        ({"pieces": ["a"], "steps": [[{"scores": [1, 2]}]], "earlier": [[1]]}, "written.earlier[0]"),
        ({"pieces": ["a"], "steps": [[{"scores": [1, 2, 3]}]], "earlier": [[]]}, "scores"),
        ({"pieces": ["a"], "steps": [[{"scores": [1, 2]}]], "earlier": [[]], "facts": [{}, {}]}, "written.facts"),
    ],
)
def test_subwords_that_do_not_belong_together_are_refused_by_their_field(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], tmp_path: Path,
    written: dict[str, object], field: str,
) -> None:  # fmt: skip
    made = make_project(name="Films")
    import_rows(made, [{"id": "0", "text": "fine film"}])
    row = {"id": "0", "model": "m", "method": "x", "scores": [1.0, 2.0], "written": written}
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(ImportRefused) as refused:
        import_file(store, LOCAL_OPERATOR, made, "attributions", path, ImportOptions())
    assert refused.value.problems[0].field == field
