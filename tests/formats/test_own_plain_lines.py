"""The fast lane of model output says the same as reading with care, about plain lines and about those that only look plain."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.tasks import TASKS
from annotator.errors import Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output.own_lines import PlainLines, read

OPTIONS = OutputOptions(TASKS["sentiment"], ("negative", "positive"))
RUN = {"model": "m", "method": "lime"}
FIELDS: dict[str, list[object]] = {
    "id": ["a", "b", 7, "", "k\u00e9y", 'with "quotes"', "a\": 1", None],
    "scores": [[1, 2.5], [0, 0], [], [1e300, 1e300], [1, None], "12", [[1]]],
    "model": ["m", "other", "", None, 3],
    "method": ["lime", "", None, "two: words"],
    "params": [{}, {"k": 3}, {"seed": 1}, {"seed": "x"}, {"k": {"deep": [1]}}, None, []],
    "seed": [1, 2, None, "1", True],
    "unit": ["logit", "none", "miles", None],
    "signed": [True, False, None, 1],
    "split": ["train", None, 5],
    "target": ["positive", 1, 9, "LABEL_0", "unknown", None],
    "layer": [0, -1, None, "x"],
    "prediction": [{"label": "positive"}, {"label": "positive", "probabilities": {"positive": 0.9, "negative": 0.1}}, {"label": 7}, {}, None, "positive"],
    "unheard": [1],
}  # fmt: skip
ODD = [
    '{"id": "a", "model": "m", "method": "lime", "scores": [1, NaN]}',
    '{"id": "a", "model": "m", "method": "lime", "scores": [1, Infinity]}',
    '{"id": "a", "model": "m", "method": "lime", "scores": [1, 1e999]}',
    '{"id": "a", "id": "b", "model": "m", "method": "lime", "scores": [1]}',
    '{"id": "a", "model": "m", "method": "lime", "params": {"k": 1, "k": 2}, "scores": [1]}',
    '{"id": "a", "model": "m", "method": "lime", "prediction": {"label": "positive", "label": "negative"}, "scores": [1]}',
    '{"id": "a", "model": "m", "method": "lime", "scores": [1]} trailing',
    '{"id" : "a" , "model":"m","method":"lime","scores":[ 1 , 2 ]}',
    '{"id": "\\u0061", "model": "m", "method": "lime", "scores": [1]}',
    '{"id": "a", "model": "m", "method": "lime", "scores": [1',
    "[1, 2]",
    "",
    "null",
]


def lines(seed: int) -> list[str]:
    """Plain rows with nothing, one or two fields put otherwise, ids that repeat now and then, and odd lines among them."""
    drawn = random.Random(seed)
    made = []
    for number in range(300):
        row: dict[str, object] = {"id": f"r{number if drawn.random() < 0.9 else 1}", "scores": [0.5, -1, 3], **RUN}
        for name in drawn.sample(list(FIELDS), drawn.choice([0, 1, 1, 2])):
            row[name] = drawn.choice(FIELDS[name])
        made.append(json.dumps(row, ensure_ascii=drawn.random() < 0.3))
    made += ODD
    drawn.shuffle(made)
    return made


@pytest.mark.parametrize("options", [OPTIONS, replace(OPTIONS, split="dev", key_prefix="p-", seed=4, labels=())])
@pytest.mark.parametrize("seed", range(20))
def test_plain_lines_say_what_they_say_when_read_with_care(
    seed: int, options: OutputOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(lines(seed)) + "\n", encoding="utf-8")
    fast = list(read(path, options))
    monkeypatch.setattr(PlainLines, "read", lambda self, line: None)
    careful = list(read(path, options))
    assert [str(item) if isinstance(item, Problem) else item for item in fast] == [
        str(item) if isinstance(item, Problem) else item for item in careful
    ]
    assert fast == careful


def test_what_is_plain_goes_through_the_fast_lane(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    read_plain = PlainLines.read

    def noted(self: PlainLines, line: object) -> object:
        taken.append(read_plain(self, line))
        return taken[-1]

    monkeypatch.setattr(PlainLines, "read", noted)
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"id": f"r{n}", "scores": [1, 2], **RUN}) + "\n" for n in range(5)))
    assert list(read(path, OPTIONS)) == taken
