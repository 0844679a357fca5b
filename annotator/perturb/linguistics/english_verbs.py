"""English verbs written in full and contracted, and the pronouns they stand beside.

A test contracts a closed list of pairs, all that a text has at once; a suggestion knows a few more ("what is", "she will",
"needn't") and leaves out what the next word makes doubtful. Neither list is the other's: a pair more in the first would change
what saved seeds make, and "I've" for "I have" (a dog), which a person would not accept, is only in the first.
"""

from collections.abc import Mapping, Sequence

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
