"""How far annotators agree, on the page Quality: computed when it is asked for, since it reads the whole project."""

import streamlit as st

from annotator.domain.instances import Accepted
from annotator.domain.numbers import written
from annotator.domain.projects import Project
from annotator.language import _, several, together
from annotator.usecases.databases import Store
from annotator.usecases.lead.quality import Agreement, Spread, agreement_of, pairs_of
from annotator.usecases.transfer.import_report import gold_words
from annotator.web.frame import as_text
from annotator.web.presses import pressed
from annotator.web.sections.lead import against_rest
from annotator.web.session import Visit

Row = dict[str, object]  # of a table: a cell by its column's head
_AGREEMENT_KEY = "quality_agreement_{}"
_MOST_PAIRS = 5000
_FEW_SHARED = 10  # instances; the agreement of a pair with fewer says little


def show_agreement(store: Store, visit: Visit, project: Project, accepted: Accepted) -> None:
    st.markdown(_("**Annotators' agreement**"))
    if accepted.n_several:
        st.caption(as_text(gold_words(project.settings.gold_policy, accepted)))
    key = _AGREEMENT_KEY.format(project.id)
    if pressed(_("Compute it now"), key=f"quality_compute_{project.id}", help=_("This reads the whole project.")):
        with st.spinner(_("Reading all annotations …")):
            st.session_state[key] = agreement_of(store, visit.user, project)
    agreement = st.session_state.get(key)
    if isinstance(agreement, Agreement):
        _show_agreement_numbers(agreement)


def _show_agreement_numbers(agreement: Agreement) -> None:
    if not agreement.tokens.n_instances and not agreement.labels.n_instances:
        st.info(
            _(
                "No text has two annotations that are submitted or accepted; returned ones count when they are submitted again. "
                "Under **Rules** you can ask for more annotators for each text."
            ),
            icon=":material/group:",
        )
        return
    st.caption(_included(agreement))
    rows = [
        *_label_rows(agreement),
        *_token_rows(agreement),
        _row(_("sets"), _("best-match IoU"), agreement.sets.best_match_iou),
    ]
    rows += _majority_rows(agreement)
    st.dataframe(rows, hide_index=True, height=38 + 35 * len(rows), key="quality_agreement_table")
    st.caption(
        _(
            "Majority: tokens that more than half of an instance's annotators marked. Left out: values that are not defined, "
            "such as κ where both annotators marked nothing."
        )
    )
    _show_annotators(agreement)
    against_rest.show(agreement)
    _show_pairs(agreement)


def _included(agreement: Agreement) -> str:
    """Whose annotations the numbers are of."""
    others = several(
        "{n} carries another result than the gold one and counts for labels only",
        "{n} carry another result than the gold one and count for labels only",
        agreement.n_other_result,
    )
    taking_part = several(
        "{n} annotation takes part; {others}.",
        "{n} annotations take part; {others}.",
        agreement.n_annotations,
        others=others,
    )
    alone = several(
        "{n} instance with only one annotator is left out.",
        "{n} instances with only one annotator are left out.",
        agreement.tokens.n_alone,
    )
    return together(taking_part, alone, *_apart(agreement))


def _apart(agreement: Agreement) -> tuple[str, ...]:
    """Of marks whose people are not known, and of the people whose marks they may be."""
    if not agreement.n_marks_alone:
        return ()
    return (
        several(
            "The file does not say who made {n} of these annotations; it counts for tokens only.",
            "The file does not say who made {n} of these annotations; they count for tokens only.",
            agreement.n_marks_alone,
        ),
        several(
            "{n} label of a person whose marks are not known counts for labels only.",
            "{n} labels of people whose marks are not known count for labels only.",
            agreement.n_labels_alone,
        ),
    )


def _label_rows(agreement: Agreement) -> list[Row]:
    labels = agreement.labels
    fleiss = _generalised("Fleiss κ", labels.fleiss_is_generalised)
    return [
        _row(_("labels"), _("Cohen κ, mean over pairs of annotators"), labels.cohen_kappa),
        _value(_("labels"), fleiss, labels.fleiss_kappa, labels.n_instances),
        _value(_("labels"), _("Krippendorff α, nominal"), labels.krippendorff_alpha, labels.n_instances),
    ]


def _token_rows(agreement: Agreement) -> list[Row]:
    tokens = agreement.tokens
    fleiss = _generalised("Fleiss κ", tokens.fleiss_is_generalised)
    return [
        _row(_("tokens"), _("Cohen κ, mean over instances and pairs"), tokens.cohen_kappa_per_instance),
        _row(_("tokens"), _("Cohen κ pooled, mean over pairs"), tokens.cohen_kappa_pooled),
        _value(_("tokens"), fleiss, tokens.fleiss_kappa, tokens.n_instances),
        _value(_("tokens"), _("Krippendorff α, nominal, all tokens"), tokens.krippendorff_alpha, tokens.n_instances),
        _row(_("tokens"), _("Krippendorff α, mean over instances"), tokens.krippendorff_alpha_per_instance),
    ]


def _majority_rows(agreement: Agreement) -> list[Row]:
    tokens = agreement.tokens
    measures = (("Cohen κ", "kappa"), (_("precision"), "precision"), (_("recall"), "recall"), ("F1", "f1"))
    return [
        _row(_("against the majority"), _("{name} (ERASER, Table 2)", name=name), getattr(tokens.majority, field))
        for name, field in measures
    ]


def _show_annotators(agreement: Agreement) -> None:
    by_annotator = [
        {_("annotator"): name, _("kappa"): written(of_one.kappa.mean), _("precision"): written(of_one.precision.mean),
         _("recall"): written(of_one.recall.mean), _("f1"): written(of_one.f1.mean), "n": of_one.f1.n,
         _("left out"): of_one.kappa.n_left_out}
        for name, of_one in agreement.tokens.by_annotator.items()
    ]  # fmt: skip
    if by_annotator:
        st.markdown(_("Each annotator against the token majority"))
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
        {
            _("annotator"): pair.first,
            _("and"): pair.second,
            _("κ of tokens"): written(pair.kappa),
            _("instances"): pair.n_instances,
        }
        for pair in pairs[:_MOST_PAIRS]
    ]
    st.markdown(_("Who disagrees with whom"))
    st.dataframe(rows, hide_index=True, key="quality_pairs")
    about = _(
        "Cohen’s κ of tokens, pooled over the instances that both annotated; the least agreement comes first, and pairs with "
        "fewer than {few} instances in common last.",
        few=_FEW_SHARED,
    )
    if len(pairs) > _MOST_PAIRS:
        more = _("The first {most} of {n} pairs stand here.", most=f"{_MOST_PAIRS:,}", n=f"{len(pairs):,}")
        about = together(about, more)
    st.caption(about)


def _generalised(name: str, is_generalised: bool) -> str:
    return _("{name}, generalised to unequal numbers", name=name) if is_generalised else name


def _row(about: str, name: str, spread: Spread) -> Row:
    return {
        _("about"): about, _("measure"): name, _("value"): written(spread.mean), _("± sd"): written(spread.sd), "n": spread.n,
        _("left out"): spread.n_left_out,
    }  # fmt: skip


def _value(about: str, name: str, value: float | None, n: int) -> Row:
    spread = Spread(value, None, n if value is not None else 0, n if value is None else 0)
    return _row(about, name, spread)
