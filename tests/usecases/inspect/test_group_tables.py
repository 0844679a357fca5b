"""One metric in every group, a line a group: the numbers are those of the group by itself."""

from collections.abc import Callable
from typing import Any

import pytest

from annotator.domain.models import Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.usecases.inspect.groups import group_lines, group_tables, groups_csv, row_heads
from tests.usecases.transfer.comparing import take

ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": "bad slow dull plot", "label": "negative", "rationales": [[[0, 1]]]},
    {"id": "b", "text": "good fun nice cast", "label": "positive", "rationales": [[[3, 4]]]},
    {"id": "c", "text": "fine warm kind tale", "label": "positive", "rationales": [[[0, 1]]]},
]
F1 = "sets.best_f1"


@pytest.fixture
def project(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., Any]) -> Project:
    """A method that looks at the first word of every text, and one that explains the positive texts alone, at the last word."""
    made = make_project(gold_policy="all")
    assert import_rows(made, ROWS).problems == []
    for method, keys, scores in (("first", "abc", (3.0, 2.0, 1.0, 0.0)), ("last", "bc", (0.0, 1.0, 2.0, 3.0))):
        maps = (SourceAttribution((ScoredPart(scores),)),)
        take(store, made, (SourceOutput(key, Run("m", method), method, 1, None, (), maps) for key in keys))
    return made


def test_each_group_has_a_line_with_the_numbers_of_every_row(store: Store, project: Project) -> None:
    tables = group_tables(store, LOCAL_OPERATOR, project, ScoringOptions(by="label"), lambda _done, _of: None)
    rows = tables["positive"].rows
    lines = list(group_lines(tables, "label", [row.key for row in rows], F1))
    assert [(line.title, line.detail) for line in lines] == [("negative", "1 instance"), ("positive", "2 instances")]
    # of the positive texts the first word is gold in one, the last in the other
    assert [[cell.text for cell in line.cells[:2]] for line in lines] == [["1.00", "–"], ["0.500", "0.500"]]
    chance = [f"{tables[name].random.numbers[F1].value:.3f}" for name in ("negative", "positive")]
    assert [line.cells[2].text for line in lines] == chance
    heads = row_heads(rows, tables["positive"].column(F1))
    assert [(head.group, head.title) for head in heads] == [("m", "first"), ("m", "last"), ("", "random")]


def test_the_file_of_all_groups_has_one_head_and_names_the_group_of_each_number(store: Store, project: Project) -> None:
    tables = group_tables(store, LOCAL_OPERATOR, project, ScoringOptions(by="label"), lambda _done, _of: None)
    head, *lines = groups_csv(tables, explained="predicted").splitlines()
    assert "of_group" in head.split(",")
    assert head not in lines
    assert {line.rsplit(",", 1)[1] for line in lines} == {"negative", "positive"}
