"""The token panel's own routes (docs/panel.md).

Marks, drafts and submits travel here and not through script runs: a route costs 3 ms, a script run a hundred.
"""

import datetime as dt
from typing import Annotated

import msgspec
from starlette.routing import Route

from annotator.domain.instances import Draft, Timing
from annotator.domain.people import User
from annotator.domain.proposed_sets import ProposedState
from annotator.domain.texts import RationaleSet
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.usecases.annotate import panel_messages, proposals
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.my_work import Work, my_work
from annotator.usecases.databases import Store
from annotator.usecases.project.guidelines import acknowledge
from annotator.web.routes.messages import Elapsed, Number, Query, get_route, number, page_number, post_route, unexpected

_YEARS = range(1970, 9999)

Moment = Annotated[dt.datetime, msgspec.Meta(tz=True)]


class DraftBody(msgspec.Struct):
    """What is marked, as the panel sends it."""

    result: str | None = None
    sets: list[list[tuple[Number, Number]]] = []
    note: str = ""
    no_rationale: bool = False
    origins: list[Number | None] = []
    unlocked: list[Number] = []
    proposed: dict[Number, ProposedState] | None = None

    def as_draft(self) -> Draft:
        """The domain value; raises InvalidAnnotation for a span that marks nothing."""
        sets = tuple(RationaleSet.of(*spans) for spans in self.sets)
        origins = tuple(self.origins[: len(sets)])
        return Draft(
            self.result, sets, self.note[:10_000], self.no_rationale, origins, tuple(self.unlocked), self.proposed
        )


class TimingBody(msgspec.Struct):
    """Time spent since the last acknowledged message."""

    first_action_at: Moment | None = None
    active_ms: Elapsed = 0
    idle_ms: Elapsed = 0
    edits: Number = 0

    def as_timing(self) -> Timing:
        """The domain value; raises InvalidValue for a time that cannot be."""
        first = None if self.first_action_at is None else _stored_time(self.first_action_at)
        return Timing(first, self.active_ms, self.idle_ms, self.edits)


def _stored_time(moment: dt.datetime) -> str:
    """A time of a browser as it is stored: UTC, ISO 8601, milliseconds."""
    if moment.year not in _YEARS:
        raise InvalidValue(_("{year} is not a plausible year. Set this machine's clock.", year=f"{moment:%Y}"))
    return moment.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class SeenBody(msgspec.Struct):
    """The instance is on screen."""

    assignment: Number
    at: Moment


class SaveBody(msgspec.Struct):
    """A draft."""

    assignment: Number
    revision: Number
    draft: DraftBody
    timing: TimingBody = msgspec.field(default_factory=TimingBody)


class SubmitBody(SaveBody):
    """A submission; `ahead` is the work that the panel shows already."""

    ahead: Number | None = None
    confirmed: bool = False
    day: Moment | None = None


class SkipBody(msgspec.Struct):
    """Give the instance back; `day` is when today began where the person is."""

    assignment: Number
    ahead: Number | None = None
    day: Moment | None = None


class DiscardBody(SkipBody):
    """Propose to discard the instance."""

    reason: str = ""
    comment: str = ""


class WithdrawBody(msgspec.Struct):
    """Take a submission back."""

    assignment: Number
    day: Moment | None = None


class BackBody(msgspec.Struct):
    """Take the last submission back."""

    project: Number
    day: Moment | None = None


class ProposedBody(msgspec.Struct):
    """Ask for what is proposed."""

    assignment: Number


def _next(store: Store, user: User, query: Query) -> object:
    instance = number(query, "instance") if query.get("instance") else None
    return panel_messages.show_next(
        annotate_work.next_work(store, user, number(query, "project"), instance, day_began=_day_of(query.get("day")))
    )


def _day_of(day: str | None) -> str | None:
    """When a person's day began, as an address says it; raises InvalidValue for what is no time."""
    if not day:
        return None
    try:
        return _stored_time(msgspec.convert(day, Moment))
    except msgspec.ValidationError as error:
        raise unexpected("day", day, "YYYY-MM-DDTHH:MM:SSZ") from error


def _began(day: dt.datetime | None) -> str | None:
    return None if day is None else _stored_time(day)


def _mine(store: Store, user: User, query: Query) -> object:
    page = page_number(query)
    state, words = query.get("state", ""), query.get("words", "")
    rows, total = my_work(store, user, number(query, "project"), page, state=state, words=words)
    return panel_messages.show_my_work(rows, total, page)


def _seen(store: Store, user: User, body: SeenBody) -> object:
    annotate_work.note_seen(store, user, body.assignment, _stored_time(body.at))
    return {}


def _proposed(store: Store, user: User, body: ProposedBody) -> object:
    return panel_messages.show_proposals(proposals.propose(store, user, body.assignment))


def _original(store: Store, user: User, query: Query) -> object:
    return panel_messages.show_original(store, user, number(query, "assignment"))


def _draft(store: Store, user: User, body: SaveBody) -> object:
    draft, timing = body.draft.as_draft(), body.timing.as_timing()
    return {"revision": annotate_work.save_draft(store, user, body.assignment, body.revision, draft, timing)}


def _submit(store: Store, user: User, body: SubmitBody) -> object:
    counts, ahead = annotate_work.submit(
        store, user, body.assignment, body.revision, body.draft.as_draft(), body.timing.as_timing(),
        shown_next=body.ahead, is_confirmed=body.confirmed, day_began=_began(body.day),
    )  # fmt: skip
    return {"counts": counts, "ahead": ahead and panel_messages.show_work_of(store, ahead)}


def _skip(store: Store, user: User, body: SkipBody) -> object:
    counts, ahead = annotate_work.skip(store, user, body.assignment, shown_next=body.ahead, day_began=_began(body.day))
    return {"counts": counts, "ahead": ahead and panel_messages.show_work_of(store, ahead)}


def _discard(store: Store, user: User, body: DiscardBody) -> object:
    counts, ahead = annotate_work.propose_discard(
        store, user, body.assignment, body.reason, body.comment, shown_next=body.ahead, day_began=_began(body.day)
    )
    return {"counts": counts, "ahead": ahead and panel_messages.show_work_of(store, ahead)}


def _withdraw(store: Store, user: User, body: WithdrawBody) -> object:
    return _reopened(store, user, annotate_work.withdraw(store, user, body.assignment), body.day)


def _back(store: Store, user: User, body: BackBody) -> object:
    return _reopened(store, user, annotate_work.reopen_last(store, user, body.project), body.day)


def _reopened(store: Store, user: User, work: Work, day: dt.datetime | None) -> object:
    counts = annotate_work.counts_in(store, user, work.assignment.project_id, _began(day))
    return {"work": panel_messages.show_work_of(store, work), "counts": counts}


def _stored(store: Store, user: User, body: SaveBody | SkipBody | WithdrawBody) -> object:
    """What is stored, for a tab whose draft another one was faster with."""
    return panel_messages.show_work_of(store, annotate_work.current_work(store, user, body.assignment))


class ReadBody(msgspec.Struct):
    """Which version of the guidelines was on the screen."""

    project: Number
    version: Number


def _read(store: Store, user: User, body: ReadBody) -> object:
    acknowledge(store, user, body.project, body.version)
    return {}


class PreviewBody(msgspec.Struct, frozen=True):
    """The text, the result that counts for it, and the sets as they are on the screen."""

    instance: Number
    result: str | None = None
    sets: list[list[tuple[Number, Number]]] = []


def _preview(store: Store, user: User, body: PreviewBody) -> object:
    """What the project's model predicts for sets; NumPy comes with it, so it is imported when the first question comes."""
    from annotator.usecases.models.previews import preview  # noqa: PLC0415

    sets = [RationaleSet.of(*spans) for spans in body.sets if spans]
    return preview(store, user, body.instance, body.result, sets)


routes: list[Route] = [
    get_route("panel/next", _next),
    get_route("panel/mine", _mine),
    get_route("panel/original", _original),
    post_route("panel/seen", _seen, SeenBody),
    post_route("panel/proposed", _proposed, ProposedBody),
    post_route("panel/draft", _draft, SaveBody, _stored),
    post_route("panel/submit", _submit, SubmitBody, _stored),
    post_route("panel/skip", _skip, SkipBody, _stored),
    post_route("panel/discard", _discard, DiscardBody, _stored),
    post_route("panel/withdraw", _withdraw, WithdrawBody, _stored),
    post_route("panel/back", _back, BackBody),
    post_route("guidelines/read", _read, ReadBody),
    post_route("preview", _preview, PreviewBody),
]
