"""What a person is asked of a model's labels before it is loaded: which of the project's each of them is."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from annotator.attribution.transformers_loading import model_name, stated_labels
from annotator.domain.labels import LabelTable
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import ModelError
from annotator.store import Store
from annotator.store.trained_models import StoredLabelTable
from annotator.usecases.access.rights import require
from annotator.usecases.models.label_tables import ModelLabels, check_table, proposal_of, remembered, stored_table
from annotator.usecases.models.model_places import models_folder, require_allowed_place

_FOREIGN = ("transformers", "spacy")


@dataclass(frozen=True, slots=True)
class LabelQuestion:
    """What is to be said of a model's labels.

    names:     by the model's label the project's that is proposed, or was confirmed; None where nothing is, "" for no answer
    confirmed: by whom and when, where it was
    stored:    the table of what is stored of the model; None where nothing is
    """

    model_labels: ModelLabels
    names: Mapping[str, str | None]
    confirmed: StoredLabelTable | None
    stored: LabelTable | None

    def refusal(self, project: Project, names: Mapping[str, str]) -> str:
        """Why a table cannot be; "" where it can."""
        try:
            check_table(project, self.model_labels, LabelTable(names))
        except ModelError as error:
            return str(error)
        return ""


def are_labels_asked(project: Project, spec: str) -> bool:
    """Whether a model that somebody names may have other labels than the project."""
    kind, _, source = spec.strip().partition(":")
    return kind in _FOREIGN and bool(source.strip()) and project.task.result_kind == "label"


def label_question(store: Store, actor: User, project: Project, spec: str) -> LabelQuestion | None:
    """What is asked of a model's labels. None where nothing is: they are the project's, or known only when it is loaded.

    Raises: NotAllowed for a folder from which the server takes no models, ModelError for one that is no such model
    """
    require(store, actor, project.id, "use models")
    if not are_labels_asked(project, spec):
        return None
    require_allowed_place(spec, models_folder(store, project))
    labels = stated_labels(spec)
    if not labels:
        return None
    model_labels = ModelLabels.of_model(_name_of(spec), labels, spec)
    confirmed = remembered(store, project, model_labels)
    if confirmed is None and set(labels) <= set(project.labels):
        return None
    known: dict[str, str | None] = {label: label if label in project.labels else None for label in labels}
    names = proposal_of(project, model_labels, known)
    if confirmed is not None:
        names = {label: confirmed.names[label] for label in labels}
    return LabelQuestion(model_labels, names, confirmed, stored_table(store, project, model_labels))


def are_labels_hidden(project: Project, spec: str) -> bool:
    """Whether a model's labels are known only when it is loaded, as of one that lies in no folder here."""
    return are_labels_asked(project, spec) and stated_labels(spec) is None


def _name_of(spec: str) -> str:
    kind, _, source = spec.strip().partition(":")
    return model_name(source.strip()) if kind == "transformers" else Path(source.strip()).name
