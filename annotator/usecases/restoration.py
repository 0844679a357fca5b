"""Bringing back a backup: checked before anything is touched, and what was there is kept."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.people import User
from annotator.errors import StoreError
from annotator.language import unsaid
from annotator.store.connection.replacement import models_of
from annotator.store.connection.restoration import incoming
from annotator.store.events import add_event
from annotator.store.notices.outbox import silence
from annotator.store.persons import erasure
from annotator.usecases.access.rights import require_administrator
from annotator.usecases.models.built_in_model import take_models
from annotator.usecases.persons.erasure import RemovedSince, find_removed_since, remove_again
from annotator.usecases.upkeep import check

_SHOWN = 5
_SILENCED = unsaid("From a restored backup: perhaps sent before, not sent again.")


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did.

    kept:       where what was there lies now; None where there was nothing
    migrations: what brought an older backup up to date
    problems:   what is wrong with the backup, if it was restored anyway
    since:      who was anonymised or erased since the backup
    """

    n_bytes: int
    kept: Path | None
    migrations: tuple[str, ...]
    problems: tuple[str, ...]
    since: RemovedSince


def _tell_nobody(_: RemovedSince) -> None:
    pass


def restore(
    path: Path, actor: User, backup: Path, *, anyway: bool = False, brings_back: bool = False,
    tell: Callable[[RemovedSince], None] = _tell_nobody,
) -> Restored:  # fmt: skip
    """Put a copy of a backup in the place of the database; a process that is killed meanwhile leaves the old or the new one.

    anyway:      also a backup in which `check` finds something wrong
    brings_back: who was anonymised or erased since comes back; else that is done again
    tell:        is told who that is before anything is done
    Raises: StoreError saying why not; then everything is as it was
    """
    require_administrator(actor)
    _require_own(path, backup)
    with incoming(path, backup) as new:
        problems = tuple(new.store.problems() or check(new.store))
        if problems and not anyway:
            raise StoreError(_refusal(backup, problems))
        known = erasure.removals_at(new.path)
        since = find_removed_since(new.store, known)
        tell(since)
        if not brings_back:
            remove_again(new.store, actor, since)
        for source in (models_of(backup), models_of(path)):
            take_models(new.store, source, new.models)
        with new.store.transaction():
            displaced_name = "" if new.kept is None else new.kept.name
            silence(new.store, _SILENCED)
            add_event(new.store, actor.name, "restore", "database", file=backup.name, kept=displaced_name)
        left = [removal for removal in known or () if not (brings_back and removal in since.again)]
        erasure.write_beside(new.path, [*left, *erasure.list_removals(new.store)])
    return Restored(path.stat().st_size, new.kept, new.migrations, problems, since)


def _require_own(path: Path, backup: Path) -> None:
    """A backup that stands beside its database is not put in another's place: nobody who was erased would be erased again."""
    name, *time_and_ending = backup.name.rsplit(".", 2)
    source = backup.with_name(name)
    is_named = len(time_and_ending) == 2 and time_and_ending[1] == "backup"
    if is_named and source.exists() and not (path.exists() and source.samefile(path)):
        raise StoreError(
            f"'{backup.name}' is a backup of '{source}', which stands beside it, not of '{path}'. Give --db {source}, or "
            "move the backup into another folder first."
        )


def _refusal(backup: Path, problems: tuple[str, ...]) -> str:
    more = f"\n  ... and {len(problems) - _SHOWN:,} more" if len(problems) > _SHOWN else ""
    return (
        f"'{backup}' is not in order, so nothing was changed. Choose another backup, or take this one all the same with "
        "--anyway:\n  " + "\n  ".join(problems[:_SHOWN]) + more
    )
