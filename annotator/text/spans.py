"""From a source's character spans to tokens."""

from bisect import bisect_left, bisect_right

from annotator.domain.numbers import counted
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue
from annotator.language import _


def tokens_overlapping(body: TokenizedText, start_char: int, end_char: int) -> tuple[int, int] | None:
    """The half-open range of the tokens that characters start_char to end_char (exclusive) touch.

    Undefined: None when they touch no token: an empty range, or white space between tokens
    Raises:    InvalidValue if the range is reversed or does not lie in the text
    """
    if not 0 <= start_char <= end_char <= len(body.text):
        raise InvalidValue(
            _(
                "Characters {start_char} to {end_char} are no range of the text, which has {characters}.",
                start_char=start_char,
                end_char=end_char,
                characters=counted(len(body.text), "character"),
            )
        )
    first = bisect_right(body.ends, start_char)
    last = bisect_left(body.starts, end_char)
    while first < last and body.starts[first] == body.ends[first]:
        first += 1
    while first < last and body.starts[last - 1] == body.ends[last - 1]:
        last -= 1
    return (first, last) if start_char < end_char and first < last else None
