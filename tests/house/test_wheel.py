"""A wheel holds everything that the program needs to start in any folder; the versions with which it is tried are exact."""

import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.util import find_spec

import pytest
from packaging.requirements import Requirement

from tests.house.test_house import ROOT

NO_NETWORK = ("connection", "resol", "timed out", "retries", "no matching distribution", "proxy")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of the files in a freshly built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    isolation = ["--no-build-isolation"] if find_spec("hatchling") else ["--retries", "1", "--timeout", "10"]
    done = subprocess.run(
        [*command, *isolation, "--wheel-dir", folder, ROOT], capture_output=True, text=True, check=False, timeout=300
    )
    if done.returncode and any(word in done.stderr.lower() for word in NO_NETWORK):
        pytest.skip("NO WHEEL WAS BUILT: hatchling is not installed here and could not be downloaded")
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        return set(archive.namelist())


def files_below(folder: str, pattern: str = "*") -> set[str]:
    """The files of a folder of the checkout, by their path below the checkout."""
    found = (path for path in (ROOT / folder).rglob(pattern) if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(ROOT).as_posix() for path in found}


@pytest.mark.slow
def test_the_wheel_holds_the_whole_package(wheel: set[str]) -> None:
    assert files_below("annotator") - wheel == set()


@pytest.mark.slow
def test_the_wheel_holds_every_page(wheel: set[str]) -> None:
    pages = files_below("pages", "*.py")
    assert pages
    assert {f"annotator/{page}" for page in pages} - wheel == set()


@pytest.mark.slow
def test_the_wheel_holds_the_demonstration_data(wheel: set[str]) -> None:
    data = files_below("data/demo")
    assert {f"data/demo/{name}/instances.jsonl" for name in ("sentiment", "similarity", "reading")} <= data
    assert {f"annotator/{file}" for file in data} - wheel == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "annotator/py.typed",  # else type checkers of other programs ignore our types
        "annotator/web/app.py",  # the entry script, found by its path
        "annotator/web/.streamlit/config.toml",  # else Streamlit sends usage statistics and shows a Deploy button
    ],
)
def test_the_wheel_holds_what_no_import_would_miss(wheel: set[str], name: str) -> None:
    assert name in wheel


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".js", ".css"])
def test_the_wheel_holds_the_panel(wheel: set[str], ending: str) -> None:
    assert [name for name in wheel if name.startswith("annotator/web/panel/") and name.endswith(ending)]


@pytest.mark.slow
def test_the_wheel_holds_the_licence(wheel: set[str]) -> None:
    assert [name for name in wheel if name.endswith(".dist-info/licenses/LICENSE")]


@pytest.mark.slow
def test_the_wheel_holds_no_tests_and_no_leftovers(wheel: set[str]) -> None:
    strange = {
        name
        for name in wheel
        if (not name.startswith("annotator/") and ".dist-info/" not in name)
        or {"tests", "benchmarks", "__pycache__"} & set(name.split("/"))
        or name.endswith((".pyc", ".db", ".db-wal", ".db-shm"))
    }
    assert not strange


# The versions with which everything is tried (constraints.txt) are exact, name no source, and are ones that pyproject.toml allows.

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINES = [
    line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("#")
]
VERSIONS = {name.lower().replace("_", "-"): version for name, _, version in (line.partition("==") for line in LINES)}


def test_every_line_is_an_exact_version_that_any_index_may_give():
    assert [line for line in LINES if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!]+", line)] == []


def test_every_dependency_has_a_version_that_pyproject_allows():
    extras = PROJECT["optional-dependencies"].values()
    wanted = [Requirement(text) for text in [*PROJECT["dependencies"], *(text for extra in extras for text in extra)]]
    assert [str(each) for each in wanted if not each.specifier.contains(VERSIONS.get(each.name, "0"))] == []
