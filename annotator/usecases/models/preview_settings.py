"""What a lead may choose for previews; without NumPy, so that a server checks it that has loaded no model."""

from pathlib import Path

from annotator.domain.people import User
from annotator.domain.projects import NEWEST_METHODS, NO_METHOD, Project, preview_model_kind
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.store import Store
from annotator.store.models import list_runs, models_with_own_sets
from annotator.usecases.access.rights import require
from annotator.usecases.models.model_places import models_folder, require_allowed_place

_HOLDS = {"spacy": "config.cfg", "transformers": "config.json", "transformers-zero-shot": "config.json"}


def folder_of_model(spec: str) -> Path:
    """The folder of a setting such as spacy:FOLDER or transformers:FOLDER."""
    return Path(spec.partition(":")[2].strip()).expanduser().absolute()


def check_preview_model(store: Store, project: Project, spec: str) -> None:
    """Raise InvalidValue, saying what is missing, unless the folder that a setting names holds such a model.

    Models that were trained in the project may be chosen wherever the server takes models from.

    Names of installed or published models are not taken: the first who asks would wait for a download.
    """
    kind = preview_model_kind(spec)
    if kind not in _HOLDS:
        return
    require_allowed_place(spec, models_folder(store, project))
    folder = folder_of_model(spec)
    if not folder.is_dir():
        raise InvalidValue(_("No folder '{folder}' for preview model '{spec}'.", folder=folder, spec=spec))
    if not (folder / _HOLDS[kind]).is_file():
        raise InvalidValue(
            _("'{folder}' has no {kind} model: {holds} is missing.", folder=folder, kind=kind, holds=_HOLDS[kind])
        )


def check_preview_prompt(project: Project) -> None:
    """Raise InvalidValue for a prompt, or words of labels, by which a zero-shot model cannot be asked."""
    settings = project.settings
    if preview_model_kind(settings.preview_model) == "transformers-zero-shot":
        from annotator.attribution.transformers_prompts import Prompt  # noqa: PLC0415  (NumPy)

        Prompt.of(settings.preview_prompt, project.labels, settings.preview_words)


def methods_to_compare(store: Store, actor: User, project: Project) -> list[str]:
    """What sets may be compared with: the newest methods, none, or one of those that the project has attributions of."""
    require(store, actor, project.id, "manage project")
    methods = sorted({stored.run.method for stored in list_runs(store, project.id) if stored.run.method})
    return list(dict.fromkeys((NEWEST_METHODS, NO_METHOD, *methods, project.settings.preview_method)))


def models_with_sets(store: Store, actor: User, project: Project) -> list[str]:
    """The models whose own sets were looked for in a project."""
    require(store, actor, project.id, "export")
    return models_with_own_sets(store, project.id)
