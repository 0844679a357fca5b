"""A sentence of praise or blame at the end."""

from collections.abc import Iterator

from annotator.language import _
from annotator.perturb.linguistics.signs import CHINESE_FULL_STOP, FULL_STOP, SENTENCE_SIGNS
from annotator.perturb.passage import Passage
from annotator.perturb.registry import Proposal, suggester
from annotator.text.edits import Edit

_ENDS = SENTENCE_SIGNS + "～~"
_CLOSING = "\"'”’)]）"


@suggester("Add praise", kinds="vocabulary contrast", languages="en zh", turns=1)
def add_praise(passage: Passage) -> Iterator[Proposal]:
    yield from _at_the_end(passage, passage.word_lists.list("phrases_positive"))


@suggester("Add blame", kinds="vocabulary contrast", languages="en zh", turns=1)
def add_blame(passage: Passage) -> Iterator[Proposal]:
    yield from _at_the_end(passage, passage.word_lists.list("phrases_negative"))


def _at_the_end(passage: Passage, phrases: tuple[str, ...]) -> Iterator[Proposal]:
    if not passage.body.n_tokens:
        return
    end = passage.body.ends[-1]
    has_ended = passage.text[:end].rstrip(_CLOSING)[-1:] in _ENDS
    gap = ("" if has_ended else CHINESE_FULL_STOP) if passage.code == "zh" else (" " if has_ended else f"{FULL_STOP} ")
    for phrase in phrases:
        words = phrase if passage.code == "zh" or not passage.is_spaced else f"{phrase[:-1]} {phrase[-1]}"
        yield [Edit(end, end, gap + words)], _("add “{words}”", words=phrase)
