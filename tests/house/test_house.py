"""The house stands: imports go down only, SQL and Streamlit stay in their rooms, and light commands stay light."""

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY as ROOT
from tests.conftest import parsed

# The grain of the house. Migrations, __init__ and translations are no modules; a function is counted without its docstring.
AT_MOST = {
    "modules": 600,
    "lines": 145_944,
    "longest module": 600,
    "panel modules": 75,
    "panel lines": 21_987,
    "longest panel module": 600,
    "test files": 353,
    "largest folder": 25,
    "median function": 7,
    "90th percentile of functions": 19,
    "longest function": 59,
}
LEAST_MEAN = 215
PANEL = ROOT / "annotator" / "web" / "panel"
TRANSLATIONS = {"zh.js"}
MIGRATIONS = ROOT / "annotator" / "store" / "schema"

# Which rooms each room may import; the floors are those of ARCHITECTURE.md.
FLOORS: dict[str, int] = {
    "annotator": 0,  # the package itself: its version, and `open`, which loads the Python API when it is called
    "annotator.errors": 0,
    "annotator.language": 0,
    "annotator.files": 0,
    "annotator.domain": 0,
    "annotator.text": 1,
    "annotator.metrics": 1,
    "annotator.metrics.definitions": 1,
    "annotator.metrics.registry": 1,
    "annotator.metrics.__main__": 1,
    "annotator.assignment": 1,
    "annotator.review": 1,
    "annotator.perturb": 1,
    "annotator.scoring": 1,
    "annotator.formats": 2,
    "annotator.attribution": 2,
    "annotator.training": 2,
    "annotator.figures": 2,
    "annotator.outbound": 2,
    "annotator.store": 2,
    "annotator.evaluation": 3,
    "annotator.usecases": 3,
    "annotator.jobs": 3,
    "annotator.cli": 4,
    "annotator.api": 4,
    "annotator.web": 4,
    "pages": 5,
}
GROUND = frozenset({"annotator", "annotator.errors", "annotator.language", "annotator.files", "annotator.domain"})
METRICS = frozenset({"annotator.metrics", "annotator.metrics.definitions", "annotator.metrics.registry"})
PURE = frozenset(room for room, floor in FLOORS.items() if floor == 1) - {"annotator.metrics.__main__"}
DOERS = frozenset({"annotator.usecases", "annotator.jobs"})
SHOWN = frozenset(
    {"annotator.metrics.definitions", "annotator.metrics.registry", "annotator.scoring", "annotator.figures"}
)

MAY_IMPORT: dict[str, frozenset[str]] = {
    "annotator": frozenset({"annotator.api"}),
    "annotator.errors": frozenset(),
    "annotator.language": frozenset(),
    "annotator.files": frozenset({"annotator.errors"}),
    "annotator.domain": frozenset({"annotator.errors", "annotator.language"}),
    "annotator.text": GROUND,
    "annotator.metrics.definitions": GROUND,
    "annotator.metrics": GROUND | {"annotator.text", "annotator.metrics.definitions"},
    "annotator.metrics.registry": GROUND | {"annotator.metrics", "annotator.metrics.definitions"},
    "annotator.metrics.__main__": GROUND | METRICS,
    "annotator.assignment": GROUND,
    "annotator.review": GROUND | METRICS,
    "annotator.perturb": GROUND | {"annotator.text"},
    "annotator.scoring": GROUND | METRICS,
    "annotator.formats": GROUND | PURE - {"annotator.scoring"},
    "annotator.attribution": GROUND | PURE,
    "annotator.training": GROUND | PURE | {"annotator.attribution"},
    "annotator.figures": GROUND | PURE,
    "annotator.outbound": GROUND,
    "annotator.store": GROUND,
    "annotator.evaluation": GROUND | PURE | {"annotator.formats"},  # files alone: never the store
    "annotator.usecases": GROUND | PURE | {room for room, floor in FLOORS.items() if floor == 2},
    "annotator.jobs": frozenset(room for room, floor in FLOORS.items() if floor <= 3),
    "annotator.cli": GROUND
    | DOERS
    | SHOWN
    | {"annotator.evaluation", "annotator.web"},  # web: only to start the server
    "annotator.api": GROUND | DOERS | SHOWN | {"annotator.text"},
    "annotator.web": GROUND | DOERS | SHOWN,
    "pages": GROUND | SHOWN | {"annotator.usecases", "annotator.web"},
}

# Rooms within a room: whatever the large room may import, and of its own rooms only these.
WITHIN: dict[str, dict[str, frozenset[str]]] = {
    "annotator.usecases": {
        "databases": frozenset(),
        "notices": frozenset(),
        "access": frozenset({"notices"}),
        "delivery": frozenset({"access", "notices"}),
        "gold": frozenset({"access"}),
        "gold_table": frozenset({"gold"}),
        "upkeep": frozenset({"access"}),
        "transfer": frozenset({"access", "gold"}),
        "models": frozenset({"access", "gold", "gold_table"}),
        "perturb": frozenset({"access", "notices", "gold", "transfer"}),
        "evidence": frozenset({"access", "gold"}),
        "crowd": frozenset({"access"}),
        "annotate": frozenset({"access", "notices", "crowd", "evidence", "gold", "perturb"}),
        "review": frozenset({"access", "notices", "annotate", "evidence"}),
        "qualification": frozenset({"access", "annotate", "gold", "review"}),
        "project": frozenset({"access", "notices", "evidence", "gold", "models", "perturb", "review", "transfer"}),
        "suites": frozenset({"access", "models"}),
        "training": frozenset({"access", "gold", "models"}),
        "releases": frozenset({"access", "gold", "transfer"}),
        "inspect": frozenset({"access", "gold", "gold_table", "models", "releases"}),
        "compare": frozenset({"access", "gold", "inspect", "models"}),
        "queue": frozenset({"access", "gold", "inspect"}),
        "papers": frozenset({"compare", "gold", "inspect", "models", "suites", "training"}),
        "lead": frozenset(
            {"access", "gold", "notices", "annotate", "evidence", "perturb", "project", "queue", "review"}
        ),
        "persons": frozenset({"access", "crowd", "evidence", "releases"}),
        "start": frozenset({"access", "annotate", "inspect", "project", "qualification", "review"}),
        "background": frozenset({"access", "models", "suites", "training"}),
        "restoration": frozenset({"access", "models", "persons", "upkeep"}),
        "demonstration": frozenset(
            {"annotate", "inspect", "models", "project", "releases", "review", "suites", "transfer"}
        ),
    },
    "annotator.formats": {
        "base": frozenset(),
        "registry": frozenset(
            {
                "base",
                "own",
                "eraser",
                "benchmark",
                "tools",
                "contrast",
                "corpora",
                "datasets",
                "model_output",
                "parquet",
                "rows",
            }
        ),
        "rows": frozenset({"base"}),
        "model_output": frozenset({"base", "rows"}),
        "benchmark": frozenset({"base", "rows"}),
        "contrast": frozenset({"base", "rows"}),
        "corpora": frozenset({"base", "rows", "eraser"}),
        "datasets": frozenset({"base", "rows"}),
        "eraser": frozenset({"base", "rows", "model_output"}),
        "own": frozenset({"base", "rows", "contrast"}),
        "parquet": frozenset({"base", "rows"}),
        "suites": frozenset({"rows"}),
        "tools": frozenset({"base", "rows"}),
    },
    "annotator.evaluation": {
        "attributions": frozenset({"gold_files"}),
        "benchmark": frozenset(),
        "er_test": frozenset(),
        "eraser": frozenset(),
        "gold_files": frozenset(),
    },
}
PANEL_ROOMS = {
    "words": set[str](),
    "page": {"words", "shared"},
    "shared": {"words"},
    "annotate": {"words", "shared"},
    "review": {"words", "shared"},
    "perturb": {"words", "shared"},
    "saliency": {"words", "shared"},
}

# A module is named by a noun. These end as a verb does and are none, or name a command.
NOUNS_IN_ING = frozenset({"authoring", "editing", "encoding", "opening", "reopening", "spelling", "wording"})
COMMANDS = frozenset({"annotator/cli", "pages"})

HEAVY = frozenset({"torch", "transformers", "captum", "ray", "webview", "pywebview"})
NAMES_THAT_SAY_NOTHING = frozenset({"util", "utils", "helper", "helpers", "common", "misc"})
SQL = re.compile(
    r"\bSELECT\b.+\bFROM\b|\b(INSERT|REPLACE)\s+(OR\s+\w+\s+)?INTO\b|\bUPDATE\s+\S+\s+SET\b|\bDELETE\s+FROM\b"
    r"|\b(CREATE|DROP|ALTER)\s+(UNIQUE\s+|TEMP\s+)?(TABLE|INDEX|TRIGGER|VIEW)\b|\bPRAGMA\s+\w+|\bBEGIN\s+IMMEDIATE\b",
    re.DOTALL,
)
RUNS_SQL = frozenset({"execute", "executemany", "executescript"})

# What may not be in memory after a module was imported.
LIGHT: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("annotator", ("annotator.api", "numpy", "msgspec", "click", "streamlit", "spacy", "sqlite_utils", "pandas")),
    ("annotator.domain.projects", ("numpy", "msgspec", "click", "streamlit", "spacy", "sqlite_utils", "pandas")),
    ("annotator.text", ("streamlit", "spacy", "sqlite_utils", "pandas")),
    ("annotator.perturb.suggested_texts", ("streamlit", "spacy", "nltk", "pandas", "numpy")),
    ("annotator.formats", ("streamlit", "spacy", "sqlite_utils", "pandas")),
    ("annotator.store", ("streamlit", "spacy", "plotly", "pandas", "numpy")),  # sqlite-utils would load the last two
    ("annotator.usecases.transfer.instance_plan", ("annotator.store", "sqlite3")),  # what is planned needs no store
    ("annotator.usecases.transfer.output_plan", ("annotator.store", "sqlite3")),
    ("annotator.cli.main", ("streamlit", "spacy", "sqlite_utils", "pandas", "plotly", "uvicorn")),
    ("annotator.jobs.ray_engine", ("ray", "torch", "transformers", "streamlit", "annotator.store", "sqlite3")),
    ("annotator.web.server", ("streamlit", "spacy", "plotly", "pandas", "numpy", "torch", "transformers", "jinja2")),
    ("annotator.web.frame", ("spacy", "pandas", "pyarrow", "numpy", "torch", "transformers")),
)


@dataclass(frozen=True)
class Import:
    """One import: what is imported, on which line, and when it happens."""

    target: str
    line: int
    is_at_module_level: bool
    is_for_types_only: bool


@dataclass(frozen=True)
class Module:
    """One file of the program."""

    path: Path
    name: str
    tree: ast.Module

    @property
    def room(self) -> str | None:
        return room_of(self.name)

    def place(self, line: int) -> str:
        return f"{self.path.relative_to(ROOT)}:{line}"


def room_of(name: str) -> str | None:
    """The room with the longest name that `name` begins with; None for a part of the package that the table lacks."""
    parts = name.split(".")
    for length in range(len(parts), 1, -1):
        room = ".".join(parts[:length])
        if room in FLOORS:
            return room
    if parts[0] == "pages":
        return "pages"
    # `from annotator import __version__` takes a name of the package itself; anything with a file is a room.
    return None if len(parts) > 1 and _has_file(name) else "annotator"


def _has_file(name: str) -> bool:
    path = ROOT.joinpath(*name.split(".")[:2])
    return path.is_dir() or path.with_suffix(".py").is_file()


def read_imports(tree: ast.AST) -> Iterator[Import]:
    """Every import of a file: also those in functions, under TYPE_CHECKING, and modules named in a string."""
    yield from _imports_below(tree, is_at_module_level=True, is_for_types_only=False)


def _imports_below(node: ast.AST, *, is_at_module_level: bool, is_for_types_only: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue  # a docstring
        for target in _targets(child):
            yield Import(target, child.lineno, is_at_module_level, is_for_types_only)
        if isinstance(child, ast.If) and ast.unparse(child.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for part, for_types in ((child.body, True), (child.orelse, is_for_types_only)):
                block = ast.Module(body=part, type_ignores=[])
                yield from _imports_below(block, is_at_module_level=is_at_module_level, is_for_types_only=for_types)
            continue
        runs_later = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _imports_below(
            child, is_at_module_level=is_at_module_level and not runs_later, is_for_types_only=is_for_types_only
        )


def _targets(node: ast.AST) -> list[str]:
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom(module=str() as module, level=0):
            return [f"{module}.{alias.name}" for alias in node.names]
        case ast.ImportFrom():
            return ["." * node.level + (node.module or "")]
        case ast.Call(args=[ast.Constant(value=str() as name), *_]) if ast.unparse(node.func).endswith(
            ("import_module", "__import__")
        ):
            return [name]
        case ast.Constant(value=str() as text) if re.fullmatch(r"annotator(\.\w+)+(:\w+)?", text):
            name = text.partition(":")[0]
            return [name] if _has_file(name) else []
        case _:
            return []


def read_sql(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every string that looks like a statement, and every call that runs one."""
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr():
                text = " ".join(part.value if isinstance(part, ast.Constant) else "?" for part in node.values)
            case ast.Constant(value=str() as text):
                pass
            case ast.Call(func=ast.Attribute(attr=attribute)) if attribute in RUNS_SQL:
                yield node.lineno, f".{attribute}(...)"
                continue
            case _:
                continue
        if SQL.search(text):
            yield node.lineno, " ".join(text.split())[:60]


def modules() -> list[Module]:
    """Every file under annotator/ and pages/."""
    found = []
    for folder in ("annotator", "pages"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found.append(Module(path, name, parsed(path)))
    return found


MODULES = modules()


@cache
def imports_with_modules() -> list[tuple[Module, Import]]:
    return [(module, found) for module in MODULES for found in read_imports(module.tree)]


def is_ours(target: str) -> bool:
    return package_of(target) in ("annotator", "pages")


def package_of(target: str) -> str:
    return target.partition(".")[0]


def report(problems: list[str]) -> str:
    return "\n" + "\n".join(problems)


def test_every_module_lies_in_a_room_of_the_house() -> None:
    homeless = [
        f"{module.place(1)}: '{module.name}' lies in no room; move it into one, or add its room "
        "to FLOORS and MAY_IMPORT in tests/house/test_house.py and to ARCHITECTURE.md"
        for module in MODULES
        if module.room is None
    ]
    assert not homeless, report(homeless)
    assert len(MODULES) > 10, "the test found almost no modules: does it look in the right folder?"


def test_imports_go_down_only() -> None:
    wrong, n_arrows = [], 0
    for module, found in imports_with_modules():
        if not is_ours(found.target) or module.room is None:
            continue
        n_arrows += 1
        room = room_of(found.target)
        if room == module.room or room in MAY_IMPORT[module.room]:
            continue
        if room is not None and found.is_for_types_only and FLOORS[room] <= FLOORS[module.room]:
            continue
        allowed = ", ".join(sorted(MAY_IMPORT[module.room])) or "nothing of ours"
        wrong.append(
            f"{module.place(found.line)}: {module.room} (floor {FLOORS[module.room]}) imports {found.target}; "
            f"it may import {allowed}. Pass the value in from above, or move the function to the room that knows it."
        )
    assert not wrong, report(wrong)
    assert n_arrows > 20, "the test saw almost no imports: does it still read them?"


def test_the_table_itself_has_no_arrow_that_runs_up() -> None:
    assert FLOORS.keys() == MAY_IMPORT.keys()
    up = {
        (room, other)
        for room, allowed in MAY_IMPORT.items()
        for other in allowed
        if FLOORS[other] > FLOORS[room] and room != "annotator"
    }
    assert not up


def test_the_table_has_no_circle() -> None:
    for table in (MAY_IMPORT, *WITHIN.values()):
        below = {room: allowed - {room} for room, allowed in table.items() if room != "annotator"}
        assert [*TopologicalSorter(below).static_order()]


@pytest.mark.parametrize("large", WITHIN)
def test_rooms_within_a_room_import_only_those_below_them(large: str) -> None:
    table, wrong, used = WITHIN[large], [], set()
    for module, found in imports_with_modules():
        room, other = inner_room(module.name, large), inner_room(found.target, large)
        if room is None or other is None or room == other:
            continue
        used.add((room, other))
        if other not in table.get(room, frozenset()):
            wrong.append(
                f"{module.place(found.line)}: {large}.{room} imports {found.target}; of its own rooms it may import "
                f"{', '.join(sorted(table.get(room, frozenset()))) or 'none'}"
            )
    assert not wrong, report(wrong)
    unused = {(room, other) for room, allowed in table.items() for other in allowed} - used
    assert not unused, f"the table of {large} allows what nobody does: {sorted(unused)}"


def inner_room(name: str, large: str) -> str | None:
    """The room within a large room that a module lies in; None of a module that lies elsewhere."""
    inner = name.removeprefix(f"{large}.")
    return None if inner == name else inner.partition(".")[0]


def test_no_module_imports_itself_by_way_of_others() -> None:
    names = {module.name for module in MODULES}
    below: dict[str, set[str]] = {}
    for module, found in imports_with_modules():
        whole = found.target if found.target in names else found.target.rpartition(".")[0]
        lazy = module.name == "annotator" or not found.is_at_module_level
        if whole in names and whole != module.name and not found.is_for_types_only and not lazy:
            below.setdefault(module.name, set()).add(whole)
    assert len([*TopologicalSorter(below).static_order()]) > 100


def test_modules_of_the_panel_import_only_their_own_room_and_the_shared_one() -> None:
    wrong, n_imports = [], 0
    for path in PANEL.rglob("*.js"):
        room = path.parent.name
        for asked in re.findall(
            r'^(?:import|export) [^;]*?"(\.[^"]+)";', path.read_text(encoding="utf-8"), re.MULTILINE
        ):
            other = (path.parent / asked).resolve()
            n_imports += 1
            if not other.is_file():
                wrong.append(f"{path.relative_to(ROOT)}: {asked} is not there")
            elif other.parent.name not in {room, *PANEL_ROOMS[room]}:
                wrong.append(f"{path.relative_to(ROOT)}: imports {asked}; move what both need to panel/shared/")
    assert not wrong, report(wrong)
    assert n_imports > 100, "the test saw almost no imports: does it still read them?"


def test_the_package_itself_loads_the_api_only_when_it_is_asked_for() -> None:
    eager = [
        f"{module.place(found.line)}: importing annotator imports {found.target}; import it inside a function"
        for module, found in imports_with_modules()
        if module.name == "annotator" and is_ours(found.target) and found.is_at_module_level
        if not found.is_for_types_only
    ]
    assert not eager, report(eager)


def test_imports_name_their_module_in_full() -> None:
    relative = [
        f"{module.place(found.line)}: relative import; write the full name, annotator. ..."
        for module, found in imports_with_modules()
        if found.target.startswith(".")
    ]
    assert not relative, report(relative)


def test_sql_stands_only_in_the_store() -> None:
    outside, n_inside = [], 0
    for module in MODULES:
        statements = list(read_sql(module.tree))
        if module.room == "annotator.store":
            n_inside += len(statements)
            continue
        outside += [
            f"{module.place(line)}: SQL outside the store ({text}); make it a function in annotator/store/"
            for line, text in statements
        ]
    assert not outside, report(outside)
    assert n_inside > 20, "the test found almost no SQL in the store: does it still recognise it?"


def test_what_time_it_is_is_asked_of_the_store_which_holds_the_clock() -> None:
    """Names of files and the page's word for a defect are of the machine's time."""
    machine = {"annotator.store.connection.database", "annotator.store.connection.replacement", "annotator.web.frame"}
    asking = {
        module.name
        for module in MODULES
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and node.attr in {"now", "utcnow", "today"} and "datetime" in ast.dump(node)
    }
    assert asking == machine


def test_the_database_driver_is_imported_only_in_the_store() -> None:
    outside = [
        f"{module.place(found.line)}: imports {found.target}; only annotator/store/ may; call a function there"
        for module, found in imports_with_modules()
        if package_of(found.target) in ("sqlite3", "sqlite_utils") and module.room != "annotator.store"
    ]
    assert not outside, report(outside)


def test_streamlit_is_imported_only_on_the_upper_floors() -> None:
    below = [
        f"{module.place(found.line)}: imports Streamlit below floor 4; return a value and let a page show it"
        for module, found in imports_with_modules()
        if package_of(found.target) == "streamlit" and FLOORS[module.room or "annotator"] < 4
    ]
    assert not below, report(below)


def test_the_answer_of_a_button_is_asked_for_where_no_press_is_lost() -> None:
    """Streamlit's own button tells one run alone, which may be broken off; one that calls something (on_click) is safe."""
    asked = [
        f"{module.place(node.lineno)}: Streamlit's button; use pressed or submitted of annotator/web/buttons.py, or on_click"
        for module in MODULES
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"button", "form_submit_button"}
        and "on_click" not in {keyword.arg for keyword in node.keywords}
    ]
    assert not asked, report(asked)


def test_heavy_packages_are_imported_where_they_are_used() -> None:
    eager = [
        f"{module.place(found.line)}: imports {found.target} at module level; import it inside a function"
        for module, found in imports_with_modules()
        if package_of(found.target) in HEAVY and found.is_at_module_level and not found.is_for_types_only
    ]
    assert not eager, report(eager)


def test_no_module_has_a_name_that_says_nothing() -> None:
    files = [path for folder in ("annotator", "pages", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    vague = [
        f"{path.relative_to(ROOT)}:1: '{part}' says nothing; name the module after what it holds"
        for path in files
        for part in path.relative_to(ROOT).with_suffix("").parts
        if NAMES_THAT_SAY_NOTHING & set(part.strip("_").split("_"))
    ]
    assert not vague, report(vague)


def test_every_module_is_named_by_a_noun() -> None:
    verbs = [
        f"{module.place(1)}: '{path.stem}' is what is done; name the module after what it makes or holds"
        for module in MODULES
        for path in [module.path.relative_to(ROOT)]
        if path.parent.as_posix() not in COMMANDS
        for word in path.stem.split("_")[-1:]
        if (word.endswith("ing") and word not in NOUNS_IN_ING) or word.endswith("ise")
    ]
    assert not verbs, report(verbs)


def test_light_modules_load_no_heavy_packages() -> None:
    checked, heavy = [], []
    for name, forbidden in LIGHT:
        if not _is_there(name):
            continue
        checked.append(name)
        program = f"import sys, json, {name}; print(json.dumps(sorted(sys.modules)))"
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, f"importing {name} fails:\n{done.stderr}"
        loaded = set(json.loads(done.stdout.splitlines()[-1]))
        heavy += [
            f"{name.replace('.', '/')}: importing it loads {package}; import that inside the function that needs it "
            f"(python -X importtime -c 'import {name}' shows who brings it)"
            for package in forbidden
            if package in loaded
        ]
    assert checked, "none of the modules in LIGHT is there: correct their names"
    assert not heavy, report(heavy)


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import torch", [("torch", True, False)]),
        ("from annotator.store import people", [("annotator.store.people", True, False)]),
        ("def f():\n    import torch", [("torch", False, False)]),  # loaded when f is called
        ("class A:\n    import torch", [("torch", True, False)]),  # a class body runs on import
        ("try:\n    import torch\nexcept ImportError:\n    pass", [("torch", True, False)]),
        ("if TYPE_CHECKING:\n    import torch\nelse:\n    import ray", [("torch", True, True), ("ray", True, False)]),
        ("importlib.import_module('annotator.web.app')", [("annotator.web.app", True, False)]),
        ("from . import people", [(".", True, False)]),
        ("'''annotator.store.people'''", []),  # a docstring
    ],
)
def test_the_reader_sees_every_kind_of_import(source: str, expected: list[tuple[str, bool, bool]]) -> None:
    found = [(i.target, i.is_at_module_level, i.is_for_types_only) for i in read_imports(ast.parse(source))]
    assert list(dict.fromkeys(found)) == expected


def test_the_reader_sees_modules_that_are_named_in_a_string() -> None:
    found = list(read_imports(ast.parse("FORMATS = {'csv': 'annotator.store.people:add_user'}")))
    assert [i.target for i in found] == ["annotator.store.people"]


@pytest.mark.parametrize(
    "source",
    [
        "x = 'SELECT name FROM users'",
        "x = f'SELECT {columns} FROM users'",
        "x = '''INSERT OR IGNORE INTO users\n VALUES (1)'''",
        "x = 'UPDATE users SET name = 1'",
        "x = 'DELETE FROM users'",
        "x = 'CREATE TABLE t (a)'",
        "x = 'PRAGMA foreign_keys = ON'",
        "connection.execute(statement)",
    ],
)
def test_the_reader_sees_sql(source: str) -> None:
    assert list(read_sql(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        "x = 'Select a project from the list.'",
        "x = 'The settings were updated; set a label first.'",
        "x = 'Delete the instance from the project?'",
    ],
)
def test_the_reader_takes_no_sentence_for_sql(source: str) -> None:
    assert not list(read_sql(ast.parse(source)))


def _python_of(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def _lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def _function_lines(path: Path) -> Iterator[int]:
    """Of each function its lines from def to its end, without its docstring."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            docstring = (first.end_lineno or 0) - first.lineno + 1 if has_docstring else 0
            yield (node.end_lineno or 0) - node.lineno + 1 - docstring


def test_the_grain_of_the_house_stays() -> None:
    """Who adds a module looks for one that can carry it, or for one to merge. Prints the measures (pytest -s)."""
    whole = _python_of("annotator", "pages")
    modules = [path for path in whole if path.name != "__init__.py" and MIGRATIONS not in path.parents]
    panel = [path for path in PANEL.rglob("*.js") if path.name not in TRANSLATIONS]
    test_files = _python_of("tests")
    functions = sorted(n for path in whole for n in _function_lines(path))
    folders = Counter(path.parent.relative_to(ROOT) for path in (*modules, *panel, *test_files))
    measures = {
        "modules": len(modules),
        "lines": sum(map(_lines, whole)),
        "longest module": max(map(_lines, modules)),
        "panel modules": len(panel),
        "panel lines": sum(map(_lines, panel)),
        "longest panel module": max(map(_lines, panel)),
        "test files": len(test_files),
        "largest folder": folders.most_common(1)[0][1],
        "median function": functions[len(functions) // 2],
        "90th percentile of functions": functions[len(functions) * 9 // 10],
        "longest function": functions[-1],
    }
    for name, value in measures.items():
        print(f"{name}: {value} (at most {AT_MOST[name]})")  # noqa: T201
    mean = sum(map(_lines, modules)) / len(modules)
    print(f"mean module: {mean:.0f} lines (at least {LEAST_MEAN})")  # noqa: T201
    assert {name: value for name, value in measures.items() if value > AT_MOST[name]} == {}
    assert mean >= LEAST_MEAN
