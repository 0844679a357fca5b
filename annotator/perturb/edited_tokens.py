"""The token diff of a text whose edits are known: what no edit touches is kept, whatever else a diff could find."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from annotator.domain.texts import TokenizedText
from annotator.text.edits import Edit
from annotator.text.token_diff import Run, TokenDiff, diff_tokens


def diff_of_edits(before: TokenizedText, edits: Sequence[Edit], after: TokenizedText) -> TokenDiff:
    """The diff of a text and of what its edits made of it.

    A text alone does not say which "very" of "very very good" is new; its edits do. Edits are in order and do not overlap.
    """
    old, new = before.tokens(), after.tokens()
    runs: list[Run] = []
    i = j = 0
    for start, other in [*_untouched(before, edits, after), (len(old), len(new))]:
        between = diff_tokens(old[i:start], new[j:other])
        runs += [Run(r.kind, r.start + i, r.end + i, r.other_start + j, r.other_end + j) for r in between.runs]
        if start < len(old):
            runs.append(Run("kept", start, start + 1, other, other + 1))
        i, j = start + 1, other + 1
    return TokenDiff(tuple(_merged(runs)), len(old), len(new))


def _untouched(before: TokenizedText, edits: Sequence[Edit], after: TokenizedText) -> Iterator[tuple[int, int]]:
    """Tokens that no edit touches and that are still tokens, with their place after."""
    index_of_token = {
        (start, end): index for index, (start, end) in enumerate(zip(after.starts, after.ends, strict=True))
    }
    starts = [edit.start for edit in edits]
    shifts = list(accumulate((len(e.replacement) - (e.end - e.start) for e in edits), initial=0))
    for number, (start, end) in enumerate(zip(before.starts, before.ends, strict=True)):
        n_before = bisect_right(starts, start)
        # An edit that starts where the token does moves it when it is an insertion, and else touches it.
        if n_before and edits[n_before - 1].end > start:
            continue
        if n_before < len(edits) and edits[n_before].start < end:
            continue
        shift = shifts[n_before]
        index = index_of_token.get((start + shift, end + shift))
        if index is not None and start < end:
            yield number, index


def _merged(runs: Iterable[Run]) -> Iterator[Run]:
    """Runs of one kind that touch as one; what was deleted and inserted in one place is replaced."""
    last: Run | None = None
    for run in runs:
        if last is None:
            last = run
        elif last.kind == run.kind != "replaced":
            last = Run(run.kind, last.start, run.end, last.other_start, run.other_end)
        elif {last.kind, run.kind} == {"deleted", "inserted"}:
            last = Run("replaced", last.start, run.end, last.other_start, run.other_end)
        else:
            yield last
            last = run
    if last is not None:
        yield last
