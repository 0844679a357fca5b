"""What is reported beside the benchmark's numbers: over how many each is, and which a program cannot give."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from annotator.errors import Problem
from annotator.metrics.aggregate import Aggregate, mean_of
from annotator.metrics.ragged import Floats
from annotator.scoring.reports import Report

ROWS_NAMED = 10


@dataclass(frozen=True, slots=True)
class Stop:
    """A number for which a program stops over these files.

    rows: what it stops at; none where it is the files as a whole
    refuses: the files are refused where this program's reading alone is asked for
    """

    number: str
    reason: str
    rows: tuple[Problem, ...] = ()
    refuses: bool = False


@dataclass(slots=True)
class BenchmarkReport:
    """Collected while numbers are made; a number's place is that in the object, such as "scripts.map"."""

    n: dict[str, Report] = field(default_factory=dict)
    stops: list[Stop] = field(default_factory=list)

    def over(self, name: str, aggregate: Aggregate) -> float | None:
        """The mean, noting over how many it is."""
        return self.number(name, aggregate.value, aggregate.n, aggregate.n_left_out)

    def number(self, name: str, value: float | None, n: int, n_left_out: int = 0) -> float | None:
        """The number, noting over how many it is."""
        self.n[name] = {"n": n, "n_left_out": n_left_out}
        return value

    def stop(self, name: str, reason: str, rows: Sequence[Problem] = (), *, refuses: bool = False) -> None:
        """Note that a program gives no number."""
        self.stops.append(Stop(name, reason, tuple(rows), refuses))


def as_mean(values: Floats) -> Report:
    """A mean over instances with how many it is over and how many were left out, as our own numbers are reported."""
    return asdict(mean_of(values))
