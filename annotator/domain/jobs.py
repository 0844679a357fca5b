"""Long work that somebody asked for: it waits in a queue, one process does it, and everybody sees how far it is."""

from dataclasses import dataclass
from typing import Literal

JobKind = Literal["attribute", "measure", "suite", "train"]
JobState = Literal["waiting", "running", "done", "failed", "stopped"]


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work in one project.

    title:      what it does, in words
    options:    what it needs to know, as JSON that its kind reads
    n_done:     of n_of: instances, runs or steps; 0 of 0 before it begins
    told:       what came of it, or why it failed
    wants_stop: somebody asked it to stop; it does so after the batch at hand
    n_starts:   how often a process began it and did not come to its end
    Times are UTC, ISO 8601.
    """

    id: int
    project_id: int
    kind: JobKind
    title: str
    options: str
    asked_by: int | None
    asked_by_name: str
    asked_at: str
    state: JobState
    n_done: int = 0
    n_of: int = 0
    told: str = ""
    wants_stop: bool = False
    n_starts: int = 0
    ended_at: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether it waits or runs."""
        return self.state in {"waiting", "running"}
