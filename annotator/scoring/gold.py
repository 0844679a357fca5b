"""Gold as metrics take it: a row an instance, and all rows as arrays."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate, chain
from sys import intern

import numpy as np

from annotator.domain.instances import GoldInstance, Opinion, majority_label
from annotator.domain.measurements import EXHAUSTIVE, group_of
from annotator.domain.tasks import Task
from annotator.metrics.against_sets import Sides
from annotator.metrics.ragged import Flags, Floats, GoldSets, Identities, Integers, Ragged
from annotator.scoring.reports import PeopleReport

# Both sentences of a pair are ranked by themselves (Wang et al. 2022); everything else is one text, as in ERASER.
_PAIRED = frozenset({"similarity", "inference"})


@dataclass(frozen=True, slots=True)
class GoldRow:
    """What scoring needs of an instance with gold.

    sides:    names and lengths of what is ranked by itself, in token order
    segments: lengths of the selectable segments, in token order
    tokens:   of the selectable segments, where they are kept
    criterion: the rule that made an edit its rationale, "" where that is not told
    group:    by what was asked for (domain/measurements.py), None where it is of none
    opinions: of everybody, in soft gold
    """

    id: int
    key: str
    split: str
    language: str
    result: str | None
    sides: tuple[tuple[str, int], ...]
    segments: tuple[int, ...]
    sets: tuple[tuple[int, ...], ...]
    spans: tuple[tuple[int, int], ...]
    tokens: tuple[str, ...] = ()
    parent_key: str | None = None
    kind: str | None = None
    is_exhaustive: bool = False
    criterion: str = ""
    group: str | None = None
    opinions: tuple[Opinion, ...] = ()

    @property
    def n_tokens(self) -> int:
        return sum(self.segments)

    @property
    def token_shares(self) -> Floats:
        """float[n_tokens]: the share of people with the gold label who marked each token; NaN where there are none."""
        sets = [of.sets for of in self.opinions if of.sets is not None and of.label in (None, self.result)]
        shares = np.zeros(self.n_tokens)
        for of_one in sets:
            shares[list({token for rationale_set in of_one for token in rationale_set.token_indices})] += 1
        return shares / len(sets) if sets else np.full(self.n_tokens, np.nan)

    @property
    def label_shares(self) -> dict[str, float]:
        """The share of people who gave each label; {} where nobody gave one."""
        counts = Counter(of.label for of in self.opinions if of.label is not None)
        return {label: n / counts.total() for label, n in counts.items()}


def gold_row(gold: GoldInstance, task: Task, *, keep_tokens: bool, is_exhaustive: bool, by: str = "") -> GoldRow:
    """The row of an instance. is_exhaustive: of the project, where the instance does not say it; by: what its group is of."""
    instance = gold.instance
    selectable = [segment for segment in instance.segments if segment.is_selectable]
    lengths = tuple(segment.body.n_tokens for segment in selectable)
    names = (segment.name for segment in selectable)
    sides = tuple(zip(names, lengths, strict=True)) if task.name in _PAIRED else (("", sum(lengths)),)
    bodies = [segment.body for segment in selectable] if keep_tokens else []
    marks_all = is_exhaustive if instance.is_exhaustive is None else instance.is_exhaustive
    return GoldRow(
        instance.id,
        instance.key,
        instance.split,
        instance.language,
        gold.result,
        sides,
        lengths,
        tuple(rationale_set.token_indices for rationale_set in gold.sets),
        tuple((span.start, span.end) for rationale_set in gold.sets for span in rationale_set.spans),
        tuple(intern(token) for body in bodies for token in body.tokens()),
        instance.parent_key,
        instance.perturbation_kind,
        marks_all,
        instance.criterion,
        group_of(replace(instance, is_exhaustive=marks_all) if by == EXHAUSTIVE else instance, gold.result, by),
        gold.opinions,
    )


def people_of(gold: "GoldTable") -> PeopleReport:
    """How many people each instance of soft gold has; of some instance at least."""
    counts = [len(row.opinions) for row in gold.rows]
    return {"fewest": min(counts), "most": max(counts), "mean": sum(counts) / len(counts)}


def _marks(row: GoldRow, *, is_soft: bool) -> dict[int, float]:
    """Of each marked token 1, or its share of people."""
    if not is_soft:
        return {token: 1 for tokens in row.sets for token in tokens}
    return {token: share for token, share in enumerate(row.token_shares.tolist()) if share > 0}


@dataclass(frozen=True, eq=False)
class GoldTable:
    """Rows of instances with gold, and what metrics take of them.

    has_gold: False where no instance has any: then the rows are of all instances, for what needs no sets
    is_soft:  gold is shares of people, so that no number is against sets
    """

    rows: Sequence[GoldRow]
    has_gold: bool = True
    is_soft: bool = False

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def sets(self) -> GoldSets:
        sets = [tokens for row in self.rows for tokens in row.sets]
        offsets, set_offsets = (
            np.fromiter(accumulate(map(len, of), initial=0), dtype=np.int64)
            for of in (sets, (r.sets for r in self.rows))
        )
        tokens = np.fromiter(chain.from_iterable(sets), dtype=np.int64, count=int(offsets[-1]))
        return GoldSets(Ragged(tokens, offsets), set_offsets)

    @cached_property
    def shares(self) -> Ragged[np.float64]:
        """Of soft gold, of each token the share of people who marked it: rows as `GoldRow.token_shares`."""
        return Ragged.of((row.token_shares for row in self.rows), np.float64)

    @cached_property
    def n_tokens(self) -> Integers:
        return np.array([row.n_tokens for row in self.rows], dtype=np.int64)

    @cached_property
    def identities(self) -> Identities:
        """uint64[n], of each instance's key: what is drawn for it follows from that, and so is the same wherever it is scored."""
        digests = (blake2b(row.key.encode("utf-8", "surrogatepass"), digest_size=8).digest() for row in self.rows)
        return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)

    @cached_property
    def places(self) -> dict[int, int]:
        """The row of each instance by its number."""
        return {row.id: index for index, row in enumerate(self.rows)}

    @cached_property
    def side_names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.rows[0].sides) if self.rows else ()

    @cached_property
    def ratios(self) -> tuple[float, ...]:
        """The mean share of a side's tokens that is in any set (RLR), over instances with sets and tokens there.

        Of soft gold each token counts by its share of people.
        """
        shares: list[list[float]] = [[] for _ in self.side_names]
        for row in self.rows:
            marks, first = _marks(row, is_soft=self.is_soft), 0
            for of_side, (_, n) in zip(shares, row.sides, strict=True):
                if n and row.sets:
                    of_side.append(sum(mark for token, mark in marks.items() if first <= token < first + n) / n)
                first += n
        return tuple(sum(of_side) / len(of_side) if of_side else 0.0 for of_side in shares)

    @cached_property
    def edited_label(self) -> str | None:
        """The label of sentences that need an edit: that of most rows that tell a criterion. None for none, and for a tie."""
        return majority_label(Counter(row.result for row in self.rows if row.criterion and row.result is not None))

    @cached_property
    def is_related(self) -> Flags:
        """bool[n]: perturbed versions, and what has the key of an original."""
        originals = {row.parent_key for row in self.rows if row.parent_key is not None}
        related = (row.parent_key is not None or row.key in originals for row in self.rows)
        return np.fromiter(related, dtype=np.bool_, count=len(self.rows))

    def take(self, indices: Iterable[int]) -> "GoldTable":
        """Some of the rows; the ratios, and who is related, stay those of the whole."""
        chosen = np.fromiter(indices, dtype=np.int64)
        part = replace(self, rows=[self.rows[index] for index in chosen.tolist()])
        part.__dict__.update(
            ratios=self.ratios, edited_label=self.edited_label, sets=self.sets.take(chosen), n_tokens=self.n_tokens[chosen],
            is_related=self.is_related[chosen], sides=Sides(self.sides.lengths[chosen], self.ratios),
        )  # fmt: skip
        if self.is_soft:
            part.__dict__["shares"] = self.shares.take(chosen)
        return part

    def of_group(self, group: str | None) -> "GoldTable":
        """The rows of a group; None: all. The ratios, and what "need edit" is called, stay those of the whole."""
        return self if group is None else self._of_whole([row for row in self.rows if row.group == group])

    def of_split(self, split: str | None) -> "GoldTable":
        """The same of a split; None: all. k is a property of the data set, so that a text has one whatever else is asked for."""
        return self if split is None else self._of_whole([row for row in self.rows if row.split == split])

    def _of_whole(self, rows: Sequence[GoldRow]) -> "GoldTable":
        table = replace(self, rows=rows)
        table.__dict__.update(ratios=self.ratios, side_names=self.side_names, edited_label=self.edited_label)
        return table

    def with_ratios(self, ratios: Sequence[float]) -> "GoldTable":
        """The same rows with the ratios of another table, such as the whole project's."""
        table = replace(self)
        table.__dict__["ratios"] = tuple(ratios)
        return table

    def put_together(self, parts: Iterable["GoldTable"]) -> "GoldTable":
        """The rows of parts of this table, one after the other."""
        return replace(self, rows=[row for part in parts for row in part.rows]).with_ratios(self.ratios)

    @cached_property
    def sides(self) -> Sides:
        """Of no rows, as many sides as there are ratios."""
        lengths = np.fromiter((n for row in self.rows for _, n in row.sides), dtype=np.int64)
        return Sides(lengths.reshape(len(self.rows), len(self.ratios)), self.ratios)
