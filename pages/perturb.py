"""Perturb: changed versions of texts, written and checked."""

from annotator.web import perturb_panel
from annotator.web.page_parts import require_project
from annotator.web.session import current_visit, page_store

with page_store() as store:
    visit = current_visit(store)
project = require_project(visit, "annotate", "review")
if project is not None:
    perturb_panel.perturb(project.id, visit.user.id, visit.csrf, key=f"perturb_panel_{project.id}")
