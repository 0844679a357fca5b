"""Checks what a change touches, in a minute or two: make quick, or python -m tools.quick [SINCE].

Uncommitted changes are compared with HEAD, else HEAD with the commit where it left main. `make test` is still what counts.
"""

import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
PANEL = ("annotator/web/panel/", "tests/panel/", "tools/panel/")
ALWAYS = ("tests/house", "tests/documents/test_generated.py")
_MAINS = ("origin/main", "main")
_LONGEST_SHOWN = 300
_QUICK = ("-q", "-n", "2", "--dist", "worksteal", "-m", "not browser and not slow")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is checked.

    python: changed files that are there; tests: folders and files for pytest; is_panel: whether JavaScript is checked
    """

    python: tuple[str, ...]
    tests: tuple[str, ...]
    is_panel: bool

    def steps(self) -> Iterator[tuple[str, ...]]:
        """The commands, those first that fail soonest."""
        python = (sys.executable, "-m")
        if self.python:
            yield (*python, "ruff", "check", *self.python)
            yield (*python, "ruff", "format", "--check", *self.python)
            yield (*python, "mypy")
        if self.is_panel:
            yield ("make", "--no-print-directory", "panel")
        yield (*python, "pytest", *_QUICK, *self.tests)


def plan_checks(changed: Sequence[str], root: Path = ROOT) -> Plan:
    """What a change of these files needs; a file that is gone still names its room."""
    there = [name for name in changed if (root / name).is_file()]
    python = tuple(name for name in there if name.endswith(".py"))
    examples = [name for name in python if name.startswith("annotator/") and not name.startswith("annotator/web/")]
    always = [test for test in ALWAYS if (root / test).exists()]
    tests = {*always, *examples, *(test for name in changed for test in _tests_of(PurePosixPath(name), root))}
    is_panel = any(name.startswith(PANEL) for name in changed)
    return Plan(python, tuple(_without_inner(tests)), is_panel)


def _tests_of(path: PurePosixPath, root: Path) -> Iterator[str]:
    """The tests of a file: those of its room that name it, else all of the room's.

    The room is the folder in tests/ that is called like the file's, else like the next one around it.
    """
    if path.parts[0] == "tests" and path.suffix == ".py" and path.parts[1] != "browser":
        if path.name.startswith("test_") and (root / path).is_file():
            yield str(path)
        elif len(path.parts) > 2:
            yield from _of_folder(path.parent, root)
    if path.parts[0] in ("annotator", "pages") and path.suffix == ".py":
        rooms = path.parent.parts[1:] if path.parts[0] == "annotator" else ("web",)
        folders = (PurePosixPath("tests", *rooms[:depth]) for depth in range(len(rooms), 0, -1))
        folder = next((folder for folder in folders if (root / folder).is_dir()), None)
        if folder is not None:
            yield from _naming(path, folder, root) or _of_folder(folder, root)


def _naming(path: PurePosixPath, folder: PurePosixPath, root: Path) -> list[str]:
    """The test files of a room that name a module, or a page's script."""
    name = ".".join(path.with_suffix("").parts) if path.parts[0] == "annotator" else path.name
    pattern = re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w.])")
    tests = [
        test.relative_to(root)
        for test in (root / folder).rglob("test_*.py")
        if pattern.search(test.read_text(encoding="utf-8"))
    ]
    return [test.as_posix() for test in tests]


def _of_folder(folder: PurePosixPath, root: Path) -> Iterator[str]:
    """A room's folder; of one with rooms in it only its own files."""
    if any(inner.is_dir() and any(inner.glob("test_*.py")) for inner in (root / folder).iterdir()):
        yield from (str(folder / path.name) for path in (root / folder).glob("test_*.py"))
    else:
        yield str(folder)


def _without_inner(tests: Iterable[str]) -> list[str]:
    """Sorted, without what lies in a folder that is named as well."""
    named = set(tests)
    return sorted(test for test in named if not any(str(of) in named for of in PurePosixPath(test).parents))


def changed_files(since: str | None = None, root: Path = ROOT) -> tuple[str, list[str]]:
    """Since which commit, and what was changed, added or removed since then."""
    new = _git(root, "ls-files", "--others", "--exclude-standard")
    base = since or ("HEAD" if new or _git(root, "diff", "--name-only", "HEAD") else _left_main(root))
    return base, sorted({*_git(root, "diff", "--name-only", "--no-renames", base), *new})


def _left_main(root: Path) -> str:
    for name in _MAINS:
        if _git(root, "for-each-ref", f"refs/heads/{name}", f"refs/remotes/{name}"):
            return _git(root, "merge-base", "HEAD", name)[0]
    return "HEAD"


def _git(root: Path, *words: str) -> list[str]:
    command = ("git", "-c", "core.quotePath=false", *words)
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)  # noqa: S603  # fixed words
    return done.stdout.splitlines()


def main(arguments: Sequence[str]) -> int:
    """Run every check, also after one has failed; 1 if one did."""
    base, changed = changed_files(arguments[0] if arguments else None)
    if not changed:
        _say(f"Nothing has changed since {base[:12]}. To check earlier commits: make quick SINCE=HEAD~1")
        return 0
    _say(f"{len(changed)} files have changed since {base[:12]}.")
    begun = time.monotonic()
    failed = [_name_of(words) for words in plan_checks(changed).steps() if not _run(words)]
    _say(f"{'FAILED: ' + ', '.join(failed) if failed else 'all is well'} ({time.monotonic() - begun:.0f} s)")
    return 1 if failed else 0


def _name_of(words: Sequence[str]) -> str:
    return words[2]  # python -m ruff, make --no-print-directory panel


def _run(words: Sequence[str]) -> bool:
    shown = " ".join(words[2:])
    _say(shown if len(shown) < _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]} ...")
    return subprocess.run(words, cwd=ROOT, check=False).returncode == 0  # noqa: S603  # steps of a plan


def _say(sentence: str) -> None:
    sys.stdout.write(f"== {sentence}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
