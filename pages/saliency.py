"""Saliency: what models look at, beside the gold."""

import streamlit as st

from annotator.domain.people import has_right
from annotator.language import _
from annotator.usecases.inspect.saliency import lacks_models
from annotator.web import components
from annotator.web.buttons import why_at_rest, work_of
from annotator.web.frame import as_text, refusals_shown
from annotator.web.page_parts import asked_instance, require_project
from annotator.web.sections import computation, new_models
from annotator.web.sections import computation as jobs
from annotator.web.sections import new_models as built_in_offer
from annotator.web.sections.computation import offer_to_measure
from annotator.web.sections.self_explanations import prompts
from annotator.web.sections.transfer import file_import
from annotator.web.session import current_visit, page_store

READS = ("stop_job_",)
ended = ""
with page_store() as store:
    visit = current_visit(store)
    project = require_project(visit, "use models")
    if project is not None:
        # The container is always there: what stands below keeps its place, and so its state, when this changes.
        with st.container(key="above_maps"), work_of(project, reads=READS):
            if reason := why_at_rest(project):
                st.info(as_text(reason), icon=":material/archive:")
            if not jobs.show_open(store, visit, project):
                offer_to_measure(store, visit, project)
                if lacks_models(store, visit.user, project):
                    built_in_offer.offer(store, visit, project, where="top")
        ended = jobs.last_ended(store, visit, project)
if project is not None:
    components.saliency(
        project.id,
        visit.user.id,
        visit.csrf,
        start=asked_instance(),
        measured=ended,
        may_import=has_right(visit.user, visit.roles, "manage project"),
        may_write=has_right(visit.user, visit.roles, "annotate") and not project.is_archived,
        labels=project.labels if project.task.result_kind == "label" and not project.is_archived else (),
        at_rest=why_at_rest(project),
        key=f"saliency_{project.id}",
    )
    with (
        work_of(project, reads=READS),
        st.expander(_("Add predictions, models and attributions"), icon=":material/add:", key="add_models"),
    ):
        with (
            st.expander(_("Import predictions and attributions"), icon=":material/upload_file:"),
            page_store() as store,
            refusals_shown(),
        ):
            file_import.show_output(store, visit, project)
        # These two tell whether they are open, so that a button in the one can open the other.
        trains = st.expander(_("Train a model"), icon=":material/model_training:", key="train_open", on_change="rerun")
        with trains, page_store() as store, refusals_shown():
            new_models.show(store, visit, project, is_open=bool(trains.open))
        computes = st.expander(
            _("Compute attributions"), icon=":material/calculate:", key="compute_open", on_change="rerun"
        )
        with computes, page_store() as store, refusals_shown():
            computation.show(store, visit, project)
        asks = st.expander(_("Ask a model for self-explanations"), icon=":material/format_quote:")
        with asks, page_store() as store, refusals_shown():
            prompts.show(store, visit, project)
