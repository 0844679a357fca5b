"""False positive rates over the texts that mention a word of a list, as columns of ER-TEST's table, and their FPRD."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.metrics.aggregate import OverSeeds
from annotator.metrics.significance import sign_flips
from annotator.scoring.paper_table import PaperCell, PaperColumn, over_runs_cell
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.suites import list_word_lists
from annotator.usecases.inspect.fairness import FairnessRow, GroupRate, fairness_rows

_NAME = "groups"
_NO_ANSWERS = "the model has no answers to texts with another label that mention a word of the list"
Cells = dict[str, list[PaperCell]]


@dataclass(frozen=True, slots=True)
class Groups:
    """word_lists: each a group; positive: the label whose false positives count."""

    word_lists: tuple[str, ...] = ()
    positive: str = ""

    def __post_init__(self) -> None:
        if bool(self.word_lists) != bool(self.positive):
            raise InvalidValue("Word lists and the label whose false positives count need each other: give both.")


NO_GROUPS = Groups()


def require_groups(groups: Groups, columns: Sequence[PaperColumn]) -> None:
    """Raise InvalidValue where groups are asked for and no project has them."""
    if groups.word_lists and not any(column.name.startswith(_NAME) for column in columns):
        raise InvalidValue(
            f"None of these projects has the label '{groups.positive}' and all of the word lists "
            f"{', '.join(repr(name) for name in groups.word_lists)}."
        )


def group_cells(
    store: Store, actor: User, project: Project, rows: Mapping[str, tuple[str, ...]], base: str | None, groups: Groups,
    options: ScoringOptions,
) -> tuple[list[PaperColumn], Cells, list[str]]:  # fmt: skip
    """Columns, by row their cells, and a note where the project lacks a list or the label."""
    if not groups.word_lists:
        return [], {}, []
    known = {words.name for words in list_word_lists(store, project.id)}
    missing = [f"no word list “{name}”" for name in groups.word_lists if name not in known]
    missing += [] if groups.positive in project.labels else [f"no label “{groups.positive}”"]
    if missing:
        return [], {}, [f"{project.name} has {' and '.join(missing)}, so that it is not among the groups."]
    by_model = {
        row.model: row for row in fairness_rows(store, actor, project, groups.word_lists, groups.positive, options)
    }
    title = f"False positives of “{groups.positive}”, {project.name}"
    names = [*groups.word_lists, "FPRD"]
    columns = [PaperColumn(f"{_NAME}.{name}.{project.name}", name, title, "↓", 100, 2) for name in names]
    of_rows = {title: [by_model.get(name) for name in names] for title, names in rows.items()}
    of_base = [] if base is None else of_rows[base]
    return columns, {
        title: [
            *(_group_cell(of_row, [] if title == base else of_base, at) for at in range(len(groups.word_lists))),
            _over([None if row is None else row.difference for row in of_row], None),
        ]
        for title, of_row in of_rows.items()
    }, []  # fmt: skip


def _group_cell(rows: Sequence[FairnessRow | None], base: Sequence[FairnessRow | None], at: int) -> PaperCell:
    of_groups, of_base = ([None if row is None else row.groups[at] for row in side] for side in (rows, base))
    n = {group.n_negatives for group in of_groups if group is not None}
    cell = _over([None if group is None else group.rate for group in of_groups], n.pop() if len(n) == 1 else None)
    return PaperCell(cell.value, cell.deviation, cell.n, cell.n_seeds, reason=cell.reason, p=_p(of_base, of_groups))


def _p(base: Sequence[GroupRate | None], other: Sequence[GroupRate | None]) -> float | None:
    """Over the negatives that all have answered."""
    sides = [[group.of_negatives for group in side if group is not None] for side in (base, other)]
    if not all(sides) or len(sides[0]) < len(base) or len(sides[1]) < len(other):
        return None
    ids = sorted(set.intersection(*(set(of) for side in sides for of in side)))
    means = [np.array([[of[i] for i in ids] for of in side], dtype=np.float64).mean(axis=0) for side in sides]
    return sign_flips(means[1] - means[0])


def _over(numbers: Sequence[OverSeeds | None], n: int | None) -> PaperCell:
    """Of one name over its seeds; of several trainings over these."""
    known = [number for number in numbers if number is not None]
    if len(known) == 1 and known[0].mean is not None:
        n_seeds = known[0].n_seeds if known[0].n_seeds > 1 else None
        return PaperCell(known[0].mean, known[0].deviation, n, n_seeds)
    return over_runs_cell([number.mean for number in known], n, _NO_ANSWERS)
