"""Forgetting what may have been made with a wrong k (migration m015).

k = ceil(mean RLR × tokens of a side) was once computed in 64 bits. A mean has up to 17 digits, and where these times the
tokens are more than 2^63, k came out negative or too small: then nothing was selected, or too little.
"""

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction

from annotator.domain.measurements import FORGOT_WRONG_K
from annotator.store.connection.database import Database, iso, machine_clock

_MOST = 2**63
_MOST_DIGITS = 17  # of a floating-point number as it is written

# As scoring has them: both sentences of a pair by themselves, everything else as one text.
_OF_WHOLES = "SELECT id FROM instances WHERE project_id = ? AND n_selectable >= ?"
_OF_SIDES = """SELECT instance_id FROM (
        SELECT instance_id, n_tokens, row_number() OVER (PARTITION BY instance_id ORDER BY position) AS side
        FROM segments JOIN documents ON documents.id = document_id WHERE project_id = ? AND is_selectable
    ) WHERE side = ? AND n_tokens >= ?"""
_OF_SELECTION = "'sets.best_f1', 'sets.best_iou', 'sets.coverage'"
_OF_PAIRS = "'benchmark.map', 'benchmark.map_aligned'"
_OF_ANSWERS = "'method.sufficiency', 'method.comprehensiveness'"


def forget_wrong_k(db: Database) -> None:
    """Take out numbers, selected tokens and answers to them that may come from a wrong k; the record says how many."""
    for project_id, task in db.conn.execute("SELECT id, task FROM projects ORDER BY id").fetchall():
        is_paired = task in ("similarity", "inference")
        n_numbers = _forget_numbers(db, project_id)
        n_rationales, n_more = _forget_answers(db, project_id, is_paired=is_paired)
        n_numbers += n_more
        if n_numbers or n_rationales:
            detail = json.dumps({"numbers": n_numbers, "rationales": n_rationales})
            db.conn.execute(
                """INSERT INTO events (at, actor, action, project_id, subject, subject_id, detail)
                    VALUES (?, 'upgrade', ?, ?, 'project', ?, ?)""",
                (iso(machine_clock()), FORGOT_WRONG_K, project_id, project_id, detail),
            )


def _shortest(ratio: float) -> int:
    """The fewest tokens for which the product was too much."""
    numerator = Fraction(repr(float(ratio))).numerator
    return _MOST // numerator + 1 if numerator else _MOST - 1


def _forget_numbers(db: Database, project_id: int) -> int:
    """Of each measured run with the ratios that it was measured with; a run that selects by itself has no k."""
    measured = db.conn.execute(
        """SELECT run_id, measurements.parameters FROM measurements JOIN runs ON runs.id = run_id
            JOIN models ON models.id = model_id
            WHERE project_id = ?1 AND (EXISTS (SELECT 1 FROM attributions WHERE attributions.run_id = runs.id)
                OR NOT EXISTS (SELECT 1 FROM machine_rationales AS own WHERE own.run_id = runs.id AND kind = 'hard'))""",
        (project_id,),
    ).fetchall()
    n_forgotten = 0
    for run_id, parameters in measured:
        long, values = _long_texts(project_id, [_shortest(ratio) for ratio in json.loads(parameters).get("ratios", ())])
        if not long:
            continue
        n_forgotten += db.conn.execute(
            f"DELETE FROM metric_values WHERE run_id = ? AND name IN ({_OF_SELECTION}, {_OF_PAIRS}) AND instance_id IN ({long})",
            (run_id, *values),
        ).rowcount
        n_forgotten += db.conn.execute(  # the number of a pair stands with its perturbed version
            f"""DELETE FROM metric_values WHERE run_id = ? AND name IN ({_OF_PAIRS}) AND instance_id IN (
                SELECT id FROM instances WHERE project_id = ? AND parent_key IN (
                    SELECT key FROM instances WHERE project_id = ? AND id IN ({long})))""",
            (run_id, project_id, project_id, *values),
        ).rowcount
    return n_forgotten


def _long_texts(project_id: int, shortest: Sequence[int]) -> tuple[str, list[int]]:
    """A question for the instances one of whose sides is too long, and its values; "" without sides."""
    if len(shortest) == 1:
        return _OF_WHOLES, [project_id, shortest[0]]
    values = [value for side, n in enumerate(shortest, 1) for value in (project_id, side, n)]
    return " UNION ".join([_OF_SIDES] * len(shortest)), values


def _forget_answers(db: Database, project_id: int, *, is_paired: bool) -> tuple[int, int]:
    """Rationales that were selected here, the answers to them, and the numbers of these; (rationales, numbers).

    With which ratio they were selected is not written down, so any that has all its digits counts. What a file brought stays, and
    what is asked of the gold itself, which has no k.
    """
    shortest = _MOST // (10**_MOST_DIGITS - 1) + 1
    long, values = _long_texts(project_id, [shortest] * (2 if is_paired else 1))
    n_rationales = n_numbers = 0
    for run_id in _computed_runs(db, project_id):
        rationales = db.conn.execute(
            f"SELECT instance_id FROM machine_rationales WHERE run_id = ? AND kind = 'hard' AND instance_id IN ({long})",
            (run_id, *values),
        ).fetchall()
        for (instance_id,) in rationales:
            of_both = (run_id, instance_id)
            db.conn.execute(
                "DELETE FROM machine_rationales WHERE run_id = ? AND instance_id = ? AND kind = 'hard'", of_both
            )
            db.conn.execute(
                "DELETE FROM predictions WHERE run_id = ? AND instance_id = ? AND input <> 'full' AND threshold = -1",
                of_both,
            )
            n_numbers += db.conn.execute(
                f"DELETE FROM metric_values WHERE run_id = ? AND instance_id = ? AND name IN ({_OF_ANSWERS})", of_both
            ).rowcount
        n_rationales += len(rationales)
    return n_rationales, n_numbers


def _computed_runs(db: Database, project_id: int) -> Iterator[int]:
    """The runs whose attributions were computed by this program, as its record says."""
    rows = db.conn.execute(
        """SELECT DISTINCT json_extract(detail, '$.model'), json_extract(detail, '$.method'),
                json_extract(detail, '$.parameters'), json_extract(detail, '$.seeds')
            FROM events WHERE project_id = ? AND action IN ('start attributing', 'attribute')""",
        (project_id,),
    ).fetchall()
    computed = [
        (model, method, json.loads(given or "{}"), json.loads(seeds or "[]")) for model, method, given, seeds in rows
    ]
    runs = db.conn.execute(
        """SELECT runs.id, name, method, parameters, seed FROM runs JOIN models ON models.id = model_id
            WHERE project_id = ? AND method NOT IN ('', 'gold') ORDER BY runs.id""",
        (project_id,),
    ).fetchall()
    for run_id, model, method, parameters, seed in runs:
        if any(
            (model, method) == recorded[:2] and json.loads(parameters) == recorded[2] and seed in recorded[3]
            for recorded in computed
        ):
            yield run_id
