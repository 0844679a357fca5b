"""Computing attributions from the page: the same as `annotator attribute`, with the built-in model or one from a folder."""

import streamlit as st

from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.usecases.databases import Store
from annotator.web.frame import as_text
from annotator.web.session import Visit

_SHOWN = 5
_NEXT = "Leaving the page stops it after the texts at hand; what was computed is kept, and computing again goes on from there."


def show(store: Store, visit: Visit, project: Project) -> None:
    """Choose a model and a method; it is computed here, text by text, and stored as it goes."""
    # NumPy and spaCy come with it, and the page is shown without them.
    from annotator.usecases.attributing import AttributingOptions, attribute, offered_methods  # noqa: PLC0415

    methods = offered_methods()
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    model = left.text_input(
        "Model", "built-in", key="compute_model",
        help="built-in: a small classifier of words, trained on this project's gold. Or spacy:FOLDER, transformers:FOLDER.",
    )  # fmt: skip
    method = middle.selectbox("Method", list(methods), format_func=methods.__getitem__, key="compute_method")
    with_faithfulness = right.checkbox(
        "Faithfulness", key="compute_faithfulness",
        help="Also the answers to the rationale alone and to the rest, and at ERASER's five thresholds.",
    )  # fmt: skip
    st.caption(_NEXT)
    if told_before := st.session_state.pop("computed", ""):
        st.success(as_text(told_before), icon=":material/check_circle:")
    if not st.button("Compute", type="primary", key="compute_go", icon=":material/play_arrow:"):
        return
    bar = st.progress(0.0, "Loading the model ...")

    def told(done: int, of: int) -> None:
        bar.progress(done / max(of, 1), f"{done:,} of {of:,} texts")

    try:
        options = AttributingOptions(has_faithfulness=with_faithfulness)
        report = attribute(store, visit.user, project, model.strip(), method, options, progress=told)
    except AnnotatorError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    bar.empty()
    left_out = "".join(f" Left out: {key} ({reason})." for key, reason in report.left_out[:_SHOWN])
    more = f" And {report.n_left_out - _SHOWN:,} more." if report.n_left_out > _SHOWN else ""
    st.session_state["computed"] = (
        f"{report.n_attributions:,} attributions and {report.n_answers:,} answers were computed; {report.n_known:,} texts had "
        f"everything before. Press Measure above to have their numbers.{left_out}{more}"
    )
    st.rerun()
