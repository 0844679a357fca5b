"""The links of a project: each with its link and its numbers, a form for a new one, and the look-up of codes."""

import datetime as dt

import streamlit as st

from annotator.domain.numbers import counted
from annotator.domain.project.recruitment import STATE_WORDS, LinkRules, LinkState, RecruitmentLink
from annotator.domain.projects import Project
from annotator.language import _, several, unsaid
from annotator.usecases.crowd import recruitment_links
from annotator.usecases.crowd.visits import TrainingFirst, training_first
from annotator.usecases.databases import Store
from annotator.web.addresses import public_address
from annotator.web.buttons import pressed, submitted
from annotator.web.frame import as_text, confirm_and_rerun, refusals_shown
from annotator.web.sections.people.roles import NOBODY_CHOSEN, show_answers
from annotator.web.session import Visit, shown_time

# The fields of a link, for a new one and for one that is changed.


_PARAMETERS = {"PROLIFIC_PID": "?PROLIFIC_PID={{%PROLIFIC_PID%}}"}
_FIELDS = (
    "name", "workers", "quota", "minutes", "at_once", "until", "parameter", "address", "introduction", "must_read",
)  # fmt: skip


def placeholder(parameter: str) -> str:
    """What the platform wants to find in the link, where it is one that we know."""
    return _PARAMETERS.get(parameter, "")


def ask(project: Project, link: RecruitmentLink | None) -> LinkRules | None:
    """The rules that somebody gave and sent; what is wrong with them is said below."""
    rules = link.rules if link else LinkRules("Pilot", 20, 20, parameter="PROLIFIC_PID")
    keys = {name: f"crowd_{link.id if link else 'new'}_{project.id}_{name}" for name in _FIELDS}
    with st.form(f"crowd_form_{link.id if link else 'new'}", border=False):
        _draw(rules, keys)
        word = "Save" if link else _("Create link")
        held = submitted(word, type="primary", key=f"{keys['name']}_go", fields=tuple(keys.values()))
    if held is None:
        return None
    with refusals_shown():
        return _rules_of({name: held[key] for name, key in keys.items()})
    return None


def _draw(rules: LinkRules, keys: dict[str, str]) -> None:
    name, workers, quota = st.columns(3, gap="large")
    name.text_input(_("Link name"), rules.name, max_chars=100, key=keys["name"])
    workers.number_input(
        _("Maximum workers"), 1, 100_000, rules.most_workers, key=keys["workers"],
        help=_("Workers who stop or time out free their place.")
    )  # fmt: skip
    quota.number_input(_("Texts per worker"), 1, 10_000, rules.quota, key=keys["quota"])
    minutes, at_once, until = st.columns(3, gap="large")
    minutes.number_input(_("Minutes per visit"), 1, 7 * 24 * 60, rules.minutes, key=keys["minutes"])
    at_once.number_input(_("Concurrent workers"), 1, 10_000, rules.at_once, key=keys["at_once"])
    until.date_input(
        _("Open until end of"), None if rules.until is None else dt.date.fromisoformat(rules.until[:10]),
        format="YYYY-MM-DD", key=keys["until"], help=_("Last day for new workers (UTC). Empty: no limit.")
    )  # fmt: skip
    parameter, address = st.columns([1, 2], gap="large")
    parameter.text_input(
        _("Parameter with the worker ID"), rules.parameter, key=keys["parameter"],
        help=_("Prolific: PROLIFIC_PID, MTurk: workerId. Empty: anonymous.")
    )  # fmt: skip
    address.text_input(
        _("Return URL"), rules.return_address, key=keys["address"], max_chars=500,
        placeholder="https://app.prolific.com/submissions/complete?cc=ABC123",
        help=_("With {code} as completion code. Empty: workers paste it.")
    )  # fmt: skip
    st.text_area(
        _("Introduction"), rules.introduction, key=keys["introduction"], max_chars=5000,
        help=_("Purpose, who you are, use of the data, contact.")
    )  # fmt: skip
    st.checkbox(_("Guidelines must be read before submitting"), rules.must_read, key=keys["must_read"])


def _rules_of(held: dict[str, object]) -> LinkRules:
    until = held["until"]
    return LinkRules(
        name=str(held["name"]).strip(),
        most_workers=int(str(held["workers"])),
        quota=int(str(held["quota"])),
        minutes=int(str(held["minutes"])),
        at_once=int(str(held["at_once"])),
        until=f"{until.isoformat()}T23:59:59.999Z" if isinstance(until, dt.date) else None,
        parameter=str(held["parameter"]).strip(),
        return_address=str(held["address"]).strip(),
        introduction=str(held["introduction"]).strip(),
        must_read=bool(held["must_read"]),
    )


# Ending the work of one worker, while the link stays open to all others.


_WORKER = "crowd_stop_worker"


def show_work_ends(store: Store, visit: Visit, project: Project) -> None:
    """Nobody is chosen beforehand; nothing stands here while nobody is at work."""
    done_by_name = {
        worker.name: worker.done for worker in recruitment_links.workers_at_work(store, visit.user, project.id)
    }
    if not done_by_name:
        return
    with st.form("crowd_stop", border=True):
        st.markdown(_("**End a worker's visit**"))
        field, button = st.columns([4, 1], vertical_alignment="bottom")
        field.selectbox(
            _("Worker"), list(done_by_name), index=None, key=_WORKER, placeholder=_("Choose"),
            format_func=lambda name: several("{name} ({n} text)", "{name} ({n} texts)", done_by_name[name], name=name)
        )  # fmt: skip
        held = submitted(_("End it"), container=button, key="crowd_stop_go", fields=(_WORKER,))
        st.caption(_("Submitted work stays; the rest goes to others. Can't be undone."))
    if held is None:
        return
    if held[_WORKER] is None:
        st.warning(_(NOBODY_CHOSEN))
        return
    with refusals_shown():
        stopped = recruitment_links.stop_worker(store, visit.user, project.id, held[_WORKER])
        confirm_and_rerun(_("Ended {name}'s visit.", name=stopped.name))


# Looking up a code that a worker gave on the platform, and noting that it is paid.


_CODE = "crowd_code"
_SHOWN = "crowd_code_shown"


def show_codes(store: Store, visit: Visit, project: Project) -> None:
    """Is it ours, is it used up, how many texts, how long."""
    with st.form("crowd_codes", border=True):
        st.markdown(_("**Look up a code**"))
        field, button = st.columns([4, 1], vertical_alignment="bottom")
        field.text_input(_("Code"), key=_CODE, placeholder="ABCD-EFGH-…")
        held = submitted(_("Look up"), container=button, key="crowd_code_go", fields=(_CODE,))
    if held is not None:
        st.session_state[_SHOWN] = (project.id, held[_CODE])
    project_id, code = st.session_state.get(_SHOWN, (None, ""))
    if project_id != project.id:
        return
    with refusals_shown():
        _show_payment(store, visit, project, recruitment_links.find_code(store, visit.user, project.id, code))


def _show_payment(store: Store, visit: Visit, project: Project, payment: recruitment_links.Payment) -> None:
    worker = payment.worker
    minutes = f"{payment.active_ms / 60_000:.1f}"
    st.markdown(
        several(
            "Code of {name} from “{link_name}”: {state}, {n} text, {minutes} minutes, started {time}.",
            "Code of {name} from “{link_name}”: {state}, {n} texts, {minutes} minutes, started {time}.",
            worker.done,
            name=as_text(worker.name),
            link_name=as_text(payment.link_name),
            state=_(STATE_WORDS[worker.state]),
            minutes=minutes,
            time=as_text(shown_time(worker.began_at)),
        )
    )
    if worker.state == "working":
        st.info(_("The visit is in progress."), icon=":material/hourglass_top:")
    elif worker.paid_at is None:
        if pressed(_("Mark as paid"), key="crowd_code_paid"):
            recruitment_links.mark_paid(store, visit.user, project.id, worker.code)
            st.rerun()
    else:
        st.warning(_("Paid: marked on {time}.", time=as_text(shown_time(worker.paid_at))), icon=":material/done:")
        if pressed(_("Mark as unpaid"), key="crowd_code_unpaid"):
            recruitment_links.mark_paid(store, visit.user, project.id, worker.code, is_paid=False)
            st.rerun()


_STATES: dict[LinkState, str] = {
    "open": unsaid("open: accepts workers"),
    "paused": unsaid("paused: no new workers"),
    "closed": unsaid("closed"),
}


def show(store: Store, visit: Visit, project: Project) -> None:
    """Off until a lead makes a link and opens it."""
    st.subheader(_("Recruitment links"), anchor=False)
    st.caption(_("For workers from Prolific, MTurk etc.: random name, fixed number of texts, completion code."))
    views = recruitment_links.links_of(store, visit.user, project.id)
    training = training_first(store, project.id)
    for view in views:
        _show_link(store, visit, project, view)
    if training is not None:
        _show_training(training)
    if views:
        show_work_ends(store, visit, project)
        show_codes(store, visit, project)
    with st.expander(_("New recruitment link"), expanded=False, key="crowd_new"):
        st.caption(_("New links start paused."))
        rules = ask(project, None)
        if rules is not None:
            with refusals_shown():
                recruitment_links.make_recruitment_link(store, visit.user, project.id, rules)
                st.rerun()


def _show_link(store: Store, visit: Visit, project: Project, view: recruitment_links.LinkView) -> None:
    link, key = view.link, f"crowd_{view.link.id}"
    with st.container(border=True, key=key):
        st.markdown(f"**{as_text(link.rules.name)}** · {_(_STATES[link.state])}")
        st.markdown(_numbers(view))
        if link.state != "closed":
            # As people reach the server; the platform's placeholder for the ID is the lead's to add (docs/crowd.md).
            address = f"{public_address(st.context.url)}/crowd/{link.token}{placeholder(link.rules.parameter)}"
            st.code(address, language=None)
            _show_hint(link)
        _show_buttons(store, visit, view)
        if link.state != "closed":
            with st.expander(_("Change"), key=f"{key}_change"):
                rules = ask(project, link)
                if rules is not None:
                    with refusals_shown():
                        recruitment_links.change_recruitment_link(store, visit.user, link.id, rules)
                        st.rerun()


def _show_training(training: TrainingFirst) -> None:
    """What stands before a worker's first text, since their time runs meanwhile."""
    if not training.n_texts:
        st.warning(
            _("Training has no texts, so workers get nothing. Pick some under Training."), icon=":material/school:"
        )
        return
    st.info(
        several(
            "Workers first pass {n} training text ({tries}), within their time but not counted.",
            "Workers first pass {n} training texts ({tries}), within their time but not counted.",
            training.n_texts,
            tries=counted(training.tries, "attempt"),
        ),
        icon=":material/school:",
    )


def _numbers(view: recruitment_links.LinkView) -> str:
    rules = view.link.rules
    return several(
        "{n} worker: {working} working, {finished} of {most_workers} finished, {left} stopped, "
        "{out_of_time} timed out. {texts} each in {minutes}, up to {at_once} at once.",
        "{n} workers: {working} working, {finished} of {most_workers} finished, {left} stopped, "
        "{out_of_time} timed out. {texts} each in {minutes}, up to {at_once} at once.",
        view.came,
        working=f"{view.working:,}",
        finished=f"{view.finished:,}",
        most_workers=f"{rules.most_workers:,}",
        left=f"{view.left:,}",
        out_of_time=f"{view.out_of_time:,}",
        texts=counted(rules.quota, "text"),
        minutes=counted(rules.minutes, "minute"),
        at_once=f"{rules.at_once:,}",
    )


def _show_hint(link: RecruitmentLink) -> None:
    if link.rules.parameter:
        st.caption(
            _("Worker ID from {parameter}, or asked for; stored only as hash.", parameter=as_text(link.rules.parameter))
        )
    else:
        st.caption(_("No worker ID: people can restart in another browser."))


def _show_buttons(store: Store, visit: Visit, view: recruitment_links.LinkView) -> None:
    link, key = view.link, f"crowd_{view.link.id}"
    turn, close, take = st.columns(3)
    if link.state == "paused" and pressed(_("Open link"), type="primary", container=turn, key=f"{key}_open"):
        recruitment_links.set_link_state(store, visit.user, link.id, "open")
        st.rerun()
    if link.state == "open" and pressed(_("Pause"), container=turn, key=f"{key}_pause"):
        recruitment_links.set_link_state(store, visit.user, link.id, "paused")
        st.rerun()
    if link.state != "closed" and pressed(_("Close permanently"), container=close, key=f"{key}_close"):
        st.dialog(_("Close this link?"))(_ask_to_close)(link)
    if view.came:
        take.download_button(
            _("Codes as CSV"),
            recruitment_links.payments_csv(store, visit.user, link.id),
            f"codes-{link.id}.csv",
            "text/csv",
            key=f"{key}_csv",
        )


def _ask_to_close(link: RecruitmentLink) -> None:
    st.markdown(
        _("“{name}” closes to new workers for good. Current workers can finish.", name=as_text(link.rules.name))
    )
    show_answers(
        _("Close link"), key=f"crowd_{link.id}_closing",
        act=lambda store, visit: recruitment_links.set_link_state(store, visit.user, link.id, "closed")
    )  # fmt: skip
