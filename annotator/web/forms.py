"""The small pages of signing in and out: templates in `sign_in_pages/`, in which every value is escaped by itself.

Jinja2 is imported with the first page, so that the server starts without it.
"""

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.responses import HTMLResponse

from annotator.domain.numbers import counted
from annotator.usecases.access.accounts import ListedUser
from annotator.usecases.persons.my_account import MyAccount, OwnRoles
from annotator.web.navigation import PageEntry

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).resolve().parent / "sign_in_pages"
_CSS = (_TEMPLATES / "forms.css").read_text(encoding="utf-8")
_CSS_HASH = b64encode(sha256(_CSS.encode()).digest()).decode()
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_CSS_HASH}'; img-src 'self'; form-action 'self'; "
        "frame-ancestors 'self'; base-uri 'none'"
    ),
}


def sign_in_page(*, name: str, next_path: str, error: str, notice: str, status: int = 200) -> HTMLResponse:
    """Name and password."""
    action = _sign_in_action(next_path)
    return _page("sign_in.html", "Sign in", status, action=action, name=name, error=error, notice=notice)


def choose_page(people: Iterable[ListedUser], *, next_path: str, error: str, status: int = 200) -> HTMLResponse:
    """The demonstration: one button a person."""
    named = [(listed.user.name, _spoken_roles(listed)) for listed in people]
    action = _sign_in_action(next_path)
    return _page("choose.html", "Who are you?", status, action=action, people=named, error=error)


def link_page(*, user_name: str | None, name: str, error: str, action: str, status: int = 200) -> HTMLResponse:
    """A new password for somebody, or (without a user's name) the first account."""
    title = "First account" if user_name is None else "New password"
    return _page("link.html", title, status, action=action, user_name=user_name, name=name, error=error)


def sign_out_page(user_name: str) -> HTMLResponse:
    """Ask before signing out."""
    return _page("sign_out.html", "Sign out", 200, user_name=user_name)


def account_page(account: MyAccount, *, error: str = "", notice: str = "", status: int = 200) -> HTMLResponse:
    """One's own account: password, projects, data to take along."""
    return _page("account.html", "My account", status, account=account, error=error, notice=notice)


def leave_page(roles: OwnRoles, *, error: str = "", status: int = 200) -> HTMLResponse:
    """Ask before somebody leaves a project, and say what it means."""
    return _page("leave.html", "Leave a project", status, own=roles, held=_held(roles), error=error)


def message_page(title: str, sentence: str, status: int) -> HTMLResponse:
    """One sentence, and the way to sign in."""
    return _page("message.html", title, status, sentence=sentence)


def nowhere_page(path: str, offered: Iterable[PageEntry]) -> HTMLResponse:
    """An address at which there is nothing, with links to the pages that the person has."""
    pages = list(offered)
    sentence = (
        f"There is nothing at the address {path[:200]}. {'These pages are here for you:' if pages else ''}".strip()
    )
    return _page("nowhere.html", "Page not found", 404, sentence=sentence, offered=pages)


def _page(template: str, title: str, status: int, **values: object) -> HTMLResponse:
    page = _environment().get_template(template).render(title=title, css=_CSS, **values)
    return HTMLResponse(page, status, _HEADERS)


@cache
def _environment() -> "Environment":
    """A value that a template names and nobody gives is an error and not an empty place."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    return Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip


def _held(roles: OwnRoles) -> list[str]:
    """What goes to others when somebody leaves, in words."""
    texts = counted(roles.n_texts, "text that you hold", "texts that you hold")
    reviews = counted(roles.n_reviews, "annotation that you are scoring", "annotations that you are scoring")
    return [what for what, n in ((texts, roles.n_texts), (reviews, roles.n_reviews)) if n]


def _spoken_roles(listed: ListedUser) -> str:
    roles = list(dict.fromkeys(role for _, role in listed.roles))
    if listed.user.is_administrator:
        roles.append("administrator")
    return ", ".join(roles) or "no role yet"


def _sign_in_action(next_path: str) -> str:
    return f"/sign-in?next={quote(next_path, safe='')}" if next_path else "/sign-in"
