"""How models write subwords: the marks of each family, subwords that are no text, and letters as they are compared."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from annotator.domain.models import Subword

SPECIAL_TEXTS = frozenset({
    "", "[CLS]", "[SEP]", "[PAD]", "[BOS]", "[EOS]", "<s>", "</s>", "<pad>", "<cls>", "<sep>", "<bos>", "<eos>", "<eod>", "<eop>",
    "<|endoftext|>", "<|begin_of_text|>", "<|end_of_text|>", "<|startoftext|>", "<|im_start|>", "<|im_end|>", "<|eot_id|>",
    "<|padding|>", "<start_of_turn>", "<end_of_turn>",
})  # fmt: skip
PAD_TEXTS = frozenset({"[PAD]", "<pad>", "<|padding|>"})
_UNKNOWN = re.compile(r"\s*(?:\[UNK\]|\[unk\]|<unk>|<UNK>|⁇|�+)\s*")
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def is_special(subword: Subword) -> bool:
    """Whether a subword stands for nothing in the text: the source says so, or it is called like one that does."""
    return subword.is_special or subword.text in SPECIAL_TEXTS


def is_unknown(text: str) -> bool:
    """Whether a subword stands for text that the model's vocabulary has not."""
    return _UNKNOWN.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Form:
    """How one family writes subwords.

    letters:     what a subword says: text, or bytes of UTF-8 that may be part of a character
    begins_word: whether the text has a blank before a subword; None where the family does not tell
    """

    name: str
    letters: Callable[[str], str | bytes]
    begins_word: Callable[[str], bool | None]


def _with_mark(text: str) -> bool:
    return text[:1] in {"Ġ", "Ċ", "▁"} or text[:1].isspace()


def _unigram(text: str) -> str | bytes:
    match = _BYTE.fullmatch(text)
    return bytes([int(match.group(1), 16)]) if match else text.replace("▁", " ")


def _byte_alphabet() -> dict[str, int]:
    """The letters that byte-level BPE (GPT-2) writes for bytes: visible ones for themselves, the rest from U+0100 on."""
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in visible]
    return {chr(b): b for b in visible} | {chr(0x100 + n): b for n, b in enumerate(others)}


_BYTES = _byte_alphabet()


def _byte_level(text: str) -> str | bytes:
    if any(letter not in _BYTES and not letter.isspace() for letter in text):
        return text
    return b"".join(bytes([_BYTES[letter]]) if letter in _BYTES else letter.encode() for letter in text)


# A list of subwords is read in the first of these forms that fits the text. The first knows no marks, so that a text which
# holds a mark itself ("Ġorġ" in Maltese, "@@") is not misread.
FORMS = (
    Form("plain", lambda text: text, lambda _: None),
    Form("WordPiece", lambda text: re.sub(r"^##(?=.)", "", text, flags=re.DOTALL), lambda t: False if t[:2] == "##" else None),
    Form("Unigram", _unigram, _with_mark),
    Form("byte-level BPE", _byte_level, _with_mark),
    Form("BPE", lambda text: text.replace("Ġ", " ").replace("Ċ", "\n"), _with_mark),
    Form("BPE with </w>", lambda text: text.removesuffix("</w>"), lambda _: None),
    Form("BPE with @@", lambda text: text.removesuffix("@@"), lambda _: None),
)  # fmt: skip


@lru_cache(maxsize=20_000)
def folded(character: str) -> str:
    r"""A character as it is compared: without case, marks apart, compatibility forms as what they stand for; no blanks.

    >>> folded("É") == "e\u0301", folded("ﬁ"), folded("Ａ"), folded(" ")
    (True, 'fi', 'a', '')
    """
    if character.isspace():
        return ""
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(letter for letter in letters if not letter.isspace())


@lru_cache(maxsize=20_000)
def may_be_dropped(letter: str) -> bool:
    """Whether models drop a letter before they cut: accents, control and format characters, Unigram's own mark."""
    category = unicodedata.category(letter)
    return category in {"Mn", "Me"} or category[0] == "C" or letter in "▁\ufffd"


def is_alone(character: str) -> bool:
    """Whether BERT's first step makes a character a word of its own: punctuation, and Chinese characters."""
    if character.isascii():
        return not character.isalnum() and not character.isspace()
    code = ord(character)
    is_chinese = 0x3400 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x2FA1F
    return is_chinese or unicodedata.category(character)[0] == "P"


@dataclass(frozen=True, slots=True)
class Letters:
    """A text as it is compared: its visible letters, folded.

    Shapes: letters str[n]; origins int[n], the character each comes from; after_blank bool[n], whether a blank (or
            nothing) stands before it; word_starts int[n_words], where words begin that are not of droppable letters alone
    """

    text: str
    letters: str
    origins: Sequence[int]
    after_blank: Sequence[bool]
    word_starts: Sequence[int]

    @staticmethod
    def of(text: str) -> "Letters":
        """The letters of a text."""
        letters: list[str] = []
        origins: list[int] = []
        after_blank: list[bool] = []
        is_after = True
        for index, character in enumerate(text):
            folded_letters = folded(character)
            for letter in folded_letters:
                letters.append(letter)
                origins.append(index)
                after_blank.append(is_after)
                is_after = False
            is_after = is_after or character.isspace()
        return Letters(text, "".join(letters), origins, after_blank, _word_starts(letters, after_blank))

    def begins_word(self, index: int) -> bool:
        """Whether a letter follows a blank, or a border at which BERT cuts words."""
        if index >= len(self.letters) or self.after_blank[index]:
            return True
        first, second = self.origins[index - 1], self.origins[index]
        return first != second and (is_alone(self.text[first]) or is_alone(self.text[second]))

    def character(self, index: int) -> int:
        """The character that a letter comes from; the text's end after the last."""
        return self.origins[index] if index < len(self.letters) else len(self.text)


def _word_starts(letters: Sequence[str], after_blank: Sequence[bool]) -> list[int]:
    starts: list[int] = []
    start, is_open = 0, False
    for index, (letter, is_after) in enumerate(zip(letters, after_blank, strict=True)):
        if is_after:
            start, is_open = index, True
        if is_open and not may_be_dropped(letter):
            starts.append(start)
            is_open = False
    return starts


# Subwords as letters, in the form of one family (plain, WordPiece, Unigram, BPE).


Range = tuple[int, int]
# One character of UTF-8, or a byte that is part of none.
_CHARACTER = re.compile(
    rb"[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]"
)
_BLANK_MARKS = "▁ĠĊ \t\r\n"


@dataclass(slots=True)
class Cut:
    """Subwords as letters. spans: the letters of each subword; gaps: (letters before, the unknown subwords that stand there)."""

    subwords: Sequence[str]
    form: Form
    letters: list[str] = field(default_factory=list)
    spans: list[Range] = field(default_factory=list)
    gaps: list[tuple[int, list[int]]] = field(default_factory=list)

    @staticmethod
    def of(subwords: Sequence[str], form: Form, contents: Sequence[str | bytes]) -> "Cut":
        """Subwords by what they say in a form."""
        cut = Cut(subwords, form)
        waiting: list[bytes] = []
        for number, (subword, content) in enumerate(zip(subwords, contents, strict=True)):
            if is_unknown(subword):
                cut._flush(waiting)
                cut._add_unknown(number)
            elif isinstance(content, bytes) and (waiting or not content.isascii()):
                waiting.append(content)
                if not _ends_inside_character(b"".join(waiting)):
                    cut._flush(waiting)
            else:
                cut._flush(waiting)
                cut._add(content if isinstance(content, str) else content.decode("ascii"))
        cut._flush(waiting)
        return cut

    def _add(self, text: str) -> None:
        start = len(self.letters)
        if text.isascii():
            self.letters.extend("".join(text.lower().split()))
        else:
            for character in text:
                self.letters.extend(folded(character))
        self.spans.append((start, len(self.letters)))

    def _add_unknown(self, number: int) -> None:
        n_letters = len(self.letters)
        self.spans.append((n_letters, n_letters))
        if self.gaps and self.gaps[-1][0] == n_letters:
            self.gaps[-1][1].append(number)
        else:
            self.gaps.append((n_letters, [number]))

    def _flush(self, waiting: list[bytes]) -> None:
        """Subwords that are bytes: each gets the letters of every character that it has a byte of."""
        characters: list[int] = []  # by byte
        starts: list[int] = []  # by character
        for match in _CHARACTER.finditer(b"".join(waiting)):
            characters += [len(starts)] * len(match.group())
            starts.append(len(self.letters))
            self.letters.extend(folded(match.group().decode("utf-8", "replace")[0]))
        starts.append(len(self.letters))
        end = 0
        for subword in waiting:
            start, end = end, end + len(subword)
            self.spans.append((starts[characters[start]], starts[characters[end - 1] + 1]))
        waiting.clear()

    def chunk(self, number: int) -> Range:
        """The letters between two gaps; chunk 0 stands before the first."""
        start = self.gaps[number - 1][0] if number else 0
        end = self.gaps[number][0] if number < len(self.gaps) else len(self.letters)
        return start, end

    def subword_at(self, letter: int) -> int:
        """The subword that holds a letter; the number of subwords after the last letter."""
        if letter >= len(self.letters):
            return len(self.subwords)
        number = bisect_right(self.spans, letter, key=lambda span: span[0]) - 1
        while self.spans[number][1] <= letter:
            number -= 1
        return number

    def begins_word(self, letter: int) -> bool | None:
        """Whether the subword that begins with a letter says that a blank stands before it."""
        number = self.subword_at(letter)
        while number > 0 and not self.subwords[number - 1].strip(_BLANK_MARKS):
            number -= 1  # a blank subword of its own
        return self.form.begins_word(self.subwords[number]) if number < len(self.subwords) else None


def _ends_inside_character(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False
