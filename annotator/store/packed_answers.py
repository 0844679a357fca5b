"""Written answers as they lie in a column: JSON with the pieces, and null for a token that has no score."""

import json
import math

from annotator.domain.models import Written, facts_from


def pack_written(written: Written) -> str:
    """An answer with its maps, as text."""
    scores = [[None if math.isnan(score) else score for score in row] for row in written.scores]
    fields = {"pieces": written.pieces, "scores": scores, "earlier": written.earlier}
    facts = {"facts": [dict(of_piece) for of_piece in written.facts]} if written.facts else {}
    return json.dumps(fields | facts, ensure_ascii=False)


def unpack_written(packed: str) -> Written:
    """The answer that was packed."""
    fields = json.loads(packed)
    scores = tuple(tuple(math.nan if score is None else score for score in row) for row in fields["scores"])
    facts = tuple(facts_from(of_piece) for of_piece in fields.get("facts", ()))
    return Written(tuple(fields["pieces"]), scores, tuple(map(tuple, fields["earlier"])), facts)
