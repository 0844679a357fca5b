"""The Python interface, for notebooks and training scripts: `annotator.open` gives a Database (docs/api.md).

It acts as the local operator, as commands do, and calls the same use cases. Tables and iterations read one moment of the
database over a connection of their own, so that one may write while one iterates. pandas is loaded with the first table.
"""

from collections.abc import Sequence

from annotator.api.files import ProjectFiles
from annotator.api.models import ProjectModels
from annotator.api.numbers import ProjectNumbers
from annotator.api.project import OpenDatabase, ProjectOrder, speaks_python
from annotator.api.tables import ProjectContents
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.usecases.databases import find_project
from annotator.usecases.project.projects import create_project, projects_of


@speaks_python
class Database(OpenDatabase):
    """An open database. It belongs to the thread that opened it; use it as a context manager, or close it."""

    def projects(self) -> "list[Project]":
        """All projects, oldest first."""
        return [Project(self, rules.id, rules.name) for rules in projects_of(self.store, LOCAL_OPERATOR)]

    def project(self, name: str) -> "Project":
        """The project of that name; raises NotFound naming those there are."""
        stored = find_project(self.store, name)
        return Project(self, stored.id, stored.name)

    def create_project(self, name: str, task: str, *, labels: Sequence[str] = (), language: str = "en") -> "Project":
        """A new, empty project of one of the tasks of docs/columns.md; without labels it takes those of its first import."""
        made = create_project(self.store, LOCAL_OPERATOR, name, get_task(task), labels=labels, language=language)
        return Project(self, made.id, made.name)


class Project(ProjectContents, ProjectOrder, ProjectFiles, ProjectNumbers, ProjectModels):
    """One project: what is in it, the way in and out, its numbers, its models."""
