"""A new project in one step: its task and labels, its first texts, and the people who are invited. All of it, or nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from annotator.domain.people import User
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import Task
from annotator.errors import ImportRefused, Problem
from annotator.store import Store
from annotator.store.projects import get_project_by_id
from annotator.usecases.access.invitations import Invitation, invite, read_invitees
from annotator.usecases.project.projects import create_project, give_role
from annotator.usecases.transfer.file_import import import_file, readable
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.row_keys import NUMBERED, WITH_ENTITIES
from annotator.usecases.transfer.uploads import laid_out


@dataclass(frozen=True, slots=True)
class NewProject:
    """What somebody says of a project that they begin.

    labels: () where the first texts bring them
    files:  names and contents of a data set's files; () for no texts yet
    people: names, one a line, each an annotator or with another role after a comma; "" for nobody yet
    alone:  whoever makes it marks its texts, too
    """

    name: str
    task: Task
    labels: Sequence[str] = ()
    language: str = "en"
    settings: ProjectSettings | None = None
    files: Sequence[tuple[str, bytes]] = ()
    people: str = ""
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Begun:
    """The project as it stands now, what its files brought, and the invitations with their links."""

    project: Project
    texts: ImportReport | None
    invited: Sequence[Invitation]


def begin_project(store: Store, actor: User, new: NewProject) -> Begun:
    """Make it, import its texts, and invite its people.

    IDs are generated where the files have none; labels that differ in case, blanks or width alone are one; labelled spans
    are entities where the task is about those.

    Raises: InvalidValue for a name, label or person that cannot be; ImportRefused with all problems of the files
    """
    with store.transaction():
        project = create_project(
            store, actor, new.name, new.task, labels=new.labels, language=new.language, settings=new.settings
        )
        if new.alone:
            give_role(store, actor, project.id, actor.name, "annotator")
        texts = None
        if new.files:
            with laid_out(new.files) as path, readable(path) as (unpacked_path, format_name):
                merges = new.task.result_kind == "label"
                options = ImportOptions(
                    number_keys=format_name in NUMBERED, merge_labels=merges,
                    entities=new.task.has_target and format_name in WITH_ENTITIES,
                )  # fmt: skip
                texts = import_file(store, actor, project, format_name, unpacked_path, options)
                if texts.in_clauses.n:
                    _refuse_language(texts, new.language)
        invited = invite(store, actor, project.id, read_invitees(new.people, "annotator")) if new.people.strip() else []
        return Begun(get_project_by_id(store, project.id), texts, invited)


def _refuse_language(texts: ImportReport, language: str) -> None:
    """The form stores without a check, and whoever has marked clauses has marked them for nothing."""
    problem = Problem("", None, "language", language, texts.clause_words)
    raise ImportRefused(problem.reason, [problem], 1)


def pasted_file(text: str) -> tuple[str, bytes]:
    """Pasted rows as a file: JSON lines, rows copied from a spreadsheet (tabs), or CSV."""
    first = text.lstrip()[:1]
    suffix = ".jsonl" if first == "{" else ".json" if first == "[" else ".csv"
    return PurePath("pasted").with_suffix(suffix).name, text.strip().encode() + b"\n"
