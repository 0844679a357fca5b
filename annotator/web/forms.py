"""The small pages of signing in and out: templates in `sign_in_pages/`, in which every value is escaped by itself.

Jinja2 is imported with the first page, so that the server starts without it.
"""

import re
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.responses import HTMLResponse

from annotator.domain.people import role_name
from annotator.domain.project.recruitment import WorkerState
from annotator.language import OWN_NAMES, _, several, spoken_language
from annotator.usecases.access.accounts import ListedUser
from annotator.usecases.access.single_sign_on import Settings
from annotator.usecases.crowd.visits import Visit, Welcome
from annotator.usecases.persons.my_account import MyAccount, OwnRoles
from annotator.web.addresses import path_prefix
from annotator.web.navigation import PageEntry

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

# In templates and in what they are given, addresses stand as the program knows them. No value can look like this: its quotes are
# escaped.
_OWN_ADDRESS = re.compile(r'\b(href|action)="/')
_TEMPLATES = Path(__file__).resolve().parent / "sign_in_pages"
_CSS = (_TEMPLATES / "forms.css").read_text(encoding="utf-8")
_CSS_HASH = b64encode(sha256(_CSS.encode()).digest()).decode()
SIGN_ON_PATH = "/sign-in/with"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_CSS_HASH}'; img-src 'self'; form-action 'self'; "
        "frame-ancestors 'self'; base-uri 'none'"
    ),
}


def sign_in_page(
    *, name: str, next_path: str, error: str, notice: str, status: int = 200, sign_on: Settings | None = None
) -> HTMLResponse:
    """Name and password, a way to sign in through a provider, or both."""
    action = _sign_in_action(next_path)
    return _page(
        "sign_in.html", _("Sign in"), status, action=action, name=name, error=error, notice=notice,
        provider="" if sign_on is None else sign_on.shown_name, has_form=sign_on is None or sign_on.local_accounts,
        elsewhere=action.replace("/sign-in", SIGN_ON_PATH, 1)
    )  # fmt: skip


def choose_page(
    people: Iterable[ListedUser], *, next_path: str, error: str, status: int = 200, is_demonstration: bool = True
) -> HTMLResponse:
    """The demonstration, or a file of several people in a window: one button a person."""
    named = [(listed.user.name, _spoken_roles(listed)) for listed in people]
    action = _sign_in_action(next_path)
    hint = _("Demo without passwords. Choose a user.") if is_demonstration else _("This file has several accounts.")
    return _page("choose.html", _("Who are you?"), status, action=action, people=named, error=error, hint=hint)


def link_page(*, user_name: str | None, name: str, error: str, action: str, status: int = 200) -> HTMLResponse:
    """A new password for somebody, or (without a user's name) the first account."""
    title = _("First account") if user_name is None else _("New password")
    return _page("link.html", title, status, action=action, user_name=user_name, name=name, error=error)


def sign_out_page(user_name: str) -> HTMLResponse:
    """Ask before signing out."""
    return _page("sign_out.html", _("Sign out"), 200, user_name=user_name)


def account_page(account: MyAccount, *, error: str = "", notice: str = "", status: int = 200) -> HTMLResponse:
    """One's own account: password, projects, data to take along."""
    return _page(
        "account.html", _("My account"), status, account=account, languages=OWN_NAMES, error=error, notice=notice
    )


def leave_page(roles: OwnRoles, *, error: str = "", status: int = 200) -> HTMLResponse:
    """Ask before somebody leaves a project, and say what it means."""
    return _page("leave.html", _("Leave project"), status, own=roles, held=_held(roles), error=error)


def message_page(title: str, sentence: str, status: int, *, back: str = "/sign-in") -> HTMLResponse:
    """One sentence, and the way to sign in, or (back) to another page; "" for none."""
    return _page("message.html", title, status, sentence=sentence, back=back)


def recruitment_page(
    welcome: Welcome, *, action: str, platform_id: str, error: str = "", status: int = 200
) -> HTMLResponse:
    """What a worker reads before they begin; they are asked for their id where the address does not say it."""
    rules, training = welcome.link.rules, welcome.training
    paragraphs = [part.strip() for part in rules.introduction.splitlines() if part.strip()]
    return _page(
        "recruitment.html", _("Before you begin"), status, action=action, paragraphs=paragraphs,
        texts=several("{n} text", "{n} texts", rules.quota),
        time=several("{n} minute", "{n} minutes", rules.minutes), platform_id=platform_id, wants_id=bool(rules.parameter),
        has_code_alone=not rules.return_address, error=error,
        training=several("{n} training text", "{n} training texts", training.n_texts) if training else "",
        tries=several("{n} attempt", "{n} attempts", training.tries) if training else ""
    )  # fmt: skip


def turned_away_page(title: str, sentence: str, status: int, *, action: str) -> HTMLResponse:
    """Nobody new comes in now; whoever has begun already can go on from here with their id."""
    return _page("turned_away.html", title, status, sentence=sentence, action=action)


def end_page(visit: Visit) -> HTMLResponse:
    """Where a worker stands, with their code and the way back when they are done."""
    texts = several("{n} text", "{n} texts", visit.quota)
    return _page("visit_end.html", _end_title(visit.state, is_stopped=visit.is_stopped), 200, visit=visit, texts=texts)


def _end_title(state: WorkerState, *, is_stopped: bool) -> str:
    if is_stopped:
        return _("Your work here was ended")
    match state:
        case "working":
            return _("Your work so far")
        case "finished":
            return _("Thank you, you're done")
        case "left":
            return _("You have stopped")
    return _("Your time is up")


def nowhere_page(path: str, offered: Iterable[PageEntry]) -> HTMLResponse:
    """An address at which there is nothing, with links to the pages that the person has."""
    pages = list(offered)
    sentence = _("Nothing found at {path}.", path=path[:200])
    return _page("nowhere.html", _("Page not found"), 404, sentence=sentence, offered=pages)


def _page(template: str, title: str, status: int, **values: object) -> HTMLResponse:
    page = _environment().get_template(template).render(title=title, css=_CSS, **values)
    return HTMLResponse(_OWN_ADDRESS.sub(rf'\1="{path_prefix()}/', page), status, _HEADERS)


@cache
def _environment() -> "Environment":
    """A value that a template names and nobody gives is an error and not an empty place."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    environment.globals |= {"_": _, "language": spoken_language}
    environment.filters |= {"strong": _strong, "role": role_name}
    return environment


def _strong(sentence: str, **values: str) -> "Markup":
    """A sentence of ours with values that stand out."""
    from markupsafe import Markup, escape  # noqa: PLC0415

    strong = Markup("<strong>{}</strong>")
    return escape(sentence).format(**{name: strong.format(value) for name, value in values.items()})


def _held(roles: OwnRoles) -> list[str]:
    """What goes to others when somebody leaves, in sentences."""
    sentences = []
    if roles.n_texts:
        sentences.append(
            several("{n} reserved text goes to someone else", "{n} reserved texts go to others", roles.n_texts)
        )
    if roles.n_reviews:
        sentences.append(
            several(
                "{n} annotation under your review goes to someone else",
                "{n} annotations under your review go to others",
                roles.n_reviews,
            )
        )
    return sentences


def _spoken_roles(listed: ListedUser) -> str:
    roles = list(dict.fromkeys(role_name(role) for _project, role in listed.roles))
    if listed.user.is_administrator:
        roles.append(role_name("administrator"))
    return ", ".join(roles) or _("no role yet")


def _sign_in_action(next_path: str) -> str:
    return f"/sign-in?next={quote(next_path, safe='')}" if next_path else "/sign-in"
