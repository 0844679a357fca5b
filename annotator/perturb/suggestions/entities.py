"""Names and places that other names and places stand in for, everywhere in the text."""

from collections.abc import Iterator, Sequence

from annotator.domain.numbers import counted
from annotator.perturb.passage import Passage
from annotator.perturb.registry import Found, suggester
from annotator.text.edits import Edit

_OTHERS_EACH = 2


@suggester("Another name", kinds="entity")
def change_name(passage: Passage) -> Iterator[Found]:
    """A first name by one of the same list (so that he stays he), a last name by a last name; both lists have other names.

    A first name in a place of its own, a name of a city that is also in a list, is found by its case alone: look.
    """
    own = passage.own
    lists = [own.list(name) for name in ("names_female", "names_male", "names_last", "names")]
    for names in (passage.given.names, *lists):
        yield from _exchanged(passage, names)


@suggester("Another place", kinds="entity contrast")
def change_place(passage: Passage) -> Iterator[Found]:
    own = passage.own
    for places in (passage.given.places, own.list("cities"), own.list("countries")):
        yield from _exchanged(passage, places)


def _exchanged(passage: Passage, names: Sequence[str]) -> Iterator[Found]:
    """Each name that occurs by others of its list that do not, in every place where it stands by itself."""
    places: dict[str, list[tuple[int, int]]] = {}
    for start, end, name in passage.find(names, with_case=True):
        if not _is_part_of_a_longer_name(passage, start, end):
            places.setdefault(name, []).append((start, end))
    others = [name for name in names if name not in passage.text]
    for name, found in places.items():
        for other in passage.random.sample(others, min(_OTHERS_EACH, len(others))):
            times = "" if len(found) == 1 else f" ({counted(len(found), 'time')})"
            yield [Edit(start, end, other) for start, end in found], f"{name} → {other}{times}"


def _is_part_of_a_longer_name(passage: Passage, start: int, end: int) -> bool:
    """Whether it is joined to more: "St. John's", "New York Times", "Paris-Roubaix"; or to a title of a work in quotes."""
    text = passage.text
    if passage.code == "zh":
        return text[end : end + 1] in {"人", "菜", "路", "话"} or text[start - 1 : start] == "·"
    if text[end : end + 1] in {"-", "@", "_"} or text[max(0, start - 1) : start] in {"-", "@", "_"}:
        return True
    if text[max(0, start - 4) : start] == "St. ":
        return True
    is_place = text[start:end] in {*passage.own.list("cities"), *passage.own.list("countries")}
    return is_place and text[end : end + 1] == " " and text[end + 1 : end + 2].isupper()
