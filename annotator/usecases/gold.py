"""The gold of single instances, and their gold labels: what their gold says, else the label they have had from the start."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from annotator.domain.instances import Annotation, AnnotationState, GoldChoice, GoldInstance, Instance
from annotator.domain.measurements import HELP, Whose, groups_of_annotations
from annotator.domain.people import User
from annotator.domain.projects import GOLD_POLICIES, GoldPolicy, Project, ScoredPolicy
from annotator.errors import InvalidValue
from annotator.language import _, listed, several, together, unknown, unsaid
from annotator.review.gold import gold_with_choice, personal_gold, soft_gold
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.gold_choices import choices_of
from annotator.store.instances import get_instances, iterate_instance_batches, split_names
from annotator.usecases.access.rights import require

if TYPE_CHECKING:
    from annotator.review.agreement import Agreement

_AT_ONCE = 500


def gold_labels(store: Store, project: Project, instances: Sequence[Instance]) -> dict[int, str | None]:
    """By instance; None where nobody has given one."""
    ids = [instance.id for instance in instances]
    annotations, choices = annotations_of(store, ids), choices_of(store, ids)
    labels: dict[int, str | None] = {}
    for instance in instances:
        annotated, choice = annotations[instance.id], choices.get(instance.id)
        accepted = [a for a in annotated if a.state == "accepted"]
        gold = gold_with_choice(instance, accepted, project.settings.gold_policy, annotated, choice)
        labels[instance.id] = instance.result if gold is None else gold.result
    return labels


def labelled_gold(store: Store, project: Project, policy: GoldPolicy) -> Iterator[GoldInstance]:
    """Every instance that is not discarded and has a gold label, with its gold sets; without sets where there is no gold.

    Of a project that asks for answers those with a gold answer, which may be "": that there is none.
    """
    asks_for_answers = project.task.result_kind == "answer"
    for instances in iterate_instance_batches(store, project.id):
        yield from _labelled(store, instances, policy, asks_for_answers=asks_for_answers)


def labelled_gold_of(store: Store, ids: Sequence[int], policy: GoldPolicy) -> Iterator[GoldInstance]:
    """The same of some instances of a project that asks for labels."""
    for first in range(0, len(ids), _AT_ONCE):
        yield from _labelled(store, list(get_instances(store, ids[first : first + _AT_ONCE]).values()), policy)


def _labelled(
    store: Store, instances: Sequence[Instance], policy: GoldPolicy, *, asks_for_answers: bool = False
) -> Iterator[GoldInstance]:
    for gold in gold_among(store, instances, policy):
        is_told = gold.result is not None if asks_for_answers else bool(gold.result)
        if is_told and gold.instance.state != "discarded":
            yield gold


def gold_of_instances(
    store: Store, ids: Sequence[int], policy: GoldPolicy, *, whose: Whose | None = None
) -> dict[int, GoldInstance]:
    """The gold of some instances by number, in their order; without sets where there is none.

    whose: annotations alone are gold; None: everybody's
    """
    gold: dict[int, GoldInstance] = {}
    for first in range(0, len(ids), _AT_ONCE):
        part = ids[first : first + _AT_ONCE]
        instances = get_instances(store, part)
        ordered = [instances[number] for number in part if number in instances]
        gold |= {item.instance.id: item for item in gold_among(store, ordered, policy, whose)}
    return gold


def gold_among(
    store: Store, instances: Sequence[Instance], policy: GoldPolicy, whose: Whose | None = None
) -> Iterator[GoldInstance]:
    """The gold of instances that are at hand, in their order; without sets where there is none."""
    ids = [instance.id for instance in instances]
    annotations, choices = annotations_of(store, ids), choices_of(store, ids)
    for instance in instances:
        annotated = annotations_of_people(instance, annotations[instance.id], whose)
        accepted = [annotation for annotation in annotated if annotation.state == "accepted"]
        gold = gold_with_choice(instance, accepted, policy, annotated, choices.get(instance.id))
        yield gold or GoldInstance(instance, (), instance.result)


def gold_of_instance(store: Store, project: Project, instance: Instance) -> GoldInstance:
    """The gold of an instance under the project's policy; without sets where there is none."""
    return find_gold(store, project, instance) or GoldInstance(instance, (), instance.result)


def find_gold(store: Store, project: Project, instance: Instance) -> GoldInstance | None:
    """The gold of an instance under the project's policy, if it has any."""
    annotations = annotations_of(store, [instance.id])[instance.id]
    accepted = [annotation for annotation in annotations if annotation.state == "accepted"]
    choice = choices_of(store, [instance.id]).get(instance.id)
    return gold_with_choice(instance, accepted, project.settings.gold_policy, annotations, choice)


Half = Literal["both", "originals", "perturbed"]

HALVES: tuple[Half, ...] = ("both", "originals", "perturbed")


@dataclass(frozen=True, slots=True)
class GoldOptions:
    """What is written.

    gold_policy None: the project's. include_submitted: also annotations that are not accepted yet. half: originals alone, or
    perturbed versions alone (our own format always holds both). whose: the gold of the annotations of these people alone.
    """

    gold_policy: GoldPolicy | None = None
    split: str | None = None
    include_submitted: bool = False
    half: Half = "both"
    whose: Whose | None = None

    @property
    def is_of_people(self) -> bool:
        """Whether the gold is that of some people, under no policy; without help it has the policy it is asked for with."""
        return self.whose is not None and self.whose.by != HELP


def checked_policy(policy: str | None, *, also: Sequence[str] = ()) -> GoldPolicy | None:
    """A gold policy that somebody wrote; raises InvalidValue naming those there are.

    also: what else may be written
    """
    if policy is not None and policy not in GOLD_POLICIES:
        raise InvalidValue(unknown(_("gold policy"), policy, ", ".join((*GOLD_POLICIES, *also))))
    return policy


def require_split(store: Store, projects: Sequence[Project], split: str | None, *, of_files: bool = False) -> None:
    """Raise InvalidValue where none of some projects has a split that is asked for, naming those that there are.

    of_files: the names by which files called splits are taken as well
    """
    if split is None:
        return
    known = split_names(store, [project.id for project in projects], of_files=of_files)
    if split in known:
        return
    names = listed([f"'{project.name}'" for project in projects], "and")
    splits = listed([f"'{name}'" for name in sorted(known) if name])
    raise InvalidValue(
        _("No split '{split}' in {names}. Available: {splits}.", names=names, split=split, splits=splits)
        if splits
        else _("No splits in {names}. Remove the split '{split}'.", names=names, split=split)
    )


def gold_instances(
    store: Store, project: Project, policy: ScoredPolicy, options: GoldOptions = GoldOptions(),
    left_out: Counter[str] | None = None,
) -> Iterator[GoldInstance]:  # fmt: skip
    """The gold of every instance that has one and is not discarded, in the order of import.

    left_out: counts by annotator the annotations that might be gold and have no set in it
    """
    states = counting_states(options)
    for instance, annotations, choice in _annotated(store, project, options.split):
        annotated = annotations_of_people(instance, annotations, options.whose)
        gold = _gold(instance, annotated, choice, policy, states)
        if gold is not None and is_in(options.half, instance):
            if left_out is not None:
                used = {origin.annotation_id for origins in gold.origins for origin in origins}
                left_out.update(a.annotator for a in annotated if a.state in states and a.sets and a.id not in used)
            yield gold


def left_out_words(left_out: Mapping[str, int], policy: ScoredPolicy, *, has_names: bool) -> str:
    """Whose sets gold leaves out, in sentences; "" for nobody's. has_names: for who may know who annotated what."""
    if not left_out:
        return ""
    n, why = sum(left_out.values()), _(_WHY_LEFT_OUT.get(policy, _OTHERWISE_LEFT_OUT))
    if not has_names:
        return together(
            several("This gold omits the sets of {n} annotation.", "This gold omits the sets of {n} annotations.", n),
            why,
        )
    people = listed([f"{name} ({number:,})" for name, number in sorted(left_out.items())])
    return together(
        several(
            "This gold omits the sets of {n} annotation: {people}.",
            "This gold omits the sets of {n} annotations: {people}.",
            n,
            people=people,
        ),
        why,
    )


_WHY_LEFT_OUT: Mapping[ScoredPolicy, str] = {
    "chosen": unsaid("“chosen” takes one annotation per text; “all” takes every one with the gold label.")
}
_OTHERWISE_LEFT_OUT = unsaid("Their label isn't gold, or no word has a majority.")


def gold_by_people(store: Store, project: Project, policy: ScoredPolicy, by: str) -> Iterator[tuple[str, GoldInstance]]:
    """The gold of the annotations of each group of people alone, for all groups at once: instances in the order of import."""
    states = counting_states(GoldOptions())
    for instance, annotations, choice in _annotated(store, project, None):
        groups = groups_of_annotations(instance, annotations, by)
        for group in dict.fromkeys(groups):
            of_group = [a for a, of in zip(annotations, groups, strict=True) if of == group]
            gold = _gold(instance, of_group, choice, policy, states)
            if gold is not None:
                yield group, gold


def _annotated(
    store: Store, project: Project, split: str | None
) -> Iterator[tuple[Instance, Sequence[Annotation], GoldChoice | None]]:
    """Each instance with its annotations, and which of them the lead chose."""
    for instances in iterate_instance_batches(store, project.id, split=split):
        ids = [instance.id for instance in instances]
        annotations, choices = annotations_of(store, ids), choices_of(store, ids)
        for instance in instances:
            yield instance, annotations[instance.id], choices.get(instance.id)


def annotations_of_people(
    instance: Instance, annotations: Sequence[Annotation], whose: Whose | None
) -> Sequence[Annotation]:
    """Those of a group of people, or of annotations, alone; None: of everybody."""
    return annotations if whose is None else whose.among(instance, annotations)


def _gold(
    instance: Instance, annotated: Sequence[Annotation], choice: GoldChoice | None, policy: ScoredPolicy,
    states: Collection[AnnotationState],
) -> GoldInstance | None:  # fmt: skip
    if instance.state == "discarded":
        return None
    counting = sorted((a for a in annotated if a.state in states), key=_accepted_first)
    if policy == "soft":
        return soft_gold(instance, annotated, counting)
    if policy == "personal":
        return personal_gold(instance, counting)
    return gold_with_choice(instance, counting, policy, annotated, choice)


def counting_states(options: GoldOptions) -> frozenset[AnnotationState]:
    """The states of annotations that gold is made from."""
    return frozenset({"accepted", "submitted"} if options.include_submitted else {"accepted"})


def is_in(half: Half, instance: Instance) -> bool:
    """Whether an instance is of a half: an original, or a changed version."""
    return half == "both" or (half == "perturbed") == (instance.parent_key is not None)


def _accepted_first(annotation: Annotation) -> bool:
    return annotation.state != "accepted"


# How far the annotators agree of whom gold is made.


def agreement_of(store: Store, actor: User, project: Project, whose: Whose | None = None) -> "Agreement":
    """How far the annotators of a project agree, over the instances that are not discarded, at one moment.

    Each annotator's latest round at an instance takes part when it is submitted or accepted, imported annotations with them.
    whose: a group of annotations alone, such as those that were made without help
    """
    from annotator.review.agreement import AgreementTally  # noqa: PLC0415  (NumPy)

    require(store, actor, project.id, "export")
    tally = AgreementTally()
    with store.snapshot():
        for instances in iterate_instance_batches(store, project.id):
            annotations = annotations_of(store, [instance.id for instance in instances])
            for instance in instances:
                if instance.state != "discarded":
                    tally.add(instance, annotations_of_people(instance, annotations[instance.id], whose))
    return tally.result()
