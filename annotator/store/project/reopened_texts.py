"""Complete texts that more annotators a text would make incomplete, before anybody asks for them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.store.annotate.instance_queue import HAS_GOLD, wants_more_than_done
from annotator.store.annotate.named_people import is_not_kept_from
from annotator.store.annotate.shown_sets import is_new_to
from annotator.store.connection.database import Store

_PEOPLE = """SELECT DISTINCT user_id FROM memberships JOIN users ON users.id = user_id
    WHERE memberships.project_id = ?1 AND is_disabled = 0 AND role IN (SELECT value FROM json_each(?2))"""
_PICKED = """EXISTS (SELECT 1 FROM qualification_items AS items WHERE items.instance_id = instances.id AND is_removed = 0
    AND purpose {condition})"""


@dataclass(frozen=True, slots=True)
class ReopenedTexts:
    """How many complete texts become incomplete; of them: with gold, in training, blind checks, and for nobody who is there."""

    n: int
    n_with_gold: int
    n_training: int
    n_checks: int
    n_for_nobody: int


def reopened_texts(store: Store, project_id: int, annotators: int, annotating: Sequence[str]) -> ReopenedTexts:
    """What wanting so many annotators a text would reopen. annotating: the roles with which one annotates."""
    is_for_somebody = f"""EXISTS (SELECT 1 FROM people WHERE {is_new_to("people.user_id")}
        AND {is_not_kept_from("people.user_id")})"""
    row = store.rows(
        f"""WITH people AS ({_PEOPLE}) SELECT count(*) AS n, coalesce(sum({HAS_GOLD}), 0) AS n_with_gold,
                coalesce(sum({_PICKED.format(condition="<> 'checks'")}), 0) AS n_training,
                coalesce(sum({_PICKED.format(condition="= 'checks'")}), 0) AS n_checks,
                coalesce(sum(NOT {is_for_somebody}), 0) AS n_for_nobody
            FROM instances WHERE project_id = ?1 AND state = 'complete' AND {wants_more_than_done("?3")}""",
        (project_id, json.dumps(list(annotating)), annotators),
    )[0]
    return ReopenedTexts(row["n"], row["n_with_gold"], row["n_training"], row["n_checks"], row["n_for_nobody"])
