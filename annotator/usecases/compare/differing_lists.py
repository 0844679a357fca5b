"""The instances in which two rows differ, as a list for a terminal and as CSV."""

from collections.abc import Iterator, Sequence

from annotator.domain.numbers import signed, written
from annotator.formats.rows.gold_csv import written_csv
from annotator.usecases.compare.row_comparison import DifferingInstance, DifferingInstances, TwoRows
from annotator.usecases.inspect.metric_names import named

_FIELDS = ("key", "split", "gold", "metric", "row", "against", "difference", "value", "value_of_reference")


def differing_text(pair: TwoRows, listed: DifferingInstances) -> str:
    """The largest differences either way, a line an instance."""
    row, reference = pair.names
    lines = [f"{named(pair.column)}: {row} minus {reference}, by instance, the largest differences first."]
    for title, instances in ((f"{row} is higher", listed.higher), (f"{reference} is higher", listed.lower)):
        lines += ["", f"{title}:", *(_aligned(instances) if instances else ["  in no instance"])]
    return "\n".join(lines) + "\n"


def _aligned(instances: Sequence[DifferingInstance]) -> Iterator[str]:
    cells = [
        (signed(of.difference), f"{written(of.value)} against {written(of.of_reference)}", of.key, of.split)
        for of in instances
    ]
    widths = [max((len(cell[at]) for cell in cells), default=0) for at in range(2)]
    for difference, values, key, split in cells:
        yield f"  {difference.rjust(widths[0])}  {values.ljust(widths[1])}  {key}{f' ({split})' if split else ''}"


def differing_csv(pair: TwoRows, listed: DifferingInstances) -> str:
    """A line an instance, those first in which the row is highest; with all digits."""
    row, reference = pair.names
    instances = (*listed.higher, *reversed(listed.lower))
    return written_csv(
        _FIELDS,
        (
            (of.key, of.split, of.result, pair.column.name, row, reference, of.difference, of.value, of.of_reference)
            for of in instances
        ),
    )
