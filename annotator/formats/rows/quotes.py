"""What became of the quotes that a model gave as its reason, as lines of ours say it."""

from typing import Annotated

import msgspec

from annotator.domain.models import Quotes

_Count = Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]


class QuotesRecord(msgspec.Struct, omit_defaults=True):
    """How many there were, how many are not in the text, and the first of these."""

    n: _Count
    n_missing: _Count = 0
    missing: list[str] = []


def quotes_record(quotes: Quotes | None) -> QuotesRecord | None:
    """What became of a model's quotes, as it is written."""
    return None if quotes is None else QuotesRecord(quotes.n, quotes.n_missing, list(quotes.missing))


def quotes_of(record: QuotesRecord | None) -> Quotes | None:
    """The same as a value."""
    return None if record is None else Quotes(record.n, record.n_missing, tuple(record.missing))
