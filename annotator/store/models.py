"""Models, runs, what they answer and give as their reasons, packed; and which work of attribution is still to be done."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from annotator.domain import models
from annotator.domain.own_sources import SourceSufficientSets
from annotator.domain.sufficient_sets import SufficientSets
from annotator.store.connection.database import Row, Store
from annotator.store.packed_rows import pack_floats, pack_numbers, unpack_floats, unpack_numbers

# Written answers as they lie in a column: JSON with the subwords, and null for a token that has no score.


def pack_written(written: models.Written) -> str:
    """An answer with its maps, as text."""
    scores = [[None if math.isnan(score) else score for score in row] for row in written.scores]
    fields = {"pieces": written.subwords, "scores": scores, "earlier": written.earlier}
    facts = {"facts": [dict(of_subword) for of_subword in written.facts]} if written.facts else {}
    return json.dumps(fields | facts, ensure_ascii=False)


def unpack_written(packed: str) -> models.Written:
    """The answer that was packed."""
    fields = json.loads(packed)
    scores = tuple(tuple(math.nan if score is None else score for score in row) for row in fields["scores"])
    facts = tuple(models.facts_from(of_subword) for of_subword in fields.get("facts", ()))
    return models.Written(tuple(fields["pieces"]), scores, tuple(map(tuple, fields["earlier"])), facts)


_NO_THRESHOLD = -1.0
_NO_LAYER = -1
_PROBABILITIES = msgspec.json.Decoder(dict[str, int | float])


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run with its numbers in the database."""

    id: int
    model_id: int
    run: models.Run


@dataclass(slots=True)
class RunFinder:
    """The numbers of a project's runs; a run that is not there yet is made."""

    store: Store
    project_id: int
    _known: dict[models.Run, int] = field(default_factory=dict)

    def id_of(self, run: models.Run) -> int:
        known = self._known.get(run)
        if known is None:
            known = self._known[run] = self._noted(run) or self._add(run)
        return known

    def find(self, run: models.Run) -> int | None:
        """The number of a run that is there; nothing is written."""
        return self._known.get(run) or self._stored(run)

    def _stored(self, run: models.Run) -> int | None:
        run_id = self.store.value(
            """SELECT runs.id FROM runs JOIN models ON models.id = model_id
                WHERE project_id = ? AND name = ? AND method = ? AND parameters = ? AND seed IS ?""",
            (self.project_id, run.model, run.method, run.parameters, run.seed),
        )
        return None if run_id is None else int(run_id)

    def _noted(self, run: models.Run) -> int | None:
        """The number of a run that is there, with what a later file says of its scores."""
        number = self._stored(run)
        if number is not None and (run.unit, run.is_signed) != ("none", None):
            self.store.run("UPDATE runs SET unit = ?, is_signed = ? WHERE id = ?", (run.unit, run.is_signed, number))
        return number

    def _add(self, run: models.Run) -> int:
        model_id = add_model(self.store, self.project_id, run.model)
        return self.store.add(
            """INSERT INTO runs (model_id, method, parameters, seed, unit, is_signed, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
            (model_id, run.method, run.parameters, run.seed, run.unit, run.is_signed, self.store.now()),
        )


def add_model(store: Store, project_id: int, name: str) -> int:
    """The number of a project's model, which is made where it is not there yet."""
    store.run(
        "INSERT INTO models (project_id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (project_id, name, store.now()),
    )
    return store.number("SELECT id FROM models WHERE project_id = ? AND name = ?", (project_id, name))


def list_runs(store: Store, project_id: int, model: str | None = None, method: str | None = None) -> list[StoredRun]:
    """The runs of a project, by model, method, parameters and seed."""
    rows = store.rows(
        """SELECT runs.*, name FROM runs JOIN models ON models.id = model_id
            WHERE project_id = ?1 AND (?2 IS NULL OR name = ?2) AND (?3 IS NULL OR method = ?3)
            ORDER BY name, method, parameters, seed""",
        (project_id, model, method),
    )
    return [_stored_run(row) for row in rows]


def list_models(store: Store, project_id: int) -> list[str]:
    """The names of a project's models that have a run."""
    return store.column(
        """SELECT name FROM models WHERE project_id = ? AND EXISTS (SELECT 1 FROM runs WHERE model_id = models.id)
            ORDER BY name""",
        (project_id,),
    )


def has_run(store: Store, run_id: int) -> bool:
    """Whether a run is still there."""
    return store.holds("SELECT 1 FROM runs WHERE id = ?", (run_id,))


def _stored_run(row: Row) -> StoredRun:
    is_signed = None if row["is_signed"] is None else bool(row["is_signed"])
    run = models.Run(row["name"], row["method"], row["parameters"], row["seed"], row["unit"], is_signed)
    return StoredRun(row["id"], row["model_id"], run)


def outputs_of_run(store: Store, run_id: int, instance_ids: Sequence[int]) -> dict[int, models.Output]:
    """What a run says of each of some instances; an instance of which it says nothing is not in the answer."""
    marks = ",".join("?" * len(instance_ids))
    return _outputs(store, f"WHERE run_id = ? AND instance_id IN ({marks})", (run_id, *instance_ids))


def iterate_outputs_of(
    store: Store, run_id: int, instance_ids: Sequence[int], *, batch_size: int = 500
) -> Iterator[models.Output]:
    """What a run says of some instances, by instance; few at a time are held."""
    ids = sorted(instance_ids)
    for first in range(0, len(ids), batch_size):
        batch = ids[first : first + batch_size]
        outputs = outputs_of_run(store, run_id, batch)
        yield from (outputs[number] for number in batch if number in outputs)


def _outputs(store: Store, where: str, values: Sequence[object]) -> dict[int, models.Output]:
    parts: dict[int, tuple[list[models.Prediction], list[models.Attribution], list[models.MachineRationale]]] = {}
    for row in store.rows(f"SELECT * FROM predictions {where} ORDER BY instance_id, input, threshold", values):
        parts.setdefault(row["instance_id"], ([], [], []))[0].append(_prediction(row))
    for row in store.rows(f"SELECT * FROM attributions {where} ORDER BY instance_id, label, layer", values):
        parts.setdefault(row["instance_id"], ([], [], []))[1].append(_attribution(row))
    for row in store.rows(f"SELECT * FROM machine_rationales {where} ORDER BY instance_id, kind", values):
        parts.setdefault(row["instance_id"], ([], [], []))[2].append(_rationale(row))
    return {number: models.Output(number, tuple(p), tuple(a), tuple(r)) for number, (p, a, r) in parts.items()}


def iterate_outputs(store: Store, run_id: int, *, batch_size: int = 500) -> Iterator[models.Output]:
    """Everything of a run, by instance."""
    last = 0
    while True:
        rows = store.rows(
            """SELECT instance_id FROM predictions WHERE run_id = ?1 AND instance_id > ?2
                UNION SELECT instance_id FROM attributions WHERE run_id = ?1 AND instance_id > ?2
                UNION SELECT instance_id FROM machine_rationales WHERE run_id = ?1 AND instance_id > ?2
                ORDER BY instance_id LIMIT ?3""",
            (run_id, last, batch_size),
        )
        if not rows:
            return
        ids = [row["instance_id"] for row in rows]
        outputs = _outputs(store, "WHERE run_id = ? AND instance_id BETWEEN ? AND ?", (run_id, ids[0], ids[-1]))
        yield from (outputs[number] for number in ids)
        last = ids[-1]


def answers_of_run(store: Store, run_id: int) -> dict[int, models.Prediction]:
    """By instance: what a run answers to the full input."""
    rows = store.rows(
        "SELECT * FROM predictions WHERE run_id = ? AND input = 'full' ORDER BY instance_id, threshold", (run_id,)
    )
    return {row["instance_id"]: _prediction(row) for row in rows}


def full_answers(store: Store, project_id: int, model: str) -> dict[int | None, dict[int, models.Prediction]]:
    """By seed and instance: what a model answers when it reads everything, by the first of the runs of the seed that says so."""
    answers: dict[int | None, dict[int, models.Prediction]] = {}
    for row in store.rows(
        """SELECT predictions.*, seed FROM predictions JOIN runs ON runs.id = run_id JOIN models ON models.id = model_id
            WHERE project_id = ? AND name = ? AND input = 'full' ORDER BY seed, run_id, instance_id""",
        (project_id, model),
    ):
        answers.setdefault(row["seed"], {}).setdefault(row["instance_id"], _prediction(row))
    return answers


def has_full_answers(store: Store, run_id: int) -> bool:
    """Whether a run answers any text when it reads everything."""
    return store.holds("SELECT 1 FROM predictions WHERE run_id = ? AND input = 'full' LIMIT 1", (run_id,))


def ids_answered(store: Store, project_id: int, model: str) -> set[int]:
    """The instances that some run of a model answers when it reads everything."""
    return set(
        store.column(
            """SELECT DISTINCT instance_id FROM predictions JOIN runs ON runs.id = run_id JOIN models ON models.id = model_id
            WHERE project_id = ? AND name = ? AND input = 'full'""",
            (project_id, model),
        )
    )


def known_outputs(store: Store, run_id: int, instance_ids: Iterable[int]) -> dict[int, models.Output]:
    """The same; of a first import, which goes past the last instance of the run, nothing has to be read."""
    # The last instance of which a run says something; past it, as in most of a first import, nothing has to be read
    last = store.number(
        """SELECT max(ifnull((SELECT max(instance_id) FROM predictions WHERE run_id = ?1), 0),
                ifnull((SELECT max(instance_id) FROM attributions WHERE run_id = ?1), 0),
                ifnull((SELECT max(instance_id) FROM machine_rationales WHERE run_id = ?1), 0))""",
        (run_id,),
    )
    met = [number for number in instance_ids if number <= last]
    return outputs_of_run(store, run_id, met) if met else {}


def store_outputs(store: Store, run_id: int, outputs: Sequence[models.Output]) -> None:
    """Write what a run says, over what is there otherwise."""
    known = known_outputs(store, run_id, [output.instance_id for output in outputs])
    write_outputs(store, run_id, [models.change_of(known.get(output.instance_id), output).output for output in outputs])


def write_outputs(store: Store, run_id: int, outputs: Iterable[models.Output]) -> None:
    """Write what a run says, over what is there."""
    predictions: list[tuple[object, ...]] = []
    scores_alone: list[tuple[object, ...]] = []
    attributions: list[tuple[object, ...]] = []
    rationales: list[tuple[object, ...]] = []
    for output in outputs:
        number = output.instance_id
        for a in output.attributions:
            name = (run_id, number, a.label, _NO_LAYER if a.layer is None else a.layer)
            if a.ranking is None and a.subwords is None and a.convergence is None and not a.facts and a.written is None:
                scores_alone.append((*name, pack_floats(a.scores)))
            else:
                attributions.append((*name, *_packed(a)))
        predictions += [(run_id, number, *_packed_prediction(p)) for p in output.predictions]
        rationales += [(run_id, number, *_packed_rationale(r)) for r in output.rationales]
    store.run_many(_ADD_PREDICTION, predictions)
    store.run_many(_ADD_SCORES, scores_alone)
    store.run_many(_ADD_ATTRIBUTION, attributions)
    store.run_many(_ADD_RATIONALE, rationales)


_OVER_SCORES = """ON CONFLICT DO UPDATE SET scores = excluded.scores, ranking = excluded.ranking, pieces = excluded.pieces,
    convergence = excluded.convergence, facts = excluded.facts, written = excluded.written"""
_ADD_PREDICTION = """INSERT INTO predictions (run_id, instance_id, input, threshold, result, label, probabilities)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET result = excluded.result, label = excluded.label,
    probabilities = excluded.probabilities"""
# Most attributions are scores alone; to hand over four times None as well takes longer than finding the row's place.
_ADD_SCORES = (
    f"INSERT INTO attributions (run_id, instance_id, label, layer, scores) VALUES (?, ?, ?, ?, ?) {_OVER_SCORES}"
)
_ADD_ATTRIBUTION = f"""INSERT INTO attributions
    (run_id, instance_id, label, layer, scores, ranking, pieces, convergence, facts, written)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) {_OVER_SCORES}"""
_ADD_RATIONALE = """INSERT INTO machine_rationales (run_id, instance_id, kind, tokens, quotes) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET tokens = excluded.tokens, quotes = excluded.quotes"""


def _packed_prediction(p: models.Prediction) -> tuple[object, ...]:
    threshold = _NO_THRESHOLD if p.threshold is None else p.threshold
    return p.on, threshold, p.result, p.label or "", json.dumps(dict(p.probabilities), ensure_ascii=False)


def _packed_rationale(r: models.MachineRationale) -> tuple[object, ...]:
    tokens = [n for span in r.spans for n in span] if r.kind == "hard" else list(r.ranking)
    return r.kind, pack_numbers(tokens), None if r.quotes is None else _packed_quotes(r.quotes)


def _packed_quotes(q: models.Quotes) -> str:
    sets = [q.n_sets, q.sets] if q.n_sets else []
    return json.dumps([q.n, q.n_missing, q.missing, *sets], ensure_ascii=False)


def _packed(a: models.Attribution) -> tuple[object, ...]:
    """The columns from the scores on."""
    subwords = None if a.subwords is None else json.dumps(
        [[p.text, p.start, p.end, p.is_special, p.segment, score] for p, score in a.subwords], ensure_ascii=False
    )  # fmt: skip
    ranking = None if a.ranking is None else pack_numbers(a.ranking)
    facts = json.dumps(dict(a.facts)) if a.facts else None
    written = None if a.written is None else pack_written(a.written)
    return pack_floats(a.scores), ranking, subwords, a.convergence, facts, written


def _prediction(row: Row) -> models.Prediction:
    threshold = None if row["threshold"] == _NO_THRESHOLD else row["threshold"]
    return models.Prediction(row["result"], _PROBABILITIES.decode(row["probabilities"]), row["input"], threshold)


def _attribution(row: Row) -> models.Attribution:
    subwords = None if row["pieces"] is None else tuple(
        (models.Subword(text, start, end, bool(is_special), segment), score)
        for text, start, end, is_special, segment, score in json.loads(row["pieces"])
    )  # fmt: skip
    return models.Attribution(
        unpack_floats(row["scores"]),
        row["label"],
        None if row["layer"] == _NO_LAYER else row["layer"],
        None if row["ranking"] is None else unpack_numbers(row["ranking"]),
        subwords,
        row["convergence"],
        () if row["facts"] is None else tuple(json.loads(row["facts"]).items()),
        None if row["written"] is None else unpack_written(row["written"]),
    )


def _rationale(row: Row) -> models.MachineRationale:
    numbers = unpack_numbers(row["tokens"])
    if row["kind"] == "ranked":
        return models.MachineRationale("ranked", ranking=numbers)
    return models.MachineRationale(
        "hard", tuple(zip(numbers[::2], numbers[1::2], strict=True)), quotes=_quotes(row["quotes"])
    )


def _quotes(packed: str | None) -> models.Quotes | None:
    if packed is None:
        return None
    n, n_missing, missing, *of_sets = json.loads(packed)
    n_sets, sets = of_sets or (0, ())
    spans = tuple(tuple((start, end) for start, end in of_set) for of_set in sets)
    return models.Quotes(n, n_missing, tuple(missing), n_sets, spans)


def count_outputs(store: Store, run_ids: Iterable[int]) -> dict[int, tuple[int, int, int]]:
    """(predictions, attributions, machine rationales) of each run."""
    return {
        run_id: (
            store.number("SELECT count(*) FROM predictions WHERE run_id = ?", (run_id,)),
            store.number("SELECT count(*) FROM attributions WHERE run_id = ?", (run_id,)),
            store.number("SELECT count(*) FROM machine_rationales WHERE run_id = ?", (run_id,)),
        )
        for run_id in run_ids
    }


# The tables that hold what models said of instances.
OUTPUT_TABLES = ("predictions", "attributions", "machine_rationales", "metric_values", "sufficient_sets")


def instances_with_output(store: Store, instance_ids: Sequence[int]) -> set[int]:
    """Those of some instances of which models said something."""
    wanted = json.dumps(list(instance_ids))
    ids: set[int] = set()
    for table in OUTPUT_TABLES:
        ids.update(
            store.column(
                f"""SELECT value FROM json_each(?) AS wanted
                WHERE EXISTS (SELECT 1 FROM {table} WHERE instance_id = wanted.value)""",
                (wanted,),
            )
        )
    return ids


# What computing attributions asks of the database beside the outputs themselves.


def splits_of(store: Store, project_id: int) -> dict[str, int]:
    """How many instances that are not discarded each split has."""
    return store.mapping(
        """SELECT split, count(*) AS n FROM instances WHERE project_id = ? AND state <> 'discarded'
            GROUP BY split ORDER BY split""",
        (project_id,),
    )


def last_detail(store: Store, project_id: int, action: str, model: str) -> Mapping[str, object] | None:
    """The detail of the last event of an action that names a model; None without one."""
    detail = store.value(
        """SELECT detail FROM events WHERE project_id = ? AND action = ? AND json_extract(detail, '$.model') = ?
            ORDER BY id DESC LIMIT 1""",
        (project_id, action, model),
    )
    return None if detail is None else dict(json.loads(detail))


def has_outputs(store: Store, project_id: int, model: str) -> bool:
    """Whether anything is stored of what a model says."""
    return store.holds(
        """SELECT EXISTS (SELECT 1 FROM runs JOIN models ON models.id = model_id WHERE project_id = ?1 AND name = ?2
                AND (EXISTS (SELECT 1 FROM predictions WHERE run_id = runs.id)
                    OR EXISTS (SELECT 1 FROM attributions WHERE run_id = runs.id)
                    OR EXISTS (SELECT 1 FROM machine_rationales WHERE run_id = runs.id)))
                OR EXISTS (SELECT 1 FROM sufficient_sets JOIN models ON models.id = model_id
                    WHERE project_id = ?1 AND name = ?2)""",
        (project_id, model),
    )


def forget_model(store: Store, project_id: int, model: str) -> None:
    """Take out everything that a model says, its runs and their numbers."""
    its_runs = """SELECT runs.id FROM runs JOIN models ON models.id = model_id WHERE project_id = ? AND name = ?"""
    for table in ("metric_values", "measurements", "predictions", "attributions", "machine_rationales"):
        store.run(f"DELETE FROM {table} WHERE run_id IN ({its_runs})", (project_id, model))
    store.run(f"DELETE FROM runs WHERE id IN ({its_runs})", (project_id, model))
    store.run(
        "DELETE FROM sufficient_sets WHERE model_id IN (SELECT id FROM models WHERE project_id = ? AND name = ?)",
        (project_id, model),
    )


_GAVE_SETS = """EXISTS (SELECT 1 FROM runs JOIN machine_rationales ON run_id = runs.id
    WHERE runs.model_id = models.id AND json_array_length(quotes) > 3)"""


def models_with_quoted_sets(store: Store, project_id: int) -> list[str]:
    """The models of a project that gave any of their reasons as sets of quotes, by name."""
    return store.column(f"SELECT name FROM models WHERE project_id = ? AND {_GAVE_SETS} ORDER BY name", (project_id,))


def models_with_own_sets(store: Store, project_id: int) -> list[str]:
    """The models of a project whose own sets were found, or given in quotes, by name."""
    return store.column(
        f"""SELECT name FROM models WHERE project_id = ? AND ({_GAVE_SETS} OR EXISTS (SELECT 1 FROM sufficient_sets
            WHERE model_id = models.id AND label <> '' AND json_extract(parameters, '$.sets_of') IS NULL)) ORDER BY name""",
        (project_id,),
    )


def quoted_sets_of_instance(
    store: Store, instance_id: int
) -> list[tuple[str, str | None, tuple[tuple[int, ...], ...]]]:
    """Each model that gave sets of quotes for an instance, with its label, and the tokens of each set."""
    rows = store.rows(
        """SELECT name, quotes, (SELECT label FROM predictions JOIN runs AS answering ON answering.id = predictions.run_id
                WHERE answering.model_id = models.id AND method = '' AND input = 'full' AND instance_id = ?1) AS answer
            FROM machine_rationales JOIN runs ON runs.id = run_id JOIN models ON models.id = runs.model_id
            WHERE instance_id = ?1 AND json_array_length(quotes) > 3 ORDER BY name""",
        (instance_id,),
    )
    quoted = ((row["name"], row["answer"], _quotes(row["quotes"])) for row in rows)
    return [(name, answer, quotes.token_sets) for name, answer, quotes in quoted if quotes is not None]


# A model's own rationale sets, by how they were looked for.

_EXAMINED = msgspec.json.Decoder(SufficientSets)


def store_sufficient_sets(store: Store, model_id: int, parameters: str, examined: Mapping[int, SufficientSets]) -> None:
    """Write what was found of some instances, over what is there; without a label where the search has begun and not ended."""
    store.run_many(
        """INSERT INTO sufficient_sets (model_id, parameters, instance_id, label, examined) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET label = excluded.label, examined = excluded.examined""",
        [
            (model_id, parameters, number, sets.label, msgspec.json.encode(replace(sets, label="")).decode())
            for number, sets in examined.items()
        ],
    )


def sufficient_sets_of(
    store: Store, project_id: int, model: str, parameters: str, instance_ids: Sequence[int]
) -> dict[int, SufficientSets]:
    """What is stored of some instances, by number; an instance of which nothing is stored is not in the answer."""
    rows = store.rows(
        """SELECT instance_id, label, examined FROM sufficient_sets JOIN models ON models.id = model_id
            WHERE project_id = ? AND name = ? AND parameters = ? AND instance_id IN (SELECT value FROM json_each(?))""",
        (project_id, model, parameters, json.dumps(list(instance_ids))),
    )
    return {row["instance_id"]: _examined(row) for row in rows}


def sufficient_sets_as_sources(
    store: Store, project_id: int, split: str | None = None
) -> Iterator[SourceSufficientSets]:
    """All of a project (or of a split's instances), as our own export writes them."""
    for row in store.rows(
        """SELECT name, parameters, key, split, label, examined FROM sufficient_sets JOIN models ON models.id = model_id
            JOIN instances ON instances.id = instance_id
            WHERE models.project_id = ?1 AND label <> '' AND (?2 IS NULL OR split = ?2)
            ORDER BY name, parameters, instances.id""",
        (project_id, split),
    ):
        yield SourceSufficientSets(row["name"], row["parameters"], row["key"], row["split"], _examined(row))


def models_with_sufficient_sets(store: Store, project_id: int) -> list[str]:
    """The models of a project of whose own sets any are stored, by name."""
    return store.column(
        """SELECT name FROM models WHERE project_id = ?
            AND EXISTS (SELECT 1 FROM sufficient_sets WHERE model_id = models.id AND label <> '') ORDER BY name""",
        (project_id,),
    )


def ways_with_sufficient_sets(store: Store, project_id: int) -> dict[tuple[str, str], int]:
    """Models with the parameters by which their own sets were looked for, and the number of instances."""
    rows = store.rows(
        """SELECT name, parameters, count(*) AS n FROM sufficient_sets JOIN models ON models.id = model_id
            WHERE project_id = ? AND label <> '' GROUP BY name, parameters ORDER BY name, parameters""",
        (project_id,),
    )
    return {(row["name"], row["parameters"]): row["n"] for row in rows}


def sufficient_sets_of_instance(store: Store, instance_id: int) -> list[tuple[str, str, SufficientSets]]:
    """Each model with the parameters by which its sets of an instance were looked for, and what was found."""
    rows = store.rows(
        """SELECT name, parameters, label, examined FROM sufficient_sets JOIN models ON models.id = model_id
            WHERE instance_id = ? AND label <> '' ORDER BY name, parameters""",
        (instance_id,),
    )
    return [(row["name"], row["parameters"], _examined(row)) for row in rows]


def all_sufficient_sets(
    store: Store, project_id: int, model: str, parameters: str, split: str | None = None
) -> dict[int, SufficientSets]:
    """What is stored of all instances (or of a split's) that are not discarded, by number."""
    rows = store.rows(
        """SELECT instance_id, label, examined FROM sufficient_sets JOIN models ON models.id = model_id
            JOIN instances ON instances.id = instance_id
            WHERE models.project_id = ?1 AND name = ?2 AND parameters = ?3 AND label <> '' AND state <> 'discarded'
                AND (?4 IS NULL OR split = ?4)
            ORDER BY instance_id""",
        (project_id, model, parameters, split),
    )
    return {row["instance_id"]: _examined(row) for row in rows}


def _examined(row: Row) -> SufficientSets:
    return replace(_EXAMINED.decode(row["examined"]), label=row["label"])


def forget_sufficient_sets(store: Store, project_id: int, model: str, parameters: str) -> None:
    """Take out what was found in one way."""
    store.run(
        """DELETE FROM sufficient_sets WHERE parameters = ?
            AND model_id IN (SELECT id FROM models WHERE project_id = ? AND name = ?)""",
        (parameters, project_id, model),
    )
