"""Which sets stand below the words on the Saliency page: the gold of a policy, or everybody's own; and who may see them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from annotator.domain.instances import Annotation, GoldInstance, Instance
from annotator.domain.people import User, has_right
from annotator.domain.projects import GOLD_POLICIES, GoldPolicy, Project
from annotator.domain.sources import is_numbered_in_text, short_facts
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.people import roles_of
from annotator.usecases.access import independence
from annotator.usecases.gold import gold_of_instance
from annotator.usecases.inspect.saliency_messages import ShownPerson

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
        _(
            "'gold' in the address must be one of {known}; it is '{text}'.",
            known=", ".join(ASKED_GOLD[1:]),
            text=text[:40],
        )
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
                is_named=is_named,
                is_numbered=not is_named or is_numbered_in_text(annotation.annotator, instance.metadata),
                is_own=is_own,
                label=annotation.result,
                is_accepted=annotation.state == "accepted",
                facts=facts.get(annotation.annotator, ()),
                sets=tuple(rationale_set.token_indices for rationale_set in annotation.sets),
            )
        )
    return tuple(shown)
