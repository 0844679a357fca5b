"""A text that somebody types on the Saliency page: the answers and maps of models that can be asked now. Nothing is stored."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from msgspec import structs

from annotator.attribution.base import Answerer, Input
from annotator.attribution.methods import METHODS, make_explainer
from annotator.attribution.transformers_parameters import METHODS as TRANSFORMERS_METHODS
from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.models import Attribution, Output, Prediction, Run, facts_from
from annotator.domain.people import User, has_right
from annotator.domain.perturbations import ChangedText
from annotator.domain.projects import Project
from annotator.errors import Conflict, InvalidValue, ModelError, NotAllowed, NotFound
from annotator.language import _, together, unsaid
from annotator.perturb.versions import changed_instance
from annotator.store import Store
from annotator.store.instances import get_instance, project_of_instance
from annotator.store.models import StoredRun, list_runs
from annotator.store.people import roles_of
from annotator.store.projects import get_project_by_id
from annotator.usecases.access.rights import require
from annotator.usecases.inspect.saliency import MOST_PANELS, ShownGold, aligned_tokens, show_text
from annotator.usecases.inspect.saliency_messages import ShownText
from annotator.usecases.inspect.saliency_panels import PanelChoice, RunOutput, Trust, show_panel
from annotator.usecases.models.explanations import live_model
from annotator.usecases.models.preview_models import asking
from annotator.usecases.models.project_model import ProjectModel

TYPED = "typed"
MOST_TOKENS = 500  # of a text whose tokens are taken out one by one, or again and again, while somebody types
_BY_REMOVAL = frozenset({"occlusion", "lime", "shap-partition"})
_NOT_LIVE = unsaid("Model “{model}” can't run: imported output only, or folder missing.")


def show_typed(
    store: Store, actor: User, instance_id: int, texts: Mapping[str, str], panels: Sequence[PanelChoice]
) -> ShownText:
    """The text of an instance as somebody has changed it, with the same panels computed for it now, and what is in whose place.

    texts: by segment; others are as they were
    Raises: InvalidValue for other segments, a text that is too long, or too many maps
    """
    project = get_project_by_id(store, project_of_instance(store, instance_id))
    require(store, actor, project.id, "use models")
    if len(panels) > MOST_PANELS:
        raise InvalidValue(_("At most {n} heatmaps side by side. Remove some.", n=MOST_PANELS))
    instance = get_instance(store, instance_id)
    changed = changed_instance(instance, ChangedText(TYPED, texts, None))
    typed = replace(changed, key=f"{instance.key} ({TYPED})", target=_target(instance, texts))
    runs = {stored.id: stored for stored in list_runs(store, project.id)}
    chosen = [choice for choice in panels if choice.run_id in runs]
    run_outputs, troubles = _asked(store, actor, project, typed, [(choice, runs[choice.run_id]) for choice in chosen])
    trust = Trust.of(store, project, typed)
    shown = [
        structs.replace(show_panel(choice, runs[choice.run_id], of_run, typed, {}, trust), seen=None)
        for choice, of_run in zip(chosen, run_outputs, strict=True)
    ]
    bare = ShownGold(GoldInstance(typed, (), None), None, (), "")
    return structs.replace(
        show_text(store, project, bare, chosen, tuple(shown)),
        aligned=aligned_tokens(instance, typed),
        trouble=together(*dict.fromkeys(troubles)),
    )


def _target(instance: Instance, texts: Mapping[str, str]) -> tuple[int, int] | None:
    """Where what the label is about stands; not known where anything was changed."""
    is_same = all(s.body.text == texts.get(s.name, s.body.text) for s in instance.segments)
    return instance.target if is_same else None


def _asked(
    store: Store, actor: User, project: Project, typed: Instance, wanted: Sequence[tuple[PanelChoice, StoredRun]]
) -> tuple[list[RunOutput], list[str]]:
    """What each run would say of the text, nothing where its model cannot be asked; and why not."""
    is_lead = has_right(actor, roles_of(store, actor, project.id), "manage project")
    run_outputs = [RunOutput(None, None, ()) for _stored in wanted]
    troubles: list[str] = []
    for model_name in dict.fromkeys(stored.run.model for _choice, stored in wanted):
        spec = live_model(store, project, model_name)
        if spec is None:
            troubles.append(_(_NOT_LIVE, model=model_name))
            continue
        numbers = [number for number, (_choice, stored) in enumerate(wanted) if stored.run.model == model_name]
        try:
            with asking(store, project, is_lead=is_lead, spec=spec) as model:
                of_model = [(choice.label, stored.run) for choice, stored in (wanted[number] for number in numbers)]
                for number, of_run in zip(numbers, _outputs(model, typed, of_model, troubles), strict=True):
                    run_outputs[number] = of_run
        except (NotFound, ModelError, Conflict, NotAllowed) as error:
            troubles.append(str(error))
    return run_outputs, troubles


def _outputs(
    model: ProjectModel, typed: Instance, wanted: Sequence[tuple[str | None, Run]], troubles: list[str]
) -> Iterable[RunOutput]:
    """The answer of one model, with an attribution by each method."""
    model_input = Input.of(typed)
    [answer] = model.answers([model_input])
    for label, run in wanted:
        attributions: tuple[Attribution, ...] = ()
        try:
            attributions = _attributions(model, model_input, answer, label, run)
        except (InvalidValue, ModelError) as error:
            troubles.append(str(error))
        yield RunOutput(Output(typed.id, (answer,), attributions), answer, ())


def _attributions(
    model: ProjectModel, model_input: Input, answer: Prediction, label: str | None, run: Run
) -> tuple[Attribution, ...]:
    definition = {**METHODS, **TRANSFORMERS_METHODS}.get(run.method)
    if definition is None or not model_input.n_selectable:
        return ()
    if run.method in _BY_REMOVAL and model_input.n_selectable > MOST_TOKENS:
        raise InvalidValue(_("{method} is limited to {n} tokens.", method=_(definition.title), n=MOST_TOKENS))
    known = {parameter.name for parameter in definition.parameters}
    parameters = {name: value for name, value in json.loads(run.parameters).items() if name in known}
    explainer = make_explainer(model.predictor, run.method, parameters, run.seed)
    is_known = label in model.labels and not isinstance(model.predictor, Answerer)
    explained = model.explained(explainer, [model_input], [(label if is_known else answer.label) or ""])
    return tuple(
        replace(a, label=model.named(a.label), facts=facts_from({**text.facts, **dict(a.facts)}))
        for text in explained
        for a in text.attributions
    )
