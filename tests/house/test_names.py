"""Locals and parameters are named after what they hold, and a class of the panel sets every field that it reads."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY as ROOT
from tests.conftest import parsed

NAME_NOTHING = frozenset(
    {"found", "place", "one", "there", "said", "told", "laid", "looks", "asked", "got", "own", "kept"}
)


def empty_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Where a parameter or a local has one of the words; a class's fields, which are read with their class, may keep it."""
    fields_of_classes = {
        id(statement.target)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) if name in NAME_NOTHING and id(node) not in fields_of_classes:
                yield node.lineno, name
            case ast.arg(arg=name) | ast.MatchAs(name=str() as name) if name in NAME_NOTHING:
                yield node.lineno, name
            case _:
                continue


def packages() -> list[str]:
    """Each folder with modules, by its path in annotator; its folders are packages of their own."""
    folders = {path.parent.relative_to(ROOT / "annotator").as_posix() for path in (ROOT / "annotator").rglob("*.py")}
    return sorted(folders)


def test_the_packages_are_found() -> None:
    assert {"domain", "store", "usecases/transfer", "web/sections"} <= set(packages())


@pytest.mark.parametrize("package", packages())
def test_a_local_is_named_after_what_it_holds(package: str) -> None:
    paths = sorted((ROOT / "annotator" / package).glob("*.py"))
    empty = [
        f"{path.relative_to(ROOT)}:{line}: '{name}' could be anything; name it after what it holds"
        for path in paths
        for line, name in empty_names(parsed(path))
    ]
    assert not empty, "\n" + "\n".join(empty)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("found = 1", ["found"]),
        ("def f(place): pass", ["place"]),
        ("[one for one in x]", ["one"]),
        ("lambda told: 1", ["told"]),
        ("if (got := f()): pass", ["got"]),
        ("match x:\n    case [said]: pass", ["said"]),
        ("class A:\n    place: int", []),  # a field is read with its class: part.place
        ("is_found = kept_rows = row.found", []),
    ],
)
def test_the_reader_sees_every_way_to_bind_a_name(source: str, expected: list[str]) -> None:
    assert [name for _, name in empty_names(ast.parse(source))] == expected


# A class of the panel sets every field that it reads: what tsc does for the modules that it checks already.

PANEL = Path(__file__).resolve().parents[2] / "annotator" / "web" / "panel"
CLASS = re.compile(r"^(?:export )?(?:default )?class (\w+)(?: extends (\w+))? \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
SET = re.compile(r"this\.(\w+)\s*(?:=[^=]|\?\?=|\+=|\+\+)")
METHOD = re.compile(r"^  (?:static |async |get |set |\*)*#?(\w+)\(", re.MULTILINE)
FIELD = re.compile(r"^  (\w+)\s*[=;]", re.MULTILINE)

# What another class gives: one that extends it, or whoever made it.
GIVEN = {
    "Stage": {"guidelines", "head"},
    "WorkFlow": {"arrived", "placeOf"},
    "Screen": {"onshow"},
    "ReviewScreen": {"onshow"},
}


def fields_of(classes: dict[str, tuple[str, str]], name: str) -> set[str]:
    if name not in classes:
        return set()
    base, body = classes[name]
    own = {*SET.findall(body), *METHOD.findall(body), *FIELD.findall(body)}
    return own | GIVEN.get(name, set()) | fields_of(classes, base)


def test_a_class_of_the_panel_sets_every_field_that_it_reads() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(PANEL.rglob("*.js"))]
    classes = {name: (base, body) for text in texts for name, base, body in CLASS.findall(text)}
    assert len(classes) > 30, "the test found almost no classes: does it still read them?"
    unset = {
        name: missing
        for name, (base, body) in classes.items()
        if not base or base in classes  # a base that is the browser's own has fields of its own
        if (missing := set(re.findall(r"this\.(\w+)", body)) - fields_of(classes, name))
    }
    assert unset == {}
