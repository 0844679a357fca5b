"""Metrics: every number of the project's models, beside each other and instance by instance."""

from annotator.web.page_parts import require_project
from annotator.web.sections.metrics import page
from annotator.web.session import current_visit, page_store

with page_store() as store:
    visit = current_visit(store)
    project = require_project(visit, "use models")
    if project is not None:
        page.show(store, visit, project)
