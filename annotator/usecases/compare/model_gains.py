"""Two models as kin: whether one is the other's twin without alignment or its control, and what the one gains over the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from annotator.domain.people import User
from annotator.domain.projects import GoldPolicy, Project
from annotator.language import _, listed, several, together
from annotator.metrics.ragged import Flags, Floats
from annotator.scoring.instance_numbers import Behind, OfSeed
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.measurements import measurements_of, values_of_run
from annotator.store.models import full_answers, list_models, list_runs
from annotator.training.card import Card
from annotator.usecases.access.rights import require
from annotator.usecases.compare.model_comparison import LabelledText, ModelPair
from annotator.usecases.inspect.stale_numbers import last_change
from annotator.usecases.models import alignment_gains
from annotator.usecases.models.alignment_proofs import Lack, missing_kin, missing_numbers
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.models.related_models import Kin, cards_in, related_models_of, trained_method

Bond = Literal["alignment", "control of the other", "control", "strangers"]


@dataclass(frozen=True, slots=True)
class Relation:
    """What two models are to one another.

    bond:     "alignment": the base is the twin of the other, which was aligned; "control of the other": the base is its control;
              "control": as "alignment", but the other is a control itself
    controls: of an aligned other model those that have answers here; () where one lacks it
    lacking:  its control, where there is none
    """

    bond: Bond
    sentence: str = ""
    controls: tuple[str, ...] = ()
    lacking: tuple[Lack, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelGains:
    """Two models in a project. sentences: what each number comes to, of an alignment; lacking: what is not there."""

    relation: Relation
    measures: tuple[alignment_gains.Measured, ...]
    lacking: tuple[Lack, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        if self.relation.bond not in {"alignment", "control"}:
            return ()
        return tuple(of.sentence(self.relation.bond == "control") for of in self.measures if of.gain.gain is not None)


def relation_of(store: Store, projects: Sequence[Project], project: Project, pair: ModelPair) -> Relation:
    """What two models are to one another. projects: the first that has a model's card was that of its training."""
    cards: dict[str, Card] = {}
    for trained_in in reversed(projects):
        cards |= cards_in(models_folder(store, trained_in))
    related = [
        known for name in pair.other if (known := related_models_of(name, cards)) is not None and known.is_aligned
    ]
    if not related or len(related) < len(pair.other):
        return Relation("strangers")
    if len(pair.base) == len(pair.other) == 1:
        return _relation_of_two(store, project, pair, related, cards)
    others, bases = (", ".join(names) for names in (pair.other, pair.base))
    if {known.control for known in related} == set(pair.base):
        sentence = (
            f"{bases} {_in_number(pair.base, 'is the control', 'are the controls')} of {others}: trained in the same way, but "
            f"aligned with shuffled rationales. What is won against {_in_number(pair.base, 'it', 'them')} comes from the "
            "rationales."
        )
        return Relation("control of the other", sentence)
    if {known.twin for known in related} != set(pair.base):
        return Relation("strangers")
    twins = _in_number(pair.base, "twin", "twins")
    if related[0].is_control:
        sentence = (
            f"{others} {_in_number(pair.other, 'is a control', 'are controls')}: trained in the same way as {bases}, "
            f"{_in_number(pair.other, 'its', 'their')} {twins}, and aligned with shuffled rationales. What is won does not come "
            "from the rationales."
        )
        return Relation("control", sentence)
    are = _in_number(pair.base, "is", "are")
    sentence = f"{bases} {are} the {twins} of {others}: trained in the same way, but not aligned."
    return _alignment(store, project, related, cards, sentence)


def _relation_of_two(
    store: Store, project: Project, pair: ModelPair, related: Sequence[Kin], cards: Mapping[str, Card]
) -> Relation:
    """The same of one model each, as the page has them, in the language of who reads it; commands also name several."""
    (base,), (other,), (known,) = pair.base, pair.other, related
    if known.control == base:
        sentence = _(
            "{base} is {other}'s shuffled-rationale control: gains over it come from the rationales.",
            base=base, other=other
        )  # fmt: skip
        return Relation("control of the other", sentence)
    if known.twin != base:
        return Relation("strangers")
    if known.is_control:
        sentence = _(
            "{other} is the shuffled-rationale control to baseline {base}: its gains don't come from "
"rationales.",
            base=base, other=other
        )  # fmt: skip
        return Relation("control", sentence)
    sentence = _("{base} is {other}'s unaligned baseline, otherwise trained identically.", base=base, other=other)
    return _alignment(store, project, related, cards, sentence)


def _in_number(models: Sequence[object], of_one: str, of_several: str) -> str:
    return of_one if len(models) == 1 else of_several


def _alignment(
    store: Store, project: Project, related: Sequence[Kin], cards: Mapping[str, Card], sentence: str
) -> Relation:
    lacking = tuple(lack for lack in missing_kin(related, cards, None) if lack.kind == "control")
    controls = tuple(known.control for known in related if known.control is not None)
    here = list_models(store, project.id)
    unasked = [name for name in controls if name not in here]
    if unasked:
        none_asked = several(
            "Not compared: control {names} has no predictions in {project}.",
            "Not compared: controls {names} have no predictions in {project}.",
            len(unasked), names=listed(unasked), project=project.name
        )  # fmt: skip
        sentence = together(sentence, none_asked)
    return Relation("alignment", sentence, tuple(name for name in controls if name in here), lacking)


def model_gains(
    store: Store, actor: User, projects: Sequence[Project], project: Project, pair: ModelPair,
    options: ScoringOptions = ScoringOptions(),
) -> ModelGains:  # fmt: skip
    """Accuracy and plausibility of two models in a project, with the control of an aligned one beside them."""
    require(store, actor, project.id, "export")
    with store.snapshot():
        relation = relation_of(store, projects, project, pair)
        names = [*pair.base, *pair.other, *relation.controls]
        policy = options.gold_policy or project.settings.gold_policy
        gold = [
            labelled
            for labelled in alignment_gains.compared_gold(store, project, names, policy)
            if options.asks_for_instance(labelled.instance, labelled.result)
        ]
        measures = alignment_gains.measured(
            store, project, gold, pair.base, pair.other, relation.controls, fresh_areas(store, project, policy),
            _trained_method(store, projects, pair),
        )  # fmt: skip
        folders = _folders(store, projects)
        lacking = missing_numbers(store, project, names, measures, folders, relation.controls)
        return ModelGains(relation, measures, (*relation.lacking, *lacking))


def _trained_method(store: Store, projects: Sequence[Project], pair: ModelPair) -> str:
    """The attribution method that the second model was aligned by, or the first."""
    cards = {name: card for of in reversed(projects) for name, card in cards_in(models_folder(store, of)).items()}
    return trained_method([*pair.other, *pair.base], cards)


def fresh_areas(store: Store, project: Project, policy: GoldPolicy) -> alignment_gains.Areas:
    """The AUPRC of runs that were measured under a policy, and since when neither gold nor what models say has changed."""
    changed = last_change(store, project.id)
    fresh = {
        run_id
        for run_id, made in measurements_of(store, project.id).items()
        if made.gold_policy == policy and made.last_event_id >= changed
    }
    return lambda stored: (
        values_of_run(store, stored.id, alignment_gains.PLAUSIBILITY)
        if stored.id in fresh and stored.run.method != "attention"  # which is of a layer
        else None
    )


def _folders(store: Store, projects: Sequence[Project]) -> dict[str, Path]:
    """Where the weights of models lie that were trained here."""
    of_all = [(path.name, path) for of in reversed(projects) for path in models_folder(store, of).glob("*/")]
    return {name: path for name, path in of_all if Card.read(path) is not None}


def gains_behind(
    store: Store, actor: User, project: Project, pair: ModelPair, behind: Behind, texts: Sequence[LabelledText]
) -> ModelGains:
    """The same from the numbers of all instances that a table of metrics was made from, so that no attribution is scored again.

    texts: with a gold label, over which accuracy is, as `compare_labelled` counts them; behind has those with gold sets alone
    """
    require(store, actor, project.id, "use models")
    with store.snapshot():
        relation = relation_of(store, [project], project, pair)
        names = [*pair.base, *pair.other, *relation.controls]
        learned = {name: alignment_gains.learned_by(store, project, name) for name in names}
        trained = _trained_method(store, [project], pair)
        parameters = alignment_gains.chosen_parameters(
            names,
            lambda name, method: {
                key[2] for key in behind.rows if key[:2] == (name, method) and key[3] == "attribution"
            },
            trained,
        )
        sides = [
            _side(behind, of_side, parameters, learned) | _right(store, project, of_side, texts, learned)
            if of_side
            else None
            for of_side in (pair.base, pair.other, relation.controls)
        ]
        measures = alignment_gains.gains_of_sides(
            sides[0] or {}, sides[1] or {}, sides[2], len(behind.ids), parameters, trained
        )
        folders = _folders(store, [project])
        lacking = missing_numbers(store, project, names, measures, folders, relation.controls)
        return ModelGains(relation, measures, (*relation.lacking, *lacking))


def _side(
    behind: Behind, names: Sequence[str], parameters: alignment_gains.Parameters, learned: Mapping[str, set[int]]
) -> dict[str, Floats]:
    """By measure float[n_gold]: the mean over trainings of one kind."""
    values: dict[str, list[Floats]] = {}
    for name in names:
        was_learned = np.isin(behind.ids, np.array(sorted(learned[name]), dtype=np.int64))
        for method, of_names in parameters.items():
            wanted = (name, method, of_names.get(name, ""), "attribution")
            of_layers = [seeds for key, seeds in behind.rows.items() if key[:4] == wanted]  # attention is of a layer
            if of_layers:
                values.setdefault(method, []).append(_numbers(of_layers[-1], alignment_gains.PLAUSIBILITY, was_learned))
    return {measure: alignment_gains.means_of_texts(numbers) for measure, numbers in values.items()}


def _right(
    store: Store, project: Project, names: Sequence[str], texts: Sequence[LabelledText],
    learned: Mapping[str, set[int]],
) -> dict[str, Floats]:  # fmt: skip
    """Accuracy as float[n_texts], NaN where a model has not answered, or has learned from it."""
    nothing, of_names = np.full(len(texts), np.nan), []
    for name in names:
        unlearned = [text for text in texts if text.id not in learned[name]]
        of_seeds = [nothing]
        for answers in full_answers(store, project.id, name).values():
            right = {text.id: float(answers[text.id].label == text.result) for text in unlearned if text.id in answers}
            of_seeds.append(np.array([right.get(text.id, np.nan) for text in texts]))
        of_names.append(alignment_gains.means_of_texts(of_seeds))
    return {alignment_gains.ACCURACY: alignment_gains.means_of_texts(of_names)}


def _numbers(seeds: Sequence[OfSeed], column: str, was_learned: Flags) -> Floats:
    of_seeds = []
    for seed in seeds:
        numbers = np.full(len(was_learned), np.nan)
        numbers[seed.places] = seed.values.get(column, np.nan)
        of_seeds.append(np.where(was_learned, np.nan, numbers))
    return alignment_gains.means_of_texts(of_seeds)


def first_pair(store: Store, actor: User, project: Project, models: Sequence[str]) -> ModelPair:
    """Of at least two models those that one would look at first: an aligned one beside its twin, else the first two."""
    require(store, actor, project.id, "use models")
    cards = cards_in(models_folder(store, project))
    for name in models:
        related = related_models_of(name, cards)
        if related is not None and related.twin is not None and related.twin in models and not related.is_control:
            return ModelPair((related.twin,), (name,))
    return ModelPair((models[0],), (models[1],))


def answers_runs(store: Store, actor: User, project: Project, names: Sequence[str]) -> list[int | None]:
    """Of each model the first run of its answers, by which the Saliency page knows it; None where it has none of its own."""
    require(store, actor, project.id, "use models")
    runs = [list_runs(store, project.id, name, "") for name in names]
    return [of_model[0].id if of_model else None for of_model in runs]
