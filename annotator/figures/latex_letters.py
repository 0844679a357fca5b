"""A text as LaTeX shows it, whoever wrote it."""

import re

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': "''", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "−": "$-$", "±": r"$\pm$", "∞": r"$\infty$",
    "Δ": r"$\Delta$", "→": r"$\rightarrow$", "≤": r"$\leq$", "≥": r"$\geq$",
    "×": r"$\times$", "·": r"$\cdot$", "–": "--", "\n": " ", "\r": " ",
}  # fmt: skip
_POWER = re.compile(r"e(−?)(\d+)$")


def tex(text: str) -> str:
    r"""A text as LaTeX shows it.

    >>> print(tex("50% of a_b & {c}"))
    50\% of a\_b \& \{c\}
    >>> print(tex("2.0e−5"), tex("−0.187"))
    $2.0\times10^{-5}$ $-$0.187
    """
    power = _POWER.search(text)
    if power and text[: power.start()].replace(".", "").lstrip("−").isdigit():
        mantissa = text[: power.start()].replace("−", "-")
        return f"${mantissa}\\times10^{{{'-' if power[1] else ''}{power[2]}}}$"
    return "".join(_SPECIAL.get(character, character) for character in text)
