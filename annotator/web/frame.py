"""What surrounds every page: who may see which, the sidebar, and errors as sentences."""

import datetime as dt
import logging
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import NoReturn

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from annotator.domain.numbers import whole_number
from annotator.domain.people import Role, User, has_right, role_name
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError, NotAllowed, NotSignedIn, NotWritable
from annotator.files import resource_folder
from annotator.language import _, listed, several
from annotator.usecases.access.rights import roles_anywhere, roles_in, roles_with
from annotator.usecases.annotate.talk import count_waiting
from annotator.usecases.databases import Store
from annotator.usecases.notices.notices import count_unread, mark_read
from annotator.usecases.perturb.audits import count_to_audit
from annotator.usecases.project.projects import projects_of
from annotator.usecases.start.overview import Training, own_work_in
from annotator.web.addresses import at
from annotator.web.navigation import PAGES, START, PageEntry, first_page_for, page_at, pages_for
from annotator.web.session import Visit, current_session, last_project_id, note_page, page_store, start_visit

_LOG = logging.getLogger(__name__)
CONFIRMED = "confirmed"  # in the session: what the next run of the page says was done
_PROJECT_KEY = "sidebar_project"
_PROJECT_PARAMETER = "project"
READ = "notice"  # of an address: the notice that its link was beside
_LINK_STYLE = "color: inherit"
_QUIET_STYLE = "opacity: .72; font-size: .875rem; margin-top: .5rem"
_LONGEST_SHOWN = 40  # characters of an address
_READ_AT_A_GLANCE = 40  # characters of what is said for a moment
_FITS_THE_BOX = 16  # characters of a project's name


def show() -> None:
    """Run the page that was asked for, inside its frame."""
    try:
        with page_store() as store:
            run_page = _enter(store)
        if CONFIRMED in st.session_state:
            confirm(**st.session_state.pop(CONFIRMED))
        run_page()
    except NotSignedIn as error:
        _show_signed_out(error)
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")


def _enter(store: Store) -> Callable[[], None]:
    """What runs the page. An address that names no project of the person's opens none: it is said, and theirs are offered."""
    session = current_session(store)
    projects = {project.id: project for project in projects_of(store, session.user)}
    _read_notice(store, session.user)
    n_new = count_unread(store, session.user)
    page = _navigation(session.user, roles_anywhere(store, session.user), has_projects=bool(projects), n_new=n_new)
    is_known, project = _find_project(projects)
    # The browser's tab names page and project; a screen with a text puts the text's key before them (panel/shared/streamlit.js).
    st.set_page_config(page_title=" · ".join([page.title, *([project.name] if project else [])]))
    roles = roles_in(store, session.user, project.id) if project else frozenset()
    start_visit(Visit(session.user, session.csrf, project, roles))
    note_page(page.url_path, project.id if project else None)
    if session.user.is_worker:
        with st.sidebar:
            _show_worker(session.user)
        return page.run
    waiting = waiting_line(store, session.user, project, roles) if project else ""
    with st.sidebar:
        _show_choice(projects, project)
        _show_person(session.user, roles)
        if waiting:
            st.caption(as_text(waiting))
        _show_sign_out()
    return page.run if is_known else partial(_offer_projects, projects)


def _show_choice(projects: Mapping[int, Project], project: Project | None) -> None:
    if not projects:
        return
    st.session_state[_PROJECT_KEY] = project.id if project else None
    # Without a project nothing is chosen; else Streamlit would offer to take the choice back.
    at_work = [number for number, other in projects.items() if not other.is_archived or other == project]
    st.selectbox(
        _("Project"), at_work, index=0 if project else None, format_func=lambda number: projects[number].name,
        key=_PROJECT_KEY, on_change=_follow_choice, placeholder=_("Choose a project"), help=_whole_name(project)
    )  # fmt: skip
    _show_archived({number: other for number, other in projects.items() if number not in at_work})


def _whole_name(project: Project | None) -> str | None:
    """Of a project whose name is cut off in the box."""
    return as_text(project.name) if project is not None and len(project.name) > _FITS_THE_BOX else None


def _show_archived(archived: Mapping[int, Project]) -> None:
    if not archived:
        return
    with st.expander(_("Archived projects"), icon=":material/archive:"):
        for number, project in archived.items():
            st.button(
                as_text(project.name), key=f"archived_{number}", type="tertiary", on_click=_open_project, args=(number,)
            )


def _offer_projects(projects: Mapping[int, Project]) -> None:
    """Instead of the page, where the address names no project of the person's."""
    wanted = as_text(st.query_params[_PROJECT_PARAMETER][:_LONGEST_SHOWN])
    st.error(_no_such_project(wanted, has_others=bool(projects)), icon=":material/error:")
    for number, project in projects.items():
        st.button(as_text(project.name), key=f"offered_{number}", on_click=_open_project, args=(number,))


def _no_such_project(wanted: str, *, has_others: bool) -> str:
    if has_others:
        return _("No project “{number}”, or no role in it. Open another:", number=wanted)
    return _("No such project, or you have no role in it. Ask its lead.")


def _read_notice(store: Store, user: User) -> None:
    """A link beside a notice names it: whoever follows it has read it."""
    number = whole_number(st.query_params.pop(READ, ""))
    if number:
        with suppress(NotWritable):  # the page itself can be shown all the same
            mark_read(store, user, number)


def _navigation(user: User, roles: frozenset[Role], *, has_projects: bool, n_new: int) -> StreamlitPage:
    allowed = pages_for(user, roles)
    pages = [_page(entry, _title_with_news(entry, n_new)) for entry in allowed]
    refused = [_refusing_page(entry) for entry in PAGES if entry not in allowed]
    # Always the same hidden page at "/": else the first page of each person would lose its own address.
    entry = first_page_for(user, roles, has_projects=has_projects)
    first = None if entry is None else pages[allowed.index(entry)]
    start = st.Page(partial(_start, first), title=_("Start"), url_path="entry", default=True, visibility="hidden")
    return st.navigation([start, *pages, *refused], position="sidebar" if pages else "hidden")


def link_to(path: str, label: str, *, project_id: int, icon: str | None = None, **query: str) -> None:
    """A link to a page of a project, and to a thing on it; the label as Markdown, so what people named goes through as_text."""
    st.page_link(
        _page(page_at(path)), label=label, icon=icon, query_params={_PROJECT_PARAMETER: str(project_id), **query}
    )


def _title_with_news(entry: PageEntry, n_new: int) -> str:
    """The start page says in the sidebar how many lines of notices are new."""
    if entry is not START or not n_new:
        return _(entry.title)
    return _("{page} ({n} new)", page=_(entry.title), n=f"{n_new:,}")


def _page(entry: PageEntry, title: str = "") -> StreamlitPage:
    path = resource_folder("pages") / entry.file
    return st.Page(path, title=title or _(entry.title), icon=entry.icon, url_path=entry.path)


def _refusing_page(entry: PageEntry) -> StreamlitPage:
    """The address of a page that the person may not see: a sentence instead of Streamlit's "Page not found"."""
    return st.Page(partial(_refuse, entry), title=_(entry.title), url_path=entry.path, visibility="hidden")


def _refuse(entry: PageEntry) -> None:
    roles = dict.fromkeys(role for right in entry.rights for role in roles_with(right))
    raise NotAllowed(
        _(
            "{page} needs a role ({roles}). Ask a lead.",
            page=_(entry.title),
            roles=listed([role_name(role) for role in roles], "or"),
        )
    )


def _start(first: StreamlitPage | None) -> None:
    if first is not None:
        st.switch_page(first)
    st.title(_("Nothing here"), anchor=False)
    st.write(_("Ask a lead for the annotator role."))


def _find_project(by_id: dict[int, Project]) -> tuple[bool, Project | None]:
    """Whether the address can be followed, and where: the project it names; if none, the last one of this tab, or the first."""
    wanted = st.query_params.get(_PROJECT_PARAMETER)
    if wanted is not None:
        project = by_id.get(whole_number(wanted) or 0)
        return project is not None, project
    if not by_id:
        return True, None
    at_work = (project for project in by_id.values() if not project.is_archived)
    chosen = by_id.get(last_project_id() or 0) or next(at_work, None) or next(iter(by_id.values()))
    st.query_params[_PROJECT_PARAMETER] = str(chosen.id)
    return True, chosen


def _follow_choice() -> None:
    _open_project(st.session_state[_PROJECT_KEY])


def _open_project(number: int) -> None:
    st.query_params.from_dict({_PROJECT_PARAMETER: str(number)})


def _show_person(user: User, roles: frozenset[Role]) -> None:
    held: list[Role] = sorted(roles)
    held += ["administrator"] if user.is_administrator else []
    names = listed([role_name(role) for role in held]) or _("no role here")
    st.markdown(f"**{as_text(user.name)}**  \n{names}")


def _show_worker(user: User) -> None:
    """Who came in by a recruitment link has one page and one project: a name that was drawn, and the way out."""
    st.markdown(f"**{as_text(user.name)}**")
    st.html(_link_html("/crowd/end", _("My progress, or stop")))


def _show_sign_out() -> None:
    links = (("/account", _("My account")), ("/sign-out", _("Sign out")))
    hint = f'<div style="{_QUIET_STYLE}">{_("Ctrl+K: go to …")}</div>'
    st.html(" · ".join(_link_html(address, label) for address, label in links) + hint)


def _link_html(address: str, label: str) -> str:
    """A link within the tab, which st.link_button would open in another. There is nothing of anybody's in this HTML."""
    return f'<a href="{at(address)}" target="_self" style="{_LINK_STYLE}">{label}</a>'


def waiting_line(store: Store, user: User, project: Project, roles: frozenset[Role]) -> str:
    """What waits for a person in a project, in a few words."""
    if project.is_archived:
        return _("archived")
    work = own_work_in(store, user, project, roles)
    parts = [words for _audience, training in work.trainings if (words := training_words(training))]
    before = {audience for audience, _training in work.trainings}
    parts += [_("{n} returned", n=f"{work.n_returned:,}")] if work.n_returned else []
    if work.n_to_annotate or ("annotator" in roles and "annotators" not in before):
        parts.append(_("{n} to annotate", n=f"{work.n_to_annotate:,}"))
    is_reviewed = project.settings.reviewers_per_annotation > 0
    if work.n_to_review or ("reviewer" in roles and is_reviewed and "reviewers" not in before):
        parts.append(_("{n} to review", n=f"{work.n_to_review:,}"))
    parts += [_("{n} to check", n=f"{work.n_to_check:,}")] if work.n_to_check else []
    if back := work.n_versions_back:
        parts.append(several("{n} perturbed version returned", "{n} perturbed versions returned", back))
    if has_right(user, roles, "annotate") or has_right(user, roles, "review"):
        n_to_audit = count_to_audit(store, user, project.id)
        parts += [_("{n} to audit", n=f"{n_to_audit:,}")] if n_to_audit else []
    if has_right(user, roles, "manage project") and (n_questions := count_waiting(store, project)):
        parts.append(several("{n} question to answer", "{n} questions to answer", n_questions))
    return " · ".join(parts)


def training_words(training: Training) -> str:
    """What comes before somebody's work; "" while they still hold some, which comes first."""
    match training.stage:
        case "begin":
            return several("Training first: {n} text", "Training first: {n} texts", training.of)
        case "open" | "feedback":
            return _("Training: text {number} of {all}", number=training.number, all=training.of)
        case "failed":
            return _("No training attempts left. Ask the lead.")
        case "no texts":
            return _("No training texts left. Tell the lead.")
    return ""


def as_text(text: str) -> str:
    r"""Text of a person or a file so that Streamlit's Markdown shows it as it is, in labels too.

    A backslash is enough for Markdown itself. What Streamlit puts in later (links for addresses, icons for :material/…:,
    → for ->) does not see it, and is kept off by an empty piece that parts the text and is not seen.

    >>> print(as_text("*a* [b](c) $x$ :d: <e>"))
    \*a\* \[b\]\(c\) \$x\$ \::small[]d\: \<e\>
    """
    parts = _INSERTED_LATER.split(_LINE_BEGIN.sub(r"\1", text))
    return _NOTHING_SEEN.join(_MARKDOWN.sub(r"\\\1", part) for part in parts)


class refusals_shown:  # noqa: N801  (used as a function: with refusals_shown(): ...)
    """What the block asks for may be refused: the reason is shown where the block stands, and the script goes on after it."""

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> bool:
        if not isinstance(error, AnnotatorError):
            return False
        words = str(error).replace("`annotator split`", _("“Assign splits” under Texts"))  # as commands name it
        st.error(as_text(words), icon=":material/error:")
        return True


def confirm(words: str, *, is_kept: bool = False) -> None:
    """Say for a moment what was done; is_kept: until it is closed, as of what one may want to write down."""
    seconds = 10 if len(words) > _READ_AT_A_GLANCE else 4
    st.toast(as_text(words), icon=":material/check:", duration="infinite" if is_kept else seconds)


def confirm_and_rerun(words: str, *, is_kept: bool = False) -> NoReturn:
    """Run the page again, and say then what was done: what is said before is seldom seen."""
    st.session_state[CONFIRMED] = {"words": words, "is_kept": is_kept}
    st.rerun()


def carry_out(action: Callable[[], object], done: str = "") -> None:
    """Do it, run the script again, and say it; where it is refused the reason is shown."""
    with refusals_shown():
        action()
        confirm_and_rerun(done) if done else st.rerun()


_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&=])")
_LINE_BEGIN = re.compile(r"(^|\n)[ \t]+")  # four blanks would make it a piece of code
_INSERTED_LATER = re.compile(
    r"(?<=:)(?=[\w+/-])"  # :material/home:, :smile:, https://
    r"|(?=@)|(?<=www)(?=\.)"  # other addresses
    r"|(?<=<)(?=[-=])|(?<=-)(?=[->])|(?<=[>~])(?==)",  # <- <-> <= -- -> >= ~=
    re.IGNORECASE,
)
_NOTHING_SEEN = ":small[]"


def _show_signed_out(error: NotSignedIn) -> None:
    st.warning(as_text(str(error)), icon=":material/lock:")
    st.html(_link_html("/sign-in", _("Sign in")))


def report_defect(error: Exception) -> bool:
    """A defect of the program: Streamlit writes its trace to the log, the person sees a sentence with the time."""
    moment = dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    _LOG.error("A page failed at %s with the error traced above: %s", moment, type(error).__name__)
    st.error(
        _("Error at {time}. Saved work is safe. Reload, or tell your administrator.", time=as_text(moment)),
        icon=":material/error:",
    )
    return True
