"""The benchmark scripts of this folder: which there are, and running one of them."""

import ast
from importlib import import_module
from pathlib import Path

from benchmarks.measured import Measured

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Every script here that has a `main`, in the order of the names."""
    return [path.stem for path in sorted(FOLDER.glob("*.py")) if not path.stem.startswith("_") and _has_main(path)]


def _has_main(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body)


def run(name: str) -> list[Measured]:
    """Run one script; what it hands back that is no figure is left out (a script may also just print)."""
    found = import_module(f"benchmarks.{name}").main()
    return [row for row in found or () if isinstance(row, Measured)]
