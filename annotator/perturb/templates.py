"""Cases from templates: texts with slots that share their words, after CheckList's Editor (Ribeiro et al. 2020).

Combinations are numbered and made one by one, so that a template with millions of them costs nothing until it is asked for some.

{food}               a word of the list `food`; {Food}: with a capital
{name1} and {name2}  copies: two different words of the list `name`; the same copy is the same word throughout a case
{a:food}, {A:food}   the word with "a" or "an" before it
{size.1}, {size.2}   the forms of one word, which its list writes "big | small"
{{ and }}            braces
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from random import Random

from annotator.domain.numbers import by_key, counted
from annotator.domain.suites import Text
from annotator.errors import InvalidValue
from annotator.language import _, listed, unsaid

# A text with slots, read once and filled many times.


_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_SLOT = re.compile(r"(?:(?P<article>[aA]):)?(?P<name>[^\W\d](?:\w*[^\W\d])?)(?P<copy>\d*)(?:\.(?P<form>[1-9]\d?))?")
_HOLDS_SLOT = re.compile(r"\{[^{}]*\}")
_WANTED = unsaid("Slots are {list}, {list1}, {a:list} or {list.2}; double a literal brace.")

_FIRST_WORD = re.compile(r"\w+")
# By their sound, not by their letter.
_SOUNDS_LIKE_CONSONANT = re.compile(
    r"(?:eu|ewe|one|once|ouija|u(?:ni(?!n|m)|s[aeiou]|ti|fo|ku|ra|te|bi))", re.IGNORECASE
)
_SOUNDS_LIKE_VOWEL = re.compile(r"(?:hour|honest|hono|heir|8|11(?!\d)|18(?!\d))", re.IGNORECASE)
_SPELT_WITH_VOWEL = "AEFHILMNORSX"  # names of letters that begin with a vowel


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a word. copy: the number behind the list's name, "" without one; form: from 1; article: "", "a" or "A"."""

    name: str
    copy: str = ""
    form: int = 1
    article: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A text in parts: what stands as it is, and slots."""

    parts: tuple[str | Slot, ...]

    @property
    def slots(self) -> Iterator[Slot]:
        return (part for part in self.parts if isinstance(part, Slot))


def parse_pattern(text: str) -> Pattern:
    """The parts of a text with slots.

    Raises: InvalidValue, naming the place, for a lone brace and for what is no slot
    >>> parse_pattern("{A:food} for {name2}").parts
    (Slot(name='food', copy='', form=1, article='A'), ' for ', Slot(name='name', copy='2', form=1, article=''))
    """
    parts: list[str | Slot] = []
    done = 0
    for match in _BRACES.finditer(text):
        parts.append(text[done : match.start()])
        done = match.end()
        parts.append(match[0][0] if match[0] in {"{{", "}}"} else _slot(match, text))
    parts.append(text[done:])
    return Pattern(tuple(part for part in parts if part != ""))


def _slot(match: "re.Match[str]", text: str) -> Slot:
    inside = match[1]
    if inside is None:
        raise InvalidValue(
            _(
                "Character {number} of '{text}' is an unpaired '{brace}'. {wanted}",
                number=match.start(),
                text=_short(text),
                brace=match[0],
                wanted=_(_WANTED),
            )
        )
    read = _SLOT.fullmatch(inside.strip())
    if read is None:
        raise InvalidValue(
            _("'{slot}' in '{text}' isn't a slot. {wanted}", slot=match[0], text=_short(text), wanted=_(_WANTED))
        )
    return Slot(read["name"], read["copy"], int(read["form"] or 1), read["article"] or "")


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


def forms_of(list_name: str, words: Sequence[str]) -> list[tuple[str, ...]]:
    """The forms of each word of a list.

    Raises: InvalidValue for a word that holds a slot: words are not filled in turn
    """
    for word in words:
        if _HOLDS_SLOT.search(word):
            raise InvalidValue(
                _(
                    "'{word}' in list '{name}' contains a slot. Put it in the template.",
                    word=_short(word),
                    name=list_name,
                )
            )
    return [tuple(form.strip() for form in word.split("|")) for word in words]


def with_article(word: str, article: str) -> str:
    """A word with "a" or "an" before it, as English says it (by a rule, so that rare words may come out wrong).

    >>> [with_article(word, "a") for word in ("apple", "pear", "hour", "user", "MP", "uninvited guest")]
    ['an apple', 'a pear', 'an hour', 'a user', 'an MP', 'an uninvited guest']
    """
    first = _FIRST_WORD.search(word)
    letters = first[0] if first else ""
    if len(letters) > 1 and letters.isascii() and letters.isupper():
        has_n = letters[0] in _SPELT_WITH_VOWEL
    elif _SOUNDS_LIKE_CONSONANT.match(letters):
        has_n = False
    else:
        has_n = letters[:1].lower() in tuple("aeiou") or _SOUNDS_LIKE_VOWEL.match(letters) is not None
    return f"{article}{'n' if has_n else ''} {word}"


def capitalised(word: str) -> str:
    """A word with its first letter as a capital; the others stay.

    >>> capitalised("iPad cover")
    'IPad cover'
    """
    return word[:1].upper() + word[1:]


MOST_CASES = 100_000
Words = Mapping[str, Sequence[str]]
_Segments = tuple[tuple[str, Pattern], ...]
_Variable = tuple[str, str]  # a list and the number of its copy


@dataclass(frozen=True, slots=True)
class Template:
    """The texts of one case, read: each a pattern, or its segments' patterns by name."""

    texts: tuple[Pattern | _Segments, ...]

    @staticmethod
    def of(texts: Sequence[Text]) -> "Template":
        """Read texts with slots; raises InvalidValue as `parse_pattern` does, and for no text."""
        if not texts:
            raise InvalidValue(_("A template needs at least one text."))
        return Template(tuple(_read(text) for text in texts))

    @property
    def slots(self) -> Iterator[Slot]:
        for text in self.texts:
            patterns = (text,) if isinstance(text, Pattern) else (pattern for _name, pattern in text)
            for pattern in patterns:
                yield from pattern.slots


def _read(text: Text) -> Pattern | _Segments:
    if isinstance(text, str):
        return parse_pattern(text)
    return tuple((name, parse_pattern(part)) for name, part in text.items())


@dataclass(frozen=True, slots=True)
class _Column:
    """What one variable takes: the forms of the words of its list; n_before: how many copies of the list come before it."""

    forms: Sequence[tuple[str, ...]]
    n_before: int


class FilledTemplate:
    """A template with its words: so many combinations, each had by its number.

    Copies of one list get different words, so that k copies of n words combine in n × (n − 1) × ... ways.
    """

    def __init__(self, template: Template, words: Words) -> None:
        """Raises InvalidValue for an unknown list, too few words, a form that a word lacks, or words that hold slots."""
        self._template = template
        self._names = {slot.name: _list_of(slot.name, words) for slot in template.slots}
        forms = {name: forms_of(name, words[name]) for name in sorted(set(self._names.values()))}
        variables = dict.fromkeys((self._names[slot.name], slot.copy) for slot in template.slots)
        self._columns: list[_Column] = []
        n_copies: Counter[str] = Counter()
        for name, _copy in variables:
            self._columns.append(_Column(forms[name], n_copies[name]))
            n_copies[name] += 1
        self._groups = _groups(list(variables))
        self._places: dict[_Variable, int] = {variable: index for index, variable in enumerate(variables)}
        _check(template, self._names, forms, n_copies)
        self._texts = [self._steps(text) for text in template.texts]

    @property
    def sizes(self) -> list[int]:
        """How many words each variable chooses from, given those before it."""
        return [len(column.forms) - column.n_before for column in self._columns]

    @property
    def n_combinations(self) -> int:
        return math.prod(self.sizes)

    def case(self, number: int) -> tuple[Text, ...]:
        """The texts of one combination, 0 to n_combinations − 1; the last variable changes fastest."""
        chosen = self._chosen(number)
        return tuple(
            _filled(steps, chosen)
            if isinstance(steps, list)
            else {name: _filled(s, chosen) for name, s in steps.items()}
            for steps in self._texts
        )

    def _chosen(self, number: int) -> list[tuple[str, ...]]:
        """The word of each variable. A copy takes the n-th of the words that copies before it have left."""
        choices = [0] * len(self._columns)
        for index in range(len(self._columns) - 1, -1, -1):
            number, choices[index] = divmod(number, len(self._columns[index].forms) - self._columns[index].n_before)
        for group in self._groups:
            taken: list[int] = []
            for index in group:
                for other in sorted(taken):
                    choices[index] += other <= choices[index]
                taken.append(choices[index])
        return [column.forms[choice] for column, choice in zip(self._columns, choices, strict=True)]

    def _steps(self, text: Pattern | _Segments) -> "list[_Step] | dict[str, list[_Step]]":
        if isinstance(text, Pattern):
            return [part if isinstance(part, str) else self._step(part) for part in text.parts]
        return {name: [p if isinstance(p, str) else self._step(p) for p in pattern.parts] for name, pattern in text}

    def _step(self, slot: Slot) -> "_Fill":
        name = self._names[slot.name]
        return _Fill(self._places[name, slot.copy], slot.form - 1, slot.article, slot.name != name)


@dataclass(frozen=True, slots=True)
class _Fill:
    """A slot as it is filled: by which variable, with which of its forms (from 0), and how."""

    variable: int
    form: int
    article: str
    has_capital: bool


_Step = str | _Fill


def _filled(steps: Sequence[_Step], chosen: Sequence[tuple[str, ...]]) -> str:
    parts = []
    for step in steps:
        if isinstance(step, str):
            parts.append(step)
            continue
        word = chosen[step.variable][step.form]
        word = capitalised(word) if step.has_capital else word
        parts.append(with_article(word, step.article) if step.article else word)
    return "".join(parts)


def _list_of(name: str, words: Words) -> str:
    """The list that a slot's name means: its own, or the one with a small first letter."""
    small = name[:1].lower() + name[1:]
    list_name = name if name in words else small
    if list_name in words:
        return list_name
    close = get_close_matches(small, words, n=1)
    hint = (
        _("Did you mean {{{name}}}?", name=close[0])
        if close
        else _("Available: {known}.", known=listed(sorted(words)) or _("no word lists yet"))
    )
    raise InvalidValue(_("No word list for slot {{{name}}}. {hint}", name=name, hint=hint))


def _groups(variables: Sequence[_Variable]) -> list[list[int]]:
    """The places of the copies of one list, for lists that have several."""
    by_name = by_key((name, index) for index, (name, _copy) in enumerate(variables))
    return [group for group in by_name.values() if len(group) > 1]


def _check(
    template: Template, names: Mapping[str, str], forms: Mapping[str, Sequence[tuple[str, ...]]], n_copies: Counter[str]
) -> None:
    for name, n in n_copies.items():
        if len(forms[name]) < n:
            raise InvalidValue(
                _(
                    "The template needs {words} from '{name}' ({number}). Add words.",
                    words=counted(n, "different word"),
                    name=name,
                    number=len(forms[name]),
                )
            )
    for slot in template.slots:
        short = next((word for word in forms[names[slot.name]] if len(word) < slot.form), None)
        if short is not None:
            raise InvalidValue(
                _(
                    "{{{name}.{form}}} needs form {form}, but '{word}' has {number}. Separate forms with '|'.",
                    name=slot.name,
                    form=slot.form,
                    word=" | ".join(short),
                    number=len(short),
                )
            )


def refuse_too_many(n_combinations: int) -> None:
    """Raise InvalidValue, with the count, where all combinations would be more cases than a test may have."""
    if n_combinations > MOST_CASES:
        raise InvalidValue(
            _(
                "{n} combinations; the maximum is {most}. Sample, or shorten a list.",
                n=f"{n_combinations:,}", most=f"{MOST_CASES:,}"
            )
        )  # fmt: skip


def cases_of(filled: FilledTemplate, *, n: int | None, seed: int) -> list[tuple[Text, ...]]:
    """Different cases in an order drawn from the seed: n of them, or (None) all; fewer where there are not so many.

    A case of which a later text equals an earlier one shows no change and is left out.
    Raises: InvalidValue, with the count, for more than MOST_CASES
    """
    if n is None:
        refuse_too_many(filled.n_combinations)
    wanted = filled.n_combinations if n is None else n
    if not 0 <= wanted <= MOST_CASES:
        raise InvalidValue(_("Tests have 1 to {most} cases.", most=f"{MOST_CASES:,}"))
    return list(islice(_different(filled, wanted, Random(seed)), wanted))  # noqa: S311  (a sample, no secret)


def _different(filled: FilledTemplate, wanted: int, random: Random) -> Iterator[tuple[Text, ...]]:
    seen: set[tuple[object, ...]] = set()
    for number in islice(_drawn(filled.n_combinations, random), 10 * wanted + 1000):  # where many texts are equal
        case = filled.case(number)
        texts = tuple(text if isinstance(text, str) else tuple(text.values()) for text in case)
        if texts not in seen and len(set(texts)) == len(texts):
            seen.add(texts)
            yield case


def _drawn(total: int, random: Random) -> Iterator[int]:
    """All whole numbers below the total, each once, in a drawn order; memory grows only with what is taken."""
    drawn: set[int] = set()
    while len(drawn) < total // 2:
        number = random.randrange(total)
        if number not in drawn:
            drawn.add(number)
            yield number
    rest = [number for number in range(total) if number not in drawn]
    random.shuffle(rest)
    yield from rest
