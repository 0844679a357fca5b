"""Numbers agree with their nouns: nobody reads “1 problems”."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(path for place in ("annotator", "pages") for path in (ROOT / place).rglob("*.py"))
SCRIPTS = sorted((ROOT / "annotator" / "web" / "panel").rglob("*.js"))

NOUNS = (
    "annotations|annotators|answers|attributions|bytes|cases|cells|characters|columns|documents|entries|files|instances|labels|"
    "lines|lists|masks|minutes|originals|people|pieces|points|posts|problems|projects|questions|rationales|records|reviewers|"
    "rounds|rows|runs|scores|seconds|seeds|sentences|sets|spans|tests|texts|times|tokens|values|versions|warnings|words"
)
AFTER_A_NUMBER = re.compile(rf" (?:new |changed |rationale |accepted )?(?:{NOUNS})\b")
IS_COUNT = re.compile(r"^len\(|(?:^|[._])n(?:_\w+)?(?:\(|$)|^(?:total|hidden|left_out)$")
ONLY_SEVERAL = re.compile(r" if [\w.]+ (?:== 1|> 1) else |1 if ")


def _parts(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Of each sentence with a number in it: the line, the number and what follows."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            for value, after in zip(node.values, node.values[1:], strict=False):
                if isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant):
                    yield value.lineno, ast.unparse(value.value), str(after.value)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_count_in_a_sentence_agrees_with_its_noun(path: Path) -> None:
    text = path.read_text()
    lines = text.splitlines()
    wrong = [
        f"line {line}: {{{number}}}{after[:30]}: write {{counted({number}, …)}} (annotator/domain/numbers.py)"
        for line, number, after in _parts(ast.parse(text))
        if IS_COUNT.search(number) and AFTER_A_NUMBER.match(after) and not ONLY_SEVERAL.search(lines[line - 1])
    ]
    assert wrong == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_every_count_that_the_panel_says_agrees_with_its_noun(path: Path) -> None:
    said = re.compile(
        rf"\$\{{[^{{}}]*(?:length|[cC]ount|size|\bn(?:_\w+)?)(?:\.toLocaleString\([^)]*\))?\}} (?:{NOUNS})\b"
    )
    wrong = [
        f"line {number}: {found.group()}: write ${{counted(…)}} (naming.js)"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for found in said.finditer(line)
        if "=== 1 ?" not in line and " of ${" not in line
    ]
    assert wrong == []
