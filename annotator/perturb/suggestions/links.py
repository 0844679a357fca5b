"""Addresses and handles, put in or taken out. The ones put in belong to nobody: example.com is kept free for examples."""

import re
import string
from collections.abc import Iterator

from annotator.language import _
from annotator.perturb.linguistics.chinese import IDEOGRAPHS
from annotator.perturb.linguistics.signs import EXAMPLE_ADDRESS
from annotator.perturb.passage import Passage
from annotator.perturb.registry import Proposal, suggester
from annotator.perturb.wording import drop
from annotator.text.edits import Edit

_LINK = re.compile(rf"(?<!\S)(?:https?://|www\.)[^\s{IDEOGRAPHS}，。！？]+")
_HANDLE = re.compile(r"(?<!\S)@\w{2,}")


@suggester("Add an address", kinds="robustness")
def add_link(passage: Passage) -> Iterator[Proposal]:
    link = EXAMPLE_ADDRESS + _drawn(passage, string.ascii_letters + string.digits, 6)
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
