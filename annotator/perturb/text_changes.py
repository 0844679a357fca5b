"""Small changes to a text that should leave its label alone (INV), or push it one way (DIR): the texts that come of them.

A change takes a text and a source of chance and returns changed texts, none equal to the text; [] where it cannot change it.
The rules that suggestions know as well stand in annotator/perturb/linguistics.
"""

import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

from annotator.errors import InvalidValue
from annotator.language import _, listed
from annotator.perturb import language_rules
from annotator.perturb.wording import with_first_letter_of

Change = Callable[[str, Random], list[str]]

_AT_END = re.compile(rf"[\s{language_rules.SENTENCE_SIGNS}]+$")
_N_VARIANTS = 3
_LETTERS_AND_DIGITS = string.ascii_lowercase + string.digits


def punctuation(text: str, _random: Random) -> list[str]:
    """Without its closing signs, and with one full stop.

    >>> punctuation("Fine!!", Random(0)), punctuation("好", Random(0))
    (['Fine', 'Fine.'], ['好。'])
    """
    bare = _AT_END.sub("", text)
    stop = language_rules.CHINESE_FULL_STOP if bare and "\u3400" <= bare[-1] <= "\u9fff" else language_rules.FULL_STOP
    return [changed for changed in (bare, bare + stop) if bare and changed != text]


def typos(n: int) -> Change:
    """So many pairs of neighbouring letters swapped, no letter twice and no pair of equal ones: always a change."""

    def change(text: str, random: Random) -> list[str]:
        letters = list(text)
        candidates = language_rules.swappable_pairs(text)
        n_swapped = 0
        while candidates and n_swapped < n:
            index = random.choice(candidates)
            letters[index : index + 2] = language_rules.swapped_pair(text, index)
            n_swapped += 1
            candidates = [other for other in candidates if abs(other - index) > 1]
        return ["".join(letters)] if n_swapped == n else []

    return change


def _any_phrase(phrases: Iterable[str]) -> "re.Pattern[str]":
    """Any of these phrases where no letter stands before it, and none and no apostrophe behind it; the longest first."""
    ordered = sorted(phrases, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))})(?![\w'])", re.IGNORECASE)


_CONTRACTIONS = {phrase.lower(): contraction for phrase, contraction in language_rules.phrases_of_tests().items()}
_IN_FULL = {contraction.lower(): phrase for phrase, contraction in language_rules.phrases_of_tests().items()}
_ANY_IN_FULL, _ANY_CONTRACTION = _any_phrase(_CONTRACTIONS), _any_phrase(_IN_FULL)
_HAS_FOLLOWS = re.compile(rf"\s+(?:{'|'.join(sorted(language_rules.AFTER_HAS))})\b", re.IGNORECASE)


def contractions(text: str, _random: Random) -> list[str]:
    """Contracted wherever it can be, and written out wherever it can be.

    >>> contractions("It is late and I don't mind.", Random(0))
    ["It's late and I don't mind.", 'It is late and I do not mind.']
    """
    contracted = _exchanged(text, _ANY_IN_FULL, _CONTRACTIONS)
    plain = text.replace("’", "'")
    written_out = _exchanged(plain, _ANY_CONTRACTION, _IN_FULL)
    variants = [contracted] if contracted != text else []
    return variants + ([written_out] if written_out not in {plain, *variants} else [])


def _exchanged(text: str, any_phrase: "re.Pattern[str]", partners: Mapping[str, str]) -> str:
    """Every phrase by its partner, with a capital where it had one."""

    def partner_of(phrase: "re.Match[str]") -> str:
        partner = partners[phrase[0].lower()]
        if partner.endswith(" is") and _HAS_FOLLOWS.match(text, phrase.end()):
            return phrase[0]
        return with_first_letter_of(phrase[0], partner)

    return any_phrase.sub(partner_of, text)


def urls_and_handles(text: str, random: Random) -> list[str]:
    """A link behind the text, a handle behind it, and one before it; drawn, at a host that nobody can have."""
    link = language_rules.EXAMPLE_ADDRESS + _drawn(random, 6)
    return [f"{text} {link}", f"{text} @{_drawn(random, 7)}", f"@{_drawn(random, 7)} {text}"]


def _drawn(random: Random, n: int) -> str:
    """Drawn one by one: all at once would be others for the same seed."""
    return "".join(random.choice(_LETTERS_AND_DIGITS) for _ in range(n))


def numbers(text: str, random: Random) -> list[str]:
    """Each number by another one up to a fifth away (at least 1 away), the same number by the same; 2 and 4 stay."""
    changeable = sorted(set(language_rules.WHOLE_NUMBER.findall(text)) - language_rules.READ_AS_WORDS)
    variants = []
    for _n in range(_N_VARIANTS if changeable else 0):
        others = {number: str(language_rules.draw_whole_number(int(number), random)) for number in changeable}
        variants.append(_replaced(text, language_rules.WHOLE_NUMBER, others))
    return list(dict.fromkeys(variants))


def _replaced(text: str, pattern: "re.Pattern[str]", others: Mapping[str, str]) -> str:
    """What the pattern matches, by others; what has no other stays."""
    return pattern.sub(lambda match: others.get(match[0], match[0]), text)


def swapped_words(words: Sequence[str]) -> Change:
    """Each word of a list that stands in the text by another one of the list, the same by the same.

    The list is the suite's own, and its order is part of what a seed makes; the names and places that suggestions exchange
    are others, and are found with more care, since a person is to accept each of them.
    """
    first_forms = [word.split("|")[0] for word in words]
    any_word = _any_of(first_forms)

    def change(text: str, random: Random) -> list[str]:
        present = sorted(set(any_word.findall(text)))
        absent = [word for word in first_forms if word not in present]
        if not present or len(absent) < len(present):
            return []
        variants = []
        for _n in range(_N_VARIANTS):
            others = dict(zip(present, random.sample(absent, len(present)), strict=True))
            variants.append(_replaced(text, any_word, others))
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
        ended = text if _AT_END.search(text) else f"{text}{language_rules.FULL_STOP}"
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
        raise InvalidValue(
            _(
                "Unknown change '{name}'. Available: {changes}, swap:LIST and add:LIST.",
                name=name,
                changes=listed(list(CHANGES)),
            )
        )
    if list_name not in words:
        known = listed(sorted(words)) or _("none yet")
        raise InvalidValue(
            _("Change '{name}' needs word list '{list}'. Available: {known}.", name=name, list=list_name, known=known)
        )
    return _OF_LISTS[name.partition(":")[0]](words[list_name])
