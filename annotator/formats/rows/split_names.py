"""Splits that the names of files tell, and which files of a folder to read."""

import re
from collections.abc import Iterable
from pathlib import Path

_WORD = re.compile(r"(?<![a-z])(train|dev|validation|val|test)(?![a-z])")
_OURS = {"dev": "val", "validation": "val"}


def split_in_name(path: Path) -> str:
    """The split that a file's name holds as a word, in our words; "" for none.

    >>> split_in_name(Path("esnli_train_1.csv")), split_in_name(Path("cose_dev_v1.0.jsonl")), split_in_name(Path("a.csv"))
    ('train', 'val', '')
    """
    match = _WORD.search(path.stem.lower())
    return _OURS.get(match.group(), match.group()) if match else ""


def files_of_split(files: Iterable[Path], split: str | None) -> list[Path]:
    """The files in the order of their names; where a split is asked for, without those whose name tells another."""
    return sorted(file for file in files if split is None or split_in_name(file) in {"", split})
