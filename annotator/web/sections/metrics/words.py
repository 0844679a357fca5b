"""What the table of metrics says in words: whether a number is better than chance; what its models learned from."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import streamlit as st

from annotator.language import _, listed, several, together
from annotator.scoring.table import MetricRow
from annotator.usecases.inspect.measurement import unmeasured
from annotator.usecases.inspect.metrics_table import named, title_of
from annotator.usecases.inspect.shown_table import JudgedColumn, verdict_sentences, what_a_verdict_is
from annotator.web.frame import as_text


def say_verdicts(
    columns: Sequence[JudgedColumn], shown: Iterable[int], rows: Sequence[MetricRow], n_left_out: int
) -> None:
    """Each verdict of the rows shown as a sentence; and what would have to be computed for those that are missing."""
    titles = [title_of(row) for row in rows]
    shown = list(shown)
    sentences = [(of, list(verdict_sentences(of, shown, titles))) for of in columns]
    if any(lines for _of, lines in sentences):
        with st.expander(_("Better than random? In words")):
            for of, lines in sentences:
                if lines:
                    st.markdown(as_text(named(of.column)) + "".join(f"\n* {as_text(line)}" for line in lines))
            st.caption(as_text(what_a_verdict_is(n_left_out)))
    for missing, models in unmeasured([(of.column, of.verdicts) for of in columns], rows, shown):
        st.caption(
            as_text(
                _(
                    "There is no verdict on {missing} of {models}, since random attributions of the same model were not "
                    "measured. On the page Saliency, under “Compute attributions”, compute the method “random” with "
                    "faithfulness.",
                    missing=listed(missing),
                    models=listed(models),
                )
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
    return together(
        *(
            several(
                "{model}: {n} text that it learned from is left out.",
                "{model}: {n} texts that it learned from are left out.", n, model=model,
            )
            for model, n in learned.items()
        )
    )  # fmt: skip
