"""A lead's own kind of task, from a few words: which segments an instance has, and what kind of result."""

import re
from itertools import chain

from annotator.domain.tasks import SegmentSpec, Task, custom_task
from annotator.errors import InvalidValue
from annotator.formats.rows.columns import FIELD_NAMES
from annotator.language import _

_RESERVED = frozenset({*chain.from_iterable(FIELD_NAMES.values()), "label", "answer", "target", "result"})
_WORDS = frozenset({"unselectable", "optional"})
_NAME = re.compile(r"[^\W\d]\w{0,49}")


def parse_task(segments_text: str, result_kind: str) -> Task:
    """The task that is written "text,context,question:unselectable".

    A segment is a name, then `:unselectable` where nothing can be marked in it and `:optional` where it may be empty.
    Segments that can be marked are numbered first, whatever the order in which they are written.
    Raises: InvalidValue naming the segment

    >>> [(s.name, s.is_selectable) for s in parse_task("question:unselectable, text", "label").segments]
    [('text', True), ('question', False)]
    """
    segments = [_segment(piece) for piece in segments_text.split(",") if piece.strip()]
    return custom_task(sorted(segments, key=lambda segment: not segment.is_selectable), result_kind)


def _segment(written: str) -> SegmentSpec:
    name, *words = (part.strip() for part in written.split(":"))
    if not _NAME.fullmatch(name):
        raise InvalidValue(
            _(
                "'{name}' cannot be the name of a segment; write letters, digits and _, beginning with a letter (at most 50).",
                name=name,
            )
        )
    if name in _RESERVED:
        raise InvalidValue(
            _(
                "A segment cannot be called '{name}': a column of that name means something else. Choose another name.",
                name=name,
            )
        )
    for word in words:
        if word not in _WORDS:
            raise InvalidValue(
                _(
                    "'{word}' after '{name}' means nothing; write unselectable or optional, or leave it out.",
                    word=word,
                    name=name,
                )
            )
    title = name.replace("_", " ")
    return SegmentSpec(name, title[0].upper() + title[1:], "unselectable" not in words, "optional" in words)
