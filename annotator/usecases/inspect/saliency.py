"""What the Saliency page shows: lists of instances by a number, a scatter, and one instance with gold and attributions."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from msgspec import structs

from annotator.domain.instances import Annotation, GoldInstance, Instance
from annotator.domain.measurements import InstanceNumber, Listed, Question
from annotator.domain.people import User, has_right
from annotator.domain.projects import GOLD_POLICIES, GoldPolicy, Project
from annotator.domain.sources import is_numbered_in_text, short_facts
from annotator.domain.texts import first_words
from annotator.errors import InvalidValue, NotFound
from annotator.language import _, clause_by_clause, unsaid
from annotator.metrics.benchmark_consistency import aligned_places
from annotator.metrics.registry import definition_of
from annotator.scoring.gold import gold_row
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.table import RANDOM
from annotator.store import Store
from annotator.store import measurements as measurements_store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.instances import get_instance, project_of_instance
from annotator.store.models import StoredRun, list_runs, outputs_of_run
from annotator.store.people import roles_of
from annotator.store.projects import get_project_by_id, instance_counts
from annotator.usecases.access import independence
from annotator.usecases.access.rights import require
from annotator.usecases.gold import gold_of_instance
from annotator.usecases.inspect import scatter
from annotator.usecases.inspect.measurement import MEASURED
from annotator.usecases.inspect.metrics_table import title_in_words
from annotator.usecases.inspect.saliency_messages import (
    ShownChoice,
    ShownDefinition,
    ShownNumber,
    ShownNumbers,
    ShownPanel,
    ShownPartner,
    ShownPerson,
    ShownPoints,
    ShownRun,
    ShownSide,
    ShownText,
    show_name,
    show_segments,
)
from annotator.usecases.inspect.saliency_panels import PanelChoice, show_panels
from annotator.usecases.inspect.saliency_sets import show_families
from annotator.usecases.inspect.text_lists import asked_texts, count_left_out, require_list, without_learned
from annotator.usecases.inspect.training_texts import learned_by_model
from annotator.usecases.models.previews import UNMEASURED, measured_ratios

# Two numbers of every listed instance against each other, as the Saliency page draws them.


_DEFINITIONS: Mapping[str, ShownDefinition] = {
    scatter.LENGTH: ShownDefinition(unsaid("Length in tokens"), unsaid("markable tokens in the text"), "none", ""),
    scatter.RATIO: ShownDefinition(
        unsaid("RLR of the gold"), unsaid("share of the text's tokens in any gold set"), "none", ""
    ),
    scatter.SETS: ShownDefinition(unsaid("Gold sets (RSN)"), unsaid("number of gold sets"), "none", ""),
    scatter.CONFIDENCE: ShownDefinition(unsaid("Confidence"), unsaid("probability of the predicted label"), "none", ""),
    scatter.GOLD_PROBABILITY: ShownDefinition(
        unsaid("Probability of the gold label"), unsaid("model's probability of the text's label"), "higher", ""
    ),
}


def further_definitions() -> dict[str, ShownDefinition]:
    """What the numbers are that are no metrics, by name."""
    return {
        name: structs.replace(known, title=_(known.title), definition=_(known.definition))
        for name, known in _DEFINITIONS.items()
    }


def show_points(store: Store, actor: User, question: Question, x: InstanceNumber, y: InstanceNumber) -> ShownPoints:
    """Both numbers of every instance that a question lists, whatever orders it and whatever part of a scatter it asks for.

    Raises: NotFound for a run or a number that is not there
    """
    require(store, actor, question.project_id, "use models")
    with store.snapshot():
        whole = replace(question, run_id=None, layer=None, name="", brush=None, among=None)
        keys = measurements_store.keys_asked(store, without_learned(store, whole))
        of_x, of_y = (scatter.values_by_instance(store, question.project_id, number) for number in (x, y))
        learned = _learned(store, question.project_id, {x.run_id, y.run_id})
    ids = [i for i in keys if i in of_x and i in of_y]
    return ShownPoints(
        ids=ids, keys=[keys[i] for i in ids], x=[of_x[i] for i in ids], y=[of_y[i] for i in ids], n=len(keys),
        without_x=sum(i not in of_x for i in keys), without_y=sum(i not in of_y for i in keys),
        learned={model: [i for i in ids if i in learned[model]] for model in sorted(learned)},
    )  # fmt: skip


def _learned(store: Store, project_id: int, run_ids: Collection[int | None]) -> Mapping[str, frozenset[int]]:
    """By model of some runs, the instances that it learned from and that the Metrics page leaves out."""
    models = {stored.run.model for stored in list_runs(store, project_id) if stored.id in run_ids}
    learned = learned_by_model(store, project_id, ScoringOptions()) if models else {}
    return {model: ids for model, ids in learned.items() if model in models}


# Which sets stand below the words on the Saliency page: the gold of a policy, or everybody's own; and who may see them.


AskedGold = Literal["", "people"] | GoldPolicy  # "": the project's own policy
ASKED_GOLD: tuple[AskedGold, ...] = ("", *GOLD_POLICIES, "people")


@dataclass(frozen=True, slots=True)
class ShownGold:
    """The sets that are shown of an instance: as gold, or by person; without any, and why, where they are closed."""

    gold: GoldInstance
    people: tuple[ShownPerson, ...] | None
    annotation_ids: Sequence[int]
    withheld: str


def read_asked_gold(text: str) -> AskedGold:
    """Which sets an address asks for; raises InvalidValue."""
    for known in ASKED_GOLD:
        if text == known:
            return known
    raise InvalidValue(
        _("'gold' in the URL must be one of {known}, not '{text}'.", known=", ".join(ASKED_GOLD[1:]), text=text[:40])
    )


def gold_for(store: Store, actor: User, project: Project, instance: Instance, asked_gold: AskedGold) -> ShownGold:
    """The sets of an instance as somebody may see them; that they were shown is for the caller to note."""
    bare = GoldInstance(instance, (), instance.result)
    if asked_gold == "people":
        latest = _latest(annotations_of(store, [instance.id])[instance.id], _shown_states(store, actor, project))
        shown = ShownGold(bare, _people(store, actor, project, instance, latest), [a.id for a in latest], "")
    else:
        settings = replace(project.settings, gold_policy=asked_gold or project.settings.gold_policy)
        gold = gold_of_instance(store, replace(project, settings=settings), instance)
        shown = ShownGold(gold, None, independence.annotations_behind(gold), "")
    closed = independence.why_withheld(store, actor, project.id, instance.id, shown.annotation_ids)
    return ShownGold(bare, None if shown.people is None else (), (), closed) if closed else shown


def _shown_states(store: Store, actor: User, project: Project) -> frozenset[str]:
    """Accepted annotations, and submitted ones for whoever may see those."""
    sees_all = has_right(actor, roles_of(store, actor, project.id), "see all annotations")
    sees_submitted = sees_all or project.settings.researchers_see_submitted
    return frozenset({"accepted", "submitted"}) if sees_submitted else frozenset({"accepted"})


def _latest(annotations: Sequence[Annotation], states: frozenset[str]) -> list[Annotation]:
    """Of each annotator the last annotation that counts, in the order of their first one."""
    latest: dict[tuple[int | None, str], Annotation] = {}
    for annotation in annotations:
        if annotation.state in states:
            latest[annotation.user_id, annotation.annotator] = annotation
    return list(latest.values())


def _people(
    store: Store, actor: User, project: Project, instance: Instance, annotations: Sequence[Annotation]
) -> tuple[ShownPerson, ...]:
    """Named to those who see all annotations; to others everybody but themselves is a number of this text alone."""
    sees_names = has_right(actor, roles_of(store, actor, project.id), "see all annotations")
    facts = short_facts(instance.metadata)
    shown = []
    for number, annotation in enumerate(annotations, 1):
        is_own = actor.id is not None and annotation.user_id == actor.id
        is_named = sees_names or is_own
        shown.append(
            ShownPerson(
                name=annotation.annotator if is_named else _("annotator {n}", n=number),
                is_numbered=not is_named or is_numbered_in_text(annotation.annotator, instance.metadata),
                is_own=is_own,
                label=annotation.result,
                is_accepted=annotation.state == "accepted",
                facts=facts.get(annotation.annotator, ()),
                sets=tuple(rationale_set.token_indices for rationale_set in annotation.sets),
            )
        )
    return tuple(shown)


MOST_PANELS = 8
_FIRST_PANELS = 4
_EXCERPT_CHARS = 60


def list_instances_by(
    store: Store, actor: User, question: Question, page: int, per_page: int = 10
) -> tuple[list[Listed], int]:
    """A page of instances in the order of a number; how many there are in all. Raises NotFound for a list that is not there."""
    require(store, actor, question.project_id, "use models")
    if question.list_id is not None:
        require_list(store, question.project_id, question.list_id)
    rows, n = measurements_store.list_by_number(
        store, asked_texts(store, question), limit=per_page, offset=(page - 1) * per_page
    )
    return [replace(row, excerpt=first_words(row.excerpt, _EXCERPT_CHARS)) for row in rows], n


def count_not_listed(store: Store, actor: User, question: Question) -> int:
    """How many instances are not listed only because they have no value of the number that orders the list."""
    require(store, actor, question.project_id, "use models")
    return measurements_store.count_without_value(store, asked_texts(store, question))


def count_learned_from(store: Store, actor: User, question: Question) -> int:
    """How many instances are not listed only because one of two models learned from them."""
    require(store, actor, question.project_id, "use models")
    return count_left_out(store, asked_texts(store, question))


def lacks_models(store: Store, actor: User, project: Project) -> bool:
    """Whether there are texts, and nothing of what any model answered or explained of them."""
    require(store, actor, project.id, "use models")
    return bool(instance_counts(store, project.id)) and not list_runs(store, project.id)


def show_numbers(store: Store, actor: User, project_id: int) -> ShownNumbers:
    """What texts can be ordered by: each run with its numbers, in the order of MEASURED, and what each number is."""
    require(store, actor, project_id, "use models")
    runs = list_runs(store, project_id)
    groups = first_of_groups(runs)
    shown = tuple(_numbers_of_run(store, stored, groups[stored.id]) for stored in runs)
    names = sorted({number.name for run in shown for number in run.numbers})
    definitions = {name: _definition(name) for name in names}
    return ShownNumbers(shown, {**definitions, **further_definitions()}, scatter.OF_TEXTS, tuple(scatter.OF_ANSWERS))


def _numbers_of_run(store: Store, stored: StoredRun, group: int) -> ShownRun:
    order = {name: position for position, name in enumerate(MEASURED)}
    names = sorted(
        measurements_store.measured_names(store, stored.id),
        key=lambda layer_and_name: (layer_and_name[0] or -1, order.get(layer_and_name[1], 99)),
    )
    run, numbers = stored.run, tuple(ShownNumber(layer, name) for layer, name in names)
    has_probabilities = not run.method and measurements_store.gives_probabilities(store, stored.id)
    return ShownRun(stored.id, run.model, run.method, run.seed, run.parameters, group, numbers, has_probabilities)


def _definition(name: str) -> ShownDefinition:
    definition = definition_of(name)
    meaning, source = clause_by_clause(definition.definition), clause_by_clause(definition.source)
    return ShownDefinition(title_in_words(definition), meaning, definition.direction, source)


def opening_instance(store: Store, actor: User, question: Question, instance_id: int | None) -> Instance | None:
    """What the screen opens with: the instance that is asked for, else the first listed; None where there is none."""
    require(store, actor, question.project_id, "use models")
    if instance_id is None:
        rows, _n = list_instances_by(store, actor, question, page=1, per_page=1)
        return get_instance(store, rows[0].id) if rows else None
    is_here = project_of_instance(store, instance_id) == question.project_id
    return get_instance(store, instance_id) if is_here else None


def show_instance(
    store: Store, actor: User, instance_id: int, panels: Sequence[PanelChoice] | None, asked_gold: AskedGold = ""
) -> ShownText:
    """An instance with its gold sets and panels (None: those that open by themselves), and its partners.

    asked_gold: another policy than the project's, or everybody's own sets

    Raises: NotFound for an instance or a run that is not there; InvalidValue for more than eight panels
    """
    project = get_project_by_id(store, project_of_instance(store, instance_id))
    require(store, actor, project.id, "use models")
    if panels is not None and len(panels) > MOST_PANELS:
        raise InvalidValue(_("At most {n} heatmaps side by side. Remove some.", n=MOST_PANELS))
    with store.snapshot():
        runs = {stored.id: stored for stored in list_runs(store, project.id)}
        instance = get_instance(store, instance_id)
        run_ids = [run_id for run_id in measurements_store.runs_with_output(store, instance_id) if run_id in runs]
        groups = first_of_groups(runs[run_id] for run_id in run_ids)
        chosen = _first_panels(runs, groups) if panels is None else list(panels)
        unknown = next((choice.run_id for choice in chosen if choice.run_id not in runs), None)
        if unknown is not None:
            raise NotFound(_("No {what} number {number}.", number=unknown, what=_("run")))
        gold = gold_for(store, actor, project, instance, asked_gold)
        own_gold = gold_for(store, actor, project, instance, "") if asked_gold else gold
        shown = structs.replace(
            show_text(store, project, gold, chosen, show_panels(store, project, instance, chosen, runs)),
            families=show_families(store, instance, None if own_gold.withheld else own_gold.gold.sets),
            project=project.id,
            policy=project.settings.gold_policy,
            choices=tuple(_choice(store, runs[run_id], instance_id, groups[run_id]) for run_id in run_ids),
            partners=tuple(ShownPartner(*partner) for partner in measurements_store.partners_of(store, instance_id)),
        )
    seen = [*gold.annotation_ids, *(own_gold.annotation_ids if shown.families else ())]
    independence.show(store, actor, project.id, instance_id, seen)
    return shown


def first_of_groups(runs: Iterable[StoredRun]) -> dict[int, int]:
    """Of each run the first of those that differ in their seed alone: one choice stands for all, as one row of metrics does."""
    firsts: dict[tuple[str, str, str], int] = {}
    return {stored.id: firsts.setdefault(stored.run.group, stored.id) for stored in runs}


def _first_panels(runs: Mapping[int, StoredRun], groups: Mapping[int, int]) -> list[PanelChoice]:
    """One map of each of the first four groups, the models in turn; random scores only where there is nothing better."""
    of_model: Counter[str] = Counter()
    order: dict[int, tuple[bool, int]] = {}
    for run_id in dict.fromkeys(groups.values()):
        run = runs[run_id].run
        order[run_id] = run.method == RANDOM, of_model[run.model]
        of_model[run.model] += 1
    return [PanelChoice(run_id) for run_id in sorted(order, key=order.__getitem__)[:_FIRST_PANELS]]


def show_partner(
    store: Store, actor: User, instance_id: int, partner_id: int, panels: Sequence[PanelChoice],
    asked_gold: AskedGold = "",
) -> ShownText:  # fmt: skip
    """The same panels for the original or a perturbed version, and which tokens stand in the same place."""
    project = get_project_by_id(store, project_of_instance(store, instance_id))
    require(store, actor, project.id, "use models")
    if partner_id not in {number for number, _, _ in measurements_store.partners_of(store, instance_id)}:
        raise NotFound(_("That text isn't this one's original or perturbed version."))
    with store.snapshot():
        runs = {stored.id: stored for stored in list_runs(store, project.id)}
        instance, partner = get_instance(store, instance_id), get_instance(store, partner_id)
        gold = gold_for(store, actor, project, partner, asked_gold)
        chosen = [choice for choice in panels if choice.run_id in runs]
        shown = show_text(store, project, gold, chosen, show_panels(store, project, partner, chosen, runs))
    independence.show(store, actor, project.id, partner_id, gold.annotation_ids)
    return structs.replace(shown, aligned=aligned_tokens(instance, partner))


def aligned_tokens(instance: Instance, partner: Instance) -> tuple[int | None, ...]:
    """For each token of another version the one of an instance in its place; None where there is none."""
    places, n = aligned_places(_selectable_tokens(instance), _selectable_tokens(partner)), instance.layout.n_selectable
    return tuple(token if token < n else None for token in places)


def _selectable_tokens(instance: Instance) -> list[str]:
    return [token for segment in instance.segments if segment.is_selectable for token in segment.body.tokens()]


def show_text(
    store: Store, project: Project, gold: ShownGold, chosen: Sequence[PanelChoice], panels: tuple[ShownPanel, ...]
) -> ShownText:
    """A text with its sets and panels, and of how many tokens the top k are."""
    instance = gold.gold.instance
    row = gold_row(gold.gold, project.task, keep_tokens=False, is_exhaustive=False)
    ratios = measured_ratios(
        store, project.id, [choice.run_id for choice in chosen], len(row.sides), project.settings.gold_policy
    )
    return ShownText(
        instance=show_name(instance),
        segments=show_segments(instance),
        gold=tuple(rationale_set.token_indices for rationale_set in gold.gold.sets),
        people=gold.people,
        sides=tuple(ShownSide(name, n) for name, n in row.sides),
        ratios=tuple(ratios or [UNMEASURED] * len(row.sides)),
        are_ratios_measured=bool(ratios),
        panels=panels,
        withheld=gold.withheld,
    )


def _choice(store: Store, stored: StoredRun, instance_id: int, group: int) -> ShownChoice:
    """What can be chosen of a run for an instance."""
    output = outputs_of_run(store, stored.id, [instance_id]).get(instance_id)
    attributions = output.attributions if output is not None else ()
    run = stored.run
    return ShownChoice(
        run=stored.id, model=run.model, method=run.method, parameters=run.parameters, seed=run.seed,
        layers=tuple(sorted({a.layer for a in attributions if a.layer is not None})),
        labels=tuple(sorted({a.label for a in attributions if a.label})), group=group,
    )  # fmt: skip
