"""The sidebar and the start page count the same work for the same person."""

from collections.abc import Callable

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.usecases.access.rights import roles_in
from annotator.usecases.annotate.work import next_work
from annotator.usecases.start.overview import overview
from annotator.web.frame import waiting_line


def test_of_a_lead_both_count_only_what_they_hold_themselves(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:
    project = make_project(reviewers_per_annotation=1)
    import_rows(project, [{"id": f"t{n}", "text": "Never again.", "label": "negative"} for n in range(9)])
    lead = add_person("lea", project, "lead")

    def counts() -> tuple[int, str]:
        [work] = overview(store, lead)[0]
        return work.mine.n_to_annotate, waiting_line(store, lead, project, roles_in(store, lead, project.id))

    assert counts() == (0, "")
    next_work(store, lead, project.id)
    n_held, line = counts()
    assert line == f"{n_held} to annotate"
    assert 0 < n_held < 9
