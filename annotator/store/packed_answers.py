"""Written answers as they lie in a column: JSON with the pieces, and null for a token that has no score."""

import json
import math

from annotator.domain.models import Written


def pack_written(written: Written) -> str:
    """An answer with its maps, as text."""
    scores = [[None if math.isnan(score) else score for score in row] for row in written.scores]
    return json.dumps({"pieces": written.pieces, "scores": scores, "earlier": written.earlier}, ensure_ascii=False)


def unpack_written(packed: str) -> Written:
    """The answer that was packed."""
    fields = json.loads(packed)
    scores = tuple(tuple(math.nan if score is None else score for score in row) for row in fields["scores"])
    return Written(tuple(fields["pieces"]), scores, tuple(map(tuple, fields["earlier"])))
