"""Projects, their rules, and the counts that screens show."""

import json
from collections.abc import Sequence
from dataclasses import asdict

import msgspec

from annotator.domain.people import User
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import SegmentSpec, Task, custom_task, get_task
from annotator.errors import InvalidValue, NotFound
from annotator.language import _, listed, unknown
from annotator.store.connection.database import Row, Store, of_columns, unused_number


def add_project(
    store: Store, name: str, task: Task, *, labels: Sequence[str] = (), language: str = "en",
    settings: ProjectSettings | None = None, guidelines: str = "",
) -> Project:  # fmt: skip
    """A new, empty project; its name was checked before."""
    store.run(
        f"""INSERT INTO projects (id, name, task, segments, result_kind, labels, language, settings, guidelines, created_at)
            VALUES ({unused_number("projects")}, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            name,
            task.name,
            json.dumps([asdict(segment) for segment in task.segments]),
            task.result_kind,
            json.dumps(list(labels), ensure_ascii=False),
            language,
            settings_json(settings or ProjectSettings()),
            guidelines,
            store.now(),
        ),
    )
    return get_project(store, name)


def update_project(store: Store, project: Project) -> None:
    """Write everything of a project that may change (its task may not)."""
    store.run(
        """UPDATE projects SET name = ?, labels = ?, language = ?, settings = ?, guidelines = ?, question = ?,
            licence = ?, citation = ? WHERE id = ?""",
        (
            project.name,
            json.dumps(list(project.labels), ensure_ascii=False),
            project.language,
            settings_json(project.settings),
            project.guidelines,
            project.question,
            project.licence,
            project.citation,
            project.id,
        ),
    )


def set_archived(store: Store, project_id: int, archived_at: str | None) -> None:
    """Since when a project is archived; None: it is at work."""
    store.run("UPDATE projects SET archived_at = ? WHERE id = ?", (archived_at, project_id))


def set_labels(store: Store, project_id: int, labels: Sequence[str]) -> None:
    """Write the labels alone, so that nothing else of the project can be overwritten."""
    store.run("UPDATE projects SET labels = ? WHERE id = ?", (json.dumps(list(labels), ensure_ascii=False), project_id))


def settings_json(settings: ProjectSettings) -> str:
    return msgspec.json.encode(settings).decode()


def settings_from(data: object) -> ProjectSettings:
    """Settings from their JSON; raises InvalidValue naming the wrong field."""
    try:
        return msgspec.convert(data, ProjectSettings)
    except msgspec.ValidationError as error:
        raise InvalidValue(_("Can't read the project's settings: {error}.", error=error)) from error


def find_project(store: Store, name: str) -> Project | None:
    """The project of that name."""
    row = store.row("SELECT * FROM projects WHERE name = ?", (name,))
    return None if row is None else _project(row)


def get_project(store: Store, name: str) -> Project:
    """The project of that name; raises NotFound naming those there are."""
    project = find_project(store, name)
    if project is None:
        names = listed([f"'{row['name']}'" for row in store.rows("SELECT name FROM projects ORDER BY id LIMIT 20")])
        raise NotFound(
            unknown(_("project"), name, names) if names else _("No {what} '{name}'.", what=_("project"), name=name)
        )
    return project


def get_project_by_id(store: Store, project_id: int) -> Project:
    """The project with that id; raises NotFound."""
    row = store.get("SELECT * FROM projects WHERE id = ?", project_id, _("project"))
    return _project(row)


def list_projects(store: Store) -> list[Project]:
    """All projects, oldest first."""
    return [_project(row) for row in store.rows("SELECT * FROM projects ORDER BY id")]


def list_projects_of(store: Store, user: User) -> list[Project]:
    """The projects in which a user has a role; an administrator sees all."""
    if user.is_administrator:
        return list_projects(store)
    rows = store.rows(
        """SELECT * FROM projects WHERE id IN (SELECT project_id FROM memberships WHERE user_id = ?) ORDER BY id""",
        (user.id,),
    )
    return [_project(row) for row in rows]


def instance_counts(store: Store, project_id: int) -> dict[str, int]:
    """Instances by state, and 'queued': those that can be given out. Kept by triggers, so this costs the same in any project."""
    return store.mapping("SELECT state, n FROM instance_counts WHERE project_id = ? AND n > 0", (project_id,))


def assignment_counts(store: Store, project_id: int) -> dict[str, dict[str, int]]:
    """For each person's name, their work by state."""
    counts: dict[str, dict[str, int]] = {}
    for row in store.rows(
        """SELECT name, state, n FROM assignment_counts JOIN users ON users.id = user_id
            WHERE project_id = ? AND n > 0 ORDER BY name""",
        (project_id,),
    ):
        counts.setdefault(row["name"], {})[row["state"]] = row["n"]
    return counts


def count_unseen(store: Store, project_id: int) -> int:
    """Pieces of work that were given out ahead: whoever has them has not seen them yet."""
    return store.number(
        """SELECT count(*) FROM assignments WHERE project_id = ? AND state = 'leased' AND first_view_at IS NULL
                AND NOT EXISTS (SELECT 1 FROM drafts WHERE assignment_id = assignments.id)""",
        (project_id,),
    )


def assignment_counts_of(store: Store, project_id: int, user_id: int) -> dict[str, int]:
    """One person's work by state."""
    return store.mapping(
        "SELECT state, n FROM assignment_counts WHERE project_id = ? AND user_id = ?", (project_id, user_id)
    )


def _project(row: Row) -> Project:
    segments = tuple(SegmentSpec(**segment) for segment in json.loads(row["segments"]))
    task = _task(row["task"], segments, row["result_kind"])
    return of_columns(
        Project,
        row,
        task=task,
        labels=tuple(json.loads(row["labels"])),
        settings=settings_from(json.loads(row["settings"])),
    )


def _task(name: str, segments: tuple[SegmentSpec, ...], result_kind: str) -> Task:
    return custom_task(segments, result_kind) if name == "custom" else get_task(name)
