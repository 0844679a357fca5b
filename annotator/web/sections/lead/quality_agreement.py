"""How far annotators agree, on the page Quality: computed when it is asked for, since it reads the whole project."""

import streamlit as st

from annotator.domain.gold import Accepted
from annotator.domain.numbers import counted, written
from annotator.domain.projects import Project
from annotator.usecases.databases import Store
from annotator.usecases.lead.agreement import Agreement, Spread, agreement_of, pairs_of
from annotator.usecases.transfer.gold_words import gold_words
from annotator.web.frame import as_text
from annotator.web.presses import pressed
from annotator.web.sections.lead import against_rest
from annotator.web.session import Visit

Row = dict[str, object]  # of a table: a cell by its column's head
_AGREEMENT_KEY = "quality_agreement_{}"
_MOST_PAIRS = 5000
_FEW_SHARED = 10  # instances; the agreement of a pair with fewer says little


def show_agreement(store: Store, visit: Visit, project: Project, accepted: Accepted) -> None:
    st.markdown("**Annotators' agreement**")
    if accepted.n_several:
        st.caption(as_text(gold_words(project.settings.gold_policy, accepted)))
    key = _AGREEMENT_KEY.format(project.id)
    if pressed("Compute it now", key=f"quality_compute_{project.id}", help="This reads the whole project."):
        with st.spinner("Reading all annotations …"):
            st.session_state[key] = agreement_of(store, visit.user, project)
    agreement = st.session_state.get(key)
    if isinstance(agreement, Agreement):
        _show_agreement_numbers(agreement)


def _show_agreement_numbers(agreement: Agreement) -> None:
    if not agreement.tokens.n_instances and not agreement.labels.n_instances:
        st.info(
            "No text has two annotations that are submitted or accepted; returned ones count when they are submitted again. "
            "Under **Rules** you can ask for more annotators for each text.",
            icon=":material/group:",
        )
        return
    st.caption(_included(agreement))
    rows = [
        *_label_rows(agreement),
        *_token_rows(agreement),
        _row("sets", "best-match IoU", agreement.sets.best_match_iou),
    ]
    rows += _majority_rows(agreement)
    st.dataframe(rows, hide_index=True, height=38 + 35 * len(rows), key="quality_agreement_table")
    st.caption(
        "Majority: tokens that more than half of an instance's annotators marked. Left out: values that are not defined, such "
        "as κ where both annotators marked nothing."
    )
    _show_annotators(agreement)
    against_rest.show(agreement)
    _show_pairs(agreement)


def _included(agreement: Agreement) -> str:
    """Whose annotations the numbers are of."""
    n_alone = agreement.tokens.n_alone
    return (
        f"{counted(agreement.n_annotations, 'annotation takes', 'annotations take')} part; "
        f"{counted(agreement.n_other_result, 'carries', 'carry')} another result than the gold one and "
        f"{'counts' if agreement.n_other_result == 1 else 'count'} for labels only. "
        f"{counted(n_alone, 'instance with only one annotator is', 'instances with only one annotator are')} left out."
        f"{_apart(agreement)}"
    )


def _apart(agreement: Agreement) -> str:
    """Of marks whose people are not known, and of the people whose marks they may be; "" where there are none."""
    if not agreement.n_marks_alone:
        return ""
    masks, labels = agreement.n_marks_alone, agreement.n_labels_alone
    return (
        f" The file does not say who made {counted(masks, 'of these annotations', 'of these annotations')}; "
        f"{'it counts' if masks == 1 else 'they count'} for tokens only. "
        f"{counted(labels, 'label of a person', 'labels of people')} whose marks are not known "
        f"{'counts' if labels == 1 else 'count'} for labels only."
    )


def _label_rows(agreement: Agreement) -> list[Row]:
    labels = agreement.labels
    fleiss = _generalised("Fleiss κ", labels.fleiss_is_generalised)
    return [
        _row("labels", "Cohen κ, mean over pairs of annotators", labels.cohen_kappa),
        _value("labels", fleiss, labels.fleiss_kappa, labels.n_instances),
        _value("labels", "Krippendorff α, nominal", labels.krippendorff_alpha, labels.n_instances),
    ]


def _token_rows(agreement: Agreement) -> list[Row]:
    tokens = agreement.tokens
    fleiss = _generalised("Fleiss κ", tokens.fleiss_is_generalised)
    return [
        _row("tokens", "Cohen κ, mean over instances and pairs", tokens.cohen_kappa_per_instance),
        _row("tokens", "Cohen κ pooled, mean over pairs", tokens.cohen_kappa_pooled),
        _value("tokens", fleiss, tokens.fleiss_kappa, tokens.n_instances),
        _value("tokens", "Krippendorff α, nominal, all tokens", tokens.krippendorff_alpha, tokens.n_instances),
        _row("tokens", "Krippendorff α, mean over instances", tokens.krippendorff_alpha_per_instance),
    ]


def _majority_rows(agreement: Agreement) -> list[Row]:
    tokens = agreement.tokens
    measures = (("Cohen κ", "kappa"), ("precision", "precision"), ("recall", "recall"), ("F1", "f1"))
    return [
        _row("against the majority", f"{name} (ERASER, Table 2)", getattr(tokens.majority, field))
        for name, field in measures
    ]


def _show_annotators(agreement: Agreement) -> None:
    by_annotator = [
        {"annotator": name, **{field: written(getattr(of_one, field).mean) for field in ("kappa", "precision", "recall", "f1")},
         "n": of_one.f1.n, "left out": of_one.kappa.n_left_out}
        for name, of_one in agreement.tokens.by_annotator.items()
    ]  # fmt: skip
    if by_annotator:
        st.markdown("Each annotator against the token majority")
        st.dataframe(by_annotator, hide_index=True, key="quality_by_annotator")


def _show_pairs(agreement: Agreement) -> None:
    """Who disagrees with whom: those who share few instances come last, since their κ says little."""
    pairs = sorted(
        (pair for pair in pairs_of(agreement) if pair.about == "tokens" and pair.kappa is not None),
        key=lambda pair: (pair.n_instances < _FEW_SHARED, pair.kappa),
    )
    if not pairs:
        return
    rows = [
        {"annotator": pair.first, "and": pair.second, "κ of tokens": written(pair.kappa), "instances": pair.n_instances}
        for pair in pairs[:_MOST_PAIRS]
    ]
    st.markdown("Who disagrees with whom")
    st.dataframe(rows, hide_index=True, key="quality_pairs")
    more = f" The first {_MOST_PAIRS:,} of {len(pairs):,} pairs stand here."
    st.caption(
        f"Cohen’s κ of tokens, pooled over the instances that both annotated; the least agreement comes first, and pairs with "
        f"fewer than {_FEW_SHARED} instances in common last.{more if len(pairs) > _MOST_PAIRS else ''}"
    )


def _generalised(name: str, is_generalised: bool) -> str:
    return f"{name}, generalised to unequal numbers" if is_generalised else name


def _row(about: str, name: str, spread: Spread) -> Row:
    return {
        "about": about, "measure": name, "value": written(spread.mean), "± sd": written(spread.sd), "n": spread.n,
        "left out": spread.n_left_out,
    }  # fmt: skip


def _value(about: str, name: str, value: float | None, n: int) -> Row:
    spread = Spread(value, None, n if value is not None else 0, n if value is None else 0)
    return _row(about, name, spread)
