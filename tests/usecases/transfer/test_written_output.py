"""Answers that inseq explained come in with the map of each piece, on the project's own tokens."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import ImportRefused, InvalidValue
from annotator.store import Store
from annotator.store.models import iterate_outputs, list_runs
from annotator.usecases.inspect.saliency import show_instance
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A decoder that goes on with “not unlikeable” (in three pieces) by two pieces."""
    target = [{"token": piece} for piece in ("not", "Ġunlike", "able", "Ġgood", "Ġfilm")]
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


def test_a_file_of_inseqs_is_laid_on_words_piece_by_piece_and_shown(
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
    assert panel.written.pieces == (" good", " film")
    assert panel.answer is None  # what was written is no label of the project


@pytest.fixture
def within_a_prompt(tmp_path: Path) -> Path:
    """Two texts that were read within “Review: … Sentiment:”, by a model with an encoder, on one line."""
    sequences = [
        {
            "source": [{"token": piece} for piece in ("▁Review", ":", *text, "▁Sentiment", ":", "</s>")],
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
        assert "(--prompt 'Review: {text} Sentiment:')" in problem.reason
        assert "line 1" not in str(problem)


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
    assert dict(first.facts) == {"prompt_share": pytest.approx(0.5)}
    assert dict(second.facts) == {"prompt_share": pytest.approx(0.4)}


@pytest.mark.parametrize(
    ("format_name", "prompt", "expected"),
    [
        ("inseq", "Review: ", "must hold {text} once"),
        ("lime", "Review: {text}", "Only files of the format inseq are read with a prompt"),
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
