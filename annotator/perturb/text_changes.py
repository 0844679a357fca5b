"""Small changes to a text that should leave its label alone (INV), or push it one way (DIR): the texts that come of them.

A change takes a text and a source of chance and answers changed texts, none equal to the text; [] where it cannot change it.
Anything of that form can stand here: also suggestions of edits, applied.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random

from annotator.errors import InvalidValue

Change = Callable[[str, Random], list[str]]

_AT_END = re.compile(r"[\s.!?…。！？]+$")
_NUMBER = re.compile(r"(?<![\w.,])\d{1,9}(?![\w]|[.,]\d)")
_LEFT_ALONE = {"2", "4"}  # also written for "to" and "for"
_N_VARIANTS = 3
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def punctuation(text: str, _random: Random) -> list[str]:
    """Without its closing signs, and with one full stop.

    >>> punctuation("Fine!!", Random(0)), punctuation("好", Random(0))
    (['Fine', 'Fine.'], ['好。'])
    """
    bare = _AT_END.sub("", text)
    stop = "。" if bare and "\u3400" <= bare[-1] <= "\u9fff" else "."
    return [changed for changed in (bare, bare + stop) if bare and changed != text]


def typos(n: int) -> Change:
    """So many pairs of neighbouring letters swapped, no letter twice and no pair of equal ones: always a change."""

    def change(text: str, random: Random) -> list[str]:
        letters = list(text)
        places = [p for p in range(len(text) - 1) if text[p : p + 2].isalpha() and text[p] != text[p + 1]]
        swapped: list[int] = []
        while places and len(swapped) < n:
            place = random.choice(places)
            letters[place], letters[place + 1] = letters[place + 1], letters[place]
            swapped.append(place)
            places = [other for other in places if abs(other - place) > 1]
        return ["".join(letters)] if len(swapped) == n else []

    return change


_PAIRS = (
    ("is not", "isn't"), ("are not", "aren't"), ("was not", "wasn't"), ("were not", "weren't"), ("do not", "don't"),
    ("does not", "doesn't"), ("did not", "didn't"), ("cannot", "can't"), ("could not", "couldn't"), ("will not", "won't"),
    ("would not", "wouldn't"), ("should not", "shouldn't"), ("has not", "hasn't"), ("have not", "haven't"),
    ("had not", "hadn't"), ("must not", "mustn't"), ("I am", "I'm"), ("you are", "you're"), ("we are", "we're"),
    ("they are", "they're"), ("I have", "I've"), ("you have", "you've"), ("we have", "we've"), ("they have", "they've"),
    ("I will", "I'll"), ("you will", "you'll"), ("it will", "it'll"), ("we will", "we'll"), ("they will", "they'll"),
    ("it is", "it's"), ("that is", "that's"), ("there is", "there's"), ("he is", "he's"), ("she is", "she's"),
)  # fmt: skip
_IS_HAS = re.compile(r"\s+(?:been|got|had)\b", re.IGNORECASE)  # "it's been": has, not is
_SHORT = {long.lower(): short for long, short in _PAIRS}
_LONG = {short.lower(): long for long, short in _PAIRS}


def _either(phrases: Sequence[str], end: str) -> "re.Pattern[str]":
    """Any of these phrases where no letter stands before it, and behind it what `end` says; the longest first."""
    ordered = sorted(phrases, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))}){end}", re.IGNORECASE)


_ANY_LONG = _either(list(_SHORT), r"(?![\w'])")
_ANY_SHORT = _either(list(_LONG), r"(?![\w'])")


def contractions(text: str, _random: Random) -> list[str]:
    """Contracted wherever it can be, and written out wherever it can be.

    >>> contractions("It is late and I don't mind.", Random(0))
    ["It's late and I don't mind.", 'It is late and I do not mind.']
    """
    short = _replaced(text, _ANY_LONG, _SHORT)
    plain = text.replace("’", "'")
    long = _replaced(plain, _ANY_SHORT, _LONG)
    found = [short] if short != text else []
    return found + ([long] if long not in {plain, *found} else [])


def _replaced(text: str, either: "re.Pattern[str]", partners: Mapping[str, str]) -> str:
    """Every phrase by its partner, with a capital where it had one."""

    def partner_of(found: "re.Match[str]") -> str:
        partner = partners[found[0].lower()]
        if partner.endswith(" is") and _IS_HAS.match(text, found.end()):
            return found[0]
        return partner[0].upper() + partner[1:] if found[0][0].isupper() else partner

    return either.sub(partner_of, text)


def urls_and_handles(text: str, random: Random) -> list[str]:
    """A link behind the text, a handle behind it, and one before it; drawn, at a host that nobody can have."""
    link = f"https://example.com/{_drawn(random, 6)}"
    return [f"{text} {link}", f"{text} @{_drawn(random, 7)}", f"@{_drawn(random, 7)} {text}"]


def _drawn(random: Random, n: int) -> str:
    return "".join(random.choice(_LETTERS) for _ in range(n))


def numbers(text: str, random: Random) -> list[str]:
    """Each number by another one up to a fifth away (at least 1 away), the same number by the same; 2 and 4 stay."""
    found = sorted({number for number in _NUMBER.findall(text) if number not in _LEFT_ALONE})
    variants = []
    for _ in range(_N_VARIANTS if found else 0):
        others = {number: _near(int(number), random) for number in found}
        variants.append(_NUMBER.sub(lambda match, others=others: others.get(match[0], match[0]), text))  # type: ignore[misc]
    return list(dict.fromkeys(variants))


def _near(number: int, random: Random) -> str:
    far = max(1, number // 5)
    near = [other for other in (number + random.randint(1, far), number - random.randint(1, far)) if other > 0]
    return str(random.choice(near))


def swapped_words(words: Sequence[str]) -> Change:
    """Each word of a list that stands in the text by another one of the list, the same by the same."""
    known = [word.split("|")[0] for word in words]
    either = _any_of(known)

    def change(text: str, random: Random) -> list[str]:
        found = sorted(set(either.findall(text)))
        left = [word for word in known if word not in found]
        if not found or len(left) < len(found):
            return []
        variants = []
        for _ in range(_N_VARIANTS):
            others = dict(zip(found, random.sample(left, len(found)), strict=True))
            variants.append(either.sub(lambda match, others=others: others[match[0]], text))  # type: ignore[misc]
        return list(dict.fromkeys(variants))

    return change


def _any_of(words: Sequence[str]) -> "re.Pattern[str]":
    """Any of these words; of scripts with blanks only where it stands alone. The longest goes first."""
    ordered = sorted(words, key=len, reverse=True)
    alone = "|".join(re.escape(word) for word in ordered if _has_blanks_around(word))
    anywhere = [re.escape(word) for word in ordered if not _has_blanks_around(word)]
    return re.compile("|".join([*([rf"(?<!\w)(?:{alone})(?!\w)"] if alone else []), *anywhere]))


def _has_blanks_around(word: str) -> bool:
    return not any("\u2e80" <= character <= "\u9fff" for character in word)


def added_phrases(phrases: Sequence[str]) -> Change:
    """Phrases of a list behind the text, each a sentence of its own."""

    def change(text: str, random: Random) -> list[str]:
        ended = text if _AT_END.search(text) else f"{text}."
        return [f"{ended.rstrip()} {phrase}" for phrase in random.sample(list(phrases), min(_N_VARIANTS, len(phrases)))]

    return change


CHANGES: dict[str, Change] = {
    "punctuation": punctuation,
    "typo": typos(1),
    "two typos": typos(2),
    "contractions": contractions,
    "urls and handles": urls_and_handles,
    "numbers": numbers,
}
_OF_LISTS: dict[str, Callable[[Sequence[str]], Change]] = {"swap": swapped_words, "add": added_phrases}


def list_of_change(name: str) -> str | None:
    """The word list that a change needs, "first_name" of "swap:first_name"; None for one that needs none."""
    kind, _, list_name = name.partition(":")
    return list_name if kind in _OF_LISTS and list_name else None


def find_change(name: str, words: Mapping[str, Sequence[str]]) -> Change:
    """The change of a name: one of CHANGES, `swap:LIST` or `add:LIST`.

    Raises: InvalidValue for another name, or a list that is not there
    """
    if name in CHANGES:
        return CHANGES[name]
    list_name = list_of_change(name)
    if list_name is None:
        raise InvalidValue(f"There is no change '{name}'. There are {', '.join(CHANGES)}, swap:LIST and add:LIST.")
    if list_name not in words:
        known = ", ".join(sorted(words)) or "none yet"
        raise InvalidValue(f"The change '{name}' needs the word list '{list_name}'. There are: {known}.")
    return _OF_LISTS[name.partition(":")[0]](words[list_name])
