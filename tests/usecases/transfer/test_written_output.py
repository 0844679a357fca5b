"""Answers that inseq explained come in with the map of each piece, on the project's own tokens."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
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
