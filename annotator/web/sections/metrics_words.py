"""What the table of metrics says in words: whether a number is better than chance, and how far its model is to be trusted."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.trainings import HeldOut
from annotator.figures.metric_table import Cell
from annotator.usecases.metric_table import Column, MetricRow
from annotator.usecases.metric_verdicts import Judged
from annotator.usecases.model_trust import told_of_held_out
from annotator.web.frame import as_text
from annotator.web.sections.metrics_columns import named


@dataclass(frozen=True, slots=True)
class JudgedColumn:
    """A column of the rows shown, with a verdict and a cell for each."""

    column: Column
    verdicts: Sequence[Judged]
    cells: Sequence[Cell]

    def cell(self, place: int) -> Cell:
        return self.cells[place]


def say_trust(rows: Iterable[MetricRow]) -> None:
    """Of each model that was trained here, how often it is right about texts that it did not learn from."""
    for model, told in {row.model: row.training for row in rows}.items():
        if told is None:
            continue
        if not told["is_known"]:
            words = "how often it is right about texts that it did not learn from was not measured; train it again"
        else:
            held_out = told["held_out"]
            words = told_of_held_out(None if held_out is None else HeldOut(**held_out))
            words = words[0].lower() + words[1:]
        st.caption(as_text(f"{model}: {words}"))


def say_verdicts(columns: Sequence[JudgedColumn], shown: Iterable[int], titles: Sequence[str], n_left_out: int) -> None:
    """Each verdict of the rows shown as a sentence; and what would have to be computed for those that are missing."""
    shown = list(shown)
    sentences = [(of, list(_sentences(of, shown, titles))) for of in columns]
    if any(lines for _, lines in sentences):
        is_telling = any(of.verdicts[n].is_telling for of in columns for n in shown)
        with st.expander("Better than random? In words", expanded=is_telling and len(shown) <= _FEW_ROWS):
            for of, lines in sentences:
                if lines:
                    st.markdown(as_text(f"{named(of.column)}") + "".join(f"\n* {as_text(line)}" for line in lines))
            st.caption(as_text(_what_it_is(n_left_out)))
    missing = [of.column.definition.title for of in columns if any(of.verdicts[n].is_unmeasured for n in shown)]
    if missing:
        st.caption(
            as_text(
                f"No verdict on {', '.join(missing)}: what random has there was not measured. Compute the method “random” of "
                "the same model with Faithfulness (Saliency, Compute attributions; or annotator attribute --method random "
                "--faithfulness)."
            )
        )


_FEW_ROWS = 4


class _HasLearned(Protocol):
    @property
    def model(self) -> str: ...

    @property
    def n_learned(self) -> int: ...


def told_of_training(rows: Iterable[_HasLearned]) -> str:
    """Of which models what they learned from is not counted; "" of none."""
    learned = {row.model: row.n_learned for row in rows if row.n_learned}
    told = ", ".join(f"{model} without {counted(n, 'text')} it learned from" for model, n in learned.items())
    return f"{told[0].upper()}{told[1:]}." if told else ""


def _sentences(of: JudgedColumn, shown: Iterable[int], titles: Sequence[str]) -> Iterator[str]:
    """A line a row; rows of which the same is said share theirs."""
    same: dict[str, list[str]] = {}
    for n in shown:
        if of.verdicts[n].sentence:
            same.setdefault(of.verdicts[n].sentence, []).append(titles[n])
    for told, of_rows in same.items():
        yield f"{', '.join(of_rows)}: {told}"


def _what_it_is(n_left_out: int) -> str:
    whole = (
        f" {counted(n_left_out, 'instance is', 'instances are')} left out, since every word is gold there and any "
        "choice of words scores alike."
        if n_left_out
        else ""
    )
    return (
        "Each instance's number less its mean over ten random rankings (of what is selected: of as many random tokens; of "
        "accuracy: less always saying the commonest label), above 0 is better; in brackets the 95 % bootstrap interval over "
        f"instances, which speaks of other texts like these.{whole} Better than random is about agreement with people, not about "
        "what the model relies on."
    )
