"""Which of a project's models can be asked now, about texts that nobody has stored."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotator.attribution.built_in_model import BagOfWords
from annotator.attribution.loaders import BUILT_IN
from annotator.domain.people import User
from annotator.domain.projects import Project, is_folder_named, preview_model_name
from annotator.store import Store
from annotator.store.models import list_models
from annotator.store.trained_models import models_trained, trainings_of
from annotator.usecases.access.rights import require
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


@dataclass(frozen=True, slots=True)
class ModelChoices:
    """The models of a project. specs: how those are named that can be asked, by name; silent: the others that have answers."""

    specs: Mapping[str, str]
    silent: tuple[str, ...]


def model_choices(store: Store, actor: User, project: Project) -> ModelChoices:
    """Whom one may choose to ask: the built-in model first, then those that were trained here, and that of previews."""
    require(store, actor, project.id, "use models")
    with store.snapshot():
        with_answers = list_models(store, project.id)
        trained = [*trainings_of(store, project.id), *sorted(models_trained(store, project.id))]
    preview = project.settings.preview_model
    previewed = [preview_model_name(preview)] if is_folder_named(preview) else []
    specs = {BUILT_IN: BUILT_IN}
    for name in dict.fromkeys((*trained, *with_answers, *previewed)):
        spec = live_model(store, project, name)
        if spec is not None:
            specs[name] = spec if spec.startswith(BUILT_IN) or spec == preview else name
    return ModelChoices(specs, tuple(name for name in with_answers if name not in specs))
