"""What a run says as the predictions file of ERASER or of the benchmark, for their scorers and for ours."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np
from msgspec import UNSET

from annotator.domain.instances import Instance
from annotator.domain.models import Attribution, MachineRationale, Output, Prediction
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import ExportRefused, NotFound
from annotator.formats.benchmark.predictions import ANSWERS_ON, BenchmarkRow
from annotator.formats.benchmark.writer import borders_of_sides, label_number, record_ids
from annotator.formats.eraser.predictions import ANSWERED, DocumentRow, HardRow, PredictionRow, Thresholded
from annotator.formats.eraser.writer import docids_of
from annotator.formats.rows.files import new_file
from annotator.language import _
from annotator.metrics.against_sets import order_of
from annotator.metrics.ragged import Ragged
from annotator.store import Store
from annotator.store.instances import get_instances
from annotator.store.models import StoredRun, answers_of_run, iterate_outputs, list_runs
from annotator.usecases.access.rights import require
from annotator.usecases.gold import GoldOptions, gold_instances, require_split
from annotator.usecases.gold_table import gold_table
from annotator.usecases.models.faithfulness import Selection

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
    with store.snapshot():
        answers = _answers(store, list_runs(store, project.id), run)
        rows = list(_rows(store, project, iterate_outputs(store, run.id), answers, split))
    _keep_common(rows, ANSWERED)
    _keep_common([document for row in rows for document in row.rationales], (_SOFT, _HARD))
    return _write(path, rows, model)


def _write(path: Path, rows: Sequence[msgspec.Struct], model: str) -> int:
    if not rows:
        raise ExportRefused(_("'{model}' has nothing there. Choose another method or split.", model=model))
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
    store: Store, project: Project, outputs: Iterable[Output], answers: Mapping[int, Prediction], split: str | None
) -> Iterable[PredictionRow]:
    remaining = iter(outputs)
    while batch := list(islice(remaining, _AT_ONCE)):
        instances = get_instances(store, [output.instance_id for output in batch])
        for output in batch:
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
    chosen = _explaining(attributions, label)
    if chosen is None:
        return None
    scores = np.array(chosen.scores, dtype=np.float64)
    lowest = np.nanmin(scores) if not np.isnan(scores).all() else 0.0
    return [float(score) for score in np.where(np.isnan(scores), lowest, scores)]


def _explaining(attributions: Sequence[Attribution], label: str | None) -> Attribution | None:
    """That of the label, else the first; of the last layer where there are layers."""
    last = max((a.layer for a in attributions if a.layer is not None), default=None)
    of_layer = [a for a in attributions if a.layer == last]
    return next((a for a in of_layer if a.label in {label, ""}), of_layer[0] if of_layer else None)


def _keep_common(rows: Sequence[msgspec.Struct], names: Iterable[str]) -> None:
    """Take out what only some rows have."""
    for name in names:
        if any(getattr(row, name) is UNSET for row in rows):
            for row in rows:
                setattr(row, name, UNSET)


# The benchmark's file, whose names both of its scorers read.


def export_benchmark_predictions(
    store: Store, actor: User, project: Project, path: Path, *, model: str, method: str, seed: int | None = None,
    options: GoldOptions = GoldOptions(),
) -> int:  # fmt: skip
    """A line an instance with gold and a rationale of the run, numbered as the gold is that is exported with these options.

    The rationale is the method's own where it has one, else the top k of its scores by importance, k following from the mean
    length of the gold. What only some lines have is left out of all, since scorers refuse it.
    Raises: NotFound for a run that is not there, ExportRefused where it has nothing that the format holds
    """
    require(store, actor, project.id, "export")
    require_split(store, [project], options.split)
    policy = options.gold_policy or project.settings.gold_policy
    run = _run(list_runs(store, project.id), model, method, seed)
    with store.snapshot():
        gold = [item.instance for item in gold_instances(store, project, policy, options) if item.result is not None]
        ids = record_ids([(instance.split, instance.key) for instance in gold])
        writer = _BenchmarkRows(project, _answers(store, list_runs(store, project.id), run),
                                Selection(gold_table(store, project, policy), project.task))  # fmt: skip
        by_id = {instance.id: instance for instance in gold}
        outputs = ((by_id[o.instance_id], o) for o in iterate_outputs(store, run.id) if o.instance_id in by_id)
        made = [writer.row(ids[instance.split, instance.key], instance, output) for instance, output in outputs]
    rows = sorted(filter(None, made), key=lambda row: row.id)
    _keep_common(rows, [name for fields in ANSWERS_ON.values() for name in fields])
    return _write(path, rows, model)


@dataclass(frozen=True, slots=True)
class _BenchmarkRows:
    project: Project
    answers: Mapping[int, Prediction]
    selection: Selection

    def row(self, number: int, instance: Instance, output: Output) -> BenchmarkRow | None:
        """None where the run has no rationale of the instance."""
        answer = self.answers.get(instance.id)
        selected, order = self._rationale(instance, output, answer)
        if selected is None:
            return None
        tokens = [token for segment in instance.segments if segment.is_selectable for token in segment.body.tokens()]
        row = BenchmarkRow(number, [], [], [])
        for start, end in borders_of_sides(instance, self.project.task):
            of_side = [token for token in order if start <= token < end]
            row.rationale.append([token - start for token in of_side if token in selected])
            row.no_rationale.append([token - start for token in of_side if token not in selected])
            row.rationale_token.append([tokens[token] for token in of_side if token in selected])
        of_inputs = {p.on: p for p in (*output.predictions, *([answer] if answer else [])) if p.threshold is None}
        for on, (label_field, p_field) in ANSWERS_ON.items():
            if on in of_inputs:
                self._answer(row, of_inputs[on], label_field, p_field)
        return row

    def _rationale(
        self, instance: Instance, output: Output, answer: Prediction | None
    ) -> tuple[frozenset[int] | None, Sequence[int]]:
        """The selected tokens, None where the run tells none; and all tokens by importance."""
        of_kind = {rationale.kind: rationale for rationale in output.rationales}
        attribution = _explaining(output.attributions, None if answer is None else answer.label)
        order = _order(attribution, of_kind.get("ranked"), instance.layout.n_selectable)
        if "hard" in of_kind:
            return frozenset(token for span in of_kind["hard"].spans for token in range(*span)), order
        if "ranked" in of_kind:
            return frozenset(of_kind["ranked"].ranking), order
        if attribution is None or not self.selection.has_ratio:
            return None, order
        top_k = self.selection.of_attribution(instance, attribution)[0]
        return frozenset(top_k.tokens), order

    def _answer(self, row: BenchmarkRow, answer: Prediction, label_field: str, p_field: str) -> None:
        if answer.label is not None:
            setattr(row, label_field, label_number(answer.label, self.project))
        if answer.probabilities and set(answer.probabilities) <= set(
            self.project.labels
        ):  # a model may not know them all
            setattr(row, p_field, [answer.probabilities.get(label, 0.0) for label in self.project.labels])


def _order(attribution: Attribution | None, ranked: MachineRationale | None, n: int) -> list[int]:
    """All n tokens by importance: as they are ranked, else by falling score; those of which nothing is told come last."""
    first: Iterable[int] = ()
    if ranked is not None:
        first = ranked.ranking
    elif attribution is not None:
        first = attribution.ranking or order_of(Ragged.of([attribution.scores[:n]], np.float64)).values.tolist()
    return list(dict.fromkeys((*(token for token in first if token < n), *range(n))))
