"""`make quick` checks what a change touches: the rooms of its files, and the whole house always."""

import subprocess
from pathlib import Path

import pytest

from tools.quick import ALWAYS, changed_files, plan_checks


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small house with two rooms, one of which has rooms in it."""
    for name in (
        "annotator/formats/csv.py", "annotator/usecases/lead/progress.py", "annotator/web/server.py", "docs/formats.md",
        "tests/formats/test_csv.py", "tests/usecases/test_clock.py", "tests/usecases/lead/test_progress.py", "tests/web/test_server.py",
        "tests/browser/test_story.py", "tests/house/test_house.py", "tests/documents/test_generated.py",
    ):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("annotator/formats/csv.py", {"annotator/formats/csv.py", "tests/formats"}),  # with its examples
        ("annotator/formats/gone.py", {"tests/formats"}),
        ("annotator/usecases/lead/progress.py", {"annotator/usecases/lead/progress.py", "tests/usecases/lead"}),
        ("annotator/usecases/gone.py", {"tests/usecases/test_clock.py"}),  # not all rooms of the room
        ("annotator/web/server.py", {"tests/web"}),  # importing a screen begins to build it
        ("annotator/web/sections/gone.py", {"tests/web"}),
        ("pages/Start.py", {"tests/web"}),
        ("tests/formats/test_csv.py", {"tests/formats/test_csv.py"}),
        ("tests/usecases/lead/conftest.py", {"tests/usecases/lead"}),
        ("tests/browser/test_story.py", set()),
        ("docs/formats.md", set()),
    ],
)
def test_a_changed_file_names_the_tests_of_its_room(changed: str, tests: set[str], house: Path) -> None:
    assert set(plan_checks([changed], house).tests) == {*ALWAYS, *tests}


def test_of_a_room_only_the_tests_that_name_a_module_are_run_where_some_do(house: Path) -> None:
    (house / "tests/formats/test_csv.py").write_text("from annotator.formats.csv import read\n")
    (house / "tests/formats/test_csv_rows.py").write_text("from annotator.formats.csv_rows import read\n")
    assert "tests/formats/test_csv.py" in plan_checks(["annotator/formats/csv.py"], house).tests
    assert "tests/formats" not in plan_checks(["annotator/formats/csv.py"], house).tests
    assert "tests/formats" in plan_checks(["annotator/formats/tsv.py"], house).tests


def test_a_test_file_is_not_named_beside_its_folder(house: Path) -> None:
    plan = plan_checks(["annotator/formats/csv.py", "tests/formats/test_csv.py"], house)
    assert "tests/formats" in plan.tests
    assert "tests/formats/test_csv.py" not in plan.tests


def test_only_what_is_there_is_looked_at_by_ruff_and_only_a_changed_panel_by_node(house: Path) -> None:
    plan = plan_checks(
        ["annotator/formats/csv.py", "annotator/formats/gone.py", "annotator/web/panel/shared/dom.js"], house
    )
    assert plan.python == ("annotator/formats/csv.py",)
    assert [words[2] for words in plan.steps()] == ["ruff", "ruff", "mypy", "panel", "pytest"]
    assert [words[2] for words in plan_checks(["docs/formats.md"], house).steps()] == ["pytest"]


def test_uncommitted_changes_count_since_the_last_commit_and_else_all_since_main(house: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=house, check=True, capture_output=True
        )

    git("init", "-b", "main")
    git("add", "-A")
    git("commit", "-m", "first")
    assert changed_files(root=house)[1] == []
    git("checkout", "-b", "change")
    (house / "annotator/formats/csv.py").write_text("A = 1\n")
    git("mv", "annotator/web/server.py", "annotator/web/serving.py")
    git("commit", "-am", "second")
    renamed = ["annotator/formats/csv.py", "annotator/web/server.py", "annotator/web/serving.py"]
    assert changed_files(root=house)[1] == renamed
    (house / "docs/new.md").touch()
    assert changed_files(root=house) == ("HEAD", ["docs/new.md"])
    assert changed_files("main", root=house)[1] == sorted([*renamed, "docs/new.md"])
