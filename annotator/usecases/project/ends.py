"""The end of a project: archived, so that nothing of it changes any more, brought back, or deleted with everything of it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import Conflict, InvalidValue, NotFound, StoreError
from annotator.language import _, listed, unsaid
from annotator.store import Store
from annotator.store.connection import file_access
from annotator.store.connection.database import stamped
from annotator.store.connection.replacement import models_of
from annotator.store.events import add_event
from annotator.store.jobs import open_jobs
from annotator.store.project.deletion import delete_rows_of, without_foreign_keys
from annotator.store.projects import get_project_by_id, set_archived
from annotator.usecases.access.rights import require
from annotator.usecases.models.model_places import models_folder

_NAMED_JOBS = 3


@dataclass(frozen=True, slots=True)
class Deleted:
    """What became of a project.

    backup: the copy of the whole database from before
    models: where the files of its trained models lie now; None where it had none
    """

    name: str
    n_instances: int
    n_annotations: int
    n_models: int
    n_releases: int
    backup: Path
    models: Path | None


def archive(store: Store, actor: User, project_id: int) -> Project:
    """From now on nothing of a project is given out, imported or changed; it can still be read and exported.

    Raises: Conflict naming the long work that runs or waits in it; nothing else stands in the way
    """
    with store.transaction():
        require(store, actor, project_id, "manage project")
        project = get_project_by_id(store, project_id)
        if not project.is_archived:
            _require_idle(store, project)
            set_archived(store, project_id, store.now())
            add_event(store, actor.name, "archive", "project", project_id, project_id=project_id)
        return get_project_by_id(store, project_id)


def bring_back(store: Store, actor: User, project_id: int) -> Project:
    """An archived project is at work again, as it was; leases that ran out meanwhile have run out."""
    with store.transaction():
        require(store, actor, project_id, "manage project")
        if get_project_by_id(store, project_id).is_archived:
            set_archived(store, project_id, None)
            add_event(store, actor.name, "bring back", "project", project_id, project_id=project_id)
        return get_project_by_id(store, project_id)


def delete(store: Store, actor: User, project_id: int, typed_name: str) -> Deleted:
    """Copy the whole database to a backup, then delete a project with everything of it in one transaction.

    It is archived first, so that nothing comes into it between the backup and the end; where the backup fails it is as before.
    The files of its trained models go beside the backup, where a restore of it looks for them.
    Raises: InvalidValue for another name than the project's; Conflict naming the long work that runs or waits in it; NotFound
            where somebody else was faster
    """
    was_archived = _prepared(store, actor, project_id, typed_name)
    with _as_before_on_failure(store, actor, project_id, was_archived=was_archived):
        backup = _back_up(store)
        try:
            return _delete(store, actor, project_id, backup)
        except NotFound:
            backup.unlink()  # whoever was faster has one
            raise
        except BaseException:  # an interrupt too: no copy of the whole database may lie about for nothing
            with suppress(NotFound):  # once the project is gone, this is its only copy
                get_project_by_id(store, project_id)
                backup.unlink()
            raise


@contextmanager
def _as_before_on_failure(store: Store, actor: User, project_id: int, *, was_archived: bool) -> Iterator[None]:
    try:
        yield
    except BaseException:  # an interrupt too: it would stay archived without anybody having asked for that
        if not was_archived:
            with suppress(NotFound):  # somebody else was faster
                bring_back(store, actor, project_id)
        raise


def _back_up(store: Store) -> Path:
    """A copy of the database beside it, under a name of its own, however many are made at once."""
    while True:
        backup = stamped(store.path, "backup")
        try:
            store.backup(backup, file_access.mode_beside(store.path))
        except StoreError:
            if not backup.exists():
                raise
        else:
            file_access.give_to_owner_of(store.path, backup)
            return backup


def _prepared(store: Store, actor: User, project_id: int, typed_name: str) -> bool:
    """Whether it was archived before."""
    with store.transaction():
        require(store, actor, project_id, "manage project")
        project = get_project_by_id(store, project_id)
        if typed_name.strip() != project.name:
            raise InvalidValue(_("Nothing was done. Type '{name}' exactly.", name=project.name))
        _require_idle(store, project)
        archive(store, actor, project_id)
        return project.is_archived


def _delete(store: Store, actor: User, project_id: int, backup: Path) -> Deleted:
    with without_foreign_keys(store), store.transaction():
        require(store, actor, project_id, "manage project")
        project = get_project_by_id(store, project_id)
        if not project.is_archived:
            raise Conflict(_("'{name}' was unarchived, so it wasn't deleted.", name=project.name))
        counts = delete_rows_of(store, project_id)
        add_event(
            store, actor.name, "delete", "project", project_id, name=project.name, backup=backup.name,
            instances=counts["instances"], annotations=counts["annotations"],
        )  # fmt: skip
    return Deleted(
        project.name, counts["instances"], counts["annotations"], counts["models"], counts["releases"], backup,
        _moved_models(models_folder(store, project), models_of(backup) / str(project_id)),
    )  # fmt: skip


def _moved_models(folder: Path, target: Path) -> Path | None:
    """Where the files of the trained models lie then: beside the backup, or, where they cannot be moved, where they were."""
    if not folder.is_dir():
        return None
    try:
        target.parent.mkdir(exist_ok=True)
        folder.rename(target)
    except OSError:
        return folder
    return target


def deletion_summary(deleted: Deleted) -> str:
    """What went, where the backup lies, and what became of files, in sentences."""
    instances, annotations = counted(deleted.n_instances, "instance"), counted(deleted.n_annotations, "annotation")
    models, releases = counted(deleted.n_models, "model"), counted(deleted.n_releases, "release")
    rows = _(
        "Project '{name}' is deleted ({instances}, {annotations}, {models}, {releases}). To undo, restore "
        "the whole database from {backup}.",
        name=deleted.name,
        instances=instances,
        annotations=annotations,
        models=models,
        releases=releases,
        backup=deleted.backup,
    )
    if deleted.models is None:
        return rows
    return f"{rows} " + _("Its trained models are in {folder}.", folder=deleted.models)


def _require_idle(store: Store, project: Project) -> None:
    jobs = open_jobs(store, project.id)
    if not jobs:
        return
    titles = [f"'{job.title}'" for job in jobs[:_NAMED_JOBS]]
    if len(jobs) > _NAMED_JOBS:
        titles = [listed(titles), _("{n} more", n=len(jobs) - _NAMED_JOBS)]
        jobs_in_words = listed(titles, "and")
    else:
        jobs_in_words = listed(titles)
    raise Conflict(_(_NOT_WHILE_AT_WORK, name=project.name, jobs=jobs_in_words))


_NOT_WHILE_AT_WORK = unsaid("'{name}' has running or waiting jobs: {jobs}. Stop them, or wait.")
