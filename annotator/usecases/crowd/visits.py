"""Coming in by a recruitment link, and leaving. Nobody is signed in here: everything is refused before anything is written."""

import datetime as dt
import hmac
import os
from dataclasses import dataclass
from hashlib import sha256

from annotator.domain.project.recruitment import (
    RecruitmentLink,
    Worker,
    WorkerState,
    draw_code,
    draw_pseudonym,
    return_link,
)
from annotator.errors import Conflict, InvalidValue, NotFound, TooBusy
from annotator.language import _, unsaid
from annotator.store import Store
from annotator.store import people as people_store
from annotator.store.annotate.instance_queue import is_new_work_left
from annotator.store.connection.database import iso
from annotator.store.events import add_event
from annotator.store.project import crowd as crowd_store
from annotator.store.qualification.rules import items_for, newest_rules
from annotator.usecases.access.accounts import digest_of, new_token, start_session
from annotator.usecases.crowd.recruitment_links import GRACE, Standing, end_overdue, end_visit, has_work

# The training that comes before the first text of whoever comes in by a link, where the project has one.


_NOBODY = 0  # no account has this number: what a worker could be trained on who is not there yet


@dataclass(frozen=True, slots=True)
class TrainingFirst:
    """n_texts: of a try; 0 where no training text can be given, so that nobody comes to work."""

    n_texts: int
    tries: int


def training_first(store: Store, project_id: int) -> TrainingFirst | None:
    """What somebody who comes in does before they get work; None where nothing stands before it."""
    rules = newest_rules(store, project_id, "annotators").rules
    if not rules.is_on:
        return None
    texts = {item.instance_id for item, _n_before in items_for(store, project_id, "annotators", _NOBODY)}
    return TrainingFirst(min(rules.texts, len(texts)), rules.tries)


AT_ONCE_VARIABLE = "ANNOTATOR_CROWD_AT_ONCE"
AT_ONCE = 200
LONGEST_ID = 200

_NO_LINK = unsaid("Invalid link. Check that it's complete.")
_CLOSED = unsaid("This link is closed. Please return the task on your platform.")
_FULL = unsaid("All places are taken. Please try this link later.")
_NO_WORK = unsaid("No work at the moment. Please try this link later.")


@dataclass(frozen=True, slots=True)
class Visit:
    """Where a worker stands, for the page of the end. name: their pseudonym.

    code: None while they work, and for whoever did nothing; return_link: of whoever has finished, "" for none
    is_stopped: a lead ended their work
    """

    name: str
    project_id: int
    state: WorkerState
    done: int
    quota: int
    code: str | None
    return_link: str
    is_stopped: bool


@dataclass(frozen=True, slots=True)
class Welcome:
    """What a worker is told before they begin. training: what comes before the first text; None for nothing."""

    link: RecruitmentLink
    training: TrainingFirst | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody came in, or came back: the secret of the visit and of the session; None for who has ended already."""

    token: str | None
    visit: Visit


def link_of(store: Store, token: str) -> RecruitmentLink:
    """The link with that token, if new workers come in by it now; raises NotFound, Conflict or TooBusy saying why they do not."""
    link = _known_link(store, token)
    _require_room(store, link)
    return link


def welcome_of(store: Store, token: str) -> Welcome:
    """The same with what is said on its page."""
    link = link_of(store, token)
    return Welcome(link, training_first(store, link.project_id))


def _known_link(store: Store, token: str) -> RecruitmentLink:
    link = crowd_store.find_recruitment_link(store, token)
    if link is None:
        raise NotFound(_(_NO_LINK))
    return link


def come_in(store: Store, token: str, platform_id: str) -> Entry:
    """Begin a visit, or go on with one: the platform's id of a worker is known again by its hash.

    Raises: NotFound, Conflict or TooBusy where nobody comes in, or this worker does not fit; then nothing was written.
            InvalidValue where the platform's id is missing
    """
    link = _known_link(store, token)
    platform_id = checked_id(link, platform_id)
    worker = _known_worker(store, link, platform_id)
    if worker is None:
        _require_room(store, link)
    elif worker.state != "working":
        return Entry(None, _visit(Standing(worker, link)))
    with store.transaction():
        end_overdue(store)
        worker = _known_worker(store, link, platform_id)
        if worker is None:
            _require_room(store, link)
            return _begin(store, link, platform_id)
        return _go_on(store, Standing(worker, link))


def checked_id(link: RecruitmentLink, platform_id: str) -> str:
    """The platform's id of a worker as it came; raises InvalidValue where the link asks for one and there is none."""
    platform_id = platform_id.strip()
    if not link.rules.parameter:
        return ""
    if not 1 <= len(platform_id) <= LONGEST_ID or platform_id.startswith("{{"):
        raise InvalidValue(_("Missing ID. Enter it, or open this link from the platform."))
    return platform_id


def _hashed(secret: bytes, link: RecruitmentLink, platform_id: str) -> bytes:
    """The same worker is another one at another link, so that nobody can be followed from one to the next."""
    return hmac.new(secret, f"{link.id}:{platform_id}".encode("utf-8", "replace"), sha256).digest()


def _known_worker(store: Store, link: RecruitmentLink, platform_id: str) -> Worker | None:
    secret = crowd_store.find_platform_secret(store)
    if secret is None or not platform_id:
        return None
    return crowd_store.find_worker_of_platform(store, link.id, _hashed(secret, link, platform_id))


def _require_room(store: Store, link: RecruitmentLink) -> None:
    """Only reads, so that whoever is turned away costs nobody's save anything."""
    now, rules = store.now(), link.rules
    if link.state == "closed" or (rules.until is not None and rules.until <= now):
        raise Conflict(_(_CLOSED))
    if link.state == "paused":
        raise TooBusy(_(_NO_WORK))
    counts = crowd_store.count_workers(store, link.id)
    if counts.get("finished", 0) >= rules.most_workers:
        raise Conflict(_(_CLOSED))
    n_at_work = crowd_store.count_at_work(store, now, link.id)
    if (
        counts.get("finished", 0) + n_at_work >= rules.most_workers
        or n_at_work >= rules.at_once
        or crowd_store.count_at_work(store, now) >= most_at_once()
    ):
        raise TooBusy(_(_FULL))
    if not is_new_work_left(store, link.project_id, _NOBODY):
        raise TooBusy(_(_NO_WORK))


def most_at_once() -> int:
    """How many workers may be at work at once on this server, by all links together."""
    number = os.environ.get(AT_ONCE_VARIABLE, "")
    return int(number) if number.isdecimal() else AT_ONCE


def _begin(store: Store, link: RecruitmentLink, platform_id: str) -> Entry:
    token = new_token()
    while people_store.find_user(store, name := draw_pseudonym()) is not None:
        pass
    user = people_store.add_user(store, name)
    people_store.add_role(store, link.project_id, user, "annotator")
    time = dt.timedelta(minutes=link.rules.minutes)
    hashed = _hashed(crowd_store.platform_secret(store), link, platform_id) if platform_id else None
    crowd_store.add_worker(
        store, link.id, user, platform_hash=hashed, visit_hash=digest_of(token), code=draw_code(),
        ends_at=iso(store.moment() + time),
    )  # fmt: skip
    start_session(store, user, time + GRACE, token=token)
    add_event(store, user.name, "begin as worker", "user", user.id, project_id=link.project_id, door=link.rules.name)
    return Entry(token, _visit_of_user(store, user.id or 0))


def _go_on(store: Store, standing: Standing) -> Entry:
    worker = standing.worker
    if worker.state != "working":
        return Entry(None, _visit(standing))
    state = _natural_end(store, standing)
    if state is not None:
        end_visit(store, standing, state)
        return Entry(None, _visit_of_user(store, worker.user_id))
    token = new_token()
    crowd_store.set_visit(store, worker.user_id, digest_of(token))
    user = people_store.get_user_by_id(store, worker.user_id)
    people_store.end_sessions_of(store, user)
    start_session(store, user, dt.timedelta(seconds=standing.seconds_left(store.moment())) + GRACE, token=token)
    return Entry(token, _visit(standing))


def look_at_visit(store: Store, token: str) -> Visit:
    """Where the worker of a browser stands. A visit whose quota is reached, or for which no text is left, ends with this.

    Raises: NotFound where no worker came in with this browser
    """
    standing = _standing_of_visit(store, token)
    state = _natural_end(store, standing)
    if state is None:
        return _visit(standing)
    with store.transaction():
        standing = _standing_of_visit(store, token)
        if standing.worker.state == "working":
            end_visit(store, standing, state)
    return _visit_of_user(store, standing.worker.user_id)


def _natural_end(store: Store, standing: Standing) -> WorkerState | None:
    worker, link = standing.worker, standing.link
    if worker.state != "working":
        return None
    if standing.is_done:
        return "finished"
    if people_store.get_user_by_id(store, worker.user_id).is_disabled:  # an administrator shut them out
        return "left"
    if not standing.seconds_left(store.moment()):
        return "out of time"
    if has_work(store, link.project_id, worker.user_id):
        return None
    return "finished" if worker.done else "left"


def leave(store: Store, token: str) -> Visit:
    """The worker of a browser stops: what they handed in stays, what they hold goes to others."""
    with store.transaction():
        standing = _standing_of_visit(store, token)
        if standing.worker.state == "working":
            end_visit(store, standing, _natural_end(store, standing) or "left")
    return _visit_of_user(store, standing.worker.user_id)


def _standing_of_visit(store: Store, token: str) -> Standing:
    worker = crowd_store.find_worker_of_visit(store, digest_of(token)) if token else None
    if worker is None:
        raise NotFound(_("Open the link from your platform again."))
    return Standing(worker, crowd_store.get_recruitment_link(store, worker.link_id))


def _visit_of_user(store: Store, user_id: int) -> Visit:
    worker = crowd_store.find_worker(store, user_id)
    if worker is None:
        raise NotFound(_("Account {user_id} didn't come by a recruitment link.", user_id=user_id))
    return _visit(Standing(worker, crowd_store.get_recruitment_link(store, worker.link_id)))


def _visit(standing: Standing) -> Visit:
    """Who stopped or ran out of time gets the code for what they did, but no way back that would say that they have finished."""
    worker, rules = standing.worker, standing.link.rules
    is_over = worker.state != "working"
    code = worker.code if is_over and worker.done else None
    goes_back = worker.state == "finished" and bool(rules.return_address)
    address = return_link(rules.return_address, worker.code) if goes_back else ""
    return Visit(
        worker.name, standing.link.project_id, worker.state, worker.done, rules.quota, code, address, worker.is_stopped
    )
