"""One's own account: another password, leaving a project, and everything about oneself to take along."""

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from annotator.domain.numbers import whole_number
from annotator.errors import AnnotatorError, InvalidValue, NotFound, NotSignedIn
from annotator.language import LANGUAGES, _, unknown
from annotator.usecases.access.accounts import change_password, choose_language
from annotator.usecases.access.single_sign_on import require_password_allowed
from annotator.usecases.persons.my_account import data_of_person, leave_project, my_account, roles_to_leave
from annotator.web import forms
from annotator.web.routes.access import COOKIE, options_of, route_store, said_of, session_of_request, status_of
from annotator.web.routes.sign_in import Form, with_form

ACCOUNT_PATHS = frozenset({"/account", "/account/leave", "/account/password", "/account/data", "/account/language"})


def show_account(request: Request) -> Response:
    """The page, and what was just done."""
    try:
        session_of_request(request)  # so that what was done is said in their language
        return _account_page(request, notice=_what_was_done(request))
    except NotSignedIn:
        return RedirectResponse("/sign-in?next=%2Faccount", 303)


def _what_was_done(request: Request) -> str:
    if "password" in request.query_params:
        return _("Password changed. Your other sessions have ended.")
    return _("You left the project.") if "left" in request.query_params else ""


def _account_page(request: Request, *, error: str = "", notice: str = "", status: int = 200) -> Response:
    with route_store(request) as store:
        account = my_account(store, session_of_request(request).user)
    settings = options_of(request).sign_on_settings
    if settings is not None and not settings.local_accounts:
        account = replace(account, has_password=False)
    return forms.account_page(account, error=error, notice=notice, status=status)


def take_password(request: Request, form: Form) -> Response:
    """Set another password; the session of this browser goes on."""
    session_of_request(request)
    try:
        require_password_allowed(options_of(request).sign_on_settings)
        with route_store(request) as store:
            change_password(store, request.cookies.get(COOKIE, ""), form.get("old", ""), form.get("new", ""))
    except NotSignedIn:
        raise
    except AnnotatorError as error:
        return _account_page(request, error=said_of(error), status=status_of(error))
    return RedirectResponse("/account?password", 303)


def show_leaving(request: Request) -> Response:
    """Ask first, and say what it means."""
    try:
        return _leave_page(request)
    except NotSignedIn:
        return RedirectResponse("/sign-in?next=%2Faccount", 303)
    except NotFound as error:
        return _account_page(request, error=said_of(error), status=status_of(error))


def _leave_page(request: Request, *, error: str = "", status: int = 200) -> Response:
    with route_store(request) as store:
        user = session_of_request(request).user
        return forms.leave_page(roles_to_leave(store, user, _project_of(request)), error=error, status=status)


def leave(request: Request, _form: Form) -> Response:
    """Leave the project that the address names."""
    user = session_of_request(request).user
    try:
        with route_store(request) as store:
            leave_project(store, user, _project_of(request))
    except NotFound as error:
        return _account_page(request, error=said_of(error), status=status_of(error))
    except AnnotatorError as error:
        return _leave_page(request, error=said_of(error), status=status_of(error))
    return RedirectResponse("/account?left", 303)


def take_language(request: Request, form: Form) -> Response:
    """Say everything in another language, or in that of the browser."""
    wanted = form.get("language", "")
    language = next((known for known in LANGUAGES if known == wanted), None)
    if wanted and language is None:
        raise InvalidValue(unknown(_("language"), wanted[:20], ", ".join(LANGUAGES)))
    user = session_of_request(request).user
    with route_store(request) as store:
        choose_language(store, user, language)
    return RedirectResponse("/account", 303)


def take_data(request: Request) -> Response:
    """Everything about whoever is signed in."""
    try:
        user = session_of_request(request).user
        with route_store(request) as store:
            content = data_of_person(store, user, user.name)
    except NotSignedIn:
        return RedirectResponse("/sign-in?next=%2Faccount", 303)
    headers = {"Content-Disposition": 'attachment; filename="my-data.zip"', "Cache-Control": "no-store"}
    return Response(content, media_type="application/zip", headers=headers)


def _project_of(request: Request) -> int:
    return whole_number(request.query_params.get("project", "")) or 0


routes = [
    Route("/account", show_account, methods=["GET"]),
    Route("/account/password", with_form(take_password, hashes=True), methods=["POST"]),
    Route("/account/leave", show_leaving, methods=["GET"]),
    Route("/account/leave", with_form(leave), methods=["POST"]),
    Route("/account/language", with_form(take_language), methods=["POST"]),
    Route("/account/data", take_data, methods=["GET"]),
]
