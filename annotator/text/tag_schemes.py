"""Tags of tokens in the schemes in use: BIO (IOB1, IOB2), BIOES, BILUO, BMES, and tags without a prefix (IO).

Source:  Ramshaw and Marcus 1995 (IOB1); Sang and Veenstra 1999 (IOB2, IOE, and one-token chunks); Ratinov and Roth 2009
         (BILOU); Lin et al. 2020 (TriggerNER: T-0, T-1 ... number the triggers of the sentence's entity)
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

OUTSIDE = "O"
DOCUMENT_START = "-DOCSTART-"
_LINES_LOOKED_AT = 200
_PREFIXED = re.compile(r"([BIESLUM])[-_](\S+)")
_TRIGGER = re.compile(r"T-[0-9]+")
_BARE = frozenset("BIESLUM")
_BEGINS, _ENDS = frozenset("BSU"), frozenset("ESLU")


def is_prefixed(tag: str) -> bool:
    """Whether a tag says where in a stretch its token stands, and under which label.

    >>> [is_prefixed(tag) for tag in ("B-PER", "U-loc", "O", "PER", "B", "X-ray")]
    [True, True, False, False, False, False]
    """
    return _PREFIXED.fullmatch(tag) is not None


def is_trigger(tag: str) -> bool:
    """Whether a tag says of which trigger its token is a part.

    >>> [is_trigger(tag) for tag in ("T-0", "T-12", "T-x", "B-T")]
    [True, True, False, False]
    """
    return _TRIGGER.fullmatch(tag) is not None


def wrong_tag(tag: str, tags: Iterable[str]) -> bool:
    """Whether a tag is none of the scheme that the tags of its file are in."""
    return not (tag == OUTSIDE or is_prefixed(tag) or is_trigger(tag) or not have_prefixes(tags))


def have_prefixes(tags: Iterable[str]) -> bool:
    """Whether the tags of a file are of a scheme with prefixes."""
    return any(map(is_prefixed, tags))


def labelled_stretches(tags: Sequence[str]) -> list[tuple[str, int, int]]:
    """The stretches that the tags of a sentence mark: (label, first token, end), in order.

    >>> labelled_stretches(["B-PER", "I-PER", "O", "B-LOC", "B-LOC", "I-ORG"])
    [('PER', 0, 2), ('LOC', 3, 4), ('LOC', 4, 5), ('ORG', 5, 6)]
    >>> labelled_stretches(["U-PER", "B-LOC", "L-LOC", "I-LOC"]), labelled_stretches(["PER", "PER", "O"])
    ([('PER', 0, 1), ('LOC', 1, 3), ('LOC', 3, 4)], [('PER', 0, 2)])
    """
    stretches: list[tuple[str, int, int]] = []
    is_open = False
    for index, tag in enumerate(tags):
        prefix, label = _parts(tag)
        if prefix == OUTSIDE:
            is_open = False
            continue
        goes_on = is_open and prefix not in _BEGINS and stretches[-1][0] == label
        start = stretches.pop()[1] if goes_on else index
        stretches.append((label, start, index + 1))
        is_open = prefix not in _ENDS
    return stretches


def _parts(tag: str) -> tuple[str, str]:
    """Prefix and label of a tag; of one without a prefix, that it goes on."""
    if tag == OUTSIDE:
        return OUTSIDE, ""
    match = _PREFIXED.fullmatch(tag)
    if match is not None:
        return match[1], match[2]
    return (tag, "") if tag in _BARE else ("I", tag)


def cells_of(line: str) -> tuple[str, ...]:
    """The columns of a line, which tabs part, else blanks."""
    return tuple(cell.strip() for cell in line.rstrip("\r\n").split("\t")) if "\t" in line else tuple(line.split())


def looks_like_tags(lines: Sequence[str]) -> bool:
    """Whether the first lines of a file hold a token each and its tag.

    >>> looks_like_tags(["EU NNP B-NP B-ORG", "rejects VBZ B-VP O"]), looks_like_tags(["a,b", "1,O"])
    (True, False)
    """
    all_cells = [
        cells_of(line) for line in lines[:_LINES_LOOKED_AT] if line.strip() and not line.startswith(("#", "-DOC"))
    ]
    n_columns = {len(cells) for cells in all_cells}
    if len(all_cells) < 2 or len(n_columns) != 1 or min(n_columns) < 2:
        return False
    tags = Counter(cells[-1] for cells in all_cells)
    if have_prefixes(tags):
        return not any(wrong_tag(tag, tags) for tag in tags)
    is_parted = any(not line.strip() for line in lines) or lines[0].startswith(DOCUMENT_START)
    return is_parted and 2 * tags[OUTSIDE] >= len(all_cells)
