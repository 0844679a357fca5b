"""Numbers of runs for each instance, kept so that screens can sort, filter and draw by them; and what slices are made of."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotator.domain.measurements import Listed, Measurement, Question, Slice, Which
from annotator.store.annotate.my_work import excerpt_of, holds
from annotator.store.connection.database import Store
from annotator.store.packed_rows import unpack_floats
from annotator.store.slices import NAME_OF_ANNOTATOR, annotators_of, conditions_of, fact_text, is_scalar, is_version_of

_NO_LAYER = -1


def last_event_id(store: Store, project_id: int) -> int:
    """The number of the project's last event; 0 without any."""
    return store.number("SELECT coalesce(max(id), 0) FROM events WHERE project_id = ?", (project_id,))


def write_measurement(
    store: Store, measurement: Measurement, values: Iterable[tuple[int | None, str, int, float]]
) -> None:
    """Put a run's numbers in the place of those it had; values: (layer, name, instance, value)."""
    run_id = measurement.run_id
    store.run("DELETE FROM metric_values WHERE run_id = ?", (run_id,))
    store.run(
        """INSERT INTO measurements (run_id, gold_policy, parameters, last_event_id, made_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET gold_policy = excluded.gold_policy, parameters = excluded.parameters,
            last_event_id = excluded.last_event_id, made_at = excluded.made_at""",
        (
            run_id,
            measurement.gold_policy,
            json.dumps(dict(measurement.parameters)),
            measurement.last_event_id,
            store.now(),
        ),
    )
    store.run_many(
        "INSERT INTO metric_values (run_id, layer, name, instance_id, value) VALUES (?, ?, ?, ?, ?)",
        ((run_id, _NO_LAYER if layer is None else layer, name, i, value) for layer, name, i, value in values),
    )


def measurements_of(store: Store, project_id: int) -> dict[int, Measurement]:
    """How each of a project's runs was measured, by run."""
    rows = store.rows(
        """SELECT measurements.* FROM measurements JOIN runs ON runs.id = run_id JOIN models ON models.id = model_id
            WHERE project_id = ?""",
        (project_id,),
    )
    return {
        row["run_id"]: Measurement(
            row["run_id"], row["gold_policy"], json.loads(row["parameters"]), row["last_event_id"], row["made_at"]
        )
        for row in rows
    }


def measured_names(store: Store, run_id: int) -> list[tuple[int | None, str]]:
    """(layer, name) of every number that a run has."""
    rows = store.rows("SELECT DISTINCT layer, name FROM metric_values WHERE run_id = ? ORDER BY layer, name", (run_id,))
    return [(None if row["layer"] == _NO_LAYER else row["layer"], row["name"]) for row in rows]


def values_of_run(store: Store, run_id: int, name: str, layer: int | None = None) -> dict[int, float]:
    """A number of a run, by instance; those where it is not defined are left out."""
    return store.mapping(
        "SELECT instance_id, value FROM metric_values WHERE run_id = ? AND layer = ? AND name = ?",
        (run_id, _NO_LAYER if layer is None else layer, name),
    )


def values_of_instance(store: Store, instance_id: int) -> dict[tuple[int, int | None], dict[str, float]]:
    """The numbers of an instance by (run, layer)."""
    values: dict[tuple[int, int | None], dict[str, float]] = {}
    for row in store.rows("SELECT * FROM metric_values WHERE instance_id = ?", (instance_id,)):
        layer = None if row["layer"] == _NO_LAYER else row["layer"]
        values.setdefault((row["run_id"], layer), {})[row["name"]] = row["value"]
    return values


def list_by_number(store: Store, question: Question, *, limit: int = 25, offset: int = 0) -> tuple[list[Listed], int]:
    """One page of instances, and how many there are in all."""
    source, where, values = asked_rows(question)
    n = count_asked(store, question)
    rows = store.rows(
        f"""SELECT instances.id, key, split, instances.result, perturbation_kind AS kind,
            {excerpt_of("instances.id")} AS excerpt,
            {"measured.value" if question.run_id is not None else "NULL"} AS value,
            {"answered.label" if question.answers_run_id is not None else "NULL"} AS label
            {source} WHERE {where} ORDER BY {_order(question)} LIMIT ? OFFSET ?""",
        (*values, limit, offset),
    )
    return [Listed(**dict(row)) for row in rows], n


def count_asked(store: Store, question: Question) -> int:
    """How many instances a question lists."""
    source, where, values = asked_rows(question)
    return store.number(f"SELECT count(*) {source} WHERE {where}", values)


def count_without_value(store: Store, question: Question) -> int:
    """How many instances a question would list if it asked for no number: those that have no value of it."""
    if question.run_id is None:
        return 0
    everything = replace(question, run_id=None, layer=None, name="")
    return count_asked(store, everything) - count_asked(store, question)


def keys_asked(store: Store, question: Question) -> dict[int, str]:
    """The keys of all instances that a question lists, by their numbers."""
    source, where, values = asked_rows(question)
    return {row[0]: row[1] for row in store.rows(f"SELECT instances.id, key {source} WHERE {where} ORDER BY 1", values)}


def ids_asked(store: Store, question: Question, *, limit: int) -> list[int]:
    """The first instances that a question lists, in its order."""
    source, where, values = asked_rows(question)
    sql = f"SELECT instances.id {source} WHERE {where} ORDER BY {_order(question)} LIMIT ?"
    return [row[0] for row in store.rows(sql, (*values, limit))]


def _order(question: Question) -> str:
    """By the number; without one in the order of the saved list, else of import."""
    if question.run_id is not None:
        return f"measured.value {'ASC' if question.lowest_first else 'DESC'}, instances.id"
    return "instances.id" if question.list_id is None else "listed.position"


_RIGHT, _WRONG = "answered.label = instances.result", "answered.label <> instances.result"
_WHICH: dict[Which, list[str]] = {
    "all": [],
    "right": [_RIGHT],
    "wrong": [_WRONG],
    "won": [_RIGHT, "other.label <> instances.result"],
    "lost": [_WRONG, "other.label = instances.result"],
    "disagree": [
        "(SELECT count(DISTINCT label) FROM predictions WHERE instance_id = instances.id AND input = 'full') > 1"
    ],
    "perturbed": ["instances.parent_key IS NOT NULL"],
}


def asked_rows(question: Question) -> tuple[str, str, list[object]]:
    """What a question lists, for a statement: the tables, the conditions, and the values of both in their order."""
    source = "FROM instances"
    values: list[object] = []
    if question.list_id is not None:
        source += " JOIN list_members AS listed ON listed.instance_id = instances.id AND listed.list_id = ?"
        values.append(question.list_id)
    if question.run_id is not None:
        source += """ JOIN metric_values AS measured ON measured.instance_id = instances.id AND measured.run_id = ?
            AND measured.layer = ? AND measured.name = ?"""
        values += [question.run_id, _NO_LAYER if question.layer is None else question.layer, question.name]
    if question.answers_run_id is not None:
        source += """ LEFT JOIN predictions AS answered ON answered.instance_id = instances.id AND answered.run_id = ?
            AND answered.input = 'full' AND answered.threshold = -1"""
        values.append(question.answers_run_id)
    if question.other_run_id is not None:
        source += """ JOIN predictions AS other ON other.instance_id = instances.id AND other.run_id = ?
            AND other.input = 'full' AND other.threshold = -1"""
        values.append(question.other_run_id)
    conditions = ["instances.project_id = ?", "instances.state <> 'discarded'"]
    values.append(question.project_id)
    conditions += _WHICH[question.which]
    if question.kind is not None:
        conditions.append("instances.perturbation_kind = ?")
        values.append(question.kind)
    if question.words:
        words = holds("?", key="instances.key", instance_id="instances.id")
        conditions.append(words)
        values += [question.words] * words.count("?")
    if question.among is not None:
        conditions.append("instances.id IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(question.among))
    if question.but_for:
        conditions.append("instances.id NOT IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(question.but_for))
    of_slice, slice_values = conditions_of(question.within)
    return source, " AND ".join([*conditions, *of_slice]), [*values, *slice_values]


def partners_of(store: Store, instance_id: int) -> list[tuple[int, str, str | None]]:
    """(id, key, kind) of the original of an instance, with kind None, or of its perturbed versions."""
    return store.tuples(
        f"""SELECT original.id, original.key, NULL AS kind FROM instances JOIN instances AS original
                ON {is_version_of("instances", "original")} WHERE instances.id = ?1
            UNION ALL SELECT changed.id, changed.key, changed.perturbation_kind FROM instances
                JOIN instances AS changed ON {is_version_of("changed", "instances")} WHERE instances.id = ?1 ORDER BY 1""",
        (instance_id,),
    )


def runs_with_output(store: Store, instance_id: int) -> Sequence[int]:
    """The runs that have an attribution or a rationale for an instance."""
    return store.column(
        """SELECT run_id FROM attributions WHERE instance_id = ?1
            UNION SELECT run_id FROM machine_rationales WHERE instance_id = ?1 ORDER BY run_id""",
        (instance_id,),
    )


# What is known of single instances without measuring: how long they are, how sure a model is, whether it found nothing.


def lengths_by_instance(store: Store, project_id: int) -> dict[int, float]:
    """The tokens of each instance of a project that can be marked."""
    rows = store.rows("SELECT id, n_selectable FROM instances WHERE project_id = ?", (project_id,))
    return {row[0]: float(row[1]) for row in rows}


def answer_probabilities(store: Store, run_id: int) -> dict[int, float]:
    """The probability of the label that a run answers to the whole text, by instance; without those that it gives none."""
    return _probabilities(store, run_id, "predictions.label")


def gives_probabilities(store: Store, run_id: int) -> bool:
    """Whether a run gives any label a probability."""
    exists = "SELECT EXISTS (SELECT 1 FROM predictions WHERE run_id = ? AND probabilities <> '{}')"
    return bool(store.value(exists, (run_id,)))


def gold_probabilities(store: Store, run_id: int) -> dict[int, float]:
    """The probability that a run gives to the label of the instance itself; without those where there is none."""
    return _probabilities(store, run_id, "instances.result")


def _probabilities(store: Store, run_id: int, label: str) -> dict[int, float]:
    rows = store.rows(
        f"""SELECT instance_id, p.value FROM predictions JOIN instances ON instances.id = instance_id
            JOIN json_each(probabilities) AS p ON p.key = {label}
            WHERE run_id = ? AND input = 'full' AND threshold = -1 AND p.type IN ('integer', 'real')""",
        (run_id,),
    )
    return {row[0]: float(row[1]) for row in rows}


def empty_rationales(store: Store, run_id: int) -> dict[int, bool]:
    """By instance, whether the rationale that a run gives for it has no token."""
    rows = store.rows(
        "SELECT instance_id, max(length(tokens)) FROM machine_rationales WHERE run_id = ? GROUP BY instance_id",
        (run_id,),
    )
    return {row[0]: row[1] == 0 for row in rows}


def without_support(store: Store, run_id: int, answers: Mapping[int, str | None]) -> dict[int, bool]:
    """By instance, whether no token has a score above 0 in a run's attributions of the answer.

    answers: by instance; an attribution of no stated label is one of the answer, and so is the only one that there is
    """
    highest: dict[int, dict[str, float]] = {}
    for row in store.iterate("SELECT instance_id, label, scores FROM attributions WHERE run_id = ?", (run_id,)):
        by_label = highest.setdefault(row[0], {})
        by_label[row[1]] = max([by_label.get(row[1], 0.0), *(score for score in unpack_floats(row[2]) if score > 0)])
    return {
        number: not any(
            score for label, score in by_label.items() if len(by_label) == 1 or label in _of(answers, number)
        )
        for number, by_label in highest.items()
        if len(by_label) == 1 or by_label.keys() & _of(answers, number)
    }


def _of(answers: Mapping[int, str | None], number: int) -> set[str | None]:
    return {"", answers.get(number)}


def count_annotated_since(store: Store, project_id: int, moment: str) -> int:
    """How many texts were annotated after a moment, of those whose annotations count or wait for their scores."""
    return store.number(
        """SELECT count(DISTINCT instance_id) FROM annotations JOIN instances ON instances.id = instance_id
                WHERE project_id = ? AND annotations.state IN ('submitted', 'accepted') AND created_at > ?""",
        (project_id, moment),
    )


# What the instances that a question lists are like, counted: what slices are made of.


@dataclass(frozen=True, slots=True)
class SlicedKind:
    """What instances have in common: label, split, tokens that can be marked, and values of one fact and of their annotators.

    members: the different values as a JSON list, since an instance has several annotators
    """

    label: str | None
    split: str
    length: int
    fact: str | None
    members: str | None


def count_kinds(store: Store, question: Question, fact: str, group: str) -> dict[SlicedKind, int]:
    """How many of each kind a question lists, whatever slice it asks for; fact, group: names, "" for none.

    One pass over the instances: what is in them as JSON is read once for all counts.
    """
    source, where, values = asked_rows(replace(question, within=Slice()))
    rows = store.rows(
        f"""SELECT instances.result, instances.split, instances.n_selectable,
            {_fact() if fact else "NULL"} AS fact, {_members() if group else "NULL"} AS members {source} WHERE {where}""",
        [*([fact] if fact else []), *([group] if group else []), *values],
    )
    return {SlicedKind(*kind): n for kind, n in Counter(map(tuple, rows)).items()}


def _fact() -> str:
    return f"""(SELECT {fact_text("fact")} FROM json_each(instances.metadata) AS fact
        WHERE fact.key = ? AND {is_scalar("fact")})"""


def _members() -> str:
    return f"""(SELECT json_group_array(DISTINCT {fact_text("fact")}) FROM {annotators_of("instances")}
        WHERE fact.key = ? AND fact.key <> '{NAME_OF_ANNOTATOR}' AND {is_scalar("fact")})"""


def all_lengths(store: Store, project_id: int) -> list[tuple[int, int]]:
    """(tokens that can be marked, how many instances) of a project, shortest first."""
    return store.tuples(
        """SELECT n_selectable, count(*) AS n FROM instances WHERE project_id = ? AND state <> 'discarded'
            GROUP BY 1 ORDER BY 1""",
        (project_id,),
    )


def fact_names(store: Store, project_id: int) -> list[str]:
    """The names in the metadata of a project's instances whose values are texts, numbers, yes or no."""
    return store.column(
        f"""SELECT DISTINCT fact.key AS name FROM instances, json_each(instances.metadata) AS fact
            WHERE instances.project_id = ? AND instances.metadata <> '{{}}' AND {is_scalar("fact")} ORDER BY 1""",
        (project_id,),
    )


def group_names(store: Store, project_id: int) -> list[str]:
    """The names of what files say of the annotators of a project's instances, besides who they are."""
    return store.column(
        f"""SELECT DISTINCT fact.key AS name FROM instances, {annotators_of("instances")}
            WHERE instances.project_id = ? AND instances.metadata <> '{{}}'
            AND fact.key <> '{NAME_OF_ANNOTATOR}' AND {is_scalar("fact")} ORDER BY 1""",
        (project_id,),
    )
