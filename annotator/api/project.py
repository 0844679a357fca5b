"""A Project of the Python interface: opened, its rules as they are now, its order; refusals in the words of Python."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, Self, TypeVar

from annotator.domain.file_problems import in_python
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.queue_orders import FirstKind, ModelOrder, Order, QueueOrder
from annotator.domain.projects import Project as Rules
from annotator.errors import AnnotatorError, ImportRefused, InvalidValue, NotFound, Problem
from annotator.usecases.databases import Store, open_store
from annotator.usecases.project.projects import projects_of
from annotator.usecases.transfer.import_report import ImportReport

if TYPE_CHECKING:
    from annotator.usecases.queue.orders import Preview

# Refusals as Python says them: options become arguments, in what is raised and in reports.


_P = ParamSpec("_P")
_T = TypeVar("_T")


@contextmanager
def python_words() -> Iterator[None]:
    """What is refused within is said with arguments."""
    try:
        yield
    except AnnotatorError as error:
        error.args = tuple(in_python(part) if isinstance(part, str) else part for part in error.args)
        if isinstance(error, ImportRefused):
            error.problems = tuple(map(_problem, error.problems))
            error.notes = tuple(map(in_python, error.notes))
        raise


def report_in_python(report: ImportReport) -> ImportReport:
    """A report of which each sentence is said with arguments."""
    for of_file in report.by_file.values():
        report_in_python(of_file)
    for problems in (report.problems, report.warnings):
        problems[:] = map(_problem, problems)
    for sentences in (report.columns, report.doubts, report.notes):
        sentences[:] = map(in_python, sentences)
    return report


def _problem(problem: Problem) -> Problem:
    return replace(problem, reason=in_python(problem.reason))


def speaks_python(part: type[_T]) -> type[_T]:
    """A class whose functions refuse in these words."""
    for name, value in list(vars(part).items()):
        if callable(value) and (name == "__init__" or not name.startswith("_")):
            setattr(part, name, _speaking(value))
    return part


def _speaking(function: Callable[_P, _T]) -> Callable[_P, _T]:
    @wraps(function)
    def speaking(*arguments: _P.args, **named: _P.kwargs) -> _T:
        with python_words():
            return function(*arguments, **named)

    return speaking


@speaks_python
class OpenDatabase:
    """An open database. It belongs to the thread that opened it; use it as a context manager, or close it."""

    def __init__(self, path: Path | str, *, create: bool = False) -> None:
        self.path = Path(path).absolute()
        self._store: Store | None = open_store(self.path, create=create)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<annotator database '{self.path}'{'' if self._store else ', closed'}>"

    def close(self) -> None:
        """Close the connection; closing again is fine."""
        if self._store is not None:
            self._store.close()
            self._store = None

    @property
    def store(self) -> Store:
        """The connection, as use cases take it."""
        if self._store is None:
            raise InvalidValue("The database is closed. Open it again with annotator.open.")
        return self._store

    @contextmanager
    def moment(self) -> Iterator[Store]:
        """A connection of its own that sees the database as it is now."""
        with open_store(self.store.path) as store, store.snapshot():
            yield store


class OpenProject:
    """A project of an open database."""

    def __init__(self, database: OpenDatabase, project_id: int, name: str) -> None:
        self.database = database
        self.id = project_id
        self.name = name

    def __repr__(self) -> str:
        return f"<annotator project '{self.name}'>"

    @property
    def rules(self) -> Rules:
        """The project as it is now: task, labels, language, settings."""
        for rules in projects_of(self.database.store, LOCAL_OPERATOR):
            if rules.id == self.id:
                return rules
        raise NotFound(f"The project '{self.name}' is not in the database any more.")

    def _read(self, read: Callable[[Store, Rules], Iterator[_T]]) -> Iterator[_T]:
        rules = self.rules
        with python_words(), self.database.moment() as store:
            yield from read(store, rules)


# In which order a project gives out its texts: what it is, what another one would bring, and setting it.


@speaks_python
class ProjectOrder(OpenProject):
    """The part of a Project that says who gets what next."""

    def order(self) -> QueueOrder:
        """The order that is set."""
        return self.rules.settings.queue_order

    def set_order(
        self,
        first: FirstKind | None = None,
        model: str | Sequence[str] = (),
        *,
        percent: float = 100,
        split: str | None = None,
        method: str = "",
        number: str = "",
        layer: int | None = None,
        label: str | None = None,
        rest: Order = "sequential",
        seed: int = 0,
        preview: bool = False,
    ) -> "Preview":
        """Give the texts their positions anew; answers the first ten with their reasons. What people hold stays with them.

        first:   what comes first by the stored answers of a model, or of several; None: nothing in particular
        rest:    how the other texts follow; seed: of all that is drawn. Other arguments: as options of `annotator order`
        preview: say what it would bring, and change nothing
        """
        from annotator.usecases.queue.orders import preview_order, set_order  # noqa: PLC0415

        models = (model,) if isinstance(model, str) else tuple(model)
        put_first = None if first is None else ModelOrder(first, models, percent, split, method, layer, number, label)
        act = preview_order if preview else set_order
        return act(self.database.store, LOCAL_OPERATOR, self.id, QueueOrder(rest, seed, put_first))
