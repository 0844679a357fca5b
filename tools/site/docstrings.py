"""Docstrings as Sphinx reads them: ours are plain sentences, then what a signature cannot say, a word and a colon first."""

import re
from collections.abc import Collection, Iterator, Sequence

_FIELD = re.compile(r"^(\w+(?:, \w+)*):\s+(\S.*)$")
_OPTION = re.compile(r"(?<![\w`-])(--[a-z][a-z-]*)")
_SPECIAL = re.compile(r"([\\*|_])")


def as_rst(lines: Sequence[str], parameters: Collection[str] = ()) -> list[str]:
    """A docstring in reStructuredText. A word that names a parameter is about it; others are fields of their own.

    >>> as_rst(["The share of it.", "", "mask:  which tokens", "Range: 0 to 1;", "       higher is better"], ["mask"])
    ['The share of it.', '', ':param mask: which tokens', '', ':Range: 0 to 1; higher is better', '']
    >>> as_rst(["As `a`:", "", "    a  b", "", ">>> 1", "1"])
    ['As ``a``:', '', '::', '', '    a  b', '', '>>> 1', '1', '']
    """
    return [line for block in _blocks(lines) for line in (*_rst_of(block, parameters), "")]


def escaped(text: str) -> str:
    """A text that holds no markup but what stands in back quotes, and options, whose two signs are no dash."""
    parts = [
        part
        for index, part in enumerate(text.split("`"))
        for part in (_OPTION.split(part) if not index % 2 else [part])
    ]
    return "".join(f"``{part}``" if index % 2 else _SPECIAL.sub(r"\\\1", part) for index, part in enumerate(parts))


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Paragraphs, fields, examples, and what is laid out by hand; an empty line ends all of them."""
    block: list[str] = []
    for line in [*lines, ""]:
        is_example = line.startswith(">>>") and not (block and block[0].startswith(">>>"))
        if not line.strip() or is_example or (_FIELD.match(line) and not (block and block[0].startswith(">>>"))):
            if block:
                yield block
            block = []
        if line.strip():
            block.append(line)


def _rst_of(block: list[str], parameters: Collection[str]) -> list[str]:
    if block[0].startswith(">>>"):
        return block
    if block[0].startswith(" "):
        return ["::", "", *block]
    field = _FIELD.match(block[0])
    if field is None:
        return [escaped(" ".join(line.strip() for line in block))]
    words = escaped(" ".join([field[2], *(line.strip() for line in block[1:])]))
    names = field[1].split(", ")
    if set(names) <= set(parameters):
        return [f":param {name}: {words}" for name in names]
    return [f":{escaped(field[1])}: {words}"]
