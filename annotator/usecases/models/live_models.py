"""Which of the models whose output is stored can be asked now, about texts that nobody has stored."""

from annotator.attribution.bag_of_words import BagOfWords
from annotator.attribution.loaders import BUILT_IN
from annotator.domain.previews import is_folder_named, preview_model_name
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.usecases.models.built_in_model import is_model_name
from annotator.usecases.models.model_places import models_folder


def live_model(store: Store, project: Project, model: str) -> str | None:
    """How a stored model is loaded (`preview_models.asking`): one that was trained here, or the model of previews; else None."""
    folder = models_folder(store, project) / model if is_model_name(model) else None
    if folder is not None and BagOfWords.is_saved(folder):
        return BUILT_IN if model == BUILT_IN else f"{BUILT_IN}:{model}"
    if folder is not None and (folder / "config.json").is_file():
        return f"transformers:{folder}"
    preview = project.settings.preview_model
    return preview if is_folder_named(preview) and preview_model_name(preview) == model else None
