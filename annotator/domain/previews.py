"""What previews of sets may ask: the names of models and methods in a project's settings."""

from typing import Literal

from annotator.errors import InvalidValue
from annotator.language import _

NO_MODEL = "none"
NEWEST_METHODS = "newest"
NO_METHOD = "none"
ModelKind = Literal["none", "built-in", "spacy", "transformers", "transformers-zero-shot"]
USUAL_PROMPT = "{text}\nLabel: {label}"  # of zero-shot models
_FORMS = "none, built-in, built-in:NAME, spacy:FOLDER, transformers:FOLDER or transformers-zero-shot:FOLDER"


def preview_model_kind(spec: str) -> ModelKind:
    """What sort of model a setting names; raises InvalidValue saying what it may be.

    >>> preview_model_kind("transformers:/models/bert"), preview_model_kind("none")
    ('transformers', 'none')
    """
    kind, colon, source = spec.partition(":")
    has_source = bool(source.strip())
    match kind:
        case "none" if not colon:
            return "none"
        case "built-in" if has_source or not colon:
            return "built-in"
        case "spacy" if has_source:
            return "spacy"
        case "transformers" if has_source:
            return "transformers"
        case "transformers-zero-shot" if has_source:
            return "transformers-zero-shot"
    raise InvalidValue(_("'{spec}' names no model that previews can ask. Write {forms}.", spec=spec, forms=_FORMS))


def preview_model_name(spec: str) -> str:
    """What people are shown of a model: never the folder in which it lies.

    >>> preview_model_name("spacy:/srv/models/food"), preview_model_name("built-in:second")
    ('food', 'second')
    """
    kind, _, source = spec.partition(":")
    parts = [part for part in source.replace("\\", "/").split("/") if part.strip()]
    return parts[-1].strip() if parts else kind


def is_folder_named(spec: str) -> bool:
    """Whether a setting names a place on the machine, which means nothing, and tells too much, anywhere else."""
    return preview_model_kind(spec) in {"spacy", "transformers", "transformers-zero-shot"}
