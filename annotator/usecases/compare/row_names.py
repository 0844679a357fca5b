"""A row of the table of metrics by its name, as the table prints it, or by what tells it from the others."""

import re
from collections.abc import Iterator, Sequence

from annotator.domain.numbers import counted
from annotator.errors import NotFound
from annotator.language import _, speaking, unknown
from annotator.scoring.row_differences import ComparedRow
from annotator.scoring.table import MetricRow
from annotator.usecases.inspect.metrics_table import details_of, names_of, title_of

_BETWEEN = re.compile(r"\s*[·/,()]\s*")
_MOST = 20  # names in a sentence


@speaking("en")
def compared_row(rows: Sequence[MetricRow], random: MetricRow, name: str) -> ComparedRow:
    """The row of a name: whole, or parts of it in their order with a slash between, as "lime", "bert/lime" or "bert/lime/seed 2".

    One seed of several is chosen by naming it. "random" is the table's random.
    Raises: NotFound where no row has the name, or several have
    """
    chosen = [ComparedRow(row) for row in rows]
    names = names_of(rows)
    wanted = _plain(name)
    exact = [of for of, title in zip(chosen, names, strict=True) if title == name]
    exact = exact or [of for of, title in zip(chosen, names, strict=True) if _plain(title) == wanted]
    if wanted == _plain(title_of(random)) and random.numbers and not exact:
        return ComparedRow(random)
    matching = exact or list(_found(rows, wanted))
    if len(matching) == 1:
        return matching[0]
    known = [*names, title_of(random)] if random.numbers else names
    if matching:
        several = [names[rows.index(of.row)] for of in matching]
        raise NotFound(
            _(
                "'{name}' is ambiguous: {rows} ({names}). Add the seed or parameters.",
                name=name,
                rows=counted(len(several), "row"),
                names=_listed(several),
            )
        )
    raise NotFound(unknown(_("row"), name, _listed(known)))


@speaking("en")
def names_to_compare(rows: Sequence[MetricRow], random: MetricRow) -> list[str]:
    """The names of all that rows can be compared with, in English, as addresses and commands have them."""
    return spoken_to_compare(rows, random)


def spoken_to_compare(rows: Sequence[MetricRow], random: MetricRow) -> list[str]:
    """The same as people read it: the rows, single seeds of those with several, and random."""
    candidates: list[ComparedRow] = []
    for row in rows:
        seeds = [seed for seed in row.seeds if seed is not None]
        candidates += [ComparedRow(row), *(ComparedRow(row, seed) for seed in (seeds if len(seeds) > 1 else ()))]
    names = compared_names(candidates, rows)
    return [*names, title_of(random)] if random.numbers else names


def compared_name(of: ComparedRow, rows: Sequence[MetricRow]) -> str:
    """The name of a row as the table prints it; of one seed with the seed. rows: among which it stands."""
    return compared_names([of], rows)[0]


def compared_names(compared: Sequence[ComparedRow], rows: Sequence[MetricRow]) -> list[str]:
    """The same of several."""
    among = list({row.key: row for row in (*rows, *(of.row for of in compared))}.values())
    named = dict(zip([row.key for row in among], zip(names_of(among), details_of(among), strict=True), strict=True))
    return [
        name if of.seed is None else _of_seed(of, detail) for of in compared for name, detail in [named[of.row.key]]
    ]


def _of_seed(of: ComparedRow, detail: str) -> str:
    *parameters, _mean_of_seeds = detail.split(", ")
    seed = _("seed {seed}", seed=of.seed)
    return f"{title_of(of.row)} ({', '.join([*parameters, seed])})"


def _found(rows: Sequence[MetricRow], wanted: str) -> Iterator[ComparedRow]:
    """Those that need nothing but the name's parts for their title; else all that have the parts."""
    parts_of_rows = [[_plain(part) for part in title_of(row).split(" · ")] for row in rows]
    details = [_parts(detail) for detail in details_of(rows)]
    matches: list[tuple[ComparedRow, bool]] = []
    for row, title, detail in zip(rows, parts_of_rows, details, strict=True):
        used = _used(wanted, [*title, *detail])
        if used is not None:
            matches.append((ComparedRow(row), len(used & set(range(len(title)))) == len(title)))
            continue
        for seed in row.seeds if len(row.seeds) > 1 else ():
            of_seed = _used(wanted, [*title, *detail[:-1], f"seed {seed}"])
            if of_seed is not None:
                matches.append((ComparedRow(row, seed), len(of_seed & set(range(len(title)))) == len(title)))
    whole = [of for of, has_title in matches if has_title]
    yield from whole or (of for of, _has_title in matches)


def _used(wanted: str, parts: Sequence[str], first: int = 0) -> frozenset[int] | None:
    """Which parts a name is made of, in their order; None where it is not.

    >>> sorted(_used("org/bert/seed 2", ["org/bert", "lime", "seed 2"])), _used("lime/org/bert", ["org/bert", "lime"])
    ([0, 2], None)
    """
    for at in range(first, len(parts)):
        if wanted == parts[at]:
            return frozenset({at})
        if parts[at] and wanted.startswith(f"{parts[at]}/"):
            rest = _used(wanted[len(parts[at]) + 1 :], parts, at + 1)
            if rest is not None:
                return rest | {at}
    return None


def _parts(detail: str) -> list[str]:
    return [_plain(part) for part in detail.split(", ")] if detail else []


def _plain(name: str) -> str:
    """Without what stands between parts, so that a name may be typed.

    >>> _plain("BERT · lime (samples 100, seed 2)"), _plain(" org/bert / lime")
    ('bert/lime/samples 100/seed 2', 'org/bert/lime')
    """
    return _BETWEEN.sub("/", " ".join(name.split())).strip("/").casefold()


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST
    return "; ".join(names[:_MOST]) + (f"; and {more} more" if more > 0 else "")
