"""Counts over a project's reviews, made in SQL; and the instances behind each of them."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from annotator.domain.reviews import SCALES, Property, Scores, SetScore
from annotator.store.annotate.my_work import excerpt_of
from annotator.store.connection.database import Store

_OF_SETS = """SELECT rounds.number AS round, annotator, '{name}' AS property, scores.{name} AS score, rounds.instance_id,
        reviews.annotation_id, scores.position, reviews.user_id FROM rounds
    JOIN annotations ON annotations.id = rounds.annotation_id
    JOIN reviews ON reviews.annotation_id = rounds.annotation_id AND reviews.state = 'submitted'
    JOIN scores ON scores.review_id = reviews.id
    WHERE rounds.project_id = ?1 AND scores.{name} IS NOT NULL"""
_OF_THE_WHOLE = """SELECT rounds.number, annotator, 'comprehensiveness', comprehensiveness, rounds.instance_id,
        reviews.annotation_id, -1, reviews.user_id FROM rounds
    JOIN annotations ON annotations.id = rounds.annotation_id
    JOIN reviews ON reviews.annotation_id = rounds.annotation_id AND reviews.state = 'submitted'
    WHERE rounds.project_id = ?1"""
_OF_A_SET: tuple[Property, ...] = ("sufficiency", "compactness")
# How often each step of a scale was given to one item: to how many items.
ScorePatterns = dict[tuple[int, ...], int]
_ALL_SCORES = " UNION ALL ".join(
    (_OF_SETS.format(name="sufficiency"), _OF_SETS.format(name="compactness"), _OF_THE_WHOLE)
)


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """How many rounds of one number ended in one way; "open" are those that have not ended."""

    round_number: int
    outcome: str
    n: int


@dataclass(frozen=True, slots=True)
class ScoreCount:
    """How often one annotator was given one score in rounds of one number."""

    round_number: int
    annotator: str
    property: Property
    score: int
    n: int


_EXCERPT = f"{excerpt_of('instances.id')} AS excerpt"


@dataclass(frozen=True, slots=True)
class BehindPoint:
    """One instance behind a count."""

    instance_id: int
    key: str
    annotator: str
    round_number: int
    excerpt: str  # how its text begins


def outcome_counts(store: Store, project_id: int) -> list[OutcomeCount]:
    """Rounds by number and outcome."""
    rows = store.rows(
        """SELECT number, coalesce(outcome, 'open') AS outcome, count(*) AS n FROM rounds WHERE project_id = ?
            GROUP BY number, outcome ORDER BY number, outcome""",
        (project_id,),
    )
    return [OutcomeCount(row["number"], row["outcome"], row["n"]) for row in rows]


def score_counts(store: Store, project_id: int) -> list[ScoreCount]:
    """All scores that were handed in, by round, annotator and property. Carried scores count where they were given."""
    counts: Counter[tuple[int, str, Property, int]] = Counter()
    for row in store.rows(
        """SELECT number, annotator, sufficiency, compactness, count(*) AS n FROM reviews
            JOIN scores ON scores.review_id = reviews.id JOIN rounds ON rounds.annotation_id = reviews.annotation_id
            JOIN annotations ON annotations.id = reviews.annotation_id
            WHERE reviews.project_id = ? AND reviews.state = 'submitted' GROUP BY 1, 2, 3, 4""",
        (project_id,),
    ):
        for name in _OF_A_SET:
            if row[name] is not None:
                counts[row["number"], row["annotator"], name, row[name]] += row["n"]
    for row in store.rows(
        """SELECT number, annotator, comprehensiveness AS score, count(*) AS n FROM reviews
            JOIN rounds ON rounds.annotation_id = reviews.annotation_id
            JOIN annotations ON annotations.id = reviews.annotation_id
            WHERE reviews.project_id = ? AND reviews.state = 'submitted' GROUP BY 1, 2, 3""",
        (project_id,),
    ):
        counts[row["number"], row["annotator"], "comprehensiveness", row["score"]] += row["n"]
    return [ScoreCount(*what, n) for what, n in sorted(counts.items())]


def score_patterns(store: Store, project_id: int) -> dict[Property, ScorePatterns]:
    """For each property: how often each score was given to one set (one annotation, for comprehensiveness), and to how many."""
    sums = ", ".join(f"sum({name} IS {score})" for name in _OF_A_SET for score in range(1, len(SCALES[name]) + 1))
    patterns_by_property: dict[Property, Counter[tuple[int, ...]]] = {name: Counter() for name in SCALES}
    border = len(SCALES["sufficiency"])
    for pattern, n in _patterns(
        store,
        f"""SELECT {sums} FROM reviews JOIN scores ON scores.review_id = reviews.id
            WHERE reviews.project_id = ? AND reviews.state = 'submitted' GROUP BY annotation_id, position""",
        project_id,
    ).items():
        patterns_by_property["sufficiency"][pattern[:border]] += n
        patterns_by_property["compactness"][pattern[border:]] += n
    whole = ", ".join(f"sum(comprehensiveness = {score})" for score in range(1, len(SCALES["comprehensiveness"]) + 1))
    patterns_by_property["comprehensiveness"] = _patterns(
        store,
        f"SELECT {whole} FROM reviews WHERE project_id = ? AND state = 'submitted' GROUP BY annotation_id",
        project_id,
    )
    return {name: dict(patterns) for name, patterns in patterns_by_property.items()}


def _patterns(store: Store, sql: str, project_id: int) -> Counter[tuple[int, ...]]:
    """Equal rows of a question, counted."""
    return Counter(tuple(row) for row in store.iterate(sql, (project_id,)))


@dataclass(frozen=True, slots=True)
class ScoredItem:
    """A set, or a whole annotation (position 0), with what each reviewer gave it."""

    instance_id: int
    annotation_id: int
    position: int
    scores: dict[str, int]


def decided_scores(store: Store, project_id: int, name: Property) -> Iterator[ScoredItem]:
    """For each set (each annotation, for comprehensiveness) what each reviewer gave it, in rounds that are decided.

    Open rounds are left out, since a lead who reviews must not learn from these numbers what others gave.
    """
    set_position, score, scores = (
        ("scores.position", f"scores.{name}", "JOIN scores ON scores.review_id = reviews.id")
        if name in _OF_A_SET
        else ("0", name, "")
    )
    rows = store.iterate(
        f"""SELECT instance_id, reviews.annotation_id, {set_position} AS place, users.name, {score} AS score FROM reviews
            JOIN users ON users.id = reviews.user_id JOIN rounds ON rounds.annotation_id = reviews.annotation_id {scores}
            WHERE reviews.project_id = ? AND reviews.state = 'submitted' AND outcome IS NOT NULL AND {score} IS NOT NULL
            ORDER BY 2, 3""",
        (project_id,),
    )
    for item, of_item in groupby(rows, key=lambda row: (row["instance_id"], row["annotation_id"], row["place"])):
        yield ScoredItem(*item, {row["name"]: row["score"] for row in of_item})


# What language models gave, who score as reviewers do and decide nothing.


def annotations_for_shadow(store: Store, project_id: int, model: str) -> list[tuple[int, int]]:
    """(instance, annotation) of the decided rounds that people scored, and this model has not."""
    return store.tuples(
        """SELECT instance_id, annotation_id FROM rounds WHERE project_id = ?1 AND outcome IS NOT NULL
            AND EXISTS (SELECT 1 FROM reviews WHERE reviews.annotation_id = rounds.annotation_id AND state = 'submitted')
            AND NOT EXISTS (SELECT 1 FROM shadow_scores JOIN models ON models.id = model_id
                WHERE shadow_scores.annotation_id = rounds.annotation_id AND models.project_id = ?1 AND name = ?2)
            ORDER BY annotation_id""",
        (project_id, model),
    )


def store_shadow_scores(store: Store, model_id: int, annotation_id: int, scores: Scores) -> None:
    """Write what a model gave an annotation."""
    sets = [[of_set.sufficiency, of_set.compactness] for of_set in scores.sets]
    store.run(
        "INSERT OR REPLACE INTO shadow_scores (model_id, annotation_id, sets, comprehensiveness) VALUES (?, ?, ?, ?)",
        (model_id, annotation_id, json.dumps(sets), scores.comprehensiveness),
    )


def shadow_scores(store: Store, project_id: int) -> dict[str, dict[int, Scores]]:
    """By model what it gave each annotation."""
    by_model: dict[str, dict[int, Scores]] = {}
    for row in store.rows(
        """SELECT name, annotation_id, sets, comprehensiveness FROM shadow_scores JOIN models ON models.id = model_id
            WHERE project_id = ? ORDER BY name""",
        (project_id,),
    ):
        sets = tuple(SetScore(*of_set) for of_set in json.loads(row["sets"]))
        by_model.setdefault(row["name"], {})[row["annotation_id"]] = Scores(sets, row["comprehensiveness"])
    return by_model


def active_times(store: Store, project_id: int) -> list[tuple[str, int]]:
    """(person, milliseconds of work) for each piece of work that was handed in; 0 where its time is not known."""
    return store.tuples(
        """SELECT name, active_ms FROM assignments JOIN users ON users.id = user_id
            WHERE project_id = ? AND submitted_at IS NOT NULL""",
        (project_id,),
    )


def behind_outcome(
    store: Store, project_id: int, round_number: int, outcome: str, *, limit: int = 100
) -> list[BehindPoint]:
    """Instances whose round of that number ended so, newest first."""
    rows = store.rows(
        f"""SELECT rounds.instance_id, key, annotator, number AS round, {_EXCERPT} FROM rounds
            JOIN instances ON instances.id = rounds.instance_id JOIN annotations ON annotations.id = annotation_id
            WHERE rounds.project_id = ? AND number = ? AND coalesce(outcome, 'open') = ? ORDER BY annotation_id DESC LIMIT ?""",
        (project_id, round_number, outcome, limit),
    )
    return [BehindPoint(row["instance_id"], row["key"], row["annotator"], row["round"], row["excerpt"]) for row in rows]


def behind_score(
    store: Store, project_id: int, name: Property, score: int, *, round_number: int | None = None,
    annotator: str | None = None, limit: int = 100,
) -> list[BehindPoint]:  # fmt: skip
    """Instances of which something was given that score, in rounds of that number or of that annotator."""
    rows = store.rows(
        f"""SELECT DISTINCT given.instance_id, key, annotator, round, {_EXCERPT} FROM ({_ALL_SCORES}) AS given
            JOIN instances ON instances.id = given.instance_id WHERE property = ?2 AND score = ?3
            AND (?4 IS NULL OR round = ?4) AND (?5 IS NULL OR annotator = ?5) ORDER BY given.instance_id LIMIT ?6""",
        (project_id, name, score, round_number, annotator, limit),
    )
    return [BehindPoint(row["instance_id"], row["key"], row["annotator"], row["round"], row["excerpt"]) for row in rows]
