"""What a project calls the labels of a model: proposed, confirmed by a person, and remembered from then on.

A table is remembered for its model, and for other models that learned from the same project. What is stored of a model is all of
one table: another one is refused until that is deleted.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.attribution.model_specs import model_name, stated_labels
from annotator.domain.labels import LabelTable, not_given_words, proposed_names
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError
from annotator.language import _, together
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.models import has_outputs
from annotator.store.suites import has_computed
from annotator.store.trained_models import MAP_LABELS, StoredLabelTable, list_label_tables
from annotator.training.card import Card
from annotator.usecases.access.rights import require
from annotator.usecases.models.model_places import models_folder, require_allowed_place

_OPEN = "?"  # what is to be written in its place
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class ModelLabels:
    """Whose labels are asked about.

    whose:      in words, such as “the model 'sst'”
    model:      its name; "" for models that are not kept
    learned_in: the project that it learned from; "" where that is not known
    """

    whose: str
    labels: tuple[str, ...]
    model: str = ""
    learned_in: str = ""

    def is_of(self, stored: StoredLabelTable) -> bool:
        """Whether a table was confirmed for the very model, or for those that are not kept and learn from the same project."""
        return stored.model == self.model and (bool(self.model) or stored.learned_in == self.learned_in)

    @staticmethod
    def of_model(model: str, labels: Sequence[str], spec: str = "") -> "ModelLabels":
        """spec: what names the model; its folder may hold a card that says where it learned."""
        return ModelLabels(_("the model '{model}'", model=model), tuple(labels), model, learned_in(spec))


def learned_in(spec: str) -> str:
    """The name of the project that a model of this program learned from; "" where no card tells it."""
    kind, _other, source = spec.partition(":")
    card = Card.read(Path(source.strip()).expanduser()) if kind == "transformers" else None
    return "" if card is None else str(card.data.get("project", ""))


def remembered(store: Store, project: Project, model_labels: ModelLabels) -> StoredLabelTable | None:
    """What was confirmed last for a model, else for another that learned from the same project.

    None where nothing was, or where labels of the model or of the project have changed since.
    """
    tables = [
        table
        for table in list_label_tables(store, project.id)
        if set(table.labels) == set(project.labels) and set(model_labels.labels) <= table.names.keys()
    ]
    of_model = [table for table in tables if model_labels.is_of(table)]
    related = [table for table in tables if model_labels.learned_in and table.learned_in == model_labels.learned_in]
    return next(iter((*of_model, *related)), None)


def confirmed_table(
    store: Store, project: Project, model_labels: ModelLabels, renamed: Mapping[str, str]
) -> LabelTable:
    """What the project calls the labels of a model: as it is said now, else as it was confirmed before, else by equal names.

    renamed: by the model's label the project's; "" for one that is never an answer
    Raises: ModelError with a proposal where that leaves a label without a name; where two labels would be one
    """
    _check_renamed(project, model_labels, renamed)
    stored = None if renamed else remembered(store, project, model_labels)
    names: dict[str, str | None] = {label: renamed.get(label) for label in model_labels.labels}
    if stored is not None:
        names = {label: stored.names[label] for label in model_labels.labels}
    for label in model_labels.labels:
        if names[label] is None and label in project.labels:
            names[label] = label
    if any(name is None for name in names.values()):
        raise ModelError(_question(project, model_labels, names))
    table = LabelTable({label: name or "" for label, name in names.items()})
    check_table(project, model_labels, table)
    return table


def _check_renamed(project: Project, model_labels: ModelLabels, renamed: Mapping[str, str]) -> None:
    for label, name in renamed.items():
        if label not in model_labels.labels:
            raise ModelError(
                _(
                    "{model} has no label '{label}'. Available: {labels}.",
                    model=_capital(model_labels.whose),
                    label=label,
                    labels=listed(model_labels.labels),
                )
            )
        if name and name not in project.labels:
            raise ModelError(
                _(
                    "'{label}' can't become '{name}', which isn't a label of '{project}' ({labels}).",
                    label=label,
                    name=name,
                    project=project.name,
                    labels=listed(project.labels),
                )
            )


def check_table(project: Project, model_labels: ModelLabels, table: LabelTable) -> None:
    """Raise ModelError where two labels would be one, or where fewer than two would be answers."""
    given = [name for name in table.names.values() if name]
    if len(set(given)) < len(given):
        raise ModelError(
            _(
                "Two labels of {whose} ({labels}) map to one ({words}). Separate them.",
                whose=model_labels.whose,
                labels=listed(model_labels.labels),
                words=table.words(),
            )
        )
    if len(given) < min(2, len(table.names)):
        raise ModelError(
            _(
                "At least two labels of {whose} ({labels}) must map to '{name}' ({project_labels}).",
                whose=model_labels.whose,
                labels=listed(model_labels.labels),
                name=project.name,
                project_labels=listed(project.labels),
            )
        )


def _question(project: Project, model_labels: ModelLabels, names: Mapping[str, str | None]) -> str:
    """What is refused, with the proposal as a table and as the options that confirm it."""
    proposal = proposal_of(project, model_labels, names)
    width = max(map(len, model_labels.labels))
    to_say = [label for label, name in proposal.items() if name != label]
    options = " ".join(
        f"--rename {shlex.quote(f'{label}={_OPEN if proposal[label] is None else proposal[label]}')}"
        for label in to_say
    )
    lines = [
        _(
            "Labels of {whose} ({labels}) differ from '{name}' ({project_labels}). Confirm this mapping:",
            whose=model_labels.whose,
            labels=listed(model_labels.labels),
            name=project.name,
            project_labels=listed(project.labels),
        ),
        *(f"  {label:<{width}}  {_proposed(name)}" for label, name in proposal.items()),
    ]
    missing = LabelTable({label: name or "" for label, name in proposal.items()}).not_given(project.labels)
    if missing and None not in proposal.values():
        lines.append(f"  {not_given_words(missing)}")
    lines += [_("If correct, repeat with {options}", options=options), _how(proposal)]
    return "\n".join(line for line in lines if line)


def proposal_of(project: Project, model_labels: ModelLabels, names: Mapping[str, str | None]) -> dict[str, str | None]:
    """What is known already, and for the other labels what they seem to be. names: None where nothing is known."""
    known = {label: name for label, name in names.items() if name is not None}
    left = [label for label in project.labels if label not in known.values()]
    proposed = proposed_names([label for label in model_labels.labels if label not in known], left)
    return {label: known.get(label, proposed.get(label)) for label in model_labels.labels}


def _proposed(name: str | None) -> str:
    if name is None:
        return _("{open}  (no proposal)", open=_OPEN)
    return name or _("never predicted here")


def _how(proposal: Mapping[str, str | None]) -> str:
    if None in proposal.values():
        return _("Replace each {open} by a project label, or nothing if never predicted.", open=_OPEN)
    return ""


def stored_table(store: Store, project: Project, model_labels: ModelLabels) -> LabelTable | None:
    """The table by which answers of a model are stored, to texts or to suites; None where there are none, or it is not known."""
    model = model_labels.model
    if has_outputs(store, project.id, model) or has_computed(store, project.id, model):
        # The last table that was confirmed for the very model, else equal names; None where they do not fit
        names_here = {*project.labels, ""}
        for stored in list_label_tables(store, project.id):
            if model_labels.is_of(stored):
                is_known = set(stored.names) == set(model_labels.labels) and set(stored.names.values()) <= names_here
                return LabelTable({label: stored.names[label] for label in model_labels.labels}) if is_known else None
        is_plain = set(model_labels.labels) <= set(project.labels)
        return LabelTable({label: label for label in model_labels.labels}) if is_plain else None
    return None


def require_one_table(store: Store, project: Project, model_labels: ModelLabels, table: LabelTable) -> None:
    """Raise InvalidValue where what is stored of a model was computed with another table."""
    before = stored_table(store, project, model_labels)
    if before is None or before.names == table.names:
        return
    raise InvalidValue(
        _(
            "Stored output of {whose} in '{name}' has other labels ({before}, not {wanted}). Keep those, or "
            "delete it first (--again, or the box under “Compute attributions”).",
            whose=model_labels.whose,
            name=project.name,
            before=before.words(),
            wanted=table.words(),
        )
    )


def remember(store: Store, actor: User, project: Project, model_labels: ModelLabels, table: LabelTable) -> None:
    """Write down what somebody confirmed, where it is not known already or says nothing."""
    require(store, actor, project.id, "use models")
    before = next((known for known in list_label_tables(store, project.id) if model_labels.is_of(known)), None)
    if before is None and table.is_of(project.labels):
        return
    if before is not None and before.names == table.names and set(before.labels) == set(project.labels):
        return
    with store.transaction():
        _write(store, actor, project, model_labels, table)


def _write(store: Store, actor: User, project: Project, model_labels: ModelLabels, table: LabelTable) -> None:
    add_event(
        store, actor.name, MAP_LABELS, "project", project.id, project_id=project.id, model=model_labels.model,
        learned_in=model_labels.learned_in, names=dict(table.names), labels=list(project.labels),
    )  # fmt: skip


def follow_replacement(store: Store, actor: User, project: Project, label: str, by: str) -> None:
    """Write the tables down again in which a label stands that was just replaced by another. project: as it is now."""
    newest: dict[tuple[str, str], StoredLabelTable] = {}
    for stored in list_label_tables(store, project.id):
        newest.setdefault((stored.model, stored.learned_in), stored)
    for (model, learned_in_project), stored in newest.items():
        if label in stored.labels:
            names = {of_model: by if name == label else name for of_model, name in stored.names.items()}
            _write(store, actor, project, ModelLabels("", (), model, learned_in_project), LabelTable(names))


def notes_of_table(project: Project, model_labels: ModelLabels, table: LabelTable) -> list[str]:
    """What a person should know of a table before its numbers are used; nothing of one that changes nothing."""
    if table.is_of(project.labels):
        return []
    sentences = (
        [_("Of {whose}: {words}.", whose=model_labels.whose, words=table.words())]
        if any(a != b for a, b in table.names.items())
        else []
    )
    missing = not_given_words(table.not_given(project.labels))
    if missing and not sentences:
        missing = missing.replace("It", _capital(model_labels.whose), 1)
    return [together(*sentences, missing)]


def label_notes(store: Store, project: Project, models: Sequence[str]) -> list[str]:
    """By which labels the answers of some models stand in a project's numbers; models of one table together."""
    newest: dict[str, StoredLabelTable] = {}
    for stored in list_label_tables(store, project.id):
        newest.setdefault(stored.model, stored)
    by_words: dict[str, list[str]] = {}
    for model in dict.fromkeys(models):
        if model in newest:
            labels_of_model = ModelLabels("WHOSE", tuple(newest[model].names), model)
            for note in notes_of_table(project, labels_of_model, LabelTable(newest[model].names)):
                by_words.setdefault(note, []).append(model)
    return [note.replace("WHOSE", ", ".join(f"“{name}”" for name in names), 1) for note, names in by_words.items()]


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def listed(labels: Sequence[str]) -> str:
    """The labels in a line, but for those beyond a dozen."""
    shown = ", ".join(labels[:_SHOWN])
    return _("{names} and {n} more", names=shown, n=len(labels) - _SHOWN) if len(labels) > _SHOWN else shown


# What a person is asked of a model's labels before it is loaded: which of the project's each of them is.


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
