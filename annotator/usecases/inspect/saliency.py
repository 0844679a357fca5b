"""What the Saliency page shows: lists of instances by a number, and one instance with gold and several attributions."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from annotator.domain.instances import Instance
from annotator.domain.measurements import Listed, Question
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.texts import first_words
from annotator.errors import InvalidValue, NotFound
from annotator.language import _
from annotator.metrics.benchmark_consistency import aligned_places
from annotator.metrics.registry import definition_of
from annotator.scoring.gold import gold_row
from annotator.scoring.table import RANDOM
from annotator.store import Store
from annotator.store.instances import get_instance, project_of_instance
from annotator.store.measurements import (
    count_without_value,
    list_by_number,
    measured_names,
    partners_of,
    runs_with_output,
)
from annotator.store.models import StoredRun, list_runs, outputs_of_run
from annotator.store.projects import get_project_by_id, instance_counts
from annotator.usecases.access import independence
from annotator.usecases.access.rights import require
from annotator.usecases.inspect.asked_texts import asked_texts, count_left_out
from annotator.usecases.inspect.measurement import MEASURED
from annotator.usecases.inspect.metric_names import title_in_words
from annotator.usecases.inspect.panels import PanelChoice, show_panels
from annotator.usecases.inspect.saliency_messages import (
    ShownChoice,
    ShownDefinition,
    ShownNumber,
    ShownNumbers,
    ShownPanel,
    ShownPartner,
    ShownRun,
    ShownSide,
    ShownText,
    show_name,
    show_segments,
)
from annotator.usecases.inspect.saved_lists import require_list
from annotator.usecases.inspect.scatter import OF_ANSWERS, OF_TEXTS
from annotator.usecases.inspect.scatter_points import further_definitions
from annotator.usecases.inspect.shown_gold import AskedGold, ShownGold, gold_for
from annotator.usecases.models.rationale_ratios import UNMEASURED, measured_ratios

MOST_PANELS = 8
_FIRST_PANELS = 4
_EXCERPT_CHARS = 120


def list_instances_by(
    store: Store, actor: User, question: Question, page: int, per_page: int = 25
) -> tuple[list[Listed], int]:
    """A page of instances in the order of a number; how many there are in all. Raises NotFound for a list that is not there."""
    require(store, actor, question.project_id, "use models")
    if question.list_id is not None:
        require_list(store, question.project_id, question.list_id)
    rows, n = list_by_number(store, asked_texts(store, question), limit=per_page, offset=(page - 1) * per_page)
    return [replace(row, excerpt=first_words(row.excerpt, _EXCERPT_CHARS)) for row in rows], n


def count_not_listed(store: Store, actor: User, question: Question) -> int:
    """How many instances are not listed only because they have no value of the number that orders the list."""
    require(store, actor, question.project_id, "use models")
    return count_without_value(store, asked_texts(store, question))


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
    return ShownNumbers(shown, {**definitions, **further_definitions()}, OF_TEXTS, tuple(OF_ANSWERS))


def _numbers_of_run(store: Store, stored: StoredRun, group: int) -> ShownRun:
    order = {name: position for position, name in enumerate(MEASURED)}
    names = sorted(
        measured_names(store, stored.id),
        key=lambda layer_and_name: (layer_and_name[0] or -1, order.get(layer_and_name[1], 99)),
    )
    run, numbers = stored.run, tuple(ShownNumber(layer, name) for layer, name in names)
    return ShownRun(stored.id, run.model, run.method, run.seed, run.parameters, group, numbers)


def _definition(name: str) -> ShownDefinition:
    definition = definition_of(name)
    return ShownDefinition(
        title_in_words(definition), _(definition.definition), definition.direction, _(definition.source)
    )


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
        raise InvalidValue(_("At most {n} maps are shown side by side. Remove some of them.", n=MOST_PANELS))
    with store.snapshot():
        runs = {stored.id: stored for stored in list_runs(store, project.id)}
        instance = get_instance(store, instance_id)
        run_ids = [run_id for run_id in runs_with_output(store, instance_id) if run_id in runs]
        groups = first_of_groups(runs[run_id] for run_id in run_ids)
        chosen = _first_panels(runs, groups) if panels is None else list(panels)
        unknown = next((choice.run_id for choice in chosen if choice.run_id not in runs), None)
        if unknown is not None:
            raise NotFound(_("There is no run number {n} in this project.", n=unknown))
        gold = gold_for(store, actor, project, instance, asked_gold)
        shown = replace(
            show_text(store, project, gold, chosen, show_panels(store, project, instance, chosen, runs)),
            project=project.id,
            policy=project.settings.gold_policy,
            choices=tuple(_choice(store, runs[run_id], instance_id, groups[run_id]) for run_id in run_ids),
            partners=tuple(ShownPartner(*partner) for partner in partners_of(store, instance_id)),
        )
    independence.show(store, actor, project.id, instance_id, gold.annotation_ids)
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
    if partner_id not in {number for number, _, _ in partners_of(store, instance_id)}:
        raise NotFound(_("That text is neither the original of this one nor a changed version of it."))
    with store.snapshot():
        runs = {stored.id: stored for stored in list_runs(store, project.id)}
        instance, partner = get_instance(store, instance_id), get_instance(store, partner_id)
        gold = gold_for(store, actor, project, partner, asked_gold)
        chosen = [choice for choice in panels if choice.run_id in runs]
        shown = show_text(store, project, gold, chosen, show_panels(store, project, partner, chosen, runs))
    independence.show(store, actor, project.id, partner_id, gold.annotation_ids)
    return replace(shown, aligned=aligned_tokens(instance, partner))


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
    ratios = measured_ratios(store, project.id, [choice.run_id for choice in chosen], len(row.sides))
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
        run=stored.id,
        model=run.model,
        method=run.method,
        parameters=run.parameters,
        seed=run.seed,
        layers=tuple(sorted({a.layer for a in attributions if a.layer is not None})),
        labels=tuple(sorted({a.label for a in attributions if a.label})),
        group=group,
    )
