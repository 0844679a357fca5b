"""What must fit together in a full export about reviewing, so that no row is stored that the program could not have made."""

from collections.abc import Iterator

from annotator.domain.numbers import counted
from annotator.formats.own.records import InstanceRecord, ReviewRecord, RoundRecord, ThreadRecord
from annotator.formats.rows.findings import Findings
from annotator.language import _


def check_reviewing(record: InstanceRecord, findings: Findings) -> None:
    """Note every place that points nowhere, round that appears twice, and score that is missing or too many."""
    for field, annotation_number in _annotation_numbers(record):
        if annotation_number >= len(record.annotations):
            findings.refuse(
                field,
                annotation_number,
                _(
                    "The instance has {annotations}, counted from 0.",
                    annotations=counted(len(record.annotations), "annotation"),
                ),
            )
    if findings.is_refused:
        return
    seen: set[int] = set()
    for number, made in enumerate(record.rounds):
        if made.annotation in seen:
            findings.refuse(f"rounds[{number}].annotation", made.annotation, _("Duplicate. Keep one."))
        seen.add(made.annotation)
        _check_round(record, number, made, findings)
    for number, thread in enumerate(record.threads):
        _check_thread(number, thread, findings)


def _annotation_numbers(record: InstanceRecord) -> Iterator[tuple[str, int]]:
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
    field_prefix = f"rounds[{number}]"
    _check_decision(made, field_prefix, findings)
    _check_origins(made, field_prefix, findings)
    n_sets = len(record.annotations[made.annotation].rationales)
    carried = {position for position, _, is_carried in made.origins if is_carried}
    reviewers: set[bytes] = set()
    for review_number, review in enumerate(made.reviews):
        field_name = f"{field_prefix}.reviews[{review_number}]"
        name = review.user.encode().lower()
        if name in reviewers:
            findings.refuse(f"{field_name}.user", review.user, _("Same person twice in one round. Keep one."))
        reviewers.add(name)
        _check_scores(review, n_sets, carried, field_name, findings)


def _check_decision(made: RoundRecord, field_prefix: str, findings: Findings) -> None:
    is_open = made.outcome is None
    if is_open != (made.decided_at is None):
        findings.refuse(
            f"{field_prefix}.decided_at", made.decided_at or "", _("Required if decided, forbidden if open.")
        )
    if is_open and made.verdict is not None:
        findings.refuse(f"{field_prefix}.verdict", "", _("An open round can't have a verdict."))


def _check_origins(made: RoundRecord, field_prefix: str, findings: Findings) -> None:
    if made.origins and made.previous is None:
        findings.refuse(
            f"{field_prefix}.origins", made.origins, _("Only corrections have origins. Name the previous round.")
        )
    if len({origin[0] for origin in made.origins}) != len(made.origins):
        findings.refuse(f"{field_prefix}.origins", made.origins, _("A set has one origin."))


def _check_scores(review: ReviewRecord, n_sets: int, carried: set[int], field_name: str, findings: Findings) -> None:
    """What a review scores is there, and a submitted one scores all; a set that was carried over need not be scored anew."""
    if len(review.sets) > n_sets:
        findings.refuse(
            f"{field_name}.sets", len(review.sets), _("The annotation has {sets}.", sets=counted(n_sets, "set"))
        )
    if review.state != "submitted":
        return
    scored = {position for position, (suf, com, _) in enumerate(review.sets) if suf is not None and com is not None}
    if review.comprehensiveness is None or not set(range(n_sets)) - carried <= scored:
        findings.refuse(f"{field_name}.sets", "", _("A submitted review must have all its scores."))


def _check_thread(number: int, thread: ThreadRecord, findings: Findings) -> None:
    if (thread.about == "instance") != (thread.annotation is None):
        reason = _("Only threads about the instance name no annotation.")
        findings.refuse(f"threads[{number}].annotation", thread.annotation, reason)
    if (thread.about == "set") != (thread.position is not None):
        findings.refuse(f"threads[{number}].position", thread.position, _("Only threads about a set have it."))
