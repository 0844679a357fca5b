"""What is wrong with a file is said in the language of whoever imports it; rows themselves are never translated."""

from pathlib import Path

import pytest

from annotator.domain.sources import SourceColumns
from annotator.domain.tasks import TASKS
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.registry import get_reader
from annotator.language import speaking

SENTIMENT = ReadOptions(TASKS["sentiment"], ("positive", "negative"))


def read(content: str, tmp_path: Path, name: str = "rows.csv") -> list[object]:
    path = tmp_path / name
    path.write_text(content)
    with speaking("zh"):
        return list(get_reader(path.suffix[1:])(path, SENTIMENT))


def test_a_header_without_what_is_needed_is_refused_in_chinese_with_what_may_be_meant(tmp_path: Path) -> None:
    problems = read("tweet_id,tweet\n7,A calm film that stays.\n", tmp_path)
    assert [problem.reason for problem in problems if isinstance(problem, Problem)] == [
        "没有列存放每行的编号。 是 'tweet_id' 吗？如果是，请选择该列（--column id=tweet_id），或把它改名为 'id'"
        "（或 'key'、'instance_id'、'annotation_id'、'sent_id'）。 如果各行没有编号，可以给它们编号（--number-keys）。",
        "没有列存放文本。 是 'tweet' 吗？如果是，请选择该列（--column text=tweet），或把它改名为 'text'"
        "（或 'sentence'、'context'、'review'）。",
    ]


def test_what_columns_are_taken_for_is_said_in_chinese(tmp_path: Path) -> None:
    [told] = [item for item in read("id,text,stars\n1,Calm.,4\n", tmp_path) if isinstance(item, SourceColumns)]
    assert told.told == "列 'id' 是编号、'text' 是文本。 'stars' 成为元数据。 没有列存放标签或划分。"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            '{"id": "2", "text": "Dull',
            "该行不是有效的 JSON：从第 21 个字符开始的字符串还没结束，该行就结束了（共 25 个字符）；内容可能被截断，或缺少引号。",
        ),
        ('{"id": "2" "text": 1}', "该行不是有效的 JSON：第 12 个字符处：应有 ','（共 21 个字符）。"),
        ('{"id": "2", "text": "Dull.", "note": 1}', "必须是文本或空值 null，而不是整数。"),
        ('{"text": "Dull."}', "缺少字段 'key'；每行都需要它。如果各行都没有，可以给行编号（--number-keys）。"),
    ],
)
def test_a_broken_line_among_rows_is_refused_in_chinese(line: str, reason: str, tmp_path: Path) -> None:
    items = read(f'{{"id": "1", "text": "Calm."}}\n{line}\n', tmp_path, "rows.jsonl")
    assert [(item.line, item.reason) for item in items if isinstance(item, Problem)] == [(2, reason)]


def test_a_cell_is_called_a_cell_and_not_a_line(tmp_path: Path) -> None:
    items = read('id,text,rationales\n1,Calm.,"[[1, 2"\n', tmp_path)
    [problem] = [item for item in items if isinstance(item, Problem)]
    assert problem.reason.startswith('单元格必须是 JSON，例如 [[{"start_token": 2, "end_token": 4}]]')
    assert "该单元格不是有效的 JSON" in problem.reason


def test_a_file_that_is_no_text_is_refused_in_chinese(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="是 PDF 文件，不是 UTF-8 文本。请先提取其中的文本。"):
        read("%PDF-1.7", tmp_path)
