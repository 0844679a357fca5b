"""Names and places that other names and places stand in for, everywhere in the text."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from annotator.perturb.passage import Passage
from annotator.perturb.registry import Proposal, suggester
from annotator.perturb.wording import everywhere, replace
from annotator.text.edits import Edit

_OTHERS_EACH = 2
_JOINING = frozenset({"", "and", "or", "&", "和", "与", "跟", "或"})


@suggester("Another name", kinds="entity")
def change_name(passage: Passage) -> Iterator[Proposal]:
    """A first name by one of the same list (so that he stays he), a last name by a last name; both lists have other names.

    A first name in a place of its own, a name of a city that is also in a list, is found by its case alone: look.
    """
    for names in _names(passage):
        yield from _exchanged(passage, names)


@suggester("Another place", kinds="entity contrast", turns=1)
def change_place(passage: Passage) -> Iterator[Proposal]:
    for places in _places(passage):
        yield from _exchanged(passage, places)


@suggester("Another nationality", kinds="entity contrast", languages="en", turns=1)
def change_nationality(passage: Passage) -> Iterator[Proposal]:
    """French → Italian, with the article that belongs to it. Not beside another one (French Canadian), nor in plural."""
    nationalities = passage.word_lists.list("nationalities")
    known = {nationality.lower() for nationality in nationalities}
    for start, end, word in passage.find(nationalities, with_case=True):
        if passage.next_word(end) in known or passage.word_before(start) in known or passage.text[end : end + 1] == "-":
            continue
        others = [nationality for nationality in nationalities if nationality not in passage.text]
        for other in passage.random.sample(others, min(_OTHERS_EACH, len(others))):
            yield replace(passage, start, end, other), f"{word} → {other}"


@suggester("Two change places", kinds="contrast logic", turns=1)
def exchange_two(passage: Passage) -> Iterator[Proposal]:
    """Two names, or two places, of one sentence in each other's place, so that who does what is turned round.

    Not where nothing but "and", "or" or a comma stands between them: that would say the same.
    """
    given, female, male, *others = _names(passage)
    for names in (given, (*female, *male), *others, *_places(passage)):
        mentions = [
            (start, end, name)
            for start, end, name in passage.find(names, with_case=True)
            if not _is_part_of_a_longer_name(passage, start, end)
        ]
        for (start, end, name), (other_start, other_end, other) in pairwise(mentions):
            between = passage.text[end:other_start].strip(" ,、，").lower()
            is_one_sentence = any(first <= start and other_end <= last for first, last in passage.sentences)
            if name != other and is_one_sentence and between not in _JOINING:
                yield [Edit(start, end, other), Edit(other_start, other_end, name)], f"{name} ↔ {other}"


def _names(passage: Passage) -> tuple[Sequence[str], ...]:
    lists = (passage.word_lists.list(name) for name in ("names_female", "names_male", "names_last", "names"))
    return (passage.project_words.names, *lists)


def _places(passage: Passage) -> tuple[Sequence[str], ...]:
    return (passage.project_words.places, passage.word_lists.list("cities"), passage.word_lists.list("countries"))


def _exchanged(passage: Passage, names: Sequence[str]) -> Iterator[Proposal]:
    """Each name that occurs by others of its list that do not, in every place where it stands by itself."""
    spans_by_name: dict[str, list[tuple[int, int]]] = {}
    for start, end, name in passage.find(names, with_case=True):
        if not _is_part_of_a_longer_name(passage, start, end):
            spans_by_name.setdefault(name, []).append((start, end))
    others = [name for name in names if name not in passage.text]
    for name, spans in spans_by_name.items():
        for other in passage.random.sample(others, min(_OTHERS_EACH, len(others))):
            yield everywhere(spans, name, other)


def _is_part_of_a_longer_name(passage: Passage, start: int, end: int) -> bool:
    """Whether it is joined to more: "St. John's", "New York Times", "Paris-Roubaix"; or to a title of a work in quotes."""
    text = passage.text
    if passage.code == "zh":
        return text[end : end + 1] in {"人", "菜", "路", "话"} or text[start - 1 : start] == "·"
    if text[end : end + 1] in {"-", "@", "_"} or text[max(0, start - 1) : start] in {"-", "@", "_"}:
        return True
    if text[max(0, start - 4) : start] == "St. ":
        return True
    is_place = text[start:end] in {*passage.word_lists.list("cities"), *passage.word_lists.list("countries")}
    return is_place and text[end : end + 1] == " " and text[end + 1 : end + 2].isupper()
