"""The small pages of signing in and out, as HTML: every value that comes from outside is escaped here."""

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from pathlib import Path
from urllib.parse import quote

from starlette.responses import HTMLResponse

from annotator.usecases.access.accounts import ListedUser
from annotator.web.navigation import PageEntry

_CSS = (Path(__file__).resolve().parent / "forms.css").read_text(encoding="utf-8")
_CSS_HASH = b64encode(sha256(_CSS.encode()).digest()).decode()
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_CSS_HASH}'; img-src 'self'; form-action 'self'; "
        "frame-ancestors 'self'; base-uri 'none'"
    ),
}
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · Annotator</title>
<link rel="icon" href="/favicon.png">
<style>{css}</style>
</head>
<body>
<main>
<p class="brand"><mark>A</mark>nnotator</p>
<h1>{title}</h1>
{body}
</main>
</body>
</html>
"""


def sign_in_page(*, name: str, next_path: str, error: str, notice: str, status: int = 200) -> HTMLResponse:
    """Name and password."""
    body = (
        _messages(error, notice)
        + _form(f"/sign-in{_next_query(next_path)}")
        + _field("name", "Name", value=name, autocomplete="username", has_focus=not name)
        + _password("Password", autocomplete="current-password", has_focus=bool(name), is_wrong=bool(error))
        + _submit("Sign in")
        + '<p class="hint">No password, or forgotten it? Ask an administrator for a one-time link.</p>'
    )
    return _page("Sign in", body, status)


def choose_page(people: Iterable[ListedUser], *, next_path: str, error: str, status: int = 200) -> HTMLResponse:
    """The demonstration: one button a person."""
    buttons = "".join(_person(listed, has_focus=number == 0) for number, listed in enumerate(people))
    body = (
        "<p>This is a demonstration and needs no passwords. Choose who you want to be.</p>"
        + _messages(error, "")
        + _form(f"/sign-in{_next_query(next_path)}")
        + f'<div class="people">{buttons}</div></form>'
    )
    return _page("Who are you?", body, status)


def link_page(*, user_name: str | None, name: str, error: str, action: str, status: int = 200) -> HTMLResponse:
    """A new password for somebody, or (without a user's name) the first account."""
    is_first = user_name is None
    intro = (
        "<p>There is no account yet. Create the first one; it will be an administrator.</p>"
        if is_first
        else f"<p>Choose a password for <strong>{escape(user_name or '')}</strong>. The link works once.</p>"
    )
    has_name = bool(name) or not is_first
    field = (
        _field("name", "Name", value=name, autocomplete="username", has_focus=not has_name)
        if is_first
        else f'<input type="hidden" name="name" autocomplete="username" value="{escape(user_name or "")}">'
    )
    body = (
        intro
        + _messages(error, "")
        + _form(action)
        + field
        + _password("New password", autocomplete="new-password", has_focus=has_name, is_wrong=bool(error))
        + '<p class="hint" id="hint">At least 10 characters. A phrase of a few words is strong and easy to remember.</p>'
        + _submit("Create the account" if is_first else "Set the password and sign in")
    )
    return _page("First account" if is_first else "New password", body, status)


def sign_out_page(user_name: str) -> HTMLResponse:
    """Ask before signing out."""
    body = (
        f"<p>You are signed in as <strong>{escape(user_name)}</strong>. Everything you marked is saved.</p>"
        + _form("/sign-out")
        + _submit("Sign out", has_focus=True)
        + '<p class="hint"><a href="/">Back to work</a></p>'
    )
    return _page("Sign out", body)


def message_page(title: str, sentence: str, status: int) -> HTMLResponse:
    """One sentence, and the way to sign in."""
    body = _messages(sentence, "") + '<p class="hint"><a href="/sign-in">Go to the sign-in page</a></p>'
    return _page(title, body, status)


def nowhere_page(path: str, offered: Iterable[PageEntry]) -> HTMLResponse:
    """An address at which there is nothing, with links to the pages that the person has."""
    links = "".join(f'<a href="/{page.path}">{escape(page.title)}</a>' for page in offered)
    sentence = (
        f"There is nothing at the address {path[:200]}. {'These pages are here for you:' if links else ''}".strip()
    )
    nothing = '<p class="hint"><a href="/">Go to the start page</a></p>'
    return _page(
        "Page not found", _messages(sentence, "") + (f'<nav class="pages">{links}</nav>' if links else nothing), 404
    )


def _page(title: str, body: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(_PAGE.format(title=escape(title), css=_CSS, body=body), status, _HEADERS)


def _messages(error: str, notice: str) -> str:
    shown = f'<p class="error" role="alert" id="error">{escape(error)}</p>' if error else ""
    return shown + (f'<p class="notice" role="status">{escape(notice)}</p>' if notice else "")


def _form(action: str) -> str:
    return f'<form method="post" action="{escape(action)}">'


def _field(name: str, label: str, *, value: str, autocomplete: str, has_focus: bool) -> str:
    return (
        f'<label for="{name}">{label}</label><input id="{name}" name="{name}" value="{escape(value)}" required '
        f'maxlength="100" autocomplete="{autocomplete}" autocapitalize="none" spellcheck="false"'
        f"{' autofocus' if has_focus else ''}>"
    )


def _password(label: str, *, autocomplete: str, has_focus: bool, is_wrong: bool) -> str:
    described = ' aria-invalid="true" aria-describedby="error"' if is_wrong else ""
    return (
        f'<label for="password">{label}</label><input id="password" name="password" type="password" required '
        f'maxlength="1000" autocomplete="{autocomplete}"{described}{" autofocus" if has_focus else ""}>'
    )


def _submit(label: str, *, has_focus: bool = False) -> str:
    return f'<button type="submit"{" autofocus" if has_focus else ""}>{label}</button></form>'


def _person(listed: ListedUser, *, has_focus: bool) -> str:
    name = escape(listed.user.name)
    focus = " autofocus" if has_focus else ""
    roles = escape(_spoken_roles(listed))
    return (
        f'<button type="submit" class="person" name="name" value="{name}"{focus}>'
        f'<span class="name">{name}</span><span class="roles">{roles}</span></button>'
    )


def _spoken_roles(listed: ListedUser) -> str:
    roles = list(dict.fromkeys(role for _, role in listed.roles))
    if listed.user.is_administrator:
        roles.append("administrator")
    return ", ".join(roles) or "no role yet"


def _next_query(next_path: str) -> str:
    return f"?next={quote(next_path, safe='')}" if next_path else ""
