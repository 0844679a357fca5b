"""What the table of metrics says in words: whether a number is better than chance."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import streamlit as st

from annotator.domain.numbers import counted
from annotator.figures.html_table import Cell
from annotator.scoring.chance_verdicts import Judged
from annotator.scoring.table import Column
from annotator.usecases.inspect.metric_names import named
from annotator.web.frame import as_text


@dataclass(frozen=True, slots=True)
class JudgedColumn:
    """A column of the rows shown, with a verdict and a cell for each."""

    column: Column
    verdicts: Sequence[Judged]
    cells: Sequence[Cell]

    def cell(self, row_index: int) -> Cell:
        return self.cells[row_index]


def say_verdicts(columns: Sequence[JudgedColumn], shown: Iterable[int], titles: Sequence[str], n_left_out: int) -> None:
    """Each verdict of the rows shown as a sentence; and what would have to be computed for those that are missing."""
    shown = list(shown)
    sentences = [(of, list(_sentences(of, shown, titles))) for of in columns]
    if any(lines for _, lines in sentences):
        with st.expander("Better than random? In words"):
            for of, lines in sentences:
                if lines:
                    st.markdown(as_text(f"{named(of.column)}") + "".join(f"\n* {as_text(line)}" for line in lines))
            st.caption(as_text(_what_it_is(n_left_out)))
    missing = [of.column.definition.title for of in columns if any(of.verdicts[n].is_unmeasured for n in shown)]
    if missing:
        st.caption(
            as_text(
                f"There is no verdict on {', '.join(missing)}, since random attributions of the same model were not measured. "
                "On the page Saliency, under “Compute attributions”, compute the method “random” with faithfulness."
            )
        )


class _HasLearned(Protocol):
    @property
    def model(self) -> str: ...

    @property
    def n_learned(self) -> int: ...


def uncounted_training_summary(rows: Iterable[_HasLearned]) -> str:
    """Of which models what they learned from is not counted; "" of none."""
    learned = {row.model: row.n_learned for row in rows if row.n_learned}
    counts = {
        model: counted(n, "text that it learned from is", "texts that it learned from are")
        for model, n in learned.items()
    }
    return " ".join(f"{model}: {words} left out." for model, words in counts.items())


def _sentences(of: JudgedColumn, shown: Iterable[int], titles: Sequence[str]) -> Iterator[str]:
    """A line a row; rows of which the same is said share theirs."""
    same: dict[str, list[str]] = {}
    for n in shown:
        if of.verdicts[n].sentence:
            same.setdefault(of.verdicts[n].sentence, []).append(titles[n])
    for sentence, of_rows in same.items():
        yield f"{', '.join(of_rows)}: {sentence}"


def _what_it_is(n_left_out: int) -> str:
    whole = (
        f" {counted(n_left_out, 'instance is', 'instances are')} left out: every token is gold there, so that every choice of "
        "tokens scores the same."
        if n_left_out
        else ""
    )
    return (
        "A verdict is about each instance's number minus its mean over ten random rankings (for selected tokens: over as many "
        "random tokens; for accuracy: minus that of always predicting the majority label). Above 0 is better. The brackets hold "
        f"the 95 % bootstrap interval over instances, which is about other texts like these.{whole} Plausibility that is "
        "better than random means agreement with people; it does not say what the model relies on."
    )
