"""What a lead does with recruitment links and their workers: make, change, open, pause, close, count, look codes up, end."""

import csv
import datetime as dt
import io
import secrets
from dataclasses import dataclass

from annotator.domain.people import User
from annotator.domain.project.recruitment import LinkRules, LinkState, RecruitmentLink, Worker, WorkerState, same_code
from annotator.domain.projects import Project
from annotator.errors import Conflict, InvalidValue, NotFound
from annotator.language import _, listed, unknown
from annotator.store import Store
from annotator.store.annotate.assignments import give_up_work_of, list_held
from annotator.store.annotate.instance_queue import is_new_work_left, next_set_aside
from annotator.store.connection.database import iso
from annotator.store.events import add_event
from annotator.store.people import end_sessions_of, get_user_by_id, set_disabled
from annotator.store.project import crowd as crowd_store
from annotator.store.project.guidelines import newest_read, number_to_be_read
from annotator.usecases.access.rights import require

# How far a worker is, what they may still take, and the end of a visit; inside the transaction of another use case.


# Marks that were made in time, and reach us a moment later, are still saved.
GRACE = dt.timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Standing:
    """A worker at work, and the link that they came in by."""

    worker: Worker
    link: RecruitmentLink

    @property
    def is_done(self) -> bool:
        """Whether the quota is reached."""
        return self.worker.done >= self.link.rules.quota

    def seconds_left(self, moment: dt.datetime) -> int:
        """Of the time that the visit may take; 0 when it is over."""
        return max(0, int((dt.datetime.fromisoformat(self.worker.ends_at) - moment).total_seconds()))


def standing_of(store: Store, user_id: int) -> Standing | None:
    """How far a worker is; None for everybody who came in by no link."""
    worker = crowd_store.find_worker(store, user_id)
    return None if worker is None else Standing(worker, crowd_store.get_recruitment_link(store, worker.link_id))


def is_worker(store: Store, user_id: int) -> bool:
    """Whether somebody came in by a link."""
    return crowd_store.find_worker(store, user_id) is not None


def may_take_more(store: Store, project_id: int, user_id: int) -> bool:
    """Whether somebody may be given one more text: a worker's quota and time hold, everybody else may."""
    standing = standing_of(store, user_id)
    if standing is None:
        return True
    if standing.worker.state != "working" or not standing.seconds_left(store.moment()):
        return False
    return standing.worker.done + len(list_held(store, project_id, user_id)) < standing.link.rules.quota


def require_read(store: Store, user: User, project: Project) -> None:
    """Raise InvalidValue for a worker who has not read the guidelines where their link asks for it."""
    standing = standing_of(store, user.id or 0) if user.is_worker else None
    if standing is None or not standing.link.rules.must_read or not project.guidelines.strip():
        return
    if (newest_read(store, project.id, standing.worker.user_id) or 0) < number_to_be_read(store, project.id):
        raise InvalidValue(_("Read the guidelines first (g). Your marks are kept."))


def has_work(store: Store, project_id: int, user_id: int) -> bool:
    """Whether a worker holds anything, or could be given anything."""
    return bool(
        list_held(store, project_id, user_id)
        or is_new_work_left(store, project_id, user_id)
        or next_set_aside(store, project_id, user_id, "skipped", ())
    )


def end_overdue(store: Store) -> None:
    """End the visits whose time is up; what these workers hold goes back to the queue, with their marks kept as drafts."""
    for worker in crowd_store.list_overdue(store, iso(store.moment() - GRACE)):
        link = crowd_store.get_recruitment_link(store, worker.link_id)
        end_visit(store, Standing(worker, link), "finished" if worker.done >= link.rules.quota else "out of time")


def end_visit(store: Store, standing: Standing, state: WorkerState) -> None:
    """From now on the account is shut, and what the worker holds is others' to take."""
    worker, link = standing.worker, standing.link
    user = get_user_by_id(store, worker.user_id)
    crowd_store.end_worker(store, worker.user_id, state)
    give_up_work_of(store, user, link.project_id)
    end_sessions_of(store, user)
    set_disabled(store, user, is_disabled=True)
    add_event(
        store, user.name, "end as worker", "user", user.id, project_id=link.project_id, door=link.rules.name,
        state=state, texts=worker.done,
    )  # fmt: skip


_ACTIONS: dict[LinkState, str] = {"open": "open door", "paused": "pause door", "closed": "close door"}


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link with how many of its workers are in each state, and how many have come in all."""

    link: RecruitmentLink
    working: int
    finished: int
    left: int
    out_of_time: int

    @property
    def came(self) -> int:
        """How many have begun."""
        return self.working + self.finished + self.left + self.out_of_time


@dataclass(frozen=True, slots=True)
class Payment:
    """What a lead has to know to pay a worker: everything but who it is."""

    worker: Worker
    link_name: str
    active_ms: int


def make_recruitment_link(store: Store, actor: User, project_id: int, rules: LinkRules) -> RecruitmentLink:
    """A new link. Nobody comes in by it before it is opened."""
    with store.transaction():
        require(store, actor, project_id, "manage project")
        _require_free_name(store, project_id, rules.name, but_not=None)
        link = crowd_store.add_recruitment_link(store, project_id, secrets.token_urlsafe(16), rules, actor.name)
        add_event(store, actor.name, "make door", "project", project_id, project_id=project_id, **_noted(rules))
    return link


def change_recruitment_link(store: Store, actor: User, link_id: int, rules: LinkRules) -> RecruitmentLink:
    """Other rules for whoever comes from now on; who is at work keeps the time that they were given."""
    with store.transaction():
        link = _own_link(store, actor, link_id)
        _require_free_name(store, link.project_id, rules.name, but_not=link_id)
        crowd_store.change_recruitment_link(store, link_id, rules)
        add_event(
            store, actor.name, "change door", "project", link.project_id, project_id=link.project_id, **_noted(rules)
        )
    return crowd_store.get_recruitment_link(store, link_id)


def set_link_state(store: Store, actor: User, link_id: int, state: LinkState) -> RecruitmentLink:
    """Open, pause or close a link. Who is at work goes on until their time is up.

    Raises: Conflict for one that is closed: that stays so, since everybody was told
    """
    with store.transaction():
        link = _own_link(store, actor, link_id)
        if link.state == "closed":
            raise Conflict(_("Recruitment link “{name}” is closed for good.", name=link.rules.name))
        crowd_store.set_link_state(store, link_id, state)
        add_event(
            store, actor.name, _ACTIONS[state], "project", link.project_id, project_id=link.project_id,
            door=link.rules.name,
        )  # fmt: skip
    return crowd_store.get_recruitment_link(store, link_id)


def links_of(store: Store, actor: User, project_id: int) -> list[LinkView]:
    """The links of a project, the newest first; visits whose time is up are ended first, so that the numbers are true."""
    require(store, actor, project_id, "manage project")
    if crowd_store.list_overdue(store, iso(store.moment() - GRACE)):
        with store.transaction():
            end_overdue(store)
    return [_view(store, link) for link in crowd_store.list_recruitment_links(store, project_id)]


def find_recruitment_link(store: Store, actor: User, project_id: int, name: str) -> RecruitmentLink:
    """The link of that name; raises NotFound naming those there are."""
    require(store, actor, project_id, "manage project")
    links = crowd_store.list_recruitment_links(store, project_id)
    for link in links:
        if link.rules.name == name:
            return link
    names = listed([f"“{link.rules.name}”" for link in links]) or _("none")
    raise NotFound(unknown(_("name"), name, names))


def _view(store: Store, link: RecruitmentLink) -> LinkView:
    counts = crowd_store.count_workers(store, link.id)
    return LinkView(
        link, counts.get("working", 0), counts.get("finished", 0), counts.get("left", 0), counts.get("out of time", 0)
    )


def payments_of(store: Store, actor: User, link_id: int) -> list[Payment]:
    """The workers of a link in the order in which they came."""
    link = _own_link(store, actor, link_id)
    active = crowd_store.active_ms_of(store, link_id)
    return [
        Payment(worker, link.rules.name, active.get(worker.user_id, 0))
        for worker in crowd_store.list_workers(store, link_id)
    ]


def payments_csv(store: Store, actor: User, link_id: int) -> str:
    """The same as CSV: codes, numbers and times, and nothing by which the platform knows a worker."""
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    writer.writerow(("code", "worker", "state", "texts", "active_minutes", "began_at", "ended_at", "paid_at"))
    for payment in payments_of(store, actor, link_id):
        worker = payment.worker
        writer.writerow((
            worker.code, worker.name, worker.state, worker.done, f"{payment.active_ms / 60_000:.1f}", worker.began_at,
            worker.ended_at or "", worker.paid_at or "",
        ))  # fmt: skip
    return rows.getvalue()


def find_code(store: Store, actor: User, project_id: int, code: str) -> Payment:
    """Whose code that is, at any link of the project.

    Every code is compared, each in the same time, so that how long it takes says nothing.

    Raises: NotFound where it is none of them
    """
    require(store, actor, project_id, "manage project")
    payments = [
        payment
        for link in crowd_store.list_recruitment_links(store, project_id)
        for payment in payments_of(store, actor, link.id)
    ]
    matches = [payment for payment in payments if same_code(payment.worker.code, code)]
    if not matches or not code.strip():
        raise NotFound(_("'{code}' isn't a code of this project.", code=code.strip()[:60]))
    return matches[0]


def mark_paid(store: Store, actor: User, project_id: int, code: str, *, is_paid: bool = True) -> Payment:
    """Note that a code is used up, or take that back. Raises InvalidValue while its worker is still at work."""
    with store.transaction():
        worker = find_code(store, actor, project_id, code).worker
        if worker.state == "working":
            raise InvalidValue(_("{name} is still working. Pay afterwards.", name=worker.name))
        if is_paid and worker.paid_at is not None:
            raise Conflict(
                _(
                    "The code of {name} was used on {when} UTC.",
                    name=worker.name,
                    when=worker.paid_at[:16].replace("T", " "),
                )
            )
        crowd_store.set_paid(store, worker.user_id, is_paid=is_paid)
        add_event(
            store, actor.name, "pay worker" if is_paid else "take payment back", "user", worker.user_id,
            project_id=project_id, name=worker.name,
        )  # fmt: skip
    return find_code(store, actor, project_id, code)


def _own_link(store: Store, actor: User, link_id: int) -> RecruitmentLink:
    link = crowd_store.get_recruitment_link(store, link_id)
    require(store, actor, link.project_id, "manage project")
    return link


def _require_free_name(store: Store, project_id: int, name: str, *, but_not: int | None) -> None:
    if any(
        link.rules.name == name and link.id != but_not for link in crowd_store.list_recruitment_links(store, project_id)
    ):
        raise Conflict(_("'{name}' already exists. Choose another name.", name=name))


def _noted(rules: LinkRules) -> dict[str, object]:
    return {"door": rules.name, "workers": rules.most_workers, "texts": rules.quota, "minutes": rules.minutes}


# A lead ends the work of one crowd worker; the link stays as it is for everybody else.


def workers_at_work(store: Store, actor: User, project_id: int) -> list[Worker]:
    """Who is at work by any link of a project, by link and in the order in which they came."""
    require(store, actor, project_id, "manage project")
    links = crowd_store.list_recruitment_links(store, project_id)
    return [w for link in links for w in crowd_store.list_workers(store, link.id) if w.state == "working"]


def stop_worker(store: Store, actor: User, project_id: int, name: str) -> Worker:
    """What they handed in stays, what they hold goes to others, and their next page says that the lead ended this work.

    Their code stands for what they did, as for whoever stops by themselves.
    Raises: NotFound where nobody of that name is at work by a link of the project
    """
    with store.transaction():
        worker = next((w for w in workers_at_work(store, actor, project_id) if w.name == name.strip()), None)
        if worker is None:
            raise NotFound(_("No active worker “{name}”.", name=name.strip()[:60]))
        standing = Standing(worker, crowd_store.get_recruitment_link(store, worker.link_id))
        end_visit(store, standing, "finished" if standing.is_done else "left")
        if not standing.is_done:
            crowd_store.note_stopped(store, worker.user_id)
        add_event(
            store, actor.name, "stop worker", "user", worker.user_id, project_id=project_id, name=worker.name,
            texts=worker.done,
        )  # fmt: skip
    return worker
