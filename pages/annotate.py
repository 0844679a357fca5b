"""Annotate: the token panel with the work that is mine, or the training that comes before it."""

from annotator.usecases.project.guidelines import reading_of
from annotator.usecases.qualification.attempts import training_of
from annotator.web import components
from annotator.web.page_parts import asked_instance, has_begun, require_project
from annotator.web.sections.training import trainee
from annotator.web.session import current_visit, page_store

with page_store() as store:
    visit = current_visit(store)
    project = require_project(visit, "annotate")
    reading = None if project is None else reading_of(store, visit.user, project)
    training = None if project is None else training_of(store, visit.user, project, "annotators")
    if project is not None and not has_begun(store, visit, project, "annotator", asked_instance()):
        training = None
    if project is not None and training is not None:
        trainee.show(store, visit, project, "annotators", training)
if project is not None and reading is not None and training is not None:
    if training.stage == "open":
        trainee.show_text(visit, project, reading, training)
    elif training.stage in {"none", "finish"}:
        components.mark(
            project, visit.user, visit.csrf, reading, start=asked_instance(), key=f"annotate_panel_{project.id}"
        )
