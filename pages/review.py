"""Review: the annotations that wait for my scores, or the training that comes before them."""

from annotator.web import components
from annotator.web.page_parts import asked_annotation, require_project
from annotator.web.sections.training import trainee
from annotator.web.session import current_visit, page_store

with page_store() as store:
    visit = current_visit(store)
    project = require_project(visit, "review")
    begun = None if project is None else trainee.begin_work(store, visit, project, "reviewers", asked_annotation())
if project is not None and begun is not None:
    reading, training = begun
    if training.stage == "open":
        trainee.show_scored_text(visit, project, reading, training)
    else:
        components.review(
            project, visit.user, visit.csrf, reading, start=asked_annotation(), key=f"review_panel_{project.id}"
        )
