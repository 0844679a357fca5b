"""The Python interface, for notebooks and training scripts: `annotator.open` gives a Database (docs/api.md).

It acts as the local operator, as commands do, and calls the same use cases. Tables and iterations read one moment of the
database over a connection of their own, so that one may write while one iterates. pandas is loaded with the first table.
"""

from annotator.api.contents import ProjectContents
from annotator.api.files import ProjectFiles
from annotator.api.models import ProjectModels
from annotator.api.numbers import ProjectNumbers
from annotator.api.open_project import OpenDatabase
from annotator.domain.people import LOCAL_OPERATOR
from annotator.usecases.project.projects import find_project, projects_of


class Database(OpenDatabase):
    """An open database. It belongs to the thread that opened it; use it as a context manager, or close it."""

    def projects(self) -> "list[Project]":
        """All projects, oldest first."""
        return [Project(self, rules.id, rules.name) for rules in projects_of(self.store, LOCAL_OPERATOR)]

    def project(self, name: str) -> "Project":
        """The project of that name; raises NotFound naming those there are."""
        stored = find_project(self.store, name)
        return Project(self, stored.id, stored.name)


class Project(ProjectContents, ProjectFiles, ProjectNumbers, ProjectModels):
    """One project: what is in it, the way in and out, its numbers, its models."""
