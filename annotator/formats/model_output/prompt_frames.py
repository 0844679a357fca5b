"""What stands around a text in what a model read: which of its pieces are the text's, and how much lies on the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from annotator.domain.models import Piece
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.text.characters import letters_of
from annotator.text.subword_forms import FORMS, Cut, is_special

TEXT = "{text}"


@dataclass(frozen=True, slots=True)
class PromptFrame:
    """The words before and after the text, as letters are compared."""

    template: str
    before: str
    after: str

    @classmethod
    def of(cls, template: str) -> "PromptFrame | None":
        """None where nothing stands around the text. Raises: InvalidValue for a prompt that does not hold it once."""
        if not template:
            return None
        before, mark, after = template.partition(TEXT)
        if not mark or TEXT in after:
            raise InvalidValue(
                _(
                    "The prompt {template} must hold {text} once, as in 'Review: {text} Sentiment:'.",
                    template=f"{template!r}",
                    text=TEXT,
                )
            )
        return cls(template, letters_of(before), letters_of(after))

    def pieces_of_text(self, tokens: Sequence[str]) -> list[int] | None:
        """The numbers of the text's pieces, and of special ones; None where the prompt does not stand around the text so."""
        pieces = [Piece(token) for token in tokens]
        plain = [number for number, piece in enumerate(pieces) if not is_special(piece)]
        texts = [pieces[number].text for number in plain]
        for form in FORMS:
            cut = Cut.of(texts, form, [form.letters(text) for text in texts])
            whole = letters_of("".join(cut.letters))
            ends = [len(letters_of("".join(cut.letters[:last]))) for _, last in cut.spans]
            end = len(whole) - len(self.after)
            is_framed = whole.startswith(self.before) and whole.endswith(self.after) and end > len(self.before)
            if is_framed and {len(self.before), end} <= {0, *ends}:
                chosen = {n for n, last in zip(plain, ends, strict=True) if len(self.before) < last <= end}
                return [n for n, piece in enumerate(pieces) if n in chosen or is_special(piece)]
        return None


def common_frame(texts: Sequence[str]) -> tuple[str, str]:
    """What all texts begin and end with; nothing of a single text, all of which is its own.

    >>> common_frame(["Review: Good. Sentiment:", "Review: Bad. Sentiment:"]), common_frame(["Review: Good."])
    (('Review: ', 'd. Sentiment:'), ('', ''))
    """
    if len(set(texts)) < 2:
        return "", ""
    before = _common_start(texts)
    after = _common_start([text[len(before) :][::-1] for text in texts])[::-1]
    return before, after


def _common_start(texts: Sequence[str]) -> str:
    return "".join(
        letters[0] for letters in takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    )
