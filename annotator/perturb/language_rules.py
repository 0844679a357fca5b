"""What is known of Chinese words, English verbs, numbers, signs and typing errors, whoever changes a text with it.

The changes of functional tests (annotator/perturb/text_changes.py) change a whole text wherever they can, in the manner of
CheckList, and what a saved seed makes of a text must stay. The suggestions (annotator/perturb/suggestions) offer a person one
place after another, and leave out the places where a rule might be wrong.

A test contracts a closed list of pairs, all that a text has at once; a suggestion knows a few more ("what is", "she will",
"needn't") and leaves out what the next word makes doubtful. "I've" for "I have" (a dog), which a person would not accept, is only
in the first.

The numbers of a test are whole ones of at most nine digits. Those of a suggestion are also written with decimals and with commas
between thousands, stay years where they are years, and never fall below 2, for a singular stands after 1.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from random import Random

IDEOGRAPHS = "\u4e00-\u9fff"  # as a range in a pattern
_FIRST, _LAST = IDEOGRAPHS.split("-")
_AFTER_A_WORD = frozenset("，。！？；,.!?; 的了啊吧呢") | {""}


def are_ideographs(characters: str) -> bool:
    """Whether all of some characters are Chinese ones.

    >>> are_ideographs("好吃"), are_ideographs("好a")
    (True, False)
    """
    return all(_FIRST <= character <= _LAST for character in characters)


def word_at(text: str, index: int, words: Iterable[str]) -> str | None:
    """The first of some words that the text goes on with at an index.

    >>> word_at("很好吃", 1, ["吃", "好吃", "好"])
    '好吃'
    """
    return next((word for word in words if text.startswith(word, index)), None)


def may_end_word(text: str, index: int) -> bool:
    """Whether a word can end before an index: a sign, a final particle or the end of the text follows."""
    return text[index : index + 1] in _AFTER_A_WORD


# English verbs written in full and contracted, and the pronouns they stand beside.


CONTRACTED_BEFORE_NOT = {"can": "ca", "will": "wo", "shall": "sha"}  # "ca" n't; all others stay as they are
IN_FULL_BEFORE_NOT = {contracted: verb for verb, contracted in CONTRACTED_BEFORE_NOT.items()}
TAKE_NOT = (
    "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "could", "would", "should", "must",
)  # fmt: skip
BE_AND_MODALS = ("is", "are", "was", "were", "am", "can", "could", "will", "would", "should")

CLITICS = {"am": "m", "are": "re", "is": "s", "have": "ve", "will": "ll"}  # behind the apostrophe
_SUBJECTS = {
    "am": ("I",),
    "are": ("you", "we", "they"),
    "is": ("it", "that", "there", "he", "she"),
    "will": ("I", "you", "it", "we", "they"),
}
AFTER_HAS = frozenset({"been", "got", "had"})  # "it's been": has, not is
PRONOUNS = frozenset({"i", "you", "he", "she", "it", "we", "they", "this", "that", "these", "those", "there"})

_SUBJECTS_IN_TESTS = {"have": ("I", "you", "we", "they")}
_SUBJECTS_IN_SUGGESTIONS = {"is": ("what",), "will": ("he", "she")}


def phrases_of_tests() -> dict[str, str]:
    """What a test contracts: each phrase in full with its contraction.

    >>> phrases = phrases_of_tests()
    >>> phrases["do not"], phrases["cannot"], phrases["will not"], phrases["I am"], phrases["they have"]
    ("don't", "can't", "won't", "I'm", "they've")
    """
    with_not = {f"{verb} not": f"{verb}n't" for verb in TAKE_NOT}
    return {**with_not, "cannot": "can't", "will not": "won't", **_beside(_SUBJECTS), **_beside(_SUBJECTS_IN_TESTS)}


def phrases_of_suggestions() -> dict[str, str]:
    """What a suggestion contracts of a subject and its verb.

    >>> phrases_of_suggestions()["what is"], "I have" in phrases_of_suggestions()
    ("what's", False)
    """
    return {**_beside(_SUBJECTS), **_beside(_SUBJECTS_IN_SUGGESTIONS)}


def _beside(subjects: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {f"{subject} {verb}": f"{subject}'{CLITICS[verb]}" for verb, names in subjects.items() for subject in names}


# Numbers in digits, and other numbers of about the same size.


READ_AS_WORDS = frozenset({"2", "4"})  # also written for "to" and "for"
WHOLE_NUMBER = re.compile(r"(?<![\w.,])\d{1,9}(?![\w]|[.,]\d)")
# No part of a longer sign: 3.2.1, 10:30, 1-0, b2, #4, @5.
AMOUNT = re.compile(r"(?<![A-Za-z0-9_.,:/@#-])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?![A-Za-z0-9_:/-]|[.,]\d)")

_LONGEST = 40  # characters; what is longer is no amount that somebody reads


def draw_whole_number(number: int, random: Random) -> int:
    """Another whole number above 0, at most a fifth away (at least 1 away)."""
    reach = max(1, number // 5)
    candidates = [number + random.randint(1, reach), number - random.randint(1, reach)]
    return random.choice([candidate for candidate in candidates if candidate > 0])


def is_readable_amount(amount: "re.Match[str]") -> bool:
    """Whether a match of AMOUNT is one that may be changed: no code such as 007, nor 0 and 1, whose nouns are others."""
    number = amount.group()
    is_code = number[0] == "0" and amount[2] is None
    return number.isascii() and len(number) <= _LONGEST and number not in READ_AS_WORDS | {"0", "1"} and not is_code


def draw_amount(number: str, random: Random) -> str:
    """A number written alike, at most a fifth away (a year: at most nine years), never the same and never below 2."""
    n_decimals = len(number.partition(".")[2])
    value = int(number.replace(",", "").replace(".", ""))
    least = 0 if n_decimals else 2
    is_year = number.isdigit() and len(number) == 4 and 1900 <= value < 2100
    reach = 9 if is_year else max(1, round(value / 5))
    direction = random.choice([sign for sign in (-1, 1) if value + sign >= least])
    furthest = reach if direction > 0 else min(reach, value - least)
    digits = str(value + direction * random.randint(1, furthest)).rjust(n_decimals + 1, "0")
    whole, decimals = (digits[:-n_decimals], "." + digits[-n_decimals:]) if n_decimals else (digits, "")
    return (f"{int(whole):,}" if "," in number else whole) + decimals


# Signs that end a sentence, and the beginning of addresses that are made up.


SENTENCE_SIGNS = ".!?…。！？"
FULL_STOP, CHINESE_FULL_STOP = ".", "。"
EXAMPLE_ADDRESS = "https://example.com/"  # a host that is kept free for examples: nobody can have it


# Two neighbouring letters in each other's place: a slip of the fingers that always changes the text.


def swappable_pairs(text: str) -> list[int]:
    """Where two different letters stand in a row: the index of the first.

    >>> swappable_pairs("all, in")
    [0, 5]
    """
    return [
        index for index in range(len(text) - 1) if text[index : index + 2].isalpha() and text[index] != text[index + 1]
    ]


def swapped_pair(text: str, index: int) -> str:
    """The two letters from an index on, the second one first.

    >>> swapped_pair("all, in", 5)
    'ni'
    """
    return text[index + 1] + text[index]
