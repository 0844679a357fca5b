"""The Perturb screen's own routes (docs/perturb.md): write, look, suggest, hand in, check.

The use cases bring NumPy and the tokenisers, so they are imported when the first message comes.
"""

from typing import Annotated

import msgspec
from starlette.routing import Route

from annotator.domain.people import User
from annotator.domain.perturbations import ChangedText, DraftTurn
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.usecases.databases import Store
from annotator.web.routes.health import make_tokeniser_ready
from annotator.web.routes.messages import Number, Query, get_route, number, page_number, post_route

_LONGEST_WORDS = 200


class ChangedBody(msgspec.Struct, frozen=True):
    """What is written."""

    kind: str
    texts: dict[str, str]
    result: str | None = None
    note: str = ""

    def as_changed(self) -> ChangedText:
        return ChangedText(self.kind, self.texts, self.result, self.note)


class WriteBody(msgspec.Struct, frozen=True):
    """A changed text of an original. may_be_empty: the person knows that nothing is left.

    keeps_draft: it was not written on the page Perturb, whose draft stays
    """

    instance: Number
    changed: ChangedBody
    may_be_empty: bool = False
    keeps_draft: bool = False


class LookBody(msgspec.Struct, frozen=True):
    """What is being written of an original. writer, turn: see DraftTurn; a tab from before sends none."""

    instance: Number
    changed: ChangedBody
    writer: Annotated[str, msgspec.Meta(max_length=100)] = ""
    turn: Number = 0


class SuggestBody(msgspec.Struct, frozen=True):
    """The text of a segment as it is now, for which suggestions of a kind are asked."""

    instance: Number
    segment: str
    text: str
    kind: str
    seed: Number = 0


class OriginalBody(msgspec.Struct, frozen=True):
    """One original."""

    instance: Number


class OneBody(msgspec.Struct, frozen=True):
    """One perturbation, with a further version of it where one is given."""

    perturbation: Number
    version: Number = 0
    reason: str = ""
    changed: ChangedBody | None = None
    may_be_empty: bool = False


def _rules(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.perturb.panel_messages import show_rules  # noqa: PLC0415

    return show_rules(store, user, number(query, "project"))


def _originals(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.perturb.panel_messages import show_originals  # noqa: PLC0415

    words = query.get("words", "")[:_LONGEST_WORDS].strip()
    is_without = query.get("without") == "1"
    return show_originals(store, user, number(query, "project"), words, page_number(query), is_without=is_without)


def _next(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.perturb import versions  # noqa: PLC0415
    from annotator.usecases.perturb.panel_values import ShownNext  # noqa: PLC0415

    return ShownNext(versions.next_original(store, user, number(query, "project"), _after(query)))


def _original(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.perturb import versions  # noqa: PLC0415
    from annotator.usecases.perturb.panel_messages import show_original  # noqa: PLC0415

    original = versions.open_original(store, user, number(query, "instance"))
    make_tokeniser_ready(original.gold.instance.language)
    return show_original(user, original)


def _assess(store: Store, user: User, body: LookBody) -> object:
    from annotator.usecases.perturb import versions  # noqa: PLC0415
    from annotator.usecases.perturb.panel_messages import show_assessment  # noqa: PLC0415

    turn = DraftTurn(body.writer, body.turn)
    return show_assessment(versions.assess_version(store, user, body.instance, body.changed.as_changed(), turn))


def _discard_draft(store: Store, user: User, body: OriginalBody) -> object:
    from annotator.usecases.perturb import versions  # noqa: PLC0415

    versions.discard_draft(store, user, body.instance)
    return {}


def _suggest(store: Store, user: User, body: SuggestBody) -> object:
    from annotator.usecases.perturb import versions  # noqa: PLC0415
    from annotator.usecases.perturb.panel_messages import show_suggestions  # noqa: PLC0415

    suggestions = versions.suggestions_for(store, user, body.instance, body.segment, body.text, body.kind, body.seed)
    return show_suggestions(body.text, suggestions)


def _hand_in(store: Store, user: User, body: WriteBody) -> object:
    from annotator.usecases.perturb import versions  # noqa: PLC0415
    from annotator.usecases.perturb.panel_values import ShownHandedIn  # noqa: PLC0415

    changed = body.changed.as_changed()
    made = versions.hand_in(
        store, user, body.instance, changed, may_be_empty=body.may_be_empty, keeps_draft=body.keeps_draft
    )
    return ShownHandedIn(made.id, made.state)


def _revise(store: Store, user: User, body: OneBody) -> object:
    from annotator.usecases.perturb import versions  # noqa: PLC0415
    from annotator.usecases.perturb.panel_values import ShownHandedIn  # noqa: PLC0415

    changed = _required(body)
    made = versions.revise(store, user, body.perturbation, changed, may_be_empty=body.may_be_empty)
    return ShownHandedIn(made.id, made.state)


def _withdraw(store: Store, user: User, body: OneBody) -> object:
    from annotator.usecases.perturb import versions  # noqa: PLC0415
    from annotator.usecases.perturb.panel_values import ShownHandedIn  # noqa: PLC0415

    versions.withdraw(store, user, body.perturbation)
    return ShownHandedIn(body.perturbation, "withdrawn")


def _mine(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.perturb.panel_messages import show_mine  # noqa: PLC0415

    return show_mine(store, user, number(query, "project"), page_number(query))


def _progress(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.perturb.panel_messages import show_progress  # noqa: PLC0415

    return show_progress(store, user, number(query, "project"))


def _next_check(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.perturb import checks  # noqa: PLC0415
    from annotator.usecases.perturb.panel_messages import show_check  # noqa: PLC0415

    return show_check(store, user, checks.next_to_check(store, user, number(query, "project"), _after(query)))


def _check(store: Store, user: User, query: Query) -> object:
    from annotator.usecases.perturb import checks  # noqa: PLC0415
    from annotator.usecases.perturb.panel_messages import show_check  # noqa: PLC0415

    return show_check(store, user, checks.open_check(store, user, number(query, "perturbation")))


def _assess_correction(store: Store, user: User, body: OneBody) -> object:
    """What a checker's correction would come to."""
    from annotator.usecases.perturb import checks  # noqa: PLC0415
    from annotator.usecases.perturb.panel_messages import show_assessment  # noqa: PLC0415

    return show_assessment(checks.assess_correction(store, user, body.perturbation, _required(body)))


def _approve(store: Store, user: User, body: OneBody) -> object:
    from annotator.usecases.perturb import checks  # noqa: PLC0415
    from annotator.usecases.perturb.panel_values import ShownChecked  # noqa: PLC0415

    return ShownChecked(checks.approve(store, user, body.perturbation, body.version, body.reason).state)


def _reject(store: Store, user: User, body: OneBody) -> object:
    from annotator.usecases.perturb import checks  # noqa: PLC0415
    from annotator.usecases.perturb.panel_values import ShownChecked  # noqa: PLC0415

    return ShownChecked(checks.reject(store, user, body.perturbation, body.version, body.reason).state)


def _correct(store: Store, user: User, body: OneBody) -> object:
    from annotator.usecases.perturb import checks  # noqa: PLC0415
    from annotator.usecases.perturb.panel_values import ShownChecked  # noqa: PLC0415

    made = checks.correct(
        store, user, body.perturbation, body.version, _required(body), body.reason, may_be_empty=body.may_be_empty
    )
    return ShownChecked(made.state)


def _required(body: OneBody) -> ChangedText:
    if body.changed is None:
        raise InvalidValue(_("Required field '{name}' is missing.", name="changed"))
    return body.changed.as_changed()


def _after(query: Query) -> int:
    return number(query, "after") if query.get("after") else 0


routes: list[Route] = [
    get_route("perturb/rules", _rules),
    get_route("perturb/originals", _originals),
    get_route("perturb/next", _next),
    get_route("perturb/original", _original),
    post_route("perturb/look", _assess, LookBody),
    post_route("perturb/discard-draft", _discard_draft, OriginalBody),
    post_route("perturb/suggest", _suggest, SuggestBody),
    post_route("perturb/hand-in", _hand_in, WriteBody),
    post_route("perturb/revise", _revise, OneBody),
    post_route("perturb/withdraw", _withdraw, OneBody),
    get_route("perturb/mine", _mine),
    get_route("perturb/progress", _progress),
    get_route("perturb/check/next", _next_check),
    get_route("perturb/check", _check),
    post_route("perturb/check/look", _assess_correction, OneBody),
    post_route("perturb/check/approve", _approve, OneBody),
    post_route("perturb/check/reject", _reject, OneBody),
    post_route("perturb/check/correct", _correct, OneBody),
]
