"""What a run says as ERASER's predictions file, for its scorer and for ours."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec import UNSET

from annotator.domain.instances import Instance
from annotator.domain.models import Attribution, Output, Prediction
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import ExportRefused, NotFound
from annotator.formats.eraser.predictions import ANSWERED, DocumentRow, HardRow, PredictionRow, Thresholded
from annotator.formats.eraser.writer import docids_of
from annotator.formats.rows.files import new_file
from annotator.language import _
from annotator.store import Store
from annotator.store.instances import get_instances
from annotator.store.models import StoredRun, answers_of_run, iterate_outputs, list_runs
from annotator.usecases.access.rights import require

_AT_ONCE = 500
_SOFT, _HARD = "soft_rationale_predictions", "hard_rationale_predictions"


def export_predictions(
    store: Store, actor: User, project: Project, path: Path, *, model: str, method: str, seed: int | None = None,
    split: str | None = None,
) -> int:  # fmt: skip
    """A line an instance of which the run says anything: selected tokens, scores, label, probabilities; how many.

    What only some lines have is left out of all, since scorers refuse it. Of several attributions that of the predicted label
    and the last layer is written; a token that the model did not see has the lowest score of its text.
    Raises: NotFound for a run that is not there, ExportRefused where it has nothing that ERASER's format holds
    """
    require(store, actor, project.id, "export")
    run = _run(list_runs(store, project.id), model, method, seed)
    answers = _answers(store, list_runs(store, project.id), run)
    rows: list[PredictionRow] = []
    batch: list[Output] = []
    with store.snapshot():
        for output in iterate_outputs(store, run.id):
            batch.append(output)
            if len(batch) == _AT_ONCE:
                rows += _rows(store, project, batch, answers, split)
                batch = []
        rows += _rows(store, project, batch, answers, split)
    if not rows:
        raise ExportRefused(_("'{model}' has nothing there. Choose another method or split.", model=model))
    _keep_common(rows)
    with new_file(path) as file:
        file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)
    return len(rows)


def _run(runs: Sequence[StoredRun], model: str, method: str, seed: int | None) -> StoredRun:
    """The run of a model and method; of several the one of the seed, or the first."""
    fitting = [stored for stored in runs if (stored.run.model, stored.run.method) == (model, method)]
    with_seed = [stored for stored in fitting if seed is None or stored.run.seed == seed]
    if not with_seed:
        raise NotFound(_("No run of '{model}' with '{method}'.", model=model, method=method))
    return with_seed[0]


def _answers(store: Store, runs: Sequence[StoredRun], run: StoredRun) -> Mapping[int, Prediction]:
    """The model's answers to the full inputs: of the same seed, else of the model."""
    of_model = [stored for stored in runs if stored.run.model == run.run.model and not stored.run.method]
    best = sorted(of_model, key=lambda stored: stored.run.seed != run.run.seed)
    return answers_of_run(store, best[0].id) if best else {}


def _rows(
    store: Store, project: Project, outputs: Sequence[Output], answers: Mapping[int, Prediction], split: str | None
) -> Iterable[PredictionRow]:
    instances = get_instances(store, [output.instance_id for output in outputs])
    for output in outputs:
        instance = instances[output.instance_id]
        if instance.state != "discarded" and split in (None, instance.split):
            yield _row(project, instance, output, answers.get(instance.id))


def _row(project: Project, instance: Instance, output: Output, answer: Prediction | None) -> PredictionRow:
    label = None if answer is None else answer.label
    made = PredictionRow(instance.key, _documents(project, instance, output, label))
    parts = [*output.predictions, *([answer] if answer is not None else [])]
    of = {(p.on, p.threshold): dict(p.probabilities) for p in parts if p.probabilities}
    if label is not None:
        made.classification = label
    made.classification_scores = of.get(("full", None), UNSET)
    made.comprehensiveness_classification_scores = of.get(("rest", None), UNSET)
    made.sufficiency_classification_scores = of.get(("rationale", None), UNSET)
    shares = sorted({share for _on, share in of if share is not None})
    thresholded = [
        Thresholded(share, of["rest", share], of["rationale", share])
        for share in shares
        if ("rest", share) in of and ("rationale", share) in of
    ]
    made.thresholded_scores = thresholded or UNSET
    return made


def _documents(project: Project, instance: Instance, output: Output, label: str | None) -> list[DocumentRow]:
    scores = _scores(output.attributions, label)
    hard = next((rationale.spans for rationale in output.rationales if rationale.kind == "hard"), None)
    docids = docids_of(project.task, instance)
    rows = []
    for segment in instance.layout.segments:
        if segment.name not in docids:
            continue
        row, first, end = DocumentRow(docids[segment.name]), segment.first_token, segment.end_token
        if hard is not None:
            inside = [(max(start, first) - first, min(stop, end) - first) for start, stop in hard]
            row.hard_rationale_predictions = [HardRow(start, stop) for start, stop in inside if start < stop]
        if scores is not None:
            row.soft_rationale_predictions = scores[first:end]
        rows.append(row)
    return rows


def _scores(attributions: Sequence[Attribution], label: str | None) -> list[float] | None:
    if not attributions:
        return None
    last = max((a.layer for a in attributions if a.layer is not None), default=None)
    of_layer = [a for a in attributions if a.layer == last]
    chosen = next((a for a in of_layer if a.label in {label, ""}), of_layer[0])
    scores = np.array(chosen.scores, dtype=np.float64)
    lowest = np.nanmin(scores) if not np.isnan(scores).all() else 0.0
    return [float(score) for score in np.where(np.isnan(scores), lowest, scores)]


def _keep_common(rows: Sequence[PredictionRow]) -> None:
    """Take out what only some rows have."""
    for name in ANSWERED:
        if any(getattr(row, name) is UNSET for row in rows):
            for row in rows:
                setattr(row, name, UNSET)
    documents = [document for row in rows for document in row.rationales]
    for name in (_SOFT, _HARD):
        if any(getattr(document, name) is UNSET for document in documents):
            for document in documents:
                setattr(document, name, UNSET)
