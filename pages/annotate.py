"""Annotate: the token panel with the work that is mine."""

from annotator.usecases.project.guidelines import reading_of
from annotator.web import token_panel
from annotator.web.page_parts import asked_instance, require_project
from annotator.web.session import current_visit, page_store

with page_store() as store:
    visit = current_visit(store)
    project = require_project(visit, "annotate")
    reading = None if project is None else reading_of(store, visit.user, project)
if project is not None and reading is not None:
    token_panel.mark(
        project, visit.user, visit.csrf, reading, start=asked_instance(), key=f"annotate_panel_{project.id}"
    )
