r"""How wide a table is as LaTeX sets it: whether it stands in one column of a paper, and where its names may be broken."""

import re
from collections.abc import Iterable, Sequence

from annotator.figures.latex_letters import tex

NEEDS = "% Needs \\usepackage{booktabs,tabularx}."
SIZE = "  \\centering\\footnotesize\\setlength{\\tabcolsep}{2pt}"
# The narrowest of the usual styles with two columns: ACL's 219 points (IEEE's has 252, that of article 229), with a few to spare.
_COLUMN = 215.0
_BETWEEN = 4.0
_LINES = 2.3  # of a name: two, seldom three
_NARROW, _WIDE = frozenset(".,:;|!'()[]iljtf "), frozenset("mw%→∞−±×")
_CJK = 0x2E7F  # from here on a letter is as wide as it is high
_BREAK = re.compile(r"(?<=[\s/_·-])")


def environment_for(columns: Iterable[Iterable[float]], names: Iterable[str]) -> str:
    """`table`, or `table*` where one column of a paper has no room for columns of these widths beside names in a few lines.

    >>> environment_for([[points("0.359"), points("F1")]] * 6, ["minilm", "integrated-gradients"])
    'table'
    >>> environment_for([[points("0.359"), points("[0.290, 0.431]", is_small=True)]] * 6, ["minilm"])
    'table*'
    """
    room = _COLUMN - sum(max(widths, default=0.0) + _BETWEEN for widths in columns)
    wanted = [max(*(points(piece) for piece in _BREAK.split(name)), points(name) / _LINES) for name in names]
    return "table" if max(wanted, default=0.0) <= room else "table*"


def begin_tabular(n_columns: int) -> str:
    """As wide as there is room for; the first column has the names, in lines as they fit."""
    return f"\\begin{{tabularx}}{{\\linewidth}}{{@{{}}>{{\\raggedright\\arraybackslash}}X*{{{n_columns}}}{{r}}@{{}}}}"


END_TABULAR = "\\end{tabularx}"


def tex_name(name: str) -> str:
    r"""A name that may be broken where a person would break it.

    >>> print(tex_name("my_model/ig"))
    my\_\allowbreak{}model/\allowbreak{}ig
    """
    return re.sub(r"(\\_|/)(?=\S)", r"\1\\allowbreak{}", tex(name))


def stacked(lines: Sequence[str]) -> str:
    """Lines of a cell below one another, the first in line with the other cells; they are LaTeX already."""
    if len(lines) < 2:
        return "".join(lines)
    body = " \\\\ ".join(lines)
    return f"\\begin{{tabular}}[t]{{@{{}}r@{{}}}}{body}\\end{{tabular}}"


def points(text: str, *, is_small: bool = False) -> float:
    r"""About how wide a text is in \footnotesize, or in \scriptsize."""
    widths = (
        2.6 if c in _NARROW else 6.6 if c in _WIDE or c.isupper() else 8.0 if ord(c) > _CJK else 4.3 for c in text
    )
    return sum(widths) * (0.875 if is_small else 1.0)
