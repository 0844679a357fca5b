"""Hours and what they cost, for some days; the rate, which the project remembers; a table to pay by."""

import datetime as dt
from dataclasses import dataclass, replace

import streamlit as st

from annotator.domain.numbers import UNDEFINED, duration
from annotator.domain.people import role_name
from annotator.domain.project.recruitment import PayBasis, PayRate, PayUnit, parse_rate
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError, InvalidValue
from annotator.language import _, spoken_language, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.progress import PaidWork, Payroll, pay_csv, payroll_of, remember_rate
from annotator.usecases.project.projects import Progress
from annotator.web.buttons import pressed
from annotator.web.cached_numbers import kept
from annotator.web.frame import as_text
from annotator.web.sections.tables import choose
from annotator.web.session import Visit, visit_zone

_UNITS: dict[PayUnit, str] = {"hour": unsaid("hour"), "text": unsaid("text"), "token": unsaid("token")}
_BASES: dict[PayBasis, str] = {"submitted": unsaid("submitted work"), "accepted": unsaid("accepted work")}
_DEFAULT_DAYS = 30


@dataclass(frozen=True, slots=True)
class _RateFields:
    """What the fields of a rate hold, as it was typed."""

    unit: PayUnit
    annotating: str
    reviewing: str
    currency: str
    counts: PayBasis


def show(store: Store, visit: Visit, project: Project, progress: Progress) -> None:
    """Which days, who did what in them, and the rate."""
    name, zone = visit_zone()
    today = store.moment().astimezone(zone).date()
    chosen = st.date_input(
        _("From – to (inclusive)"), (today - dt.timedelta(days=_DEFAULT_DAYS - 1), today), max_value=today,
        format="YYYY-MM-DD", width=320, key=f"progress_pay_days_{project.id}"
    )  # fmt: skip
    if len(chosen) != 2:  # the first is chosen, and not yet the last
        st.caption(_("Also choose the last day."))
        return
    first, last = chosen
    payroll = kept(
        store, visit, project, progress, ("pay", name, first, last), Payroll,
        lambda: payroll_of(store, visit.user, project, first, last, zone),
    )  # fmt: skip
    of_work = st.container()
    rate = _ask_rate(store, visit, project)
    with of_work:
        _show_sums(replace(payroll, rate=rate))
        _show_work(replace(payroll, rate=rate), name)


def _show_sums(payroll: Payroll) -> None:
    columns = st.columns(3)
    columns[0].metric(_("Working time"), _working_time(payroll))
    columns[1].metric(_("People"), f"{len({of_one.person for of_one in payroll.work}):,}")
    total, rate = payroll.total, payroll.rate
    columns[2].metric(
        _("Cost"), UNDEFINED if total is None or rate is None else as_text(f"{total:,.2f} {rate.currency}")
    )
    if rate is None:
        columns[2].caption(_("Enter a rate below for the cost."))


def _working_time(payroll: Payroll) -> str:
    """Below an hour in minutes: what a first day came to is not nought."""
    if payroll.hours >= 1:
        return f"{payroll.hours:,.1f} h"
    is_known = payroll.hours or not any(work.n_untimed for work in payroll.work)
    return duration(payroll.hours * 3600 if is_known else None)


def _show_work(payroll: Payroll, zone_name: str) -> None:
    if not payroll.work:
        st.info(_("Nothing submitted or reviewed on these days."), icon=":material/event_busy:")
        return
    rate = payroll.rate
    amount = None if rate is None else st.column_config.NumberColumn(
        _("amount ({currency})", currency=rate.currency), format="%.2f"
    )  # fmt: skip
    st.dataframe(
        [_row(payroll, of_one) for of_one in payroll.work], hide_index=True, key="progress_pay", placeholder=UNDEFINED,
        column_config={
            _("hours"): st.column_config.NumberColumn(format="%.3f"),
            _("amount"): amount,
        },
    )  # fmt: skip
    st.caption(
        _(
            "Time zone {zone_name}. Hours: active time of work submitted, skipped or discarded. Each text "
            "counts once per person, blind checks too; corrections by the hour only; perturbation work not at all.",
            zone_name=zone_name,
        )
    )
    st.download_button(
        _("Table without amounts (CSV)") if rate is None else _("Payment table (CSV)"), pay_csv(payroll),
        f"pay-{payroll.first}-{payroll.last}.csv", "text/csv",
        key="progress_pay_csv", icon=":material/download:", on_click="ignore",
        help=_("For project managers: lists names.")
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
        _("hours"): work.hours if work.hours or not work.n_untimed else None,  # of nothing that was timed
        _("time unknown"): work.n_untimed,
        _("amount"): UNDEFINED if rate is None else float(work.amount(rate)),
    }


def _ask_rate(store: Store, visit: Visit, project: Project) -> PayRate | None:
    """The rate as its fields say it now; None while it is not whole, or is no rate."""
    remembered = project.settings.pay_rate
    with st.expander(_("Rate"), expanded=remembered is None):
        st.caption(_("Only project managers see this; it's exported in annotator JSONL."))
        fields = _rate_fields(project.id, remembered)
        is_to_stay = pressed(_("Save rate"), key=f"progress_rate_save_{project.id}")
        try:
            rate = _typed_rate(fields)
            if is_to_stay:
                _remember(store, visit, project, rate)
        except AnnotatorError as error:
            st.error(as_text(str(error)), icon=":material/error:")
            return None
        if rate is not None and rate != remembered:
            st.caption(_("Unsaved rate: lost when you leave."))
        return rate


def _remember(store: Store, visit: Visit, project: Project, rate: PayRate | None) -> None:
    if rate is None and project.settings.pay_rate is None:
        raise InvalidValue(_("Enter a rate, such as 12.50."))
    remember_rate(store, visit.user, project, rate)
    st.rerun()


def _typed_rate(fields: _RateFields) -> PayRate | None:
    """Two empty prices are no rate; one that is empty is 0."""
    if not (fields.annotating.strip() or fields.reviewing.strip()):
        return None
    annotating, reviewing = parse_rate(fields.annotating), parse_rate(fields.reviewing)
    if not fields.currency.strip():
        raise InvalidValue(_("Enter a currency, such as {example}.", example=_usual_currency()))
    return PayRate(fields.unit, annotating, reviewing, fields.currency.strip(), fields.counts)


def _usual_currency() -> str:
    return "CNY" if spoken_language() == "zh" else "EUR"


def _rate_fields(project_id: int, rate: PayRate | None) -> _RateFields:
    """The fields of a rate, which begin with the one that is remembered, and what they hold."""
    columns, key = st.columns(5), f"progress_rate_{{}}_{project_id}".format
    return _RateFields(
        choose(_("Paid by"), _UNITS, chosen=rate.unit if rate else None, column=columns[0], key=key("unit")),
        columns[1].text_input(_("For annotating"), f"{rate.annotating:f}" if rate else "", key=key("annotating")),
        columns[2].text_input(_("For reviewing"), f"{rate.reviewing:f}" if rate else "", key=key("reviewing")),
        columns[3].text_input(_("Currency"), rate.currency if rate else _usual_currency(), key=key("currency")),
        choose(_("Texts and tokens"), _BASES, chosen=rate.counts if rate else None, column=columns[4], key=key("counts")),
    )  # fmt: skip
