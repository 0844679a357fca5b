"""Texts as they are compared where a file does not say which is meant: letters alone, without case, marks and blanks."""

from collections.abc import Sequence
from unicodedata import category, combining

from annotator.domain.models import InputText, Piece
from annotator.text.piece_forms import FORMS, folded, is_special, is_unknown
from annotator.text.piece_letters import Cut


def letters_of(text: str) -> str:
    r"""The letters of a text; lower-cased and accent-stripped models write the same ones.

    >>> letters_of("A  Café,\nopen") == letters_of("a cafe\u0301 , open"), letters_of("Café") == letters_of("cafe")
    (True, True)
    """
    if text.isascii():
        return "".join(text.lower().split())
    return _unmarked("".join(map(folded, text)))


def core_of(letters: str) -> str:
    """The letters without the punctuation at their ends; "" where there is nothing else.

    >>> core_of(letters_of("... Good food, bad music.")), core_of("...")
    ('goodfood,badmusic', '')
    """
    start, end = _core_range(letters)
    return letters[start:end]


def starts_within_edge(text: str) -> list[int]:
    """The characters at which a text may begin that lacks some of the punctuation at its beginning, in order.

    >>> starts_within_edge("... Good"), starts_within_edge("Good.")
    ([0, 1, 2, 4], [0])
    """
    start, _ = _core_range(text)
    return [index for index in range(start + 1) if index == start or not text[index].isspace()]


def _core_range(text: str) -> tuple[int, int]:
    start, end = 0, len(text)
    while start < end and _is_edge(text[start]):
        start += 1
    while end > start and _is_edge(text[end - 1]):
        end -= 1
    return start, end


def _is_edge(letter: str) -> bool:
    return letter.isspace() or letter == "`" or category(letter).startswith("P")


def input_of_text(text: str) -> InputText:
    """What a row says was read, where it holds the text itself."""
    return InputText((letters_of(text),), text)


def input_of_pieces(pieces: Sequence[Piece]) -> InputText:
    """The same, where it holds its pieces: their letters, by each way in which models write pieces.

    Undefined: no letters where a piece stands for what the model's vocabulary has not
    """
    texts = [piece.text for piece in pieces if not is_special(piece)]
    if any(map(is_unknown, texts)):
        return InputText((), " ".join(texts))
    readings = (Cut.of(texts, form, [form.letters(text) for text in texts]).letters for form in FORMS)
    letters = tuple(dict.fromkeys(letters_of("".join(reading)) for reading in readings))
    return InputText(letters, " ".join(texts))


def _unmarked(letters: str) -> str:
    return letters if letters.isascii() else "".join(letter for letter in letters if not combining(letter))
