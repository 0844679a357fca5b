"""Inviting people to a project from a list, and who may make a new link for whom."""

import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.tasks import get_task
from annotator.errors import InvalidValue, NotAllowed
from annotator.language import _, speaking
from annotator.store import Store
from annotator.store.projects import add_project
from annotator.usecases.access import accounts
from annotator.usecases.access.invitations import Invitee, invite, members_with_accounts, read_invitees, renew_link
from tests.clock import ahead

pytestmark = pytest.mark.usefixtures("quick_hashes")

PASSWORD = "a good long password"


@pytest.fixture
def project(store: Store) -> int:
    return make_project(store, "P")


@pytest.fixture
def lea(store: Store, project: int) -> User:
    return signed_in_once(store, "lea", "lead", "P")


def make_project(store: Store, name: str) -> int:
    with store.transaction():
        return add_project(store, name, get_task("sentiment"), labels=["no", "yes"]).id


def signed_in_once(store: Store, name: str, role: str, project: str | None = None) -> User:
    added = accounts.add_user(store, LOCAL_OPERATOR, name, role, project)
    accounts.set_password_with_link(store, added.link_token, None, PASSWORD)
    return added.user


def everything(store: Store) -> str:
    return "\n".join(store.connection.iterdump())


def test_a_list_has_a_name_a_line_and_a_role_where_it_is_another() -> None:
    assert read_invitees("Ada\n\n Bo Li , Reviewer\n陈, reviewer\n王，lead\n", "annotator") == [
        Invitee(1, "Ada", "annotator"),
        Invitee(3, "Bo Li", "reviewer"),
        Invitee(4, "陈", "reviewer"),
        Invitee(5, "王", "lead"),
    ]


def test_a_role_may_be_written_as_it_is_called_in_the_readers_language() -> None:
    with speaking("zh"):
        assert read_invitees("Otto，审阅员\nBo, lead", "annotator") == [
            Invitee(1, "Otto", "reviewer"),
            Invitee(2, "Bo", "lead"),
        ]
        with pytest.raises(InvalidValue, match="审阅员"):
            read_invitees("Ada, boss", "annotator")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (" \n", "names, one per line."),
        ("a\n" * 1001, "Enter 1 to 1,000 names, one per line."),
        ("Ada\nBo, boss", "Unknown role '"),
        ("Bo, administrator", "Unknown role 'administrator'"),
        ("Ada, Bo, Cleo", "write one name and role per line."),
        ("x" * 101, "Line 1: Names are one line of 1–100 visible characters."),
        ("Local Operator", "is reserved. Choose another name."),
    ],
)
def test_a_line_that_cannot_be_read_is_named_with_its_remedy(text: str, says: str) -> None:
    with pytest.raises(InvalidValue, match=f"(?i){says}"):
        read_invitees(text, "annotator")


def test_many_bad_lines_are_counted() -> None:
    with pytest.raises(InvalidValue, match=r"Line 1: Unknown role 'boss'\."):
        read_invitees("Bo, boss\n" * 8, "annotator")


def test_everybody_of_a_list_gets_an_account_a_role_and_a_link_that_works(
    store: Store, lea: User, project: int
) -> None:
    given = invite(store, lea, project, read_invitees("Ada\nBo, reviewer", "annotator"))
    assert [(one.name, one.role) for one in given] == [("Ada", "annotator"), ("Bo", "reviewer")]
    token = given[0].link_token
    assert token is not None
    accounts.set_password_with_link(store, token, None, PASSWORD)
    assert [(m.user.name, m.roles, m.account) for m in members_with_accounts(store, lea, project)] == [
        ("Ada", ("annotator",), "can sign in"),
        ("Bo", ("reviewer",), "has a link"),
        ("lea", ("lead",), "can sign in"),
    ]


def test_whoever_has_an_account_gets_the_role_and_keeps_the_password(store: Store, lea: User, project: int) -> None:
    signed_in_once(store, "ada", "administrator")
    [given] = invite(store, lea, project, [Invitee(1, "ADA", "annotator")])
    assert given.link_token is None
    assert accounts.sign_in(store, "ada", PASSWORD)
    [again] = invite(store, lea, project, [Invitee(1, "ada", "annotator")])
    assert again.link_token is None


def test_somebody_twice_in_a_list_gets_one_account_and_both_roles(store: Store, lea: User, project: int) -> None:
    given = invite(store, lea, project, read_invitees("Ada\nada, reviewer\nAda", "annotator"))
    assert [(one.role, one.link_token is None) for one in given] == [("annotator", False), ("reviewer", True)]
    again = invite(store, lea, project, read_invitees("Ada\nada, reviewer\nAda", "annotator"))
    assert [(one.role, one.link_token is None) for one in again] == [("annotator", False), ("reviewer", True)]
    assert accounts.open_link(store, str(again[0].link_token)).user is not None


def test_a_lost_link_is_replaced_by_inviting_again_and_another_role_leaves_the_one_that_was_sent(
    store: Store, lea: User, project: int
) -> None:
    [sent] = invite(store, lea, project, [Invitee(1, "Ada", "annotator")])
    [more] = invite(store, lea, project, [Invitee(1, "Ada", "reviewer")])
    assert more.link_token is None
    assert accounts.open_link(store, str(sent.link_token)).user is not None
    [new] = invite(store, lea, project, [Invitee(1, "Ada", "annotator")])
    assert accounts.open_link(store, str(new.link_token)).user is not None
    with pytest.raises(NotAllowed, match=r"used, replaced or has expired"):
        accounts.open_link(store, str(sent.link_token))


def test_nobody_of_a_list_is_invited_where_one_was_shut_out(store: Store, lea: User, project: int) -> None:
    signed_in_once(store, "bo", "annotator", "P")
    accounts.disable_user(store, LOCAL_OPERATOR, "bo")
    before = everything(store)
    with pytest.raises(InvalidValue, match=r"Line 2: 'bo' can't sign in\. An administrator can send a new link\."):
        invite(store, lea, project, read_invitees("Ada\nbo", "reviewer"))
    assert everything(store) == before


@pytest.mark.parametrize("role", ["annotator", "reviewer", "researcher"])
def test_only_who_manages_the_project_invites_or_renews(store: Store, project: int, role: str) -> None:
    ann = signed_in_once(store, "ann", role, "P")
    before = everything(store)
    for ask in (
        lambda: invite(store, ann, project, [Invitee(1, "Ada", "annotator")]),
        lambda: renew_link(store, ann, project, "ann"),
        lambda: members_with_accounts(store, ann, project),
    ):
        with pytest.raises(NotAllowed):
            ask()
    assert everything(store) == before


def test_an_invitation_works_for_a_week_and_is_renewed_by_the_lead(store: Store, lea: User, project: int) -> None:
    [given] = invite(store, lea, project, [Invitee(1, "Ada", "annotator")])
    assert given.link_token is not None
    with ahead(store, days=6):
        assert accounts.open_link(store, given.link_token).user is not None
    with ahead(store, days=8):
        with pytest.raises(
            NotAllowed,
            match=r"This link was used, replaced or has expired\. Ask your lead or administrator for a new one\.",
        ):
            accounts.open_link(store, given.link_token)
        assert (
            next(m for m in members_with_accounts(store, lea, project) if m.user.name == "Ada").account
            == "needs a link"
        )
        new = renew_link(store, lea, project, "Ada")
        assert accounts.open_link(store, new).user is not None


def test_a_renewed_link_ends_the_older_one(store: Store, lea: User, project: int) -> None:
    [given] = invite(store, lea, project, [Invitee(1, "Ada", "annotator")])
    renew_link(store, lea, project, "Ada")
    with pytest.raises(
        NotAllowed,
        match=r"This link was used, replaced or has expired\. Ask your lead or administrator for a new one\.",
    ):
        accounts.open_link(store, str(given.link_token))


def test_a_lead_gets_no_link_to_an_account_that_somebody_uses(store: Store, lea: User, project: int) -> None:
    signed_in_once(store, "ada", "annotator", "P")
    with pytest.raises(NotAllowed, match=r"Only an administrator can send 'ada' a new link\."):
        renew_link(store, lea, project, "ada")
    assert accounts.sign_in(store, "ada", PASSWORD)


def test_a_lead_gets_no_link_to_somebody_who_has_a_role_in_a_project_of_another_lead(
    store: Store, lea: User, project: int
) -> None:
    make_project(store, "Q")
    accounts.add_user(store, LOCAL_OPERATOR, "bo", "lead", "Q")
    invite(store, lea, project, [Invitee(1, "bo", "annotator")])
    with pytest.raises(NotAllowed, match="Only an administrator can send '"):
        renew_link(store, lea, project, "bo")


def test_a_lead_gets_no_link_to_an_administrator_who_has_not_signed_in_yet(
    store: Store, lea: User, project: int
) -> None:
    accounts.add_user(store, LOCAL_OPERATOR, "root", "administrator")
    invite(store, lea, project, [Invitee(1, "root", "annotator")])
    with pytest.raises(NotAllowed, match="Only an administrator"):
        renew_link(store, lea, project, "root")


def test_an_administrator_makes_a_link_for_somebody_without_a_role_and_a_lead_does_not(
    store: Store, lea: User, project: int
) -> None:
    root = signed_in_once(store, "root", "administrator")
    make_project(store, "Q")
    signed_in_once(store, "bo", "annotator", "Q")
    assert accounts.open_link(store, renew_link(store, root, project, "bo")).user is not None
    with pytest.raises(InvalidValue, match=r"'bo' has no role here\. Invite them first\."):
        renew_link(store, lea, project, "bo")


def test_nobody_ends_their_own_session_with_a_link_that_they_could_not_read(store: Store, project: int) -> None:
    root = signed_in_once(store, "root", "administrator")
    invite(store, root, project, [Invitee(1, "root", "lead")])
    before = everything(store)
    with pytest.raises(NotAllowed, match=r"A new link would end your session\."):
        renew_link(store, root, project, "root")
    assert everything(store) == before
    assert [m.may_renew for m in members_with_accounts(store, root, project) if m.user.name == "root"] == [False]


def test_an_administrator_lets_somebody_in_again_whose_password_ends(store: Store, project: int) -> None:
    root = signed_in_once(store, "root", "administrator")
    signed_in_once(store, "ada", "annotator", "P")
    token = renew_link(store, root, project, "ada")
    with pytest.raises(NotAllowed):
        accounts.sign_in(store, "ada", PASSWORD)
    assert accounts.open_link(store, token).user is not None


def test_the_example_beside_the_field_can_be_entered_as_it_stands_in_either_language() -> None:
    with speaking("zh"):
        read = read_invitees(_("Ada\nBo\nCleo, reviewer"), "annotator")
    assert [one.role for one in read] == ["annotator", "annotator", "reviewer"]
    assert read_invitees("Ada\nBo\nCleo, reviewer", "annotator")[2].role == "reviewer"
