"""What tests of recruitment links share: a link that is open, and a worker who does texts."""

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.recruitment import LinkRules, RecruitmentLink
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.store import Store
from annotator.usecases.access.accounts import session_of
from annotator.usecases.annotate.work import next_work, submit
from annotator.usecases.crowd.recruitment_links import make_recruitment_link, set_link_state
from annotator.usecases.crowd.visits import Entry, come_in

MARKED = Draft(None, (RationaleSet.of((0, 2)),), "", no_rationale=False)


def open_recruitment_link(store: Store, project: Project, **rules: object) -> RecruitmentLink:
    """A link of two texts by which ten may come."""
    given = {"name": "Pilot", "most_workers": 10, "quota": 2, "parameter": "PROLIFIC_PID", **rules}
    link = make_recruitment_link(store, LOCAL_OPERATOR, project.id, LinkRules(**given))  # type: ignore[arg-type]
    return set_link_state(store, LOCAL_OPERATOR, link.id, "open")


def enter(store: Store, link: RecruitmentLink, platform_id: str = "5f1a") -> tuple[Entry, User]:
    """Somebody whom the platform calls so comes in."""
    entry = come_in(store, link.token, platform_id)
    return entry, session_of(store, entry.token).user


def do_texts(store: Store, user: User, project: Project, n: int) -> None:
    """Mark and submit the next texts."""
    for _ in range(n):
        work = next_work(store, user, project.id).work
        assert work is not None
        submit(store, user, work.assignment.id, work.assignment.revision, MARKED, is_confirmed=True)
