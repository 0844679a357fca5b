"""What must fit together in a full export about reviewing, so that no row is stored that the program could not have made."""

from collections.abc import Iterator

from annotator.domain.numbers import counted
from annotator.formats.own.records import InstanceRecord, RoundRecord, ThreadRecord
from annotator.formats.rows.findings import Findings


def check_reviewing(record: InstanceRecord, findings: Findings) -> None:
    """Note every place that points nowhere, round that appears twice, and score that is missing or too many."""
    for field, place in _places(record):
        if place >= len(record.annotations):
            findings.refuse(field, place, f"The instance has {counted(len(record.annotations), 'annotation')}, from 0.")
    if findings.is_refused:
        return
    seen: set[int] = set()
    for number, made in enumerate(record.rounds):
        if made.annotation in seen:
            findings.refuse(
                f"rounds[{number}].annotation", made.annotation, "This annotation has two rounds; keep one."
            )
        seen.add(made.annotation)
        _check_round(record, number, made, findings)
    for number, thread in enumerate(record.threads):
        _check_thread(number, thread, findings)


def _places(record: InstanceRecord) -> Iterator[tuple[str, int]]:
    for number, work in enumerate(record.work):
        if work.follows is not None:
            yield f"work[{number}].follows", work.follows
    for number, made in enumerate(record.rounds):
        yield f"rounds[{number}].annotation", made.annotation
        if made.previous is not None:
            yield f"rounds[{number}].previous", made.previous
    if record.choice is not None:
        yield "choice.annotation", record.choice.annotation
    for number, thread in enumerate(record.threads):
        if thread.annotation is not None:
            yield f"threads[{number}].annotation", thread.annotation


def _check_round(record: InstanceRecord, number: int, made: RoundRecord, findings: Findings) -> None:
    place = f"rounds[{number}]"
    n_sets = len(record.annotations[made.annotation].rationales)
    if (made.outcome is None) != (made.decided_at is None):
        findings.refuse(f"{place}.decided_at", made.decided_at or "", "A decided round needs it, an open one has none.")
    if made.outcome is None and made.verdict is not None:
        findings.refuse(f"{place}.verdict", "", "An open round has no verdict.")
    if made.origins and made.previous is None:
        findings.refuse(f"{place}.origins", made.origins, "Only a correction has origins; name its previous round.")
    if len({origin[0] for origin in made.origins}) != len(made.origins):
        findings.refuse(f"{place}.origins", made.origins, "A set has one origin.")
    carried = {position for position, _, is_carried in made.origins if is_carried}
    reviewers: set[bytes] = set()
    for at, review in enumerate(made.reviews):
        where = f"{place}.reviews[{at}]"
        name = review.user.encode().lower()
        if name in reviewers:
            findings.refuse(f"{where}.user", review.user, "This person reviews the annotation twice.")
        reviewers.add(name)
        if len(review.sets) > n_sets:
            findings.refuse(f"{where}.sets", len(review.sets), f"The annotation has {counted(n_sets, 'set')}.")
        if review.state != "submitted":
            continue
        scored = {position for position, (suf, com, _) in enumerate(review.sets) if suf is not None and com is not None}
        if review.comprehensiveness is None or not set(range(n_sets)) - carried <= scored:
            findings.refuse(f"{where}.sets", "", "A submitted review must have all its scores.")


def _check_thread(number: int, thread: ThreadRecord, findings: Findings) -> None:
    if (thread.about == "instance") != (thread.annotation is None):
        reason = "A thread about the instance names no annotation, every other one does."
        findings.refuse(f"threads[{number}].annotation", thread.annotation, reason)
    if (thread.about == "set") != (thread.position is not None):
        findings.refuse(f"threads[{number}].position", thread.position, "Only a thread about a set has it.")
