"""The documents say what is there: make targets, commands with their options, settings, rooms, links and pictures."""

import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from annotator.domain.projects import ProjectSettings

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ROOT / "docs" / "commands.md"
SETTINGS = ROOT / "docs" / "settings.md"
SECURITY = ROOT / "docs" / "security.md"
DOCUMENTS = sorted(
    path
    for folder in (".", "docs", "benchmarks", "data")
    for path in (ROOT.glob("*.md") if folder == "." else (ROOT / folder).rglob("*.md"))
)

OURS = {
    path.name
    for folder in (".", "annotator", "annotator/web/panel")
    for path in (ROOT / folder).iterdir()
    if path.is_dir()
}

LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def links(path: Path) -> Iterator[tuple[bool, str]]:
    """Each link of a document that stays in the project: whether it is a picture, and where it points."""
    for mark, target in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        if not re.match(r"[a-z]+:", target):
            yield mark == "!", target


def anchors(path: Path) -> set[str]:
    """What `#...` may name in a document: its headings, in the spelling of the usual Markdown sites."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def click_commands() -> dict[str, click.Command]:
    """Every command of the program by its full name, such as "user add"."""
    if find_spec("annotator.cli") is None or not (ROOT / "annotator" / "cli" / "main.py").is_file():
        pytest.skip("there is no annotator/cli/main.py")
    module = import_module("annotator.cli.main")
    groups = [value for value in vars(module).values() if isinstance(value, click.Group)]
    assert groups, "annotator/cli/main.py has no click group at module level"
    largest = max((dict(walk(group, "")) for group in groups), key=len)
    assert largest
    return largest


def walk(group: click.Group, prefix: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from walk(command, f"{prefix}{name} ")
        elif not command.hidden:
            yield prefix + name, command


def described_commands() -> dict[str, str]:
    """Every command that docs/commands.md has a heading for, with its section."""
    parts = re.split(r"^#+ `annotator ([^`]+)`.*$", COMMANDS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    described = {}
    for heading, section in zip(parts[1::2], parts[2::2], strict=True):
        words = re.match(r"[a-z][a-z-]*( [a-z][a-z-]*)*", heading)
        assert words, f"docs/commands.md: the heading `annotator {heading}` names no command"
        described[words.group()] = heading + re.split(r"^#+ ", section, maxsplit=1, flags=re.MULTILINE)[0]
    return described


def described_settings() -> dict[str, str]:
    """Every setting that docs/settings.md has a row for, with the default that it tells."""
    rows = re.findall(r"^\| `([a-z_]+)` \| `([^`]*)` \|", SETTINGS.read_text(encoding="utf-8"), re.MULTILINE)
    return dict(rows)


def test_every_make_command_in_the_documents_is_a_target() -> None:
    named = {
        (path.name, target)
        for path in DOCUMENTS
        for target in re.findall(r"(?:`|^ *)make ([a-z][a-z-]*)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {("README.md", "demo"), ("README.md", "test")} <= named
    unknown = sorted((name, target) for name, target in named if target not in make_targets())
    assert not unknown, f"these documents name make targets that the Makefile lacks: {unknown}"


def test_every_command_is_described() -> None:
    missing = sorted(click_commands().keys() - described_commands().keys())
    assert not missing, f"docs/commands.md has no heading '`annotator ...`' for: {missing}"


def test_every_described_command_is_there() -> None:
    unknown = sorted(described_commands().keys() - click_commands().keys())
    assert not unknown, f"docs/commands.md describes commands that the program lacks: {unknown}"


def test_every_option_is_described_with_its_command() -> None:
    described = described_commands()
    missing = [
        f"annotator {name} {option}"
        for name, command in click_commands().items()
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.hidden
        for option in parameter.opts
        if option.startswith("--") and option not in ("--help", "--db")
        if name in described and option not in described[name]
    ]
    assert not missing, f"docs/commands.md does not describe: {missing}"


def test_every_project_setting_is_described_with_its_default() -> None:
    described = described_settings()
    settings = {
        field.name: json.dumps(
            field.default if field.default is not MISSING else {}, ensure_ascii=False, default=str
        ).strip('"')
        for field in fields(ProjectSettings)
    }
    assert described == settings, "docs/settings.md and ProjectSettings differ"


def test_every_environment_variable_is_described() -> None:
    files = [ROOT / "Makefile", *(ROOT / "annotator").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    used = {name for path in files for name in re.findall(r"ANNOTATOR_[A-Z_]+", path.read_text(encoding="utf-8"))}
    described = set(re.findall(r"^\| `(ANNOTATOR_[A-Z_]+)` \|", SETTINGS.read_text(encoding="utf-8"), re.MULTILINE))
    assert used
    assert used <= described, f"docs/settings.md has no row for: {sorted(used - described)}"


def test_no_document_that_is_written_by_hand_is_longer_than_300_lines() -> None:
    written = [
        path for path in DOCUMENTS if path != COMMANDS and path.parent.name != "benchmarks"
    ]  # a log of measurements
    long = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in written}
    assert not {name: n for name, n in long.items() if n > 300}, "say it once, or split it by subject"


def test_each_row_of_the_threat_model_names_tests_and_all_of_them_are_there() -> None:
    tables = [line for line in SECURITY.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    rows = [line for line in tables if not line.endswith("| tests |")]
    assert len(rows) > 20
    assert not [row for row in rows if not re.search(r"`test_\w+`(, `test_\w+`)* \|$", row)]
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    gone = [name for row in rows for name in re.findall(r"`(test_\w+)`", row) if f"def {name}(" not in sources]
    assert not gone


def test_every_file_that_the_documents_name_is_there() -> None:
    named = re.compile(r"`((?:[a-z_]+/)+[a-z_0-9]*(?:\.(?:py|js|css|toml))?)`")
    places = (ROOT, ROOT / "annotator", ROOT / "annotator" / "web" / "panel")
    gone, n_named = [], 0
    for path in [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for name in named.findall(path.read_text(encoding="utf-8")):
            if name.split("/")[0] not in OURS:
                continue
            n_named += 1
            if not any((place / name).exists() for place in places):
                gone.append(f"{path.name}: {name}")
    assert not gone, f"these are not there: {gone}"
    assert n_named > 50, "the test found almost no names of files: does it still read them?"


def test_every_room_of_the_house_is_in_the_architecture() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = {path.parent.name for path in (ROOT / "annotator").glob("*/__init__.py")}
    missing = sorted(room for room in rooms if f"annotator/{room}/" not in text)
    assert len(rooms) > 3
    assert not missing, f"ARCHITECTURE.md does not speak of: {missing}"


def test_the_index_leads_to_every_document() -> None:
    linked = {(ROOT / "docs" / target).resolve() for _, target in links(ROOT / "docs" / "index.md")}
    documents = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("[rt]*/*.md")]
    assert {path.parent.name for path in documents} == {"docs", "reference", "tutorials"}
    missing = [path.name for path in documents if path.name != "index.md" and path not in linked]
    assert not missing, f"docs/index.md does not lead to: {missing}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    broken = []
    for is_picture, target in links(path):
        name, _, anchor = target.partition("#")
        there = path if not name else path.parent / name
        if not is_picture and (not there.exists() or (anchor and anchor not in anchors(there))):
            broken.append(target)
    assert not broken, f"{path.relative_to(ROOT)} has links that lead nowhere: {broken}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_picture_is_there(path: Path) -> None:
    missing = [target for is_picture, target in links(path) if is_picture and not (path.parent / target).is_file()]
    assert not missing, f"{path.relative_to(ROOT)} shows pictures that are not there: {missing}"


def test_every_picture_is_made_by_a_story_and_shown_by_a_document() -> None:
    stories = (ROOT / "tests" / "browser" / "stories" / "test_pictures.py").read_text(encoding="utf-8")
    made = {name.replace("_", "-") for name in re.findall(r"^def test_(\w+)\(person", stories, re.MULTILINE)}
    shown = {Path(target).stem for path in DOCUMENTS for is_picture, target in links(path) if is_picture}
    there = {path.stem for path in (ROOT / "docs" / "pictures").glob("*.png")}
    assert made == shown == there
