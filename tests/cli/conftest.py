"""The command line as it is called: what it prints, how it ends, and a small project to call it on."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from annotator.cli.main import run
from tests.conftest import REPOSITORY

ROWS = [
    {"id": "a", "text": "Good food.", "label": "yes", "annotator": "source", "rationales": [[[0, 2]]]},
    {"id": "b", "text": "Bad food.", "label": "no"},
]


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Answer]


def called(capsys: pytest.CaptureFixture[str], database: Path, *words: str) -> Answer:
    code = run(["--db", str(database), *words])
    captured = capsys.readouterr()
    return Answer(code, captured.out, captured.err)


def heavy_parts(*words: object) -> list[str]:
    """Which of the large packages a command loads that goes well."""
    script = (
        "import sys; sys.modules['sklearn'] = None; "  # which a test's machine has, and NLTK would load with pandas
        "from annotator.cli.main import run; "
        f"code = run({[str(word) for word in words]!r}); "
        "heavy = {'streamlit', 'spacy', 'sqlite_utils', 'pandas', 'pyarrow', 'sqlite3', 'torch'} & sys.modules.keys(); "
        "print(*sorted(heavy), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=REPOSITORY, check=True)
    return done.stderr.splitlines()[-1].split()


@pytest.fixture
def path(database: Path) -> Path:
    return database


@pytest.fixture
def annotator(path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command on a database that it makes where it needs one."""
    return lambda *words: called(capsys, path, *words)


@pytest.fixture
def says(annotator: Command) -> Callable[..., str]:
    """What the command prints where it goes well, and what it says of errors where it ends with the code that is told."""

    def say(*words: str, code: int = 0) -> str:
        answer = annotator(*words)
        assert answer.code == code, answer.err
        return answer.err if code else answer.out

    return say


@pytest.fixture
def on_demonstration(annotator: Command, path: Path, demonstration: Path) -> Command:
    """The command on a copy of the demonstration."""
    shutil.copy(demonstration, path)
    return annotator


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return file


@pytest.fixture
def filled(annotator: Command, rows: Path) -> Command:
    """The command where a project P holds two texts, one of them with gold."""
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    assert annotator("import", "jsonl", str(rows), "--project", "P").code == 0
    return annotator


@pytest.fixture
def small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Encoders from scratch are small: commands have no option for their shape."""
    from annotator.training import trainable_models  # it loads models

    small = {"hidden_size": 32, "num_hidden_layers": 1, "intermediate_size": 32}
    monkeypatch.setattr(trainable_models, "_SHAPE", {**trainable_models._SHAPE, **small})


@pytest.fixture
def planted_project(annotator: Command, small_models: None, tmp_path: Path) -> Command:
    """A project of planted texts with two splits."""
    from tests.training.planted import LABELS, Planting, planted  # it loads models

    file = tmp_path / "rows.jsonl"
    rows = [
        {"id": e.key, "text": e.input.segments[0].text, "label": e.label, "split": "train" if n < 40 else "test",
         "annotator": "source", "rationales": [[[token, token + 1] for token in sorted(e.sets[0])]]}
        for n, e in enumerate(planted(Planting(60, n_words=8)))
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    annotator("project", "create", "P", "--task", "sentiment", "--labels", ",".join(LABELS))
    assert annotator("import", "jsonl", str(file), "--project", "P").code == 0
    return annotator
