"""Suggestions for a changed version of a text, by kind of perturbation, and the register of the functions that make them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from random import Random

from annotator.domain.perturbations import KINDS
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue
from annotator.perturb.passage import Passage, ProjectWords, Reading
from annotator.text.characters import is_chinese, subtags
from annotator.text.edits import Edit

# What a suggestion is, and the register of the functions that make them.


Proposal = tuple[Sequence[Edit], str]  # the edits of a suggestion, and why
Suggest = Callable[[Passage], Iterator[Proposal]]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A change that a person may accept: edits of one segment's text, in order, not overlapping, all of them together.

    why: a short phrase for the person; maker: the name of the function that found it
    """

    edits: tuple[Edit, ...]
    why: str
    maker: str

    def __post_init__(self) -> None:
        if not self.edits or any(edit.start > edit.end or edit.start < 0 for edit in self.edits):
            raise InvalidValue(f"The suggestion '{self.why}' of {self.maker} has no edits, or one that is no range.")
        if any(edit.end > other.start or edit.start == other.start for edit, other in pairwise(self.edits)):
            raise InvalidValue(
                f"The edits of the suggestion '{self.why}' of {self.maker} overlap, or are not in order."
            )


@dataclass(frozen=True, slots=True)
class Suggester:
    """A function that finds suggestions.

    kinds: for which kinds of perturbation; languages: en, zh; () is any
    turns: whether its changes turn the label: 2 as a rule, 1 depending on the task and the text, 0 hardly ever
    judges: it adds praise or blame, which suits texts that are classified as a whole, and no question or encyclopaedia
    """

    name: str
    title: str
    kinds: frozenset[str]
    languages: frozenset[str]
    turns: int
    find: Suggest
    judges: bool = False

    def suits(self, kind: str, language: str) -> bool:
        """Whether it is asked; a kind of the project's own, which nobody here knows, gets every suggestion."""
        is_own = kind not in _KIND_NAMES
        return (is_own or kind in self.kinds) and (not self.languages or language in self.languages)


_KIND_NAMES = frozenset(kind.name for kind in KINDS)
SUGGESTERS: dict[str, Suggester] = {}


def suggester(
    title: str, *, kinds: str, languages: str = "", turns: int = 0, judges: bool = False
) -> Callable[[Suggest], Suggest]:
    """Enter a function in the register under its own name. kinds, languages: names with blanks between them.

    To add one: write a function from a Passage to (edits, why) in a module of annotator/perturb/suggestions, put this above
    it, and name a new module in annotator/perturb/suggested_texts.py, which says their order. The tests find it by themselves.
    """

    def enter(find: Suggest) -> Suggest:
        name = str(getattr(find, "__name__", title))
        if name in SUGGESTERS:
            raise InvalidValue(f"There are two suggestion functions named '{name}'. Give one another name.")
        known = frozenset(kinds.split())
        if unknown := known - _KIND_NAMES:
            raise InvalidValue(f"Suggestion function '{name}' is for unknown kinds: {', '.join(sorted(unknown))}.")
        SUGGESTERS[name] = Suggester(name, title, known, frozenset(languages.split()), turns, find, judges)
        return find

    return enter


# The modules whose functions enter themselves in the register, in the order in which their suggestions come.
_SUBJECTS = ("insertions", "surface", "clauses", "negation", "replacements")
for _subject in _SUBJECTS:
    import_module(f"annotator.perturb.suggestions.{_subject}")

NO_WORDS = ProjectWords()
_CHANGE_THE_LABEL = frozenset(kind.name for kind in KINDS if kind.keeps_label is False)


def suggest(
    body: TokenizedText, language: str, kind: str, seed: int = 0, project_words: ProjectWords = NO_WORDS, *,
    most: int = 5, is_classified: bool = True,
) -> tuple[Suggestion, ...]:  # fmt: skip
    """Changes of a segment's text that suit a kind of perturbation, as edits of its text.

    Each function of the register gives at most `most`, drawn from the seed when it finds more, in order of the text; which of
    them comes first, says `suggesters_for`. The same arguments give the same suggestions. A kind that is the project's own gets
    those of all functions; is_classified: its label is of the text as a whole. Nothing here reads the meaning of a text: a
    person looks at each before it counts.

    Raises:  InvalidValue if `language` is no language code
    >>> from annotator.text.tokenisation import tokenise
    >>> body = tokenise("I don't like it.", "en")
    >>> [one.why for one in suggest(body, "en", "robustness") if one.maker == "expand_contraction"]
    ["don't → do not"]
    """
    reading = Reading(body, _code(language))
    return tuple(
        suggestion
        for suggester in suggesters_for(kind, language)
        if is_classified or not suggester.judges
        for suggestion in _drawn(suggester, Passage(reading, project_words, Random(f"{seed} {suggester.name}")), most)  # noqa: S311
    )


def suggesters_for(kind: str, language: str) -> tuple[Suggester, ...]:
    """The functions that are asked for a kind and a language, in the order in which their suggestions come.

    Of a kind that is to change the label, those come first whose changes do.
    """
    chosen = [suggester for suggester in SUGGESTERS.values() if suggester.suits(kind, _code(language))]
    if kind in _CHANGE_THE_LABEL:
        chosen.sort(key=lambda suggester: -suggester.turns)
    return tuple(chosen)


def _code(language: str) -> str:
    return "zh" if is_chinese(language) else subtags(language)[0]


def _drawn(suggester: Suggester, passage: Passage, most: int) -> Iterator[Suggestion]:
    why_by_edits = {
        tuple(edits): why
        for edits, why in suggester.find(passage)
        if not any(_repeats(passage.text, edit) for edit in edits)
    }
    every = list(why_by_edits.items())
    chosen = sorted(passage.random.sample(range(len(every)), most)) if len(every) > most else range(len(every))
    for number in chosen:
        edits, why = every[number]
        yield Suggestion(edits, why, suggester.name)


def _repeats(text: str, edit: Edit) -> bool:
    """Whether the words that an edit puts in stand there already, as after the same suggestion."""
    words, before = _letters(edit.replacement), text[edit.start : edit.end]
    is_longer = len(words) > max(1, len(_letters(before)))
    return is_longer and (_letters(text[edit.start :]).startswith(words) or _letters(text[: edit.end]).endswith(words))


def _letters(text: str) -> str:
    return "".join(text.split()).casefold()
