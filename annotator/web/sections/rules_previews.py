"""The rules of previews: who sees what models say of sets, which model is asked, what sets are compared with."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from annotator.domain.projects import NEWEST_METHODS, NO_METHOD, NO_MODEL, PREVIEWS, Previews, Project
from annotator.language import _, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.models.preview_settings import methods_to_compare
from annotator.web.sections.label_pairs import read_pairs, written_pairs
from annotator.web.session import Visit

_WHO: dict[Previews, str] = {
    "nobody": unsaid("nobody"),
    "reviewers": unsaid("reviewers, while they score"),
    "annotators": unsaid("annotators too, while they mark"),
}
_COMPARED = {NEWEST_METHODS: unsaid("the newest methods"), NO_METHOD: unsaid("nothing")}
_HELP_WHO = unsaid(
    "What a model answers for a set alone, for the text without the sets, and for a set without each of its tokens; and how "
    "well the sets fit the attributions. Annotators who see this while they mark may follow the model."
)
_HELP_MODEL = unsaid(
    "none, built-in (a small classifier of words and their parts, trained on this project's labels), or spacy:FOLDER, "
    "transformers:FOLDER or transformers-zero-shot:FOLDER with a folder on the server. Only leads see the name of the folder."
)
_HELP_LABELS = unsaid(
    "If the model has other names for the project's labels; separated by commas. neutral= says that “neutral” is never an "
    "answer. Left empty, what was confirmed under “Compute attributions” holds."
)


def ask_previews(store: Store, visit: Visit, project: Project) -> Callable[[Project], Project]:
    """Shows the fields; the answer writes them into a project, and raises InvalidValue for what cannot be read."""
    settings = project.settings
    st.markdown(_("**Previews by models**"))
    who = st.selectbox(
        _("Who sees what models answer for sets"),
        PREVIEWS,
        PREVIEWS.index(settings.model_previews),
        format_func=lambda who: _(_WHO[who]),
        key=f"rules_previews_{project.id}",
        help=_(_HELP_WHO),
    )
    model = st.text_input(
        _("Model"), settings.preview_model, key=f"rules_preview_model_{project.id}", help=_(_HELP_MODEL)
    )
    left, right = st.columns(2)
    labels = left.text_input(
        _("Its labels, if they differ"),
        written_pairs(settings.preview_labels),
        placeholder="LABEL_0=negative, LABEL_1=positive",
        key=f"rules_preview_labels_{project.id}",
        help=_(_HELP_LABELS),
    )
    methods = methods_to_compare(store, visit.user, project)
    method = right.selectbox(
        _("Compare sets with"), methods, methods.index(settings.preview_method),
        format_func=lambda name: _(_COMPARED[name]) if name in _COMPARED else name, key=f"rules_preview_method_{project.id}",
        help=_("Stored attributions of the text: F1 and IoU with the top k, and average precision."),
    )  # fmt: skip

    prompt, words = _ask_prompt(project)

    def apply(changed: Project) -> Project:
        rules = replace(
            changed.settings, model_previews=who, preview_model=model.strip() or NO_MODEL, preview_labels=read_pairs(labels),
            preview_method=method, preview_prompt=prompt, preview_words=read_pairs(words),
        )  # fmt: skip
        return replace(changed, settings=rules)

    return apply


def _ask_prompt(project: Project) -> tuple[str, str]:
    """What a zero-shot model is asked with."""
    settings = project.settings
    with st.expander(_("Prompt and words of a zero-shot model")):
        prompt = st.text_area(
            _("Prompt"),
            settings.preview_prompt,
            key=f"rules_preview_prompt_{project.id}",
            height=80,
            help=_(
                "Of a causal language model (transformers-zero-shot:FOLDER): what it reads. It holds {text} once and ends with "
                "{label}."
            ),
        )
        words = st.text_input(
            _("Words of labels"), written_pairs(settings.preview_words), placeholder="positive=great, negative=terrible",
            key=f"rules_preview_words_{project.id}", help=_("What a label is called in the prompt; separated by commas."),
        )  # fmt: skip
    return prompt, words
