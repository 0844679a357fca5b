"""What `evaluate benchmark` reads: gold and predictions joined by id, whether they fit, and rationales cut from scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce
from pathlib import Path
from typing import Literal

import numpy as np

from annotator.errors import InvalidValue, Problem
from annotator.formats.benchmark.gold import GoldRecord, n_sides_of, read_gold
from annotator.formats.benchmark.predictions import Dialect, ModelOutput, read_predictions
from annotator.formats.benchmark.records import Shape
from annotator.formats.benchmark.saliency import Saliency, is_saliency, read_saliency, top_of
from annotator.metrics.ragged import Flags, GoldSets, Ragged
from annotator.scoring.reports import refuse_if_any

SHAPES: dict[str, Shape] = {"sentiment": "single", "similarity": "pair", "reading": "reading"}


@dataclass(frozen=True, slots=True)
class Cut:
    """How rationales were made from a saliency file: the share of each side, who said it, tokens that tied at the end."""

    ratios: tuple[Fraction, ...]
    is_given: bool
    n_tied: int


@dataclass(frozen=True, slots=True)
class Link:
    """An original and a perturbed record that it names, as numbers of records.

    is_sole: the perturbed record is one, and no other link names it
    """

    original: int
    perturbed: int
    is_sole: bool


@dataclass(frozen=True)
class BenchmarkFiles:
    """Gold and predictions. Of rows with one id the last counts, as in both programs.

    outputs_of_records: the output for each record, None where there is none
    unknown: outputs whose id gold does not have
    """

    task: str
    dialect: Dialect
    gold_rows: tuple[GoldRecord, ...]
    output_rows: tuple[ModelOutput, ...]
    records: tuple[GoldRecord, ...]
    outputs_of_records: tuple[ModelOutput | None, ...]
    unknown: tuple[ModelOutput, ...]
    saliency: Saliency | None
    cut: Cut | None

    @property
    def shape(self) -> Shape:
        return SHAPES[self.task]

    @property
    def n_sides(self) -> int:
        return n_sides_of(self.shape)

    @property
    def outputs(self) -> tuple[ModelOutput, ...]:
        """One output an id, those of unknown ids too."""
        return (*(output for output in self.outputs_of_records if output is not None), *self.unknown)

    @cached_property
    def is_predicted(self) -> Flags:
        """bool[n_records]."""
        return np.array([output is not None for output in self.outputs_of_records], dtype=np.bool_)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each id's record."""
        return {record.key: number for number, record in enumerate(self.records)}

    def has(self, name: str) -> bool:
        """Whether the predictions have a field; an empty file lacks none."""
        return all(getattr(output, name) is not None for output in self.output_rows)

    @property
    def has_gold_sets(self) -> bool:
        return all(record.sets is not None for record in self.records)

    @property
    def has_sample_types(self) -> bool:
        return all(record.sample_type is not None for record in self.records)

    def gold_sets(self, side: int) -> GoldSets:
        """The sets of one side of every record, in the file's order."""
        return GoldSets.of([() if record.sets is None else record.sets[side] for record in self.records])

    def predicted(self, side: int, *, as_programs_read: bool = False) -> Ragged[np.int64]:
        """The predicted indices of one side of every record; none where there is no output.

        as_programs_read: an index that is written as text equals no number, so that it never hits
        """
        rows = []
        for output in self.outputs_of_records:
            of_side = None if output is None or output.sides is None else output.sides[side]
            indices = [] if of_side is None else list(of_side.ranking)
            for position in of_side.written_as_text if of_side is not None and as_programs_read else ():
                indices[position] = -2 - abs(indices[position])
            rows.append(indices)
        return Ragged.of(rows, np.int64)

    def named_tokens(self, number: int, side: int) -> list[str] | None:
        """The tokens of a record's predicted ranking: as the file names them, else those at the indices; None if unknown.

        An index outside of the text names a token that equals no other.
        """
        output, tokens = self.outputs_of_records[number], self.records[number].tokens
        if output is None or output.sides is None:
            return None
        of_side = output.sides[side]
        if of_side.tokens is not None or tokens is None:
            return None if of_side.tokens is None else list(of_side.tokens)
        return self.tokens_at(number, side, of_side.ranking)

    def tokens_at(self, number: int, side: int, indices: Sequence[int]) -> list[str] | None:
        """The tokens of a record's text at indices; None where its text is not known."""
        tokens = self.records[number].tokens
        if tokens is None:
            return None
        text = tokens[side]
        return [text[index] if 0 <= index < len(text) else f"\0{number}:{index}" for index in indices]

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Every pair of an original and a record of gold that it names, as often as it names it."""
        named = [
            (number, self.numbers[other])
            for number, record in enumerate(self.records)
            if record.sample_type == "ori"
            for other in record.rel_ids or ()
            if other in self.numbers
        ]
        times: dict[int, int] = {}
        for _, perturbed in named:
            times[perturbed] = times.get(perturbed, 0) + 1
        return tuple(
            Link(original, other, times[other] == 1 and self.records[other].sample_type == "disturb")
            for original, other in named
        )


def read_files(
    task: str, gold_path: Path, predictions_path: Path, *, inputs: Path | None = None, ratios: Sequence[float] = (),
    language: str | None = None, needs_links: bool = True,
) -> BenchmarkFiles:  # fmt: skip
    """Gold and predictions, whatever their dialect.

    needs_links: refuse predicted originals that do not say their perturbed records; both programs stop there
    Raises: NotFound or InvalidValue for files and ratios; ImportRefused, with every problem, for their rows
    """
    shape = SHAPES[task]
    gold = read_gold(gold_path, shape, inputs=inputs, language=language)
    records = tuple({row.key: row for row in gold.rows}.values())
    saliency = read_saliency(predictions_path, shape) if is_saliency(predictions_path) else None
    cut: Cut | None = None
    if saliency is None:
        if ratios:
            raise InvalidValue("--ratio cuts a ranking of all tokens; these predictions name their rationales already.")
        read = read_predictions(predictions_path, shape)
        refuse_if_any([*gold.problems, *read.problems])
        dialect, rows = read.dialect, read.rows
    else:
        refuse_if_any([*gold.problems, *saliency.problems])
        dialect, records = "saliency", _with_scored_tokens(records, saliency)
        rows, cut = _cut(saliency, records, ratios, n_sides_of(shape))
    row_by_key = {row.key: row for row in rows}
    joined = tuple(row_by_key.get(record.key) for record in records)
    unknown = tuple(output for key, output in row_by_key.items() if key not in {record.key for record in records})
    files = BenchmarkFiles(task, dialect, gold.rows, rows, records, joined, unknown, saliency, cut)
    if needs_links:
        refuse_if_any(_originals_without_links(files))
    return files


def _cut(
    saliency: Saliency, records: Sequence[GoldRecord], given: Sequence[float], n_sides: int
) -> tuple[tuple[ModelOutput, ...], Cut]:
    """The top of each ranking as its rationale."""
    ratios = _given_ratios(given, n_sides) if given else _mean_rlr(saliency, records, n_sides)
    made = [top_of(row, ratios) for row in saliency.rows]
    cut = Cut(ratios, bool(given), sum(n_tied for _, n_tied in made))
    return tuple(output for output, _ in made), cut


def _with_scored_tokens(records: Sequence[GoldRecord], saliency: Saliency) -> tuple[GoldRecord, ...]:
    """Records whose text nobody says take the tokens that were scored, where those are all from the first on."""
    scored = {row.key: row for row in saliency.rows}
    made = []
    for record in records:
        row = scored.get(record.key)
        texts = None if row is None or record.tokens is not None else [side.text() for side in row.sides]
        is_whole = texts is not None and None not in texts
        made.append(replace(record, tokens=tuple(text or () for text in texts or ())) if is_whole else record)
    return tuple(made)


def _given_ratios(given: Sequence[float], n_sides: int) -> tuple[Fraction, ...]:
    for ratio in given:
        if not 0 < ratio <= 1:
            raise InvalidValue(f"The ratio {ratio} is not above 0 and at most 1.")
    if len(given) not in (1, n_sides):
        raise InvalidValue(f"Give --ratio once, or once for each side; this task has {n_sides}.")
    # The decimal that was written, not the binary number nearest to it.
    exact = tuple(Fraction(repr(float(ratio))) for ratio in given)
    return exact * n_sides if len(exact) == 1 else exact


def _mean_rlr(saliency: Saliency, records: Sequence[GoldRecord], n_sides: int) -> tuple[Fraction, ...]:
    """For each side the mean over records of tokens in the union of the sets / tokens, which the token list or the scores tell.

    Raises: InvalidValue where no record tells it
    """
    scored = {row.key: row for row in saliency.rows}
    means: list[Fraction] = []
    for side in range(n_sides):
        shares: list[Fraction] = []
        for record in records:
            row = scored.get(record.key)
            n_scored = 0 if row is None else len(row.sides[side].ranking)
            n_tokens = n_scored if record.tokens is None else len(record.tokens[side])
            if record.sets is not None and n_tokens:
                shares.append(
                    Fraction(len({token for rationale in record.sets[side] for token in rationale}), n_tokens)
                )
        mean = Fraction(sum(shares), max(len(shares), 1))
        if not mean:
            reason = "How long a rationale is cannot be told from this gold; say it with --ratio, such as 0.2."
            raise InvalidValue(reason)
        means.append(mean)
    return tuple(means)


def _originals_without_links(files: BenchmarkFiles) -> list[Problem]:
    """Predicted originals without rel_ids, where there is something to link to."""
    if not any(record.sample_type == "disturb" for record in files.records):
        return []
    reason = "An original names its perturbed records; write rel_ids, [] where there is none."
    return [
        Problem(record.source, record.line, "rel_ids", "missing", reason)
        for record, output in zip(files.records, files.outputs_of_records, strict=True)
        if record.sample_type == "ori" and record.rel_ids is None and output is not None
    ]


# Whether token indices mean the tokens of their text: indices past its end, and those that count from 1.


Fit = Literal["fits", "differs", "outside", "shifted"]
_WORST_LAST: tuple[Fit, ...] = ("fits", "differs", "outside", "shifted")
_USABLE = frozenset({"fits", "differs"})


def fit_of(indices: Sequence[int], named: Sequence[str] | None, text: Sequence[str]) -> Fit:
    """How indices fit a text; `named` are the tokens that they are given with.

    shifted: each named token stands one before its index; without names, the last index is the length of the text and
             none is 0 (a [CLS] was counted). differs: other tokens than those at the indices, apart from case and blanks

    >>> text = ["a", "slow", "plot"]
    >>> fit_of([1, 2], ["slow", "plot"], text), fit_of([2, 3], ["slow", "plot"], text), fit_of([2, 3], None, text)
    ('fits', 'shifted', 'shifted')
    >>> fit_of([4], None, text), fit_of([1], ["dull"], text)
    ('outside', 'differs')
    """
    is_inside = all(0 <= index < len(text) for index in indices)
    if named is not None and len(named) == len(indices):
        if is_inside and _are_same(named, [text[index] for index in indices]):
            return "fits"
        is_one_on = all(1 <= index <= len(text) for index in indices)
        if is_one_on and _are_same(named, [text[index - 1] for index in indices]):
            return "shifted"
    elif named is None and indices and min(indices) >= 1 and max(indices) == len(text):
        return "shifted"
    if not is_inside:
        return "outside"
    return "fits" if named is None else "differs"


def fit_of_output(output: ModelOutput, record: GoldRecord) -> Fit:
    """The worst fit of an output's sides; "fits" where the text is not known."""
    if record.tokens is None or output.sides is None:
        return "fits"
    return _worst(
        [
            fit_of(of_side.ranking, of_side.tokens, text)
            for of_side, text in zip(output.sides, record.tokens, strict=True)
        ]
    )


def fit_of_gold(record: GoldRecord) -> Fit:
    """The worst fit of a gold record's sides; "fits" where the text is not known."""
    if record.tokens is None or record.sets is None:
        return "fits"
    fits = []
    for side, (sets, text) in enumerate(zip(record.sets, record.tokens, strict=True)):
        named = None if record.named is None or len(record.named) != len(record.sets) else record.named[side]
        indices = [index for rationale in sets for index in rationale]
        fits.append(fit_of(indices, None if named is None else [token for tokens in named for token in tokens], text))
    return _worst(fits)


def is_usable(fit: Fit) -> bool:
    """Whether indices of this fit can be scored: they lie in their text and are not one off."""
    return fit in _USABLE


def _worst(fits: Sequence[Fit]) -> Fit:
    return reduce(lambda worst, other: max(worst, other, key=_WORST_LAST.index), fits, _WORST_LAST[0])


def _are_same(named: Sequence[str], in_text: Sequence[str]) -> bool:
    """Apart from case and blanks at the ends, which tokenisers and the scripts take away."""
    return all(
        token.strip().casefold() == other.strip().casefold() for token, other in zip(named, in_text, strict=True)
    )
