"""Character offsets as a browser counts them."""

from bisect import bisect_left
from collections.abc import Sequence

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.language import _


def utf16_offsets(text: str, offsets: Sequence[int]) -> list[int]:
    """Offsets in UTF-16 units (a browser's) for offsets in code points (Python's).

    Raises:  InvalidValue for an offset outside 0 to len(text)
    >>> utf16_offsets("a😀b", [0, 1, 2, 3])
    [0, 1, 3, 4]
    """
    if offsets and not (min(offsets) >= 0 and max(offsets) <= len(text)):
        wrong = next(offset for offset in offsets if not 0 <= offset <= len(text))
        raise InvalidValue(
            _(
                "There is no character offset {wrong} in a text of {characters}.",
                wrong=wrong,
                characters=counted(len(text), "character"),
            )
        )
    if not text or max(text) <= "\uffff":
        return list(offsets)
    astral = [index for index, character in enumerate(text) if character > "\uffff"]
    return [offset + bisect_left(astral, offset) for offset in offsets]
