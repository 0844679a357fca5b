"""Writing gold as CoNLL: a token a line with its BIO tag, a blank line after each instance."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from annotator.domain.instances import GoldInstance
from annotator.errors import ExportRefused
from annotator.formats.base import WriteOptions
from annotator.formats.rows.files import NO_GOLD, Refused, new_file
from annotator.language import _, unsaid

BEGIN, INSIDE, OUTSIDE, NO_SET = "B-RATIONALE", "I-RATIONALE", "O", "_"

TARGET = "target"


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write one file; tabs stand between the columns: token, segment, the numbers of the sets it is in, tag.

    Raises: ExportRefused for tokens that a line cannot hold (empty, or with white space), when there is no instance, or the
            file cannot be written
    """
    refused = Refused(unsaid("have tokens that are empty or have blanks; export as csv or jsonl"))
    n_instances = 0
    with new_file(path) as file:
        for item in gold:
            n_instances += 1
            if all(token and not any(map(str.isspace, token)) for token in _tokens(item)):
                file.write("".join(f"{line}\n" for line in lines_of(item, options)).encode())
            else:
                refused.add(item.instance.key)
        refused.raise_if_any()
        if not n_instances:
            raise ExportRefused(_(NO_GOLD))


def lines_of(gold: GoldInstance, options: WriteOptions) -> Iterator[str]:
    """What tells the instance, as comments; a line a token; a blank line.

    A tag begins where a token is in a set and the one before it (of its segment) is in none: sets that overlap or touch are one
    stretch, which the column before tells apart.
    """
    instance = gold.instance
    yield f"# id = {_on_one_line(instance.key)}"
    if instance.split:
        yield f"# split = {_on_one_line(instance.split)}"
    if gold.result is not None:
        yield f"# {options.project.task.result_kind} = {_on_one_line(gold.result)}"
    if instance.target is not None:
        first = instance.layout.segment_at(instance.target[0]).first_token
        yield f"# {TARGET} = {instance.target[0] - first} {instance.target[1] - first}"
    numbers: dict[int, list[str]] = {}
    for number, rationale_set in enumerate(gold.sets, 1):
        for index in rationale_set.token_indices:
            numbers.setdefault(index, []).append(str(number))
    for segment, placed in zip(instance.segments, instance.layout.segments, strict=True):
        is_inside = False
        for index, token in enumerate(segment.body.tokens(), placed.first_token):
            of_token = numbers.get(index)
            tag = OUTSIDE if of_token is None else INSIDE if is_inside else BEGIN
            is_inside = of_token is not None
            yield "\t".join((token, segment.name, ",".join(of_token or [NO_SET]), tag))
    yield ""


def _tokens(gold: GoldInstance) -> Iterator[str]:
    for segment in gold.instance.segments:
        yield from segment.body.tokens()


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
