"""The long work of a project: what runs and waits, with a way to stop it, and what came of the last."""

import streamlit as st

from annotator.domain.jobs import Job, JobKind
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.language import _, unsaid
from annotator.usecases.background import may_stop, queue_of, stop_job, title_in_words
from annotator.usecases.databases import Store
from annotator.web.frame import as_text
from annotator.web.page_parts import shown_time
from annotator.web.presses import pressed
from annotator.web.session import Visit, current_visit, page_store

_LOOKS_EVERY = 1.0  # seconds, while something runs
_KEPT = unsaid("What is stored by then is kept; if you ask again, it goes on from there.")
_KEPT_OF_TRAININGS = unsaid(
    "Whole epochs are kept; if you ask again with the same settings, it goes on after the last of them."
)
_ICONS = {"done": ":material/check_circle:", "failed": ":material/error:", "stopped": ":material/stop_circle:"}


def show_open(store: Store, visit: Visit, project: Project, where: str = "") -> bool:
    """What runs and waits, kept up to date while one looks; answers whether there is anything. The page runs anew at its end.

    where: names a second place of a page where it is shown, too
    """
    jobs = queue_of(store, visit.user, project).open
    if jobs:
        _open_jobs(project, where)
    return bool(jobs)


@st.fragment(run_every=_LOOKS_EVERY)
def _open_jobs(project: Project, where: str) -> None:
    with page_store() as store:
        visit = current_visit(store)
        jobs = queue_of(store, visit.user, project).open
        for job in jobs:
            _show_one(store, visit, project, job, where)
    if not jobs:
        st.rerun(scope="app")


def _show_one(store: Store, visit: Visit, project: Project, job: Job, where: str) -> None:
    bar, button = st.columns([6, 1], vertical_alignment="center")
    bar.progress(min(job.n_done / max(job.n_of, 1), 1.0), as_text(_how_far(job)))
    if not may_stop(store, visit.user, job):
        return
    if pressed(_("Stop"), container=button, key=f"stop_job_{where}{job.id}", width="stretch", disabled=job.wants_stop,
                     help=_(_KEPT_OF_TRAININGS if job.kind == "train" else _KEPT)):  # fmt: skip
        try:
            stop_job(store, visit.user, project, job.id)
        except AnnotatorError as error:
            st.error(as_text(str(error)), icon=":material/error:")


def _how_far(job: Job) -> str:
    if job.state == "waiting":
        return _("{job}: waiting for its turn", job=title_in_words(job))
    if job.wants_stop:
        if job.kind == "train":
            return _("{job}: stopping after the current step", job=title_in_words(job))
        return _("{job}: stopping after the current texts", job=title_in_words(job))
    if job.n_of == 0:
        return _("{job}: starting", job=title_in_words(job))
    if job.kind == "train":
        return _("{job}: step {n} of at most {all}", job=title_in_words(job), n=f"{job.n_done:,}", all=f"{job.n_of:,}")
    return _("{job}: {n} of {all}", job=title_in_words(job), n=f"{job.n_done:,}", all=f"{job.n_of:,}")


def show_ended(store: Store, visit: Visit, project: Project) -> None:
    """What came of the last work, the latest first."""
    for job in queue_of(store, visit.user, project).ended:
        show_line(job)


def show_line(job: Job) -> None:
    """What came of a job that ended."""
    when = shown_time(job.ended_at) if job.ended_at else ""
    st.markdown(f"{_ICONS[job.state]} {as_text(f'{title_in_words(job)} ({job.asked_by_name}, {when}): {job.told}')}")


def ended(store: Store, visit: Visit, project: Project, kind: JobKind | None = None) -> tuple[Job, ...]:
    """The last work that ended, the latest first. kind: of one kind alone."""
    return queue_of(store, visit.user, project, kind).ended


def last_ended(store: Store, visit: Visit, project: Project) -> str:
    """What changes whenever long work has ended; "" before the first."""
    return next((f"{job.id} {job.ended_at}" for job in queue_of(store, visit.user, project).ended), "")
