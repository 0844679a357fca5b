"""Review: the annotations that wait for my scores."""

from annotator.usecases.project.guidelines import reading_of
from annotator.web import review_panel
from annotator.web.page_parts import asked_annotation, require_project
from annotator.web.session import current_visit, page_store

with page_store() as store:
    visit = current_visit(store)
    project = require_project(visit, "review")
    reading = None if project is None else reading_of(store, visit.user, project)
if project is not None and reading is not None:
    review_panel.review(
        project, visit.user, visit.csrf, reading, start=asked_annotation(), key=f"review_panel_{project.id}"
    )
