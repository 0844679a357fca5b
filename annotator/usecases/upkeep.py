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
        *_unwiped(store),
        *_wrong_counts(store),
        *_faults(store),
        *_wrong_offsets(store),
        *(f"{name} {words}." for name, words in checks.wrong_workers(store)),
    ]


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


def _faults(store: Store) -> Iterable[str]:
    for kind, sentence in _SENTENCES.items():
        yield from (sentence.format(**fault) for fault in checks.faults(store, kind, _AT_MOST))


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
_SENTENCES = {  # what is said of each kind of fault of store/checks.py, in this order
    "unsettled_instances": "Instance '{key}' says {kept}, but it is {due}.",
    "unsettled_rounds": "A round of instance '{key}' {said}.",
    "incomplete_reviews": "The review by '{name}' of instance '{key}' was submitted without all scores.",
    "submissions_without_annotation": "'{name}' submitted instance '{key}', but there is no annotation of it.",
    "proposals_without_work": "The open proposal of '{name}' about instance '{key}' belongs to no piece of work.",
    "hidden_by_cursors": "Instance '{key}' is free, but '{name}' would never be given it.",
    "wrongly_named": "Instance '{key}' {fault}.",
    "work_on_shown_texts": "'{name}' has instance '{key}' in hand, although others' sets of it were shown to them.",
    "reviews_by_annotators": "'{name}' reviews instance '{key}', of which they are an annotator.",
    "unnoted_reviewers": "'{name}' has reviewed instance '{key}', but may be given it to annotate.",
    "shown_with_wrong_freedom": "It is kept wrongly whether instance '{key}' is free, of which sets were shown to '{name}'.",
    "exercises_of_others": "The training text or check '{key}' of '{name}' is not the one that its item says.",
    "checks_numbered_as_work": "The check '{key}' has number {id}, which a piece of work has too.",
    "unnoted_trainees": "The training of '{name}' showed them the gold of instance '{key}', "
    "but they may be given it to annotate.",
    "instances_with_wrong_size": "Instance '{key}' says it has {kept} tokens, but its texts have {counted}.",
    "segments_without_tokens": "Instance '{key}' has no text in its segment '{name}', so it cannot be annotated, and an export "
    "of the project as jsonl cannot be imported. Import the instance again with a text and --update.",
    "spans_outside": "A rationale set of {annotator} for instance '{key}' covers tokens {start_token} to {end_token}, "
    "but the instance has {n_tokens}.",
    "draft_spans_outside": "A draft for instance '{key}' covers tokens {span}, but the instance has {n_tokens}.",
    "outputs_outside": "What '{name}' says of instance '{key}' is not for the tokens that the instance has.",
    "trainings_outside": "The model '{model}' is said to have learned from instance '{key}', which is of another project.",
    "copies_out_of_place": "Instance '{key}' is kept as a text of a second pass, but its original is not in the first project of "
    "that pass.",
    "verdicts_by_involved": "'{name}' judged the changed version '{key}' in an audit, although they wrote or checked it.",
}
