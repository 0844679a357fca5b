"""A class of the panel sets every field that it reads: what tsc does for the modules that it checks already."""

import re
from pathlib import Path

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
