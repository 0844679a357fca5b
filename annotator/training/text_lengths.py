"""Texts that are longer than a model sees: all of them are told at once, by their keys, before anything is learned."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from annotator.attribution.transformers_encoding import LONGER, Cutter, encode
from annotator.domain.numbers import counted
from annotator.errors import ModelError
from annotator.training.examples import Example


@contextmanager
def told_by_key(cutter: Cutter, examples: Sequence[Example]) -> Iterator[None]:
    """While the examples are cut into pieces: instead of the refusal of the first that is too long, one that tells of all.

    Raises: ModelError
    """
    try:
        yield
    except ModelError as error:
        if cutter.too_long != "refuse" or error.reason != LONGER:
            raise
        raise _refusal(cutter, examples) from error


def _refusal(cutter: Cutter, examples: Sequence[Example]) -> ModelError:
    whole, limit = replace(cutter, limit=None), cutter.limit or 0
    lengths = [(len(encode(whole, example.input).ids), example) for example in examples]
    longer = [(n, example) for n, example in lengths if n > limit]
    n, longest = max(longer, key=lambda of: of[0])
    sees = f"the {counted(limit, 'piece')} that the model '{cutter.model_name}' sees"
    if len(longer) == 1:
        which = f"The text '{longest.key}' has {counted(n, 'piece')}, more than {sees}; it is the only one of {len(lengths):,}."
    else:
        many = f"{len(longer):,} of {counted(len(lengths), 'text')}"
        which = f"{many} are longer than {sees}; the longest, '{longest.key}', has {n:,}."
    return ModelError(f"{which} {_remedy(longest)}", reason=LONGER)


def _remedy(example: Example) -> str:
    """Windows do not hold both texts of a pair."""
    segments = example.input.segments
    if len(segments) > 1 and all(segment.is_selectable for segment in segments):
        return "Have such texts cut at the end (--too-long cut), or shorten them."
    return "Have such texts cut at the end (--too-long cut) or read in windows (--too-long windows), or shorten them."
