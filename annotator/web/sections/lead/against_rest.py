"""Each annotator against all others of the same texts, as a table that sorts; pairs say little where many people work."""

import streamlit as st

from annotator.language import _
from annotator.usecases.lead.quality import AgainstRest, Agreement, Estimate

_FEW = 10  # instances; a mean over fewer says little
_SHARE = st.column_config.NumberColumn(format="%.3f")


def show(agreement: Agreement) -> None:
    """The table, least agreement with the majority first."""
    people = sorted(agreement.against_rest, key=_order)
    if not people:
        return
    st.markdown(_("Each annotator against the rest"))
    columns = (
        _("majority F1"),
        _("F1 from"),
        _("F1 to"),
        _("union F1"),
        _("union from"),
        _("union to"),
        _("same label"),
        _("label from"),
        _("label to"),
    )
    st.dataframe(
        [_row(person) for person in people], hide_index=True, key="quality_against_rest",
        column_config=dict.fromkeys(columns, _SHARE),
    )  # fmt: skip
    st.caption(
        _(
            "Token-F1 of what somebody marked against the tokens that more than half of the others marked (majority), or any "
            "of them (union), and how often their label is the one that most of the others gave; they themselves are left "
            "out of the others. Mean over n texts, with the bounds of a 95 % interval. Texts in which neither side marks "
            "anything, or no label is the most frequent, are not in n. Of two others, the majority is what both marked. "
            "Those with fewer than {few} texts come last. A click on a column’s head sorts by it. Disagreement is no fault: "
            "somebody may see what the others miss.",
            few=_FEW,
        )
    )


def _order(person: AgainstRest) -> tuple[bool, float]:
    first = person.majority_f1 if person.majority_f1.value is not None else person.label
    return first.n < _FEW, 1.0 if first.value is None else first.value


def _row(person: AgainstRest) -> dict[str, object]:
    return (
        {_("annotator"): person.annotator}
        | _cells(_("majority F1"), _("F1 from"), _("F1 to"), person.majority_f1)
        | {"n": person.majority_f1.n}
        | _cells(_("union F1"), _("union from"), _("union to"), person.union_f1)
        | {_("n (union)"): person.union_f1.n}
        | _cells(_("same label"), _("label from"), _("label to"), person.label)
        | {_("n (labels)"): person.label.n, _("no majority"): person.label.n_left_out}
    )


def _cells(name: str, low: str, high: str, estimate: Estimate) -> dict[str, object]:
    return {name: estimate.value, low: estimate.low, high: estimate.high}
