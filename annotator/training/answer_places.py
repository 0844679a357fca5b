"""Where a gold answer stands in the text: people give answers in words, and a model learns them as a place."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator.attribution.base import Input
from annotator.attribution.transformers_subwords import body_of
from annotator.domain.texts import TokenizedText


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a segment that can be marked, in characters of its text as models get it (no blanks around); half open.

    n: how often the answer stands in the text
    """

    segment: str
    start: int
    end: int
    n: int = 1


def place_of(model_input: Input, answer: str, sets: Sequence[frozenset[int]] = ()) -> Place | None:
    """Where an answer stands; of several places that with the most rationale tokens, then the first. Else None.

    Places that begin and end with tokens come before those inside of words ("8" in "1985"), and equal letters before those
    that differ in case. Blanks may differ. sets: of rationales, in tokens of the instance
    """
    words = answer.split()
    if not words:
        return None
    pattern = r"\s+".join(map(re.escape, words))
    marked = frozenset[int]().union(*sets)
    for flags in (0, re.IGNORECASE):
        stretches = list(_stretches(model_input, pattern, flags, marked))
        of_tokens = [(stretch, n_marked) for stretch, n_marked, is_whole in stretches if is_whole]
        candidates = of_tokens or [(stretch, n_marked) for stretch, n_marked, _ in stretches]
        if candidates:
            best = max(candidates, key=lambda candidate: candidate[1])[0]
            return Place(best.segment, best.start, best.end, len(candidates))
    return None


def _stretches(
    model_input: Input, pattern: str, flags: int, marked: frozenset[int]
) -> Iterator[tuple[Place, int, bool]]:
    """Each place, with the number of its tokens that are marked, and whether it begins and ends with tokens."""
    first_token = 0
    for segment in model_input.segments:
        if not segment.is_selectable:
            continue
        body = body_of(segment)
        for match in re.finditer(pattern, body.text, flags):
            tokens = _tokens(body, match.start(), match.end())
            is_whole = match.start() in body.starts and match.end() in body.ends
            yield Place(segment.name, *match.span()), len(marked & {first_token + n for n in tokens}), is_whole
        first_token += body.n_tokens


def _tokens(body: TokenizedText, start: int, end: int) -> list[int]:
    return [n for n, (a, b) in enumerate(zip(body.starts, body.ends, strict=True)) if a < end and b > start]
