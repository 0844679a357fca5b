"""The surface of a text: signs, typing errors, links and contractions."""

import re
import string
from collections.abc import Iterator

from annotator.language import _, listed
from annotator.perturb import language_rules
from annotator.perturb.passage import Passage, Word
from annotator.perturb.suggested_texts import Proposal, suggester
from annotator.perturb.wording import drop, like
from annotator.text.edits import Edit

# English contractions, both ways. Where a form may mean two things ("he's", "she'd"), the next word must decide.


_NEGATED = re.compile(
    rf"(?<![\w'’])({'|'.join((*language_rules.IN_FULL_BEFORE_NOT, 'need', *language_rules.TAKE_NOT))})\s?n['’]t(?!\w)",
    re.IGNORECASE,
)
_NOT = re.compile(
    rf"(?<![\w'’])(cannot|(?:{'|'.join(('can', 'will', *language_rules.TAKE_NOT))}) not)(?![\w'’])", re.IGNORECASE
)
_CLITIC = re.compile(
    r"(?<![\w'’])(i|you|he|she|it|we|they|that|there|what|who|let)(\s?['’](?:m|re|ve|ll|s|d))(?=\s\w)", re.IGNORECASE
)
_FULL = re.compile(rf"(?<![\w'’])({'|'.join(language_rules.phrases_of_suggestions())})(?=\s\w)", re.IGNORECASE)
_IN_FULL = {clitic: verb for verb, clitic in language_rules.CLITICS.items()}
_AFTER_WOULD = frozenset({"like", "love", "rather", "be", "say", "recommend", "prefer", "give", "go", "never"})
_AFTER_IS = frozenset(
    {
        "a",
        "an",
        "the",
        "not",
        "so",
        "very",
        "really",
        "just",
        "no",
        "my",
        "his",
        "her",
        "their",
        "all",
        "too",
        "quite",
        "also",
    }
)


@suggester("Write contractions out", kinds="dispensable robustness", languages="en")
def expand_contraction(passage: Passage) -> Iterator[Proposal]:
    text = passage.text
    for match in _NEGATED.finditer(text):
        if passage.next_word(match.end()) not in language_rules.PRONOUNS | {
            "not"
        }:  # "Isn't it" would become "Is not it"
            verb = match[1].lower()
            yield _replaced(match, like(match[1], f"{language_rules.IN_FULL_BEFORE_NOT.get(verb, verb)} not"))
    for match in _CLITIC.finditer(text):
        word = _long_form(match[1].lower(), match[2].strip("'’ \u00a0").lower(), passage, match.end())
        if word:
            yield _replaced(match, f"{match[1]} {word}")


def _long_form(subject: str, clitic: str, passage: Passage, end: int) -> str:
    """The word that a clitic stands for, "" where it may be another."""
    following = passage.next_word(end)
    if subject == "let":
        return "us" if clitic == "s" else ""
    if clitic == "d":
        return "would" if following in _AFTER_WOULD else ""
    if clitic == "s":
        if following in language_rules.AFTER_HAS:
            return "has"
        is_sure = (
            following in _AFTER_IS or following in passage.word_lists.list("adjectives") or following.endswith("ing")
        )
        return "is" if is_sure else ""
    return _IN_FULL[clitic]


@suggester("Contract", kinds="dispensable robustness", languages="en")
def contract(passage: Passage) -> Iterator[Proposal]:
    gap = " " if passage.is_spaced else ""
    for match in _NOT.finditer(passage.text):
        verb = "can" if match[1].lower() == "cannot" else match[1].split()[0].lower()
        if passage.next_word(match.end()) in {"only", "to"}:
            continue
        yield _replaced(match, like(match[1], f"{language_rules.CONTRACTED_BEFORE_NOT.get(verb, verb)}{gap}n't"))
    for match in _FULL.finditer(passage.text):
        subject, verb = match[1].split()
        if passage.next_word(match.end()) not in {"not", "and", "or", "but"}:
            yield _replaced(match, f"{subject}{gap}'{language_rules.CLITICS[verb.lower()]}")


def _replaced(match: "re.Match[str]", new: str) -> Proposal:
    return [Edit(*match.span(), new)], f"{match.group()} → {new}"


# Addresses and handles, put in or taken out. The ones put in belong to nobody: example.com is kept free for examples.


_LINK = re.compile(rf"(?<!\S)(?:https?://|www\.)[^\s{language_rules.IDEOGRAPHS}，。！？]+")
_HANDLE = re.compile(r"(?<!\S)@\w{2,}")


@suggester("Add an address", kinds="robustness")
def add_link(passage: Passage) -> Iterator[Proposal]:
    link = language_rules.EXAMPLE_ADDRESS + _drawn(passage, string.ascii_letters + string.digits, 6)
    yield from _at_both_ends(passage, link)


@suggester("Add a handle", kinds="robustness")
def add_handle(passage: Passage) -> Iterator[Proposal]:
    handle = (
        "@" + _drawn(passage, string.ascii_lowercase, 1) + _drawn(passage, string.ascii_lowercase + string.digits, 7)
    )
    yield from _at_both_ends(passage, handle)


@suggester("Without an address or a handle", kinds="robustness dispensable")
def drop_link(passage: Passage) -> Iterator[Proposal]:
    for address in sorted(
        [*_LINK.finditer(passage.text), *_HANDLE.finditer(passage.text)], key=lambda match: match.start()
    ):
        yield drop(passage, *address.span()), _("without {words}", words=address.group())


def _drawn(passage: Passage, characters: str, n: int) -> str:
    return "".join(passage.random.choices(characters, k=n))


def _at_both_ends(passage: Passage, words: str) -> Iterator[Proposal]:
    if not passage.body.n_tokens:
        return
    start, end = passage.body.starts[0], passage.body.ends[-1]
    yield [Edit(start, start, words + " ")], _("{words} at the beginning", words=words)
    yield [Edit(end, end, " " + words)], _("{words} at the end", words=words)


# Signs at the end and within, and their width.


_LAST = re.compile(r"(?P<gap> ?)(?P<signs>[.!。！]+)(?=[\"'”’)\]]*\s*\Z)")
_LAST_WORD = re.compile(r"\w(?=\s*\Z)")
_COMMA = re.compile(r" ?,(?= )")
_INNER_FULL_STOP = re.compile(r"(?<=\w)(?P<gap> ?)\.(?= +[A-Z])")
_FULL_WIDTH = str.maketrans("，。！？：；（）", ",.!?:;()")
_WIDE_SIGN = re.compile("[，。！？：；]")
_NARROW_SIGN = re.compile(rf"(?<=[{language_rules.IDEOGRAPHS}])[,!?:;]")
_WIDE = str.maketrans(",!?:;", "，！？：；")


@suggester("Without the last full stop", kinds="robustness dispensable")
def strip_last_sign(passage: Passage) -> Iterator[Proposal]:
    if match := _LAST.search(passage.text):
        yield [Edit(*match.span(), "")], _("without “{words}” at the end", words=match["signs"])


@suggester("Another last sign", kinds="robustness")
def change_last_sign(passage: Passage) -> Iterator[Proposal]:
    full_stop, mark = (
        (language_rules.CHINESE_FULL_STOP, "！") if passage.code == "zh" else (language_rules.FULL_STOP, "!")
    )
    if match := _LAST.search(passage.text):
        for new in (full_stop, mark, mark * 3):
            if new != match["signs"]:
                yield [Edit(match.start("signs"), match.end(), new)], f"{match['signs']} → {new}"
    elif match := _LAST_WORD.search(passage.text):
        gap = " " if passage.is_spaced else ""
        yield [Edit(match.end(), match.end(), gap + full_stop)], _("{words} at the end", words=full_stop)


@suggester("Without a comma", kinds="robustness", languages="en")
def drop_comma(passage: Passage) -> Iterator[Proposal]:
    for match in _COMMA.finditer(passage.text):
        yield [Edit(*match.span(), "")], _("without a comma")


@suggester("Exclamation mark within the text", kinds="robustness", languages="en")
def exclaim_within(passage: Passage) -> Iterator[Proposal]:
    for match in _INNER_FULL_STOP.finditer(passage.text):
        yield [Edit(match.end() - 1, match.end(), "!")], ". → !"


@suggester("Half-width signs", kinds="robustness", languages="zh")
def narrow_signs(passage: Passage) -> Iterator[Proposal]:
    signs = list(_WIDE_SIGN.finditer(passage.text))
    for sign in signs:
        yield [Edit(*sign.span(), sign.group().translate(_FULL_WIDTH))], _("half-width {sign}", sign=sign.group())
    if len(signs) > 1:
        yield (
            [Edit(*sign.span(), sign.group().translate(_FULL_WIDTH)) for sign in signs],
            _("all punctuation half-width"),
        )


@suggester("Full-width signs", kinds="robustness", languages="zh")
def widen_signs(passage: Passage) -> Iterator[Proposal]:
    for match in _NARROW_SIGN.finditer(passage.text):
        yield [Edit(*match.span(), match.group().translate(_WIDE))], _("full-width {sign}", sign=match.group())


# Slips of the fingers. Each changes the text for sure: no two equal letters change places, and no slip undoes another.


_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_MOST_WORDS = 60


@suggester("Two letters change places", kinds="robustness")
def swap_letters(passage: Passage) -> Iterator[Proposal]:
    for word in _drawn_words(passage):
        yield [_swap(passage, word)], _("typo in “{word}”", word=passage.text[word.start : word.end])


@suggester("Two typos", kinds="robustness")
def swap_letters_twice(passage: Passage) -> Iterator[Proposal]:
    words = _drawn_words(passage)
    for first, second in zip(words[::2], words[1::2], strict=False):
        texts = listed([f"“{passage.text[word.start : word.end]}”" for word in (first, second)], "and")
        yield [_swap(passage, first), _swap(passage, second)], _("typos in {words}", words=texts)


@suggester("A letter is missing", kinds="robustness")
def drop_letter(passage: Passage) -> Iterator[Proposal]:
    for word in _drawn_words(passage):
        index = passage.random.randrange(word.start + 1, word.end - 1)
        yield [Edit(index, index + 1, "")], _("missing letter in “{word}”", word=passage.text[word.start : word.end])


@suggester("The key beside it", kinds="robustness", languages="en")
def press_neighbour(passage: Passage) -> Iterator[Proposal]:
    for word in _drawn_words(passage):
        index = passage.random.randrange(word.start + 1, word.end)
        letter = passage.text[index]
        row = next((row for row in _ROWS if letter in row), None)
        if row is not None:
            key = row.index(letter)
            beside = passage.random.choice(row[max(0, key - 1) : key] + row[key + 1 : key + 2])
            yield [Edit(index, index + 1, beside)], _("wrong key in “{word}”", word=passage.text[word.start : word.end])


def _drawn_words(passage: Passage) -> list[Word]:
    """Words of at least four letters, some of them, in order. Only plain letters: no part of a cluster is moved."""
    candidates = [word for word in passage.words if _can_be_swapped(passage.text, word)]
    if len(candidates) <= _MOST_WORDS:
        return candidates
    return sorted(passage.random.sample(candidates, _MOST_WORDS), key=lambda word: word.start)


def _can_be_swapped(text: str, word: Word) -> bool:
    letters = text[word.start : word.end]
    following = text[word.end : word.end + 1]
    is_plain = letters.isascii() and letters.isalpha() and len(letters) >= 4 and not letters.isupper()
    return is_plain and (following.isascii() or following.isalpha()) and bool(_swappable_within(letters))


def _swappable_within(letters: str) -> list[int]:
    """The pairs of a word that may be swapped; the first letter, which readers go by, stays."""
    return [index for index in language_rules.swappable_pairs(letters) if index]


def _swap(passage: Passage, word: Word) -> Edit:
    letters = passage.text[word.start : word.end]
    index = passage.random.choice(_swappable_within(letters))
    return Edit(word.start + index, word.start + index + 2, language_rules.swapped_pair(letters, index))


@suggester("A character that is easily confused", kinds="robustness", languages="zh")
def confuse_character(passage: Passage) -> Iterator[Proposal]:
    confusions = passage.word_lists.map("confusions")
    for start, end, character in passage.find(confusions):
        for other in confusions[character]:
            yield [Edit(start, end, other)], f"{character} → {other}"


@suggester("Two characters change places", kinds="robustness", languages="zh")
def swap_characters(passage: Passage) -> Iterator[Proposal]:
    text = passage.text
    pairs = [
        index
        for index in language_rules.swappable_pairs(text)
        if language_rules.are_ideographs(text[index : index + 2])
    ]
    for index in sorted(passage.random.sample(pairs, min(_MOST_WORDS, len(pairs)))):
        pair, swapped = text[index : index + 2], language_rules.swapped_pair(text, index)
        yield [Edit(index, index + 2, swapped)], f"{pair} → {swapped}"
