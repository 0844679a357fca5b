"""What models that can be asked now answer to a text, and how much each token counts for that; nothing is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotator.attribution.base import Answerer, Explained, Input, no_label
from annotator.attribution.built_in_model import BagOfWords
from annotator.attribution.loaders import BUILT_IN, LoadOptions
from annotator.attribution.methods import make_explainer
from annotator.domain.instances import Instance, Segment
from annotator.domain.models import Attribution, Output, Run, StoredOutput, facts_from
from annotator.domain.people import User
from annotator.domain.projects import Project, is_folder_named, preview_model_name
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.store import Store
from annotator.store.models import list_models
from annotator.store.trained_models import models_trained, trainings_of
from annotator.text.tokenisation import tokenise
from annotator.usecases.access.rights import require
from annotator.usecases.models.attribution_batches import WrittenMethod
from annotator.usecases.models.built_in_model import is_model_name
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.models.project_model import ProjectModel, asked_model


@dataclass(frozen=True, slots=True)
class ExplainOptions:
    """How a model is asked.

    label:      whose attribution; None: of the label that the model predicts
    seed:       of methods that draw
    parameters: of the method, in its own words
    renamed:    what the project calls labels of the model
    """

    label: str | None = None
    seed: int | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    load: LoadOptions = field(default_factory=LoadOptions)


@dataclass(frozen=True, slots=True)
class ExplainedText:
    """A text as an instance that is in no project, and what the model says of it: its answer first, then a map a method."""

    instance: Instance
    outputs: tuple[StoredOutput, ...]


def explain(
    store: Store, actor: User, project: Project, text: str | Mapping[str, str], model: str, methods: Sequence[str],
    options: ExplainOptions = ExplainOptions(),
) -> ExplainedText:  # fmt: skip
    """Ask a model about a text, tokenised as the project's are.

    text:  the text, or where the task has several segments each of them by name
    model: as for attributions; or the name of one that was trained in the project. The built-in one is trained where it was not
    Raises: InvalidValue for segments that the task does not have or lacks, and for a label that the model does not give
    """
    require(store, actor, project.id, "use models")
    instance = _instance(project, text)
    project_model = asked_model(store, actor, project, model, options.load, options.renamed).model
    model_input = Input.of(instance)
    [answer] = project_model.answers([model_input])
    label = options.label or answer.label or ""
    if options.label is not None and options.label not in _explainable(project_model, answer.label):
        known = ", ".join(_explainable(project_model, answer.label)) or _("none")
        raise InvalidValue(no_label(project_model.name, options.label, known))
    outputs = [StoredOutput("", "", Run(project_model.name), Output(0, (answer,)))]
    for method in dict.fromkeys(methods):
        explainer = make_explainer(project_model.predictor, method, options.parameters, options.seed)
        [explained] = project_model.explained(explainer, [model_input], [label])
        run = WrittenMethod.of(project_model, method, explainer).run
        outputs.append(StoredOutput("", "", run, Output(0, attributions=_named(project_model, explained))))
    return ExplainedText(instance, tuple(outputs))


def _explainable(model: ProjectModel, answer: str | None) -> tuple[str, ...]:
    """The labels whose attribution can be asked for: of a reading model its own answer alone."""
    return ((answer,) if answer else ()) if isinstance(model.predictor, Answerer) else model.labels


def _named(model: ProjectModel, explained: Explained) -> tuple[Attribution, ...]:
    """Attributions under the project's labels, each with its facts."""
    return tuple(
        replace(of, label=model.named(of.label), facts=facts_from({**explained.facts, **dict(of.facts)}))
        for of in explained.attributions
    )


def _instance(project: Project, text: str | Mapping[str, str]) -> Instance:
    task = project.task
    if task.has_target:
        raise InvalidValue(_("'{name}' predicts for targets. Import the text with its target.", name=project.name))
    needed = [spec.name for spec in task.segments if not spec.may_be_empty]
    if isinstance(text, str):
        text = {needed[0]: text}
    missing = [name for name in needed if not text.get(name, "").strip()]
    if missing and len(needed) == 1:
        raise InvalidValue(_("The text is empty."))
    if missing:
        raise InvalidValue(
            _(
                "Texts of '{name}' need {needed}; '{missing}' is empty.",
                name=project.name,
                needed=_(" and ").join(needed),
                missing=missing[0],
            )
        )
    segments = []
    for name in task.in_numbering_order(list(text)):
        spec = task.spec_of(name)
        segments.append(Segment(name, spec is None or spec.is_selectable, tokenise(text[name], project.language)))
    return Instance(0, "", "", project.language, tuple(segments), None)


# Which of a project's models can be asked now, about texts that nobody has stored.


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
