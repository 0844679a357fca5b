"""Start: what waits for a person, each line a link to where it is done; notices, also by mail; and the projects they lead."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import streamlit as st

from annotator.domain.jobs import JobKind
from annotator.domain.people import NoticeGroup, NoticeKind
from annotator.domain.project.qualification import Audience
from annotator.domain.projects import Project
from annotator.language import _, listed, several, together
from annotator.usecases.annotate.talk import reviewed_annotation
from annotator.usecases.databases import Store
from annotator.usecases.delivery.channels import choose_address, confirm, mail_options, own_address, stop_mail
from annotator.usecases.lead.progress import LATELY_DAYS, Standing, forecast_words, standing
from annotator.usecases.notices.notices import KEPT_DAYS, mark_all_read, read_before, sentence, unread
from annotator.usecases.project.projects import Progress, progress_of
from annotator.usecases.start.overview import PAGE_SIZE, LeadWork, OwnWork, ProjectWork, QuietPerson, Waiting, overview
from annotator.web.buttons import pressed, submitted
from annotator.web.cached_numbers import kept
from annotator.web.frame import READ, as_text, carry_out, link_to, training_words
from annotator.web.page_parts import ask_page
from annotator.web.sections.start import administration
from annotator.web.session import Visit, shown_day, shown_time, visit_zone

# A person's own choice: the day's notices by mail, to an address that they confirm. Only where the server sends mail.


def show_own_mail(store: Store, visit: Visit) -> None:
    """Nothing while mail is off, or for whoever has no account."""
    if visit.user.id is None or not mail_options(store)[1]:
        return
    with st.expander(_("Email notices"), icon=":material/mail:"):
        address = own_address(store, visit.user)
        if address is None:
            st.write(_("Daily notices by mail, after a confirmation code."))
            take = partial(choose_address, store, visit.user)
            _ask("mail_address", _("Your email address"), 254, _("Send code"), take)
        elif address.confirmed_at is None:
            st.write(_("Code sent to {address}, valid for a day.", address=as_text(address.address)))
            _ask("mail_code", _("Code from the mail"), 40, _("Confirm"), partial(confirm, store, visit.user))
            _offer_to_stop(store, visit, _("Use another address"))
        else:
            st.write(
                _(
                    "Daily notices go to {address}, with project names and text IDs, never texts.",
                    address=as_text(address.address),
                )
            )
            _offer_to_stop(store, visit, _("Stop mail"))


def _ask(key: str, title: str, most_characters: int, send: str, take: Callable[[str], object]) -> None:
    """A field with its button; what was typed is taken when it is sent."""
    with st.form(key, border=False):
        field, button = st.columns([4, 1], vertical_alignment="bottom")
        field.text_input(title, key=f"{key}_text", max_chars=most_characters)
        given = submitted(send, container=button, width="stretch", key=f"{key}_send", fields=(f"{key}_text",))
    if given is not None:
        carry_out(lambda: take(given[f"{key}_text"]))


def _offer_to_stop(store: Store, visit: Visit, label: str) -> None:
    if pressed(label, key="mail_stop"):
        carry_out(lambda: stop_mail(store, visit.user))


# What waits for a project's lead, each line a link to the section where it is mended.


_JOB_PAGES: dict[JobKind, str] = {"suite": "tests"}  # the others are asked for, and told of, on Saliency
_NAMED_PEOPLE = 3


def show_lead_work(project: Project, work: LeadWork) -> None:
    """People who wait for an answer first, then what hinders everybody, then what may be looked after."""
    for section, icon, label in _lead_lines(work):
        _link(project, section, icon, label)
    for kind, failed in work.failed:
        label = several("{n} job failed since {day}", "{n} jobs failed since {day}", failed.n, day=_day(failed))
        link_to(_JOB_PAGES.get(kind, "saliency"), label, project_id=project.id, icon=":material/error:")
    if work.release is not None:
        release = as_text(work.release.words)
        label = _("Gold may have changed since {release}: compare", release=release)
        _link(project, "Releases", ":material/inventory_2:", label)


def _lead_lines(work: LeadWork) -> Iterator[tuple[str, str, str]]:
    """Of each line the section that it leads to, its icon and its words."""
    if work.is_empty:
        yield "Import", ":material/upload_file:", _("No texts yet. Import some.")
    if questions := work.questions:
        words = several(
            "{n} open question, oldest since {day}",
            "{n} open questions, oldest since {day}",
            questions.n,
            day=_day(questions),
        )
        yield "Decisions", ":material/help:", words
    if proposals := work.decisions:
        words = several(
            "{n} proposal to decide, oldest since {day}",
            "{n} proposals to decide, oldest since {day}",
            proposals.n,
            day=_day(proposals),
        )
        yield "Decisions", ":material/gavel:", words
    if work.without_tries:
        yield "Training", ":material/school:", _without_tries_words(work.without_tries)
    if n := work.n_stuck_rounds:
        words = several("{n} round is stuck: too few reviewers left", "{n} rounds are stuck: too few reviewers left", n)
        yield "Rounds", ":material/hourglass_disabled:", words
    if n := work.n_stuck_texts:
        words = several(
            "{n} text is stuck: no eligible annotators left", "{n} texts are stuck: no eligible annotators left", n
        )
        yield "Rounds", ":material/hourglass_disabled:", words
    if n := work.n_missing_reviewers:
        words = several("{n} reviewer missing per annotation", "{n} reviewers missing per annotation", n)
        yield "People", ":material/group_add:", words
    if n := work.n_missing_annotators:
        words = several("{n} annotator missing per text", "{n} annotators missing per text", n)
        yield "People", ":material/group_add:", words
    for person in work.quiet:
        yield "Progress", ":material/schedule:", _quiet_words(person)


def _without_tries_words(names: Sequence[str]) -> str:
    """Who has failed the training for good gets no work until the lead says so: named, as they wait for it."""
    shown = [as_text(name) for name in names[:_NAMED_PEOPLE]]
    more = len(names) - len(shown)
    return several(
        "{names} has no training attempts left: grant more",
        "{names} have no training attempts left: grant more",
        len(names),
        names=listed([*shown, *([_("{n} more", n=f"{more:,}")] if more else [])], "and"),
    )


def _quiet_words(person: QuietPerson) -> str:
    return several(
        "{name} has {n} open task, untouched since {day}",
        "{name} has {n} open tasks, untouched since {day}",
        person.n_held,
        name=as_text(person.name),
        day=as_text(shown_day(person.since)),
    )


def _day(waiting: Waiting) -> str:
    return as_text(shown_day(waiting.since))


def _link(project: Project, section: str, icon: str, label: str) -> None:
    link_to("project", label, project_id=project.id, icon=icon, section=section)


# What somebody can do themselves in a project: texts that came back, texts to annotate, to review and to check.


_PAGES: dict[Audience, str] = {"annotators": "annotate", "reviewers": "review"}
_LONGEST_KEY = 40  # characters
_BELOW = ":material/subdirectory_arrow_right:"


def show_own_work(project: Project, work: OwnWork) -> None:
    """A line for each kind of work; for each of the first texts that came back one of its own."""
    if work.n_returned:
        back = several("{n} returned text waits", "{n} returned texts wait", work.n_returned)
        link_to("annotate", back, project_id=project.id, icon=":material/undo:")
        _show_returned(project, work)
    if work.n_versions_back:
        back = several("{n} perturbed version returned", "{n} perturbed versions returned", work.n_versions_back)
        link_to("perturb", back, project_id=project.id, icon=":material/undo:")
    for audience, training in work.trainings:
        if label := training_words(training):
            link_to(_PAGES[audience], label, project_id=project.id, icon=":material/school:")
    if work.n_to_annotate:
        label = several("{n} text to annotate", "{n} texts to annotate", work.n_to_annotate)
        link_to("annotate", label, project_id=project.id, icon=":material/ink_highlighter:")
    if work.n_to_review:
        label = several("{n} annotation to review", "{n} annotations to review", work.n_to_review)
        link_to("review", label, project_id=project.id, icon=":material/rate_review:")
    if work.n_to_check:
        label = several("{n} perturbed version to check", "{n} perturbed versions to check", work.n_to_check)
        link_to("perturb", label, project_id=project.id, icon=":material/edit_note:")


def _show_returned(project: Project, work: OwnWork) -> None:
    """Only where there are several: a single one opens first anyway."""
    if work.n_returned == 1:
        return
    for text in work.texts:
        key = text.key if len(text.key) <= _LONGEST_KEY else f"{text.key[:_LONGEST_KEY]}…"
        label = as_text(_("{key}, since {day}", key=key, day=shown_day(text.since)))
        link_to("annotate", label, project_id=project.id, icon=_BELOW, instance=str(text.instance_id))


# How far the projects are that somebody leads, each with a link to its Progress: shown where nothing waits, too.


def show_standings(store: Store, visit: Visit, projects: Sequence[Project]) -> None:
    """A line a project that has texts."""
    counts = {project.id: progress_of(store, visit.user, project.id) for project in projects}
    begun = [project for project in projects if counts[project.id].n_instances]
    if not begun:
        return
    st.markdown(_("**Your projects' progress**"))
    for project in begun:
        _show_line(store, visit, project, counts[project.id])


def _show_line(store: Store, visit: Visit, project: Project, progress: Progress) -> None:
    zone_name, zone = visit_zone()
    link, words = st.columns([1, 3], gap="small", vertical_alignment="top")
    with link:
        link_to(
            "project", as_text(project.name), project_id=project.id, icon=":material/trending_up:", section="Progress"
        )
    shown = kept(
        store, visit, project, progress, ("standing", zone_name), Standing,
        lambda: standing(store, visit.user, project, zone),
    )  # fmt: skip
    words.caption(_words(shown))


def _words(shown: Standing) -> str:
    done = several("{done} of {n} text done.", "{done} of {n} texts done.", shown.n_instances, done=f"{shown.n_done:,}")
    people = several(
        "{n} person active in the last {days} days.",
        "{n} people active in the last {days} days.",
        shown.n_people,
        days=LATELY_DAYS,
    )
    # That a forecast needs more days is said where one looks for it, on Progress.
    when = "" if shown.forecast.reason == "too few days" else forecast_words(shown.forecast)
    return together(done, when, people)


# Notices: what happened that concerns a person, each line a link; new ones first, and what was read below.


_PAGE_OF_NOTICE: dict[NoticeKind, tuple[str, str]] = {
    "returned": ("annotate", ":material/undo:"),
    "version returned": ("perturb", ":material/undo:"),
    "answer": ("annotate", ":material/forum:"),
    "question": ("project", ":material/help:"),
    "decision": ("annotate", ":material/gavel:"),
    "stuck": ("project", ":material/hourglass_disabled:"),
    "role": ("annotate", ":material/badge:"),
}
_SECTIONS: dict[NoticeKind, str] = {"question": "Decisions", "stuck": "Rounds"}
_PAGES_OF_PARTS = {"reviewer": "review", "researcher": "saliency", "lead": "project"}
_ON_A_TEXT = frozenset({"annotate", "project"})  # pages whose address names an instance


def show_notices(store: Store, visit: Visit) -> None:
    """What is new, with one button for all of it; what was read is folded away."""
    new = unread(store, visit.user)
    if new:
        with st.container(border=True, gap="xxsmall"):
            title, button = st.columns([4, 1], vertical_alignment="center")
            title.markdown(_("**New**"))
            for group in new:
                _show_notice(store, visit, group)
            if pressed(_("Mark all as read"), container=button, key="notices_read", width="stretch"):
                mark_all_read(store, visit.user, max(group.newest_id for group in new))
                st.rerun()
    before = read_before(store, visit.user)
    if before:
        with st.expander(_("Read notices"), icon=":material/drafts:"):
            for group in before:
                _show_notice(store, visit, group)
            st.caption(_("Notices are kept for {n} days.", n=KEPT_DAYS))


def _show_notice(store: Store, visit: Visit, group: NoticeGroup) -> None:
    """A link that opens where the notice belongs, and reads it on the way."""
    path, icon = _PAGE_OF_NOTICE[group.kind]
    if group.kind in {"answer", "role"}:
        path = _PAGES_OF_PARTS.get(group.detail, path)
    query = {} if group.is_read else {READ: str(group.newest_id)}
    if group.kind in _SECTIONS:
        query["section"] = _SECTIONS[group.kind]
    elif group.instance_id is not None and path in _ON_A_TEXT:
        query["instance"] = str(group.instance_id)
    elif group.instance_id is not None and path == "review":
        annotation_id = reviewed_annotation(store, visit.user, group.instance_id)
        query |= {} if annotation_id is None else {"annotation": str(annotation_id)}
    when = shown_time(group.newest_at)
    label = f"{as_text(f'{sentence(group)} · {group.project_name}, {when}')}"
    link_to(path, label, project_id=group.project_id, icon=icon, **query)


def show(store: Store, visit: Visit) -> None:
    """Notices, then what waits; at the end what a person chooses for themselves, and an administrator for the server."""
    st.header(_("Start"), anchor=False)
    with st.container():  # always there: what stands below keeps its place, and stays open, when this comes or goes
        show_notices(store, visit)
    projects, total = overview(store, visit.user, int(st.session_state.get(_PAGE_KEY, 1)))
    with st.container():
        _show_projects(visit, projects, total)
    how_far = st.container()
    for section in (show_own_mail, administration.show):
        with st.container():
            section(store, visit)
    with how_far:  # counted last: nothing else waits for it
        show_standings(store, visit, [work.project for work in projects if work.is_led])


def _show_projects(visit: Visit, projects: list[ProjectWork], total: int) -> None:
    """The projects in which something waits first."""
    if not total:
        if visit.user.is_administrator:
            st.info(_("No projects yet. Create one under Project."), icon=":material/folder_open:")
        else:
            st.info(_("You have no role yet. Ask a lead or administrator."), icon=":material/group:")
        return
    for work in (work for work in projects if work.waits):
        with st.container(border=True, gap="xxsmall"):
            st.markdown(f"**{as_text(work.project.name)}**")
            show_lead_work(work.project, work.lead)
            show_own_work(work.project, work.mine)
    _show_quiet_projects([work.project for work in projects if not work.waits])
    ask_page(-(-total // PAGE_SIZE), key=_PAGE_KEY, width=160)


_PAGE_KEY = "start_page"


def _show_quiet_projects(projects: list[Project]) -> None:
    """Those in which nothing waits, in one line."""
    if not projects:
        return
    names = " · ".join(as_text(project.name) for project in projects)
    st.caption(_("Nothing is waiting for you in {names}.", names=names))
