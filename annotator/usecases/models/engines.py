"""Where the models' work is done: in this process, or by workers elsewhere, which get tasks and give back results.

Tasks, results and setups are plain values that can be pickled. Whoever hands out tasks reads and writes the database; a worker
opens none.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Protocol, TypeVar

Task = TypeVar("Task")
Doing = Callable[[Any], Iterable[Any]]  # yields the results of a task, each as soon as it is there


@dataclass(frozen=True, slots=True)
class Setup:
    """What a worker begins with, once, before its first task.

    load:    loads what it needs, and answers what does a task; a function of a module, or a partial or method of plain values
    threads: of the CPU that it uses; device: auto, cpu or cuda
    files:   a folder or file that has to be the same on every machine; None where there is none
    """

    load: Callable[[], Doing]
    threads: int = 1
    device: str = "auto"
    files: Path | None = None


class Workers(Protocol):
    """Those that do tasks."""

    def results(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Any]]:
        """Each result with its task, as they come. Tasks are read when a worker is free, so they may be made late.

        Raises: what a task raises
        """


class Engine(Protocol):
    """What hands out tasks. is_local: whether it loads nothing a second time, so that what cannot be sent away will do, too."""

    @property
    def is_local(self) -> bool: ...

    def open(self, setup: Setup, here: Doing | None = None) -> AbstractContextManager[Workers]:
        """Workers that have loaded the setup, until the block ends. here: the same, already loaded in this process."""


@dataclass(frozen=True, slots=True)
class _Here:
    doing: Doing

    def results(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Any]]:
        for task in tasks:
            for result in self.doing(task):
                yield task, result


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Task by task in this process, in their order."""

    is_local: bool = True

    @contextmanager
    def open(self, setup: Setup, here: Doing | None = None) -> Iterator[Workers]:
        yield _Here(here or setup.load())


LOCAL = LocalEngine()


def digest_of(path: Path | None) -> str:
    """Of a folder's or file's contents; "" where there is none."""
    if path is None or not path.exists():
        return ""
    digest = sha256()
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            with file.open("rb") as content:
                digest.update(file.name.encode() + file_digest(content, "sha256").digest())
    return digest.hexdigest()[:16]


def differences(wanted: Mapping[str, str], here: Mapping[str, str]) -> str:
    """What a worker has otherwise, in words; "" where it has all the same.

    >>> differences({"torch": "2.8.0", "numpy": "2.3"}, {"torch": "2.9.1", "numpy": "2.3"})
    'torch 2.9.1 (here 2.8.0)'
    """
    other = {name: value for name, value in wanted.items() if here.get(name) != value}
    return ", ".join(
        f"{name} {here.get(name) or 'missing'} (here {value or 'missing'})" for name, value in other.items()
    )
