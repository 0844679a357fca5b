"""How much waits for an annotator in a project, and why there is nothing for them."""

from collections.abc import Mapping
from typing import cast

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.language import _, unsaid
from annotator.store import Store
from annotator.store.annotate import instance_queue
from annotator.store.annotate.my_work import count_submitted_since
from annotator.store.annotate.visibility import count_shown_and_free, is_queue_plain
from annotator.store.projects import assignment_counts_of, instance_counts
from annotator.store.qualification.rules import is_kept_from_work
from annotator.usecases.annotate.checks import counts_with_checks
from annotator.usecases.crowd.workers import Standing, standing_of

NO_LABELS = unsaid(
    "There is nothing to annotate yet: this project has no labels, and its texts need one. Its lead can add "
    "labels on the "
    "Project page."
)


def waiting_counts(store: Store, project: Project, user: User, day_began: str | None = None) -> dict[str, int]:
    """What is waiting for a person in a project: returned, open, waiting, submitted, skipped; today: since their day began.

    Of a worker: quota, done and seconds_left instead of today.
    """
    user_id = cast("int", user.id)
    mine = assignment_counts_of(store, project.id, user_id)
    standing = standing_of(store, user_id) if user.is_worker else None
    if standing is not None:
        return _counts_of_worker(store, mine, standing)
    if project.lacks_labels or is_kept_from_work(store, project.id, user_id, "annotators"):
        waiting = 0  # nothing is given out before there is a label to give, or the person has passed the training
    elif project.settings.annotators_per_instance == 1 and is_queue_plain(store, project.id):
        waiting = instance_counts(store, project.id).get("queued", 0)
        waiting -= count_shown_and_free(store, project.id, user_id)
    else:
        waiting = instance_queue.waiting_for(store, project.id, user_id)
    today = {} if day_began is None else {"today": count_submitted_since(store, project.id, user_id, day_began)}
    counts = today | {
        "returned": mine.get("returned", 0),
        "open": mine.get("leased", 0),
        "waiting": waiting,
        "submitted": mine.get("submitted", 0),
        "skipped": mine.get("skipped", 0),
    }
    return counts_with_checks(store, project, user_id, counts, day_began)


def _counts_of_worker(store: Store, mine: Mapping[str, int], standing: Standing) -> dict[str, int]:
    """What they need to know of their own work, and nothing of how large the project is."""
    quota, done = standing.door.rules.quota, standing.worker.done
    held = mine.get("returned", 0) + mine.get("leased", 0)
    return {
        "returned": mine.get("returned", 0),
        "open": mine.get("leased", 0),
        "waiting": max(0, quota - done - held),
        "submitted": mine.get("submitted", 0),
        "skipped": mine.get("skipped", 0),
        "quota": quota,
        "done": done,
        "seconds_left": standing.seconds_left(store.moment()),
    }


def why_empty(store: Store, project: Project, user_id: int, counts: dict[str, int]) -> str:
    """What is said to somebody who has nothing to annotate here.

    counts: theirs, as waiting_counts answers them
    """
    if is_kept_from_work(store, project.id, user_id, "annotators"):
        return _(
            "You have finished what you held. New texts come after the training: reload this page to see how it stands."
        )
    if counts["submitted"] == 0 and not instance_counts(store, project.id):
        return _(
            "There are no texts in “{name}” yet. Its lead can import some on the Project page, under Import.",
            name=project.name,
        )
    return _(
        "There is nothing left for you to annotate here. Come back later, or look at your submissions under My "
        "work (m)."
    )
