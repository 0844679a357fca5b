"""What all formats share: how a reader and a writer are called."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.instances import GoldInstance
from annotator.domain.projects import GoldPolicy, Project
from annotator.domain.sources import SourceItem
from annotator.domain.tasks import Task


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a reader is told: the project's task and labels, and what the file may not say itself."""

    task: Task
    labels: tuple[str, ...] = ()
    language: str | None = None
    split: str | None = None
    key_prefix: str = ""


Reader = Callable[[Path, ReadOptions], Iterator[SourceItem]]


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What a writer is told beside the instances."""

    project: Project
    gold_policy: GoldPolicy


Writer = Callable[[Path, Iterable[GoldInstance], WriteOptions], None]
