"""Writing the format `prodigy`: rows for `prodigy db-in`, one for each annotator of an instance."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

import msgspec

from annotator.domain.instances import GoldInstance
from annotator.formats.base import WriteOptions
from annotator.formats.rows.files import new_file
from annotator.formats.rows.gold_csv import PlacedSpan, placed_span
from annotator.formats.tools.labels import GoldKeys, Values, gold_fields, gold_spans, gold_texts, set_label

ANNOTATOR = "_annotator_id"
ANSWER_FIELD = "user_input"  # where Prodigy's screen for typed text puts what was written
_BETWEEN_SEGMENTS = "\n\n"
_OF_ONE_PERSON = frozenset(
    {"chosen", "all", "personal"}
)  # under the other policies a set is made of several people's marks


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write one JSONL file; each set is a span-label, and each annotator whose sets are gold has a row.

    Raises: ExportRefused when there is no instance, a key appears twice, or the file cannot be written
    """
    keys = GoldKeys()
    with new_file(path) as file:
        for item in gold:
            keys.add(item)
            for row in _rows(item, options):
                file.write(msgspec.json.encode(row) + b"\n")
        keys.finish()


def _rows(gold: GoldInstance, options: WriteOptions) -> Iterator[Values]:
    """The rows of an instance: for each annotator the sets that came from this person, under labels from 1."""
    task = options.project.task
    fields = gold_fields(gold, task)
    texts = gold_texts(gold)
    lengths = [len(text) + len(_BETWEEN_SEGMENTS) for text in texts.values()]
    starts = dict(zip(texts, accumulate(lengths, initial=0), strict=False))
    tokens = _Tokens.of(gold, starts)
    head: Values = {"id": gold.instance.key, "text": _BETWEEN_SEGMENTS.join(texts.values())}
    for name in ("split", "language", "parent", "perturbation_kind", "exhaustive", "target"):
        head |= {name: fields[name]} if name in fields else {}
    if "metadata" in fields:
        head["meta"] = fields["metadata"]
    if len(task.segments) > 1:
        head["segments"] = {name: [starts[name], starts[name] + len(text)] for name, text in texts.items()}
    if tokens.rows:
        head["tokens"] = tokens.rows
    list(gold_spans(gold))  # refuses a span without a character
    for annotator, sets in _sets_of_each(gold, options):
        spans = [
            tokens.span(placed_span(gold.instance, span), set_label(number))
            for number, index in enumerate(sets)
            for span in gold.sets[index].spans
        ]
        whose = {} if annotator is None else {ANNOTATOR: annotator}
        yield {**head, "spans": spans, **_result(gold, options), "answer": "accept", **whose}


def _sets_of_each(gold: GoldInstance, options: WriteOptions) -> list[tuple[str | None, list[int]]]:
    """The annotators of an instance with the numbers of their sets; all sets by nobody, where they are made of several."""
    by_annotator: dict[str | None, list[int]] = {}
    for index in range(len(gold.sets)):
        origins = gold.origins[index] if index < len(gold.origins) else ()
        names: Sequence[str | None] = list(dict.fromkeys(origin.annotator for origin in origins))
        for name in names if names and options.gold_policy in _OF_ONE_PERSON else [None]:
            by_annotator.setdefault(name, []).append(index)
    return list(by_annotator.items()) or [(None, [])]


def _result(gold: GoldInstance, options: WriteOptions) -> Values:
    """The gold label as the choice that was accepted, or the answer as what was written."""
    if gold.result is None:
        return {}
    if options.project.task.result_kind == "answer":
        return {ANSWER_FIELD: gold.result}
    labels = list(dict.fromkeys((*options.project.labels, gold.result)))
    return {"options": [{"id": label, "text": label} for label in labels], "accept": [gold.result]}


class _Tokens:
    """The tokens of an instance in its joined text; none where one of them is blank, which Prodigy could not show."""

    def __init__(self, rows: list[Values], first: dict[str, int], starts: dict[str, int]) -> None:
        self.rows = rows
        self.first = first
        self.starts = starts

    @staticmethod
    def of(gold: GoldInstance, starts: dict[str, int]) -> "_Tokens":
        """The tokens of an instance whose segments begin at these characters."""
        rows: list[Values] = []
        first: dict[str, int] = {}
        for segment in gold.instance.segments:
            if segment.name not in starts:
                continue
            body, begin = segment.body, starts[segment.name]
            first[segment.name] = len(rows)
            for start, end in zip(body.starts, body.ends, strict=True):
                token = {"text": body.text[start:end], "start": begin + start, "end": begin + end, "id": len(rows)}
                rows.append({**token, "ws": body.text[end : end + 1] == " "})
        are_shown = all(row["text"].strip() for row in rows)
        return _Tokens(rows if are_shown else [], first, starts)

    def span(self, placed: PlacedSpan, label: str) -> Values:
        """A span in the joined text; its last token is included, as Prodigy counts."""
        begin, first = self.starts[placed.segment], self.first[placed.segment]
        span: Values = {"start": begin + placed.start_char, "end": begin + placed.end_char, "label": label}
        if self.rows:
            span |= {"token_start": first + placed.start_token, "token_end": first + placed.end_token - 1}
        return span
