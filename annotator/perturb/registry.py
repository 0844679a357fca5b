"""What a suggestion is, and the register of the functions that make them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotator.domain.perturbations import KINDS
from annotator.errors import InvalidValue
from annotator.perturb.passage import Passage
from annotator.text.edits import Edit

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
    """

    name: str
    title: str
    kinds: frozenset[str]
    languages: frozenset[str]
    turns: int
    find: Suggest

    def suits(self, kind: str, language: str) -> bool:
        """Whether it is asked; a kind of the project's own, which nobody here knows, gets every suggestion."""
        is_own = kind not in _KIND_NAMES
        return (is_own or kind in self.kinds) and (not self.languages or language in self.languages)


_KIND_NAMES = frozenset(kind.name for kind in KINDS)
SUGGESTERS: dict[str, Suggester] = {}


def suggester(title: str, *, kinds: str, languages: str = "", turns: int = 0) -> Callable[[Suggest], Suggest]:
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
        SUGGESTERS[name] = Suggester(name, title, known, frozenset(languages.split()), turns, find)
        return find

    return enter
