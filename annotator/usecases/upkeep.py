"""Looking after the database: a backup while others work, and the check of everything in it."""

from collections.abc import Iterable
from pathlib import Path

from annotator.domain.people import User
from annotator.errors import InvalidValue, NotWritable
from annotator.files import dead_folders, old_folders, remove_dead_parts
from annotator.store import Store, checks
from annotator.store.connection.database import stamped
from annotator.store.connection.file_access import close_to_others
from annotator.store.connection.replacement import rescued, unfinished
from annotator.store.events import add_event
from annotator.store.persons.erasure import is_wiping_due
from annotator.usecases.access.rights import require_administrator

_AT_MOST = 200  # sentences of one kind: a damaged database would otherwise fill the terminal


def back_up(store: Store, actor: User, target: Path) -> str | None:
    """Copy the whole database to a new file while others work; a sentence where that could not be written down.

    On a full disk nothing can be written down, and a backup on another one is what helps.
    """
    require_administrator(actor)
    store.backup(target)
    try:
        with store.transaction():
            add_event(store, actor.name, "backup", "database", file=target.name)
    except NotWritable as error:
        return f"The backup is complete, but it could not be noted in the record: {error}"
    return None


def back_up_beside(store: Store, actor: User) -> Path:
    """A backup beside the database, under a name with the time in it; answers its path."""
    target = stamped(store.path, "backup")
    back_up(store, actor, target)
    return target


def numbers_to_watch(store: Store) -> dict[str, int]:
    """How much there is of accounts, sessions, work and jobs; nothing of anybody's."""
    return checks.numbers_to_watch(store)


def check(store: Store) -> list[str]:
    """Everything that is wrong with the data, a sentence each; empty when all is well.

    SQLite's own check of the file is `store.problems()`.
    """
    return [
        *_unwiped(store), *_wrong_counts(store), *_unsettled(store), *_loose_work(store), *_dependent(store),
        *_wrong_training(store), *_wrong_sizes(store), *_without_text(store), *_spans_outside(store),
        *_outputs_outside(store), *_second_passes(store), *_wrong_offsets(store),
        *(f"{name} {words}." for name, words in checks.wrong_workers(store)),
    ]  # fmt: skip


def _unwiped(store: Store) -> Iterable[str]:
    if is_wiping_due(store):
        yield (
            "Somebody was anonymised or erased, and the file was not written anew since: it may hold bytes of what was taken "
            "out. The next start of the server does it, and so does 'annotator user wipe'."
        )


def _wrong_counts(store: Store) -> Iterable[str]:
    counts = (checks.wrong_instance_counts, checks.wrong_assignment_counts, checks.wrong_training_counts)
    for wrong in (wrong for of in counts for wrong in of(store)):
        yield f"The count of {wrong.place} says {wrong.kept:,}, but the right number is {wrong.counted:,}."


def _unsettled(store: Store) -> Iterable[str]:
    for key, words in checks.unsettled_instances(store, limit=_AT_MOST):
        yield f"Instance '{key}' {words}."
    for key, words in checks.unsettled_rounds(store, limit=_AT_MOST):
        yield f"A round of instance '{key}' {words}."
    for key, person in checks.incomplete_reviews(store, limit=_AT_MOST):
        yield f"The review by '{person}' of instance '{key}' was submitted without all scores."


def _loose_work(store: Store) -> Iterable[str]:
    for key, person in checks.submissions_without_annotation(store, limit=_AT_MOST):
        yield f"'{person}' submitted instance '{key}', but there is no annotation of it."
    for key, person in checks.proposals_without_work(store, limit=_AT_MOST):
        yield f"The open proposal of '{person}' about instance '{key}' belongs to no piece of work."
    for key, person in checks.hidden_by_cursors(store, limit=_AT_MOST):
        yield f"Instance '{key}' is free, but '{person}' would never be given it."
    for key, fault in checks.wrongly_named(store, limit=_AT_MOST):
        yield f"Instance '{key}' {fault}."


def _dependent(store: Store) -> Iterable[str]:
    for key, person in checks.work_on_shown_texts(store, limit=_AT_MOST):
        yield f"'{person}' has instance '{key}' in hand, although others' sets of it were shown to them."
    for key, person in checks.reviews_by_annotators(store, limit=_AT_MOST):
        yield f"'{person}' reviews instance '{key}', of which they are an annotator."
    for key, person in checks.unnoted_reviewers(store, limit=_AT_MOST):
        yield f"'{person}' has reviewed instance '{key}', but may be given it to annotate."
    for key, person in checks.shown_with_wrong_freedom(store, limit=_AT_MOST):
        yield f"It is kept wrongly whether instance '{key}' is free, of which sets were shown to '{person}'."


def _wrong_training(store: Store) -> Iterable[str]:
    for key, person in checks.exercises_of_others(store, limit=_AT_MOST):
        yield f"The training text or check '{key}' of '{person}' is not the one that its item says."
    for key, number in checks.checks_numbered_as_work(store, limit=_AT_MOST):
        yield f"The check '{key}' has number {number}, which a piece of work has too."
    for key, person in checks.unnoted_trainees(store, limit=_AT_MOST):
        yield f"The training of '{person}' showed them the gold of instance '{key}', but they may be given it to annotate."


def _wrong_sizes(store: Store) -> Iterable[str]:
    for key, stored, counted in checks.instances_with_wrong_size(store, limit=_AT_MOST):
        yield f"Instance '{key}' says it has {stored} tokens, but its texts have {counted}."


def _without_text(store: Store) -> Iterable[str]:
    for key, segment in checks.segments_without_tokens(store, limit=_AT_MOST):
        yield (
            f"Instance '{key}' has no text in its segment '{segment}', so it cannot be annotated, and an export of the project "
            "as jsonl cannot be imported. Import the instance again with a text and --update."
        )


def _spans_outside(store: Store) -> Iterable[str]:
    for key, annotator_name, start, end, n_tokens in checks.spans_outside(store, limit=_AT_MOST):
        yield (
            f"A rationale set of {annotator_name} for instance '{key}' covers tokens {start} to {end}, "
            f"but the instance has {n_tokens}."
        )
    for key, span, n_tokens in checks.draft_spans_outside(store, limit=_AT_MOST):
        yield f"A draft for instance '{key}' covers tokens {span}, but the instance has {n_tokens}."


def _outputs_outside(store: Store) -> Iterable[str]:
    for key, model in checks.outputs_outside(store, limit=_AT_MOST):
        yield f"What '{model}' says of instance '{key}' is not for the tokens that the instance has."
    for key, model in checks.trainings_outside(store, limit=_AT_MOST):
        yield f"The model '{model}' is said to have learned from instance '{key}', which is of another project."


def _second_passes(store: Store) -> Iterable[str]:
    for key in checks.copies_out_of_place(store, limit=_AT_MOST):
        yield f"Instance '{key}' is kept as a text of a second pass, but its original is not in the first project of that pass."
    for key, person in checks.verdicts_by_involved(store, limit=_AT_MOST):
        yield f"'{person}' judged the changed version '{key}' in an audit, although they wrote or checked it."


def _wrong_offsets(store: Store) -> Iterable[str]:
    for name, body in checks.iterate_documents(store):
        try:
            body.check()
        except InvalidValue as error:
            yield f"Document {name}: {error}"


def empty_log(store: Store) -> None:
    """Bring what the write-ahead log still holds into the database file (a server that stops does)."""
    store.checkpoint()


def keep_to_owner(store: Store) -> str | None:
    """Close the files of a database to people who were never meant to read them; a sentence where they were open."""
    if not close_to_others(store.path):
        return None
    return (
        f"Everybody on this machine could read {store.path.name} or what lies beside it. Now only its owner can, and the "
        "group that may write it."
    )


def tidy(store: Store) -> None:
    """Remove what killed processes left unfinished beside a database."""
    remove_dead_parts(store.path.parent)


def leftovers(path: Path) -> list[str]:
    """What killed processes left of their work beside a database and among temporary files, a sentence each."""
    dead = [f"'{folder}' is left from a process that was killed. {_GOES}" for folder in dead_folders(path.parent)]
    left = [*unfinished(path), *old_folders()]
    return [
        *dead,
        *(f"'{leftover}' is left from a process that was killed. Remove it." for leftover in left),
        *(f"'{copy}' {_RESCUED}" for copy in rescued(path)),
    ]


_RESCUED = "was copied when the database was removed under a running server. Remove it if nothing is missing here."
_GOES = "The next backup, restore or start of the server removes it; you may remove it yourself."
