"""Inviting people to a project: an account, a role and a one-time link for each, several at once from a list."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from annotator.domain.numbers import by_key
from annotator.domain.people import PROJECT_ROLES, Role, User
from annotator.errors import InvalidValue, NotAllowed
from annotator.language import _, listed, several, unknown
from annotator.store import Store
from annotator.store import people as people_store
from annotator.store.events import add_event
from annotator.usecases.access.accounts import add_person, make_link, reset_user
from annotator.usecases.access.credentials import checked_name
from annotator.usecases.access.rights import require

MOST_AT_ONCE = 1000
_NAMED_PROBLEMS = 5
_BETWEEN = re.compile(r"[,;\t，；]")  # a name and a role; the last two are Chinese

# no password yet: with an open link, or without one
AccountState = Literal["can sign in", "has a link", "needs a link", "shut out"]


@dataclass(frozen=True, slots=True)
class Invitee:
    """One line of a list of people: who shall have which role."""

    line: int
    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class Invitation:
    """What inviting somebody gave, or a new link.

    role: None for whoever has none in the project
    link_token: None for whoever used an account before, and has the role with it
    """

    name: str
    role: Role | None
    link_token: str | None


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who takes part in a project.

    link_expires_at: of the one-time link that they have not used, if there is one
    may_renew: whether the person who asked may make a new link for them
    """

    user: User
    roles: tuple[Role, ...]
    account: AccountState
    link_expires_at: str | None
    may_renew: bool

    @property
    def is_unused(self) -> bool:
        return self.account in {"has a link", "needs a link"}


def read_invitees(text: str, role: Role) -> list[Invitee]:
    """The people of a list: a name a line, each with the role given, or with its own after a comma ("Ada, reviewer").

    Raises: InvalidValue naming the lines that cannot be read, or that there are none or too many
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not 1 <= len(lines) <= MOST_AT_ONCE:
        raise InvalidValue(_("Enter 1 to {most} names, one per line.", most=f"{MOST_AT_ONCE:,}"))
    invitees: list[Invitee] = []
    problems: list[str] = []
    for number, line in lines:
        try:
            name, *roles = (part.strip() for part in _BETWEEN.split(line))
            if len(roles) > 1:
                raise InvalidValue(_("'{line}': write one name and role per line.", line=line))
            role_of_word = {word: known for known in PROJECT_ROLES for word in (known, _(known))}
            word = roles[0].lower() if roles else role
            if word not in role_of_word:
                raise InvalidValue(unknown(_("role"), word, listed([_(known) for known in PROJECT_ROLES])))
            invitees.append(Invitee(number, checked_name(name), role_of_word[word]))
        except InvalidValue as problem:
            problems.append(_("Line {number}: {problem}", number=number, problem=problem))
    _refuse(problems)
    return invitees


def invite(store: Store, actor: User, project_id: int, invitees: Sequence[Invitee]) -> list[Invitation]:
    """Give each of them the role, with an account and a one-time link where they have none; all of them or nobody.

    Members who are invited again and have not used their link get another (links are shown only once); the older one ends.
    Raises: InvalidValue naming the lines of whoever was shut out, or is only known as the author of imported annotations
    """
    with store.transaction():
        require(store, actor, project_id, "manage project")
        _refuse([problem for invitee in invitees if (problem := _why_not(store, invitee))])
        members = members_with_accounts(store, actor, project_id)
        waiting = {(m.user.name, role) for m in members if m.may_renew and m.is_unused for role in m.roles}
        tokens: dict[tuple[str, Role], Invitation] = {}
        for invitee in invitees:
            user, token = add_person(store, actor, invitee.name, invitee.role, project_id)
            if (user.name, invitee.role) in waiting:
                waiting -= {(user.name, role) for role in PROJECT_ROLES}  # one link for all roles
                token = _new_link(store, actor, project_id, user)
            tokens.setdefault((user.name, invitee.role), Invitation(user.name, invitee.role, token))
    return list(tokens.values())


def _why_not(store: Store, invitee: Invitee) -> str | None:
    user = people_store.find_user(store, invitee.name)
    if user is None or not user.is_disabled:
        return None
    return _(
        "Line {line}: '{name}' can't sign in. An administrator can send a new link.", line=invitee.line, name=user.name
    )


def _refuse(problems: Sequence[str]) -> None:
    if problems:
        more = len(problems) - _NAMED_PROBLEMS
        last = [several("{n} more line can't be used.", "{n} more lines can't be used.", more)] if more > 0 else []
        raise InvalidValue("\n\n".join([*problems[:_NAMED_PROBLEMS], *last, _("Nobody was invited.")]))


def members_with_accounts(store: Store, actor: User, project_id: int) -> list[Member]:
    """Everybody who takes part, by name, with what they can do with their account."""
    require(store, actor, project_id, "manage project")
    roles = by_key((user, role) for user, role in people_store.list_members(store, project_id))
    have_password = people_store.members_with_password(store, project_id)
    links = people_store.open_links_of_members(store, project_id)
    of_others = people_store.members_of_others(store, project_id, actor)
    members = []
    for user, held in roles.items():
        account = _account(user, user.id in have_password, user.id in links)
        is_unused = account in {"has a link", "needs a link"} and not user.is_administrator and user.id not in of_others
        # Whoever is signed in would be signed out before they could read their link.
        may_renew = (actor.is_administrator or is_unused) and user.id != actor.id
        members.append(Member(user, tuple(held), account, links.get(user.id or 0), may_renew))
    return members


def _account(user: User, has_password: bool, has_link: bool) -> AccountState:
    if user.is_disabled:
        return "shut out"
    if has_password:
        return "can sign in"
    return "has a link" if has_link else "needs a link"


def renew_link(store: Store, actor: User, project_id: int, name: str) -> str:
    """The token of a new one-time link for a member; an older one ends, and so do a password and sessions.

    Whoever holds a link can act as that person. So leads renew only what nobody has used yet, of people who take part in no
    project but theirs; everybody else's is an administrator's to make.

    Raises: NotAllowed saying who can do it; InvalidValue for somebody who has no role here, unless an administrator asks
    """
    with store.transaction():
        members = {member.user.name: member for member in members_with_accounts(store, actor, project_id)}
        if name == actor.name:
            raise NotAllowed(_("A new link would end your session."))
        if name not in members and actor.is_administrator:
            return reset_user(store, actor, name)
        if name not in members:
            raise InvalidValue(_("'{name}' has no role here. Invite them first.", name=name))
        if not members[name].may_renew:
            raise NotAllowed(_("Only an administrator can send '{name}' a new link.", name=name))
        if actor.is_administrator:
            return reset_user(store, actor, name)
        return _new_link(store, actor, project_id, members[name].user)


def _new_link(store: Store, actor: User, project_id: int, user: User) -> str:
    people_store.withdraw_links(store, user)
    add_event(store, actor.name, "renew link", "user", user.id, project_id=project_id, name=user.name)
    return make_link(store, user)
