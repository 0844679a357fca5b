"""What a report is asked for with: models, methods, texts; and the command that makes the same again."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from annotator.domain.measurements import ANNOTATOR
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.scoring.runs import ScoringOptions

MOST_TEXTS = 500
LONGEST_TITLE = 200
N_TEXTS = 10
NOT_NAMED = "NAME"  # in the command, where the annotator's own is not told
How = Literal["drawn", "differences", "list", "keys"]


@dataclass(frozen=True, slots=True)
class TextChoice:
    """Which texts are shown.

    how: drawn at random from a seed; those on which two models differ most; those of a saved list; those of some keys
    """

    how: How = "drawn"
    n: int = N_TEXTS
    seed: int = 0
    list_name: str = ""
    keys: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.n <= MOST_TEXTS or len(self.keys) > MOST_TEXTS:
            raise InvalidValue(
                _(
                    "A report shows at most {most} texts, not {n}.",
                    most=MOST_TEXTS,
                    n=f"{max(self.n, len(self.keys)):,}",
                )
            )
        if self.seed < 0:
            raise InvalidValue(_("{name} is {value}; use {least} or more.", value=self.seed, name=_("Seed"), least=0))


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """A report of a project's models.

    base, other:  two models that are compared; "" for none
    models, methods, columns: only these; () for all, of the columns those that the page shows first
    has_names:    who made each gold set is told, and whose sets are scored where numbers are of one annotator
    against:      the row that the others are compared with, by its name in the table; "" for none
    row, metric:  the instances in which this row differs from it in this number; "" for the first that are compared
    """

    title: str = ""
    base: str = ""
    other: str = ""
    models: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    texts: TextChoice = field(default_factory=TextChoice)
    has_names: bool = False
    options: ScoringOptions = field(default_factory=ScoringOptions)
    against: str = ""
    row: str = ""
    metric: str = ""

    def __post_init__(self) -> None:
        if len(self.title) > LONGEST_TITLE or (self.title and not self.title.isprintable()):
            raise InvalidValue(_("Use one line of up to {most} visible characters for the title.", most=LONGEST_TITLE))
        if bool(self.base) != bool(self.other):
            raise InvalidValue(_("Name two models (--base and --other), or none."))
        if self.base and self.base == self.other:
            raise InvalidValue(_("Base and other are both '{base}'. Choose different models.", base=self.base))
        if self.texts.how == "differences" and not (self.base or self.against):
            raise InvalidValue(_("Differing texts need --base and --other, or --against."))
        if self.options.group is not None and not self.options.by:
            raise InvalidValue(_("A group needs a grouping. Set --group-by."))
        if (self.row or self.metric) and not self.against:
            raise InvalidValue(_("--instances and --instances-in need --against."))

    @property
    def shown_models(self) -> tuple[str, ...]:
        """Those that have rows; () for all."""
        return self.models or ((self.base, self.other) if self.base else ())

    def command(self, database: str, project: str, policy: str, file_name: str) -> str:
        """The command that makes this report again, with what the project's rules might change written out."""
        words = ["annotator", "--db", database, "report", file_name, "--project", project]
        return shlex.join([*words, *self._options(policy)])

    def _options(self, policy: str) -> Iterator[str]:
        named = {
            "--title": self.title, "--base": self.base, "--other": self.other, "--against": self.against,
            "--instances": self.row, "--instances-in": self.metric,
        }  # fmt: skip
        for name, value in named.items():
            if value:
                yield from (name, value)
        for name, values in (("--model", self.models), ("--method", self.methods), ("--column", self.columns)):
            for value in values:
                yield from (name, value)
        yield from ("--gold-policy", policy)
        if self.options.split is not None:
            yield from ("--split", self.options.split)
        yield from self._group()
        if self.options.explained != "predicted":
            yield from ("--explained", self.options.explained)
        if self.options.includes_training:
            yield "--include-training"
        yield from _texts(self.texts)
        if self.has_names:
            yield "--names"

    def _group(self) -> Iterator[str]:
        by, group = self.options.by, self.options.group
        if by:
            yield from ("--group-by", by)
        if group is not None:
            yield from ("--group", NOT_NAMED if self.leaves_name_out else group)

    @property
    def leaves_name_out(self) -> bool:
        """Whether the group is an annotator whose name is not to be told."""
        return self.options.by == ANNOTATOR and self.options.group is not None and not self.has_names


def _texts(texts: TextChoice) -> Iterator[str]:
    if texts.how == "drawn":
        yield from ("--draw", str(texts.n), "--seed", str(texts.seed))
    elif texts.how == "differences":
        yield from ("--differences", str(texts.n))
    elif texts.how == "list":
        yield from ("--list", texts.list_name)
    else:
        for key in texts.keys:
            yield from ("--key", key)
