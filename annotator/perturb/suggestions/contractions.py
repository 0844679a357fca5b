"""English contractions, both ways. Where a form may mean two things ("he's", "she'd"), the next word must decide."""

import re
from collections.abc import Iterator

from annotator.perturb.linguistics.english_verbs import (
    AFTER_HAS,
    CLITICS,
    CONTRACTED_BEFORE_NOT,
    IN_FULL_BEFORE_NOT,
    PRONOUNS,
    TAKE_NOT,
    phrases_of_suggestions,
)
from annotator.perturb.passage import Passage
from annotator.perturb.registry import Proposal, suggester
from annotator.perturb.wording import like
from annotator.text.edits import Edit

_NEGATED = re.compile(
    rf"(?<![\w'’])({'|'.join((*IN_FULL_BEFORE_NOT, 'need', *TAKE_NOT))})\s?n['’]t(?!\w)", re.IGNORECASE
)
_NOT = re.compile(rf"(?<![\w'’])(cannot|(?:{'|'.join(('can', 'will', *TAKE_NOT))}) not)(?![\w'’])", re.IGNORECASE)
_CLITIC = re.compile(
    r"(?<![\w'’])(i|you|he|she|it|we|they|that|there|what|who|let)(\s?['’](?:m|re|ve|ll|s|d))(?=\s\w)", re.IGNORECASE
)
_FULL = re.compile(rf"(?<![\w'’])({'|'.join(phrases_of_suggestions())})(?=\s\w)", re.IGNORECASE)
_IN_FULL = {clitic: verb for verb, clitic in CLITICS.items()}
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
        if passage.next_word(match.end()) not in PRONOUNS | {"not"}:  # "Isn't it" would become "Is not it"
            verb = match[1].lower()
            yield _replaced(match, like(match[1], f"{IN_FULL_BEFORE_NOT.get(verb, verb)} not"))
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
        if following in AFTER_HAS:
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
        yield _replaced(match, like(match[1], f"{CONTRACTED_BEFORE_NOT.get(verb, verb)}{gap}n't"))
    for match in _FULL.finditer(passage.text):
        subject, verb = match[1].split()
        if passage.next_word(match.end()) not in {"not", "and", "or", "but"}:
            yield _replaced(match, f"{subject}{gap}'{CLITICS[verb.lower()]}")


def _replaced(match: "re.Match[str]", new: str) -> Proposal:
    return [Edit(*match.span(), new)], f"{match.group()} → {new}"
