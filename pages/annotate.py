"""Annotate: the token panel with the work that is mine, or the training that comes before it."""

from annotator.web import components
from annotator.web.page_parts import asked_instance, require_project
from annotator.web.sections.training import trainee
from annotator.web.session import current_visit, page_store

with page_store() as store:
    visit = current_visit(store)
    project = require_project(visit, "annotate")
    begun = None if project is None else trainee.begin_work(store, visit, project, "annotators", asked_instance())
if project is not None and begun is not None:
    reading, training = begun
    if training.stage == "open":
        trainee.show_text(visit, project, reading, training)
    else:
        components.mark(
            project, visit.user, visit.csrf, reading, start=asked_instance(), key=f"annotate_panel_{project.id}"
        )
