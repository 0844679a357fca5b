"""Every error that this program raises on purpose, and what a problem in a file is.

    AnnotatorError                 base class: its text is a sentence for the person, with the remedy
    ├── InvalidValue               a value was refused
    │   └── InvalidAnnotation      rationale sets, a result or a span that cannot be stored
    │       └── QuoteNotPlaced     words quoted from a text that are not in it, or more than once; holds them
    ├── NotFound                   no such project, instance, user, assignment ...
    ├── NotAllowed                 the person lacks the right
    │   ├── NotSignedIn            nobody is signed in, or the session has ended
    │   └── ProjectArchived        nobody may change an archived project
    ├── Conflict                   someone, or another tab, was faster
    │   ├── StaleDraft             the draft was saved elsewhere since it was read
    │   └── LeaseLost              the work was given to someone else
    ├── TooBusy                    others come first: to be tried again in a few seconds
    ├── ImportRefused              a file has problems; holds them
    ├── ExportRefused              something cannot be written in the asked format
    ├── DeliveryError              a mail or a call of the webhook did not go out, or may not have arrived; a host did not answer
    ├── ModelError                 a model cannot be loaded, or cannot answer
    └── StoreError                 the database cannot be opened or written
        └── NotWritable            it can be read, but not written: a full disk, a read-only file, files that were removed

Everything else that is raised is a defect of the program.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

_LONGEST_QUOTE = 1_000
_ROWS_TOLD = 5
OTHER_VALUES = "…"  # the value of a problem that stands for further ones, whose values are not listed


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a file: where it stands, what it is, and why it cannot be taken.

    What a file puts into it is cut to what a message can hold, in the middle, since a sentence ends with its remedy.
    The same thing in several rows is one problem: n counts them, rows are the lines of the first, line of the very first.
    remedy: which option or button mends it, where there is one: `label` (whose value is the label), `update`, `doubles`,
            `number`, `prompt`, `suite`, `marks` (whose field is the column)
    """

    source: str
    line: int | None
    field: str
    value: str
    reason: str
    is_warning: bool = False  # worth telling, but the row is taken
    n: int = 1
    rows: tuple[int, ...] = ()
    remedy: str = ""

    def __post_init__(self) -> None:
        for name in ("field", "value", "reason"):
            text = getattr(self, name)
            if len(text) > _LONGEST_QUOTE:
                half = _LONGEST_QUOTE // 2
                object.__setattr__(self, name, f"{text[:half]} … {text[-half:]}")

    def __str__(self) -> str:
        shown = self.value if len(self.value) <= 80 else self.value[:77] + "..."
        return f"{self.source}{self._place()}, field {self.field}, value {shown!r}: {self.reason}"

    @property
    def kind(self) -> tuple[str, str, str, str]:
        """What it has in common with the same problem in another row."""
        return self.source, self.field, self.value, self.reason

    def again(self, line: int | None) -> "Problem":
        """The same problem, in one row more."""
        rows = self.rows or ((self.line,) if self.line is not None else ())
        if line is not None and len(rows) < _ROWS_TOLD:
            rows = (*rows, line)
        return replace(self, n=self.n + 1, rows=rows)

    def lines(self) -> str:
        """The lines where it stands, the first of many: "2, 3, 5, …"; "" where it stands on none."""
        rows = self.rows or ((self.line,) if self.line is not None else ())
        return ", ".join(map(str, rows)) + (", …" if rows and self.n > len(rows) else "")

    def _place(self) -> str:
        in_rows = f", in {self.n:,} rows" if self.n > 1 else ""
        if in_rows:
            return in_rows + (f" (lines {self.lines()})" if self.lines() else "")
        return "" if self.line is None else f", line {self.line}"


class AnnotatorError(Exception):
    """A refusal that is shown to the person as it is."""


class InvalidValue(AnnotatorError):
    """A value was refused."""


class NotOneFile(InvalidValue):
    """A folder was given where one file is read."""


class LabelInUse(InvalidValue):
    """A label that cannot be removed, since something carries it."""

    def __init__(self, message: str, *, label: str) -> None:
        super().__init__(message)
        self.label = label


class InvalidAnnotation(InvalidValue):
    """An annotation that the project's rules refuse; `set_index` names the set that is meant."""

    def __init__(self, message: str, *, set_index: int | None = None, is_warning: bool = False) -> None:
        super().__init__(message)
        self.set_index = set_index
        self.is_warning = is_warning


class QuoteNotPlaced(InvalidAnnotation):
    """Words that are quoted from a text and of which it cannot be said where they stand."""

    def __init__(self, message: str, *, quote: str) -> None:
        super().__init__(message)
        self.quote = quote


class NotFound(AnnotatorError):
    """No such thing."""


class NotAllowed(AnnotatorError):
    """The person lacks the right."""


class NotSignedIn(NotAllowed):
    """Nobody is signed in, or the session has ended."""


class ProjectArchived(NotAllowed):
    """An archived project does not change until somebody brings it back."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The project '{name}' is archived: nothing in it is given out, imported or changed. A lead can bring it back on its "
            "Project page."
        )


class Conflict(AnnotatorError):
    """Someone, or another tab, was faster."""


class StaleDraft(Conflict):
    """The draft was saved elsewhere since it was read."""


class LeaseLost(Conflict):
    """The work was given to someone else."""


class TooBusy(AnnotatorError):
    """Others come first: to be tried again in a few seconds."""


class ImportRefused(AnnotatorError):
    """A file has problems: `problems` holds the first ones, `n_problems` counts all.

    notes: sentences about the file as a whole, such as what its columns are taken for
    can_leave_out: whether something is left of it without the rows that have problems
    """

    def __init__(
        self,
        message: str,
        problems: Sequence[Problem],
        n_problems: int,
        notes: Sequence[str] = (),
        *,
        can_leave_out: bool = True,
    ) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        self.n_problems = n_problems
        self.notes = tuple(notes)
        self.can_leave_out = can_leave_out


class ExportRefused(AnnotatorError):
    """Something cannot be written in the asked format."""


class DeliveryError(AnnotatorError):
    """A mail or a call of the webhook did not arrive; or nobody knows, and it must not be sent again."""

    def __init__(self, message: str, *, may_have_arrived: bool = False) -> None:
        super().__init__(message)
        self.may_have_arrived = may_have_arrived


class ModelError(AnnotatorError):
    """A model cannot be loaded, or cannot answer.

    reason: why of this text, in words that follow a number of texts ("longer than the model sees"), to count them by;
            "" where it is not known to be the text's own
    """

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class StoreError(AnnotatorError):
    """The database cannot be opened or written."""


class NotWritable(StoreError):
    """The database can be read, but nothing can be stored now: what people do has to be kept elsewhere until it can."""
