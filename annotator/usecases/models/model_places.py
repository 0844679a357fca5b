"""Which models may be named on pages. They lie on the server's disk, or at another host: whoever runs the server allows that.

What is typed at the command line is not asked about: whoever sits there reads those places and asks that host anyway.
"""

import os
import re
from pathlib import Path

from annotator.domain.people import User
from annotator.domain.projects import NEWEST_METHODS, NO_METHOD, Project, preview_model_kind
from annotator.errors import InvalidValue, NotAllowed
from annotator.language import _
from annotator.store import Store
from annotator.store.connection.replacement import models_of
from annotator.store.models import list_runs, models_with_own_sets
from annotator.usecases.access.rights import require

HUB_VARIABLE = "ANNOTATOR_ALLOW_MODEL_HUB"
PLACES_VARIABLE = "ANNOTATOR_MODELS"
_OF_TRANSFORMERS = "config.json"  # in the folder of a transformers model, never in that of a built-in one
_YES = frozenset({"1", "true", "yes"})
_IN_FOLDERS = frozenset({"spacy", "transformers", "transformers-zero-shot", "transformers-writing"})
_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")  # of an installed pipeline, or of a model at the hub


def models_folder(store: Store, project: Project) -> Path:
    """Where a project's trained models lie: beside the database, which a backup does not reach."""
    return models_of(store.path) / str(project.id)


def under_way_of(folder: Path) -> Path:
    """Where what is not finished of a transformers model lies until it is: beside the model's folder."""
    return folder.with_name(f"{folder.name}.training")


def spec_of_trained(store: Store, project: Project, model: str) -> str:
    """transformers:FOLDER for the name of a transformers model that was trained in the project; else what was given."""
    folder = models_folder(store, project) / model
    is_name = Path(model).name == model
    return f"transformers:{folder}" if is_name and (folder / _OF_TRANSFORMERS).is_file() else model


def is_hub_allowed() -> bool:
    """Whether models that pages name may be fetched from the Hugging Face hub."""
    return os.environ.get(HUB_VARIABLE, "").lower() in _YES


def require_allowed_place(spec: str, *own_folders: Path) -> None:
    """Raise NotAllowed for a model in a folder outside of those that the server allows; it allows all where it names none.

    own_folders: folders that are allowed whatever the server names, such as that of the models that were trained in the project
    """
    kind, _colon, source = spec.partition(":")
    places = [
        Path(allowed).expanduser().resolve()
        for allowed in os.environ.get(PLACES_VARIABLE, "").split(os.pathsep)
        if allowed
    ]
    if kind not in _IN_FOLDERS or not places:
        return
    folder = Path(source.strip()).expanduser().resolve()
    is_name = _NAME.fullmatch(source.strip()) is not None and not folder.exists()
    allowed_here = (*places, *(folder_of_ours.resolve() for folder_of_ours in own_folders))
    if not is_name and not any(folder.is_relative_to(allowed) for allowed in allowed_here):
        raise NotAllowed(
            _(
                "'{model}' isn't in an allowed folder ({folders}). The operator can extend {variable}.",
                model=source.strip(),
                folders=", ".join(str(allowed) for allowed in places),
                variable=PLACES_VARIABLE,
            )
        )


# What a lead may choose for previews; without NumPy, so that a server checks it that has loaded no model.


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
