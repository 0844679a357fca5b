"""Hours and what they cost, for some days; the rate, which the project remembers; a table to pay by."""

import datetime as dt
from typing import Any

import streamlit as st

from annotator.domain.numbers import UNDEFINED
from annotator.domain.people import role_name
from annotator.domain.project.pay import PayBasis, PayRate, PayUnit, parse_rate
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.language import _, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.pay import PaidWork, Payroll, pay_csv, payroll_of, remember_rate
from annotator.usecases.project.projects import Progress
from annotator.web.frame import as_text
from annotator.web.presses import submitted
from annotator.web.sections.progress.kept import kept, visit_zone
from annotator.web.session import Visit

_UNITS: dict[PayUnit, str] = {"hour": unsaid("hour"), "text": unsaid("text"), "token": unsaid("token")}
_BASES: dict[PayBasis, str] = {"submitted": unsaid("what was submitted"), "accepted": unsaid("what was accepted")}
_DEFAULT_DAYS = 30


def show(store: Store, visit: Visit, project: Project, progress: Progress) -> None:
    """Which days, who did what in them, and the rate."""
    name, zone = visit_zone()
    today = store.moment().astimezone(zone).date()
    chosen = st.date_input(
        _("From – to, both days included"), (today - dt.timedelta(days=_DEFAULT_DAYS - 1), today), max_value=today,
        format="YYYY-MM-DD", width=320, key=f"progress_pay_days_{project.id}",
    )  # fmt: skip
    if len(chosen) != 2:  # the first is chosen, and not yet the last
        st.caption(_("Choose the last day, too."))
        return
    first, last = chosen
    payroll = kept(
        store, visit, project, progress, ("pay", name, first, last, project.settings.pay_rate), Payroll,
        lambda: payroll_of(store, visit.user, project, first, last, zone),
    )  # fmt: skip
    _show_sums(payroll)
    _show_work(payroll, name)
    _ask_rate(store, visit, project)


def _show_sums(payroll: Payroll) -> None:
    columns = st.columns(3)
    columns[0].metric(_("Hours"), f"{payroll.hours:,.1f}")
    columns[1].metric(_("People"), f"{len({of_one.person for of_one in payroll.work}):,}")
    total, rate = payroll.total, payroll.rate
    columns[2].metric(
        _("Cost"), UNDEFINED if total is None or rate is None else as_text(f"{total:,.2f} {rate.currency}")
    )


def _show_work(payroll: Payroll, zone_name: str) -> None:
    if not payroll.work:
        st.info(
            _("Nothing was submitted or reviewed in these days. Choose others above."), icon=":material/event_busy:"
        )
        return
    rate = payroll.rate
    amount = _("amount") if rate is None else _("amount ({currency})", currency=rate.currency)
    st.dataframe(
        [_row(payroll, of_one) for of_one in payroll.work], hide_index=True, key="progress_pay",
        column_config={
            _("hours"): st.column_config.NumberColumn(format="%.2f"),
            _("amount"): st.column_config.NumberColumn(amount, format="%.2f"),
        },
    )  # fmt: skip
    st.caption(
        _(
            "Days of the time zone {zone_name}. Hours: working time without pauses of what was submitted in these days, and "
            "of texts that were skipped or discarded; work in hand counts once it is submitted. A text counts once for a "
            "person; corrections of returned work are paid by the hour alone. Writing and checking changed versions is not "
            "measured.",
            zone_name=zone_name,
        )
    )
    st.download_button(
        _("Table to pay by (CSV)"), pay_csv(payroll), f"pay-{payroll.first}-{payroll.last}.csv", "text/csv",
        key="progress_pay_csv", icon=":material/download:", on_click="ignore",
        help=_("People by name, for whoever manages the project. Cells that a spreadsheet would take for a formula stay text."),
    )  # fmt: skip


def _row(payroll: Payroll, work: PaidWork) -> dict[str, object]:
    rate = payroll.rate
    return {
        _("person"): work.person,
        _("role"): role_name(work.role),
        _("submitted"): work.n_submitted,
        _("accepted"): work.n_accepted,
        _("corrected"): work.n_corrected,
        _("reviewed"): work.n_reviewed,
        _("hours"): work.hours,
        _("time not known"): work.n_untimed,
        _("amount"): None if rate is None else float(work.amount(rate)),
    }


def _ask_rate(store: Store, visit: Visit, project: Project) -> None:
    rate = project.settings.pay_rate
    with st.expander(_("The rate"), expanded=rate is None):
        st.caption(
            _(
                "It stays with the project. Only those who manage the project see it; its own JSONL file carries it along."
            )
        )
        with st.form(f"progress_rate_{project.id}", border=False):
            held = _rate_fields(project.id, rate)
        if held is None:
            return
        unit, annotating, reviewing, currency, counts = held
        try:
            stated = PayRate(unit, parse_rate(annotating), parse_rate(reviewing), currency.strip(), counts)
            remember_rate(store, visit.user, project, stated)
        except AnnotatorError as error:
            st.error(as_text(str(error)), icon=":material/error:")
            return
        st.rerun()


def _rate_fields(project_id: int, rate: PayRate | None) -> list[Any] | None:
    """What they hold, in their order, when the rate is to be remembered."""
    keys = [f"progress_rate_{name}_{project_id}" for name in ("unit", "annotating", "reviewing", "currency", "counts")]
    columns = st.columns(5)
    units, bases = list(_UNITS), list(_BASES)
    columns[0].selectbox(
        _("Paid by"),
        units,
        units.index(rate.unit) if rate else 0,
        format_func=lambda unit: _(_UNITS[unit]),
        key=keys[0],
    )
    columns[1].text_input(_("For annotating"), f"{rate.annotating:f}" if rate else "", placeholder="12.50", key=keys[1])
    columns[2].text_input(_("For reviewing"), f"{rate.reviewing:f}" if rate else "", placeholder="12.50", key=keys[2])
    columns[3].text_input(_("Currency"), rate.currency if rate else "", placeholder=_("EUR"), key=keys[3])
    columns[4].selectbox(
        _("Texts and tokens"),
        bases,
        bases.index(rate.counts) if rate else 0,
        format_func=lambda basis: _(_BASES[basis]),
        key=keys[4],
    )
    held = submitted(_("Remember the rate"), key=f"progress_rate_save_{project_id}", fields=keys)
    return None if held is None else [held[key] for key in keys]
