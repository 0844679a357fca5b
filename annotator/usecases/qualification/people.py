"""Who has passed the training and who has not, by what; and what a lead does about it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from annotator.domain.people import Role, User
from annotator.domain.project.qualification import (
    AUDIENCES,
    Attempt,
    Audience,
    Exercise,
    Grant,
    Known,
    Measures,
    QualificationRules,
    Totals,
    total_of,
)
from annotator.domain.projects import Project
from annotator.errors import Conflict, NotFound
from annotator.language import _, listed, several, unsaid
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.instances import get_instance
from annotator.store.people import list_members
from annotator.store.qualification.exercises import attempts_of, checks_of, exercises_of_attempt
from annotator.store.qualification.rules import add_grant, count_check_items_for, get_item, grants_of, newest_rules
from annotator.usecases.access.rights import require
from annotator.usecases.qualification.attempts import n_held, totals_of, tries_left
from annotator.usecases.qualification.words import mark_lines, score_lines

TrainingState = Literal["passed", "let through", "in training", "to try again", "no attempts left", "not begun"]
TRAINING_WORDS: dict[TrainingState, str] = {
    "passed": unsaid("passed"),
    "let through": unsaid("exempted"),
    "in training": unsaid("in training"),
    "to try again": unsaid("to try again"),
    "no attempts left": unsaid("no attempts left"),
    "not begun": unsaid("not started"),
}
_ROLE_OF: dict[Audience, Role] = {"annotators": "annotator", "reviewers": "reviewer"}


@dataclass(frozen=True, slots=True)
class Trained:
    """How somebody's training stands, for the lead.

    totals:  of their last try that has ended, or of what is answered of the open one
    let_by:  which lead let them through
    """

    user: User
    state: TrainingState
    n_tries: int
    tries_left: int
    totals: Totals | None
    let_by: str = ""


def trained_people(store: Store, actor: User, project: Project, audience: Audience) -> list[Trained]:
    """Everybody whose work the training stands before, by name; leads need none."""
    require(store, actor, project.id, "manage project")
    rules = newest_rules(store, project.id, audience).rules
    return [
        _trained(store, user, _tries(store, project, audience, user, rules))
        for user in _people_to_train(store, project, audience)
    ]


def people_without_tries(store: Store, project: Project) -> list[str]:
    """Whom a training that is on keeps from work for good, by name: the lead has to give another try, or let them through."""
    names = [
        user.name
        for audience in AUDIENCES
        if (rules := newest_rules(store, project.id, audience).rules).is_on
        for user in _people_to_train(store, project, audience)
        if _tries(store, project, audience, user, rules).state == "no attempts left"
    ]
    return list(dict.fromkeys(names))


def _people_to_train(store: Store, project: Project, audience: Audience) -> Collection[User]:
    members = list_members(store, project.id)
    leads = {user.id for user, role in members if role == "lead"}
    people = {
        user.id: user
        for user, role in members
        if role == _ROLE_OF[audience] and user.id not in leads and not user.is_disabled
    }
    return people.values()


def finishing_first(store: Store, actor: User, project: Project, audience: Audience) -> str:
    """Who holds work that they go on with although they have not passed, in a sentence; "" for nobody.

    What is on somebody's screen is never taken away, so that whoever switches training on has to know of it.
    """
    require(store, actor, project.id, "manage project")
    rules = newest_rules(store, project.id, audience).rules
    held = {
        user.name: n_held(store, project, user.id or 0, audience)
        for user in _people_to_train(store, project, audience)
        if _tries(store, project, audience, user, rules).state not in {"passed", "let through"}
    }
    names = listed([_("{name} ({n})", name=name, n=n) for name, n in held.items() if n], "and")
    if not names:
        return ""
    return several(
        "{n} reservation of people who haven't passed comes before training: {names}.",
        "{n} reservations of people who haven't passed come before training: {names}.",
        sum(held.values()), names=names
    )  # fmt: skip


def _not_among(name: str, project: Project) -> str:
    return _("'{name}' doesn't have this role in '{project}'.", name=name, project=project.name)


@dataclass(frozen=True, slots=True)
class _Tries:
    """How somebody stands by their tries; what they answered is not read for it, since Start asks this of everybody."""

    attempts: list[Attempt]
    left: int
    let_by: str
    state: TrainingState


def _tries(store: Store, project: Project, audience: Audience, user: User, rules: QualificationRules) -> _Tries:
    user_id = user.id or 0
    attempts = attempts_of(store, project.id, audience, user_id)
    grants = grants_of(store, project.id, audience, user_id)
    let_by = next((by for kind, by in grants if kind == "let through"), "")
    left = tries_left(store, project.id, audience, user_id, attempts, rules)
    return _Tries(attempts, left, let_by, _state(attempts, let_by, left))


def _trained(store: Store, user: User, tries: _Tries) -> Trained:
    totals = totals_of(store, tries.attempts[-1]) if tries.attempts else None
    return Trained(user, tries.state, len(tries.attempts), max(0, tries.left), totals, tries.let_by)


def _state(attempts: list[Attempt], let_by: str, left: int) -> TrainingState:
    if any(attempt.state == "passed" for attempt in attempts):
        return "passed"
    if let_by:
        return "let through"
    if not attempts:
        return "not begun"
    if attempts[-1].state == "open":
        return "in training"
    return "to try again" if left > 0 else "no attempts left"


def allow(store: Store, actor: User, project: Project, audience: Audience, name: str, kind: Grant) -> None:
    """Give somebody another try, or let them get work without having passed.

    Raises: NotFound for nobody of the project; Conflict for whoever has passed or was let through already
    """
    with store.transaction():
        people = {trained.user.name: trained for trained in trained_people(store, actor, project, audience)}
        if name not in people:
            raise NotFound(_not_among(name, project))
        trained = people[name]
        if trained.state in {"passed", "let through"}:
            raise Conflict(
                _("{name} can already work: {state}. Reload.", name=name, state=_(TRAINING_WORDS[trained.state]))
            )
        if kind == "another try" and trained.tries_left > 0:
            raise Conflict(_("{name} has an attempt left.", name=name))
        add_grant(store, project.id, audience, trained.user.id or 0, kind, actor.name)
        add_event(
            store, actor.name, "allow after training", "project", project.id,
            project_id=project.id, audience=audience, user=name, kind=kind,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnsweredItem:
    """One text of a try, for the lead: which try, which text, how it came out; lines: what is to be said of it."""

    number: int
    key: str
    measures: Measures
    lines: tuple[str, ...]


def answers_of(store: Store, actor: User, project: Project, audience: Audience, name: str) -> list[AnsweredItem]:
    """What somebody answered in the training, the newest first, in the words that they read."""
    people = {trained.user.name: trained.user for trained in trained_people(store, actor, project, audience)}
    if name not in people:
        raise NotFound(_not_among(name, project))
    attempts = attempts_of(store, project.id, audience, people[name].id or 0)
    answered = [
        (attempt.number, text)
        for attempt in attempts
        for text in exercises_of_attempt(store, attempt.id)
        if text.state in {"answered", "done"}
    ]
    return [_answered(store, project, audience, number, text) for number, text in reversed(answered)]


def _answered(store: Store, project: Project, audience: Audience, number: int, text: Exercise) -> AnsweredItem:
    instance, known = get_instance(store, text.instance_id), text.known or Known(None, ())
    if audience == "reviewers":
        spoiling = get_item(store, text.item_id).spoiling
        lines = score_lines(text.scores, known, project.settings.thresholds, spoiling)
    else:
        lines = mark_lines(instance, text.draft.sets, known)
    return AnsweredItem(number, instance.key, text.measures or Measures(), tuple(lines))


@dataclass(frozen=True, slots=True)
class CheckPoint:
    """One blind check that was answered: when, and how it came out."""

    at: str
    measures: Measures


@dataclass(frozen=True, slots=True)
class Checked:
    """Somebody's blind checks together, and one by one in time."""

    user: User
    totals: Totals
    points: tuple[CheckPoint, ...]


def checked_people(store: Store, actor: User, project: Project) -> list[Checked]:
    """How blind checks came out, for each member who answered any, by name: something to look at, no verdict."""
    require(store, actor, project.id, "manage project")
    members = {user.id: user for user, _role in list_members(store, project.id)}
    people = []
    for user in members.values():
        done = [check for check in checks_of(store, project.id, user.id or 0) if check.state == "done"]
        points = tuple(
            sorted(
                (CheckPoint(check.answered_at or "", check.measures) for check in done if check.measures),
                key=lambda point: point.at,
            )
        )
        if points:
            people.append(Checked(user, total_of([point.measures for point in points]), points))
    return people


def checks_left(store: Store, actor: User, project: Project) -> dict[str, int]:
    """How many picked texts could still be put among the work of each annotator, by name."""
    require(store, actor, project.id, "manage project")
    people = _people_to_train(store, project, "annotators")
    return {user.name: count_check_items_for(store, project.id, user.id or 0) for user in people}
