"""What a second pass is proposed, and how what it marked becomes the exhaustive gold of the first project's texts."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.instances import GoldChoice, GoldInstance, Instance
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.project.evidence import COPY_STATES, CopyState, EvidenceCopy, EvidencePass
from annotator.domain.projects import Project
from annotator.domain.proposed_sets import ProposedSet
from annotator.domain.texts import RationaleSet, set_letter, union_of_tokens
from annotator.errors import Conflict, NotFound
from annotator.language import _, several
from annotator.store import Store
from annotator.store.annotate.annotations import get_annotations, set_annotation_state
from annotator.store.annotate.assignments import end_work_on
from annotator.store.annotate.instance_queue import drops_out, settle
from annotator.store.events import add_event, list_events
from annotator.store.gold_choices import add_exhaustive, choices_of, find_choice, remove_choice, set_choice
from annotator.store.instances import discard, get_instance, project_of_instance
from annotator.store.project import evidence_passes as passes_store
from annotator.store.project.evidence_passes import find_copy
from annotator.store.projects import get_project_by_id
from annotator.store.review.reviews import end_reviews_of_instance
from annotator.usecases.access import independence
from annotator.usecases.access.rights import require
from annotator.usecases.gold import gold_of_instance, gold_of_instances

_OTHERS = 20  # texts that are named where something keeps them from being taken over


@dataclass(frozen=True, slots=True)
class CopyStanding:
    """A text of a pass: how far it is, its gold in the first project as it is now, and what the pass made of it."""

    copy: EvidenceCopy
    state: CopyState
    before: GoldInstance
    after: GoldInstance

    @property
    def key(self) -> str:
        return self.before.instance.key


@dataclass(frozen=True, slots=True)
class PassStanding:
    """How far a pass is, and what taking over would change.

    n_by_state: texts; n_taken: those that would be taken over, of which n_changed get other tokens; tokens, sets: of their gold
    before and after
    others:     keys of the texts that something keeps from being taken over, by what it is; the first 20 of each
    """

    evidence_pass: EvidencePass
    n_by_state: Mapping[CopyState, int]
    n_taken: int
    n_changed: int
    tokens: tuple[int, int]
    sets: tuple[int, int]
    others: Mapping[CopyState, tuple[str, ...]]

    @property
    def n(self) -> int:
        return sum(self.n_by_state.values())

    @property
    def n_exhaustive(self) -> int:
        return self.n_by_state.get("taken", 0)

    def rows(self) -> list[tuple[str, int, tuple[str, ...]]]:
        """How many texts are how far, with the keys of those that something keeps from being taken over."""
        states = [state for state in COPY_STATES if self.n_by_state.get(state)]
        return [(_(COPY_STATES[state]), self.n_by_state[state], self.others.get(state, ())) for state in states]

    @property
    def words(self) -> str:
        """What taking over would change, in a sentence."""
        return several(
            "{n} text would get exhaustive gold, {n_changed} changed: {tokens_before} → {tokens}, "
            "{sets_before} → {sets}.",
            "{n} texts would get exhaustive gold, {n_changed} changed: {tokens_before} → {tokens}, "
            "{sets_before} → {sets}.",
            self.n_taken,
            n_changed=f"{self.n_changed:,}",
            tokens_before=f"{self.tokens[0]:,}",
            tokens=counted(self.tokens[1], "token"),
            sets_before=f"{self.sets[0]:,}",
            sets=counted(self.sets[1], "set"),
        )


def passes_of(store: Store, actor: User, source_id: int) -> list[EvidencePass]:
    """The second passes of a project, for its leads."""
    require(store, actor, source_id, "manage project")
    return passes_store.passes_of(store, source_id)


def find_first(store: Store, project_id: int) -> str | None:
    """The name of the first project, of a project that is a second pass."""
    evidence_pass = passes_store.find_pass(store, project_id)
    return None if evidence_pass is None else get_project_by_id(store, evidence_pass.source_id).name


def newest_change(store: Store, actor: User, project_id: int) -> tuple[int, int]:
    """The newest events of the first project and of a pass: while they are the same, so is how far the pass is."""
    evidence_pass = _managed(store, actor, project_id)
    first, second = (
        max((event.id for event in list_events(store, number, limit=1)), default=0)
        for number in (evidence_pass.source_id, project_id)
    )
    return first, second


def standing_of(store: Store, actor: User, project_id: int, *, with_changed: bool = False) -> PassStanding:
    """How far a second pass is, and what taking over now would change. with_changed: as in `take_over`."""
    evidence_pass = _managed(store, actor, project_id)
    standings = _standings(store, evidence_pass, passes_store.copies_of(store, project_id))
    taken = [standing for standing in standings if _is_taken_over(standing, with_changed)]
    others: dict[CopyState, tuple[str, ...]] = {}
    for standing in standings:
        if standing.state not in {"waiting", "ready", "taken"}:
            others[standing.state] = (*others.get(standing.state, ()), standing.key)[:_OTHERS]
    before, after = [standing.before.sets for standing in taken], [standing.after.sets for standing in taken]
    return PassStanding(
        evidence_pass,
        Counter(standing.state for standing in standings),
        len(taken),
        sum(union_of_tokens(old) != union_of_tokens(new) for old, new in zip(before, after, strict=True)),
        (_n_tokens(before), _n_tokens(after)),
        (sum(map(len, before)), sum(map(len, after))),
        others,
    )


def take_over(store: Store, actor: User, project_id: int, *, with_changed: bool = False) -> int:
    """Make what a pass marked the exhaustive gold of the first project's texts; answers of how many.

    with_changed: also of texts whose gold there was changed since they were copied
    """
    with store.transaction():
        evidence_pass = _managed(store, actor, project_id)
        standings = _standings(store, evidence_pass, passes_store.copies_of(store, project_id))
        taken = [standing for standing in standings if _is_taken_over(standing, with_changed)]
        if not taken:
            raise Conflict(_("No text is ready to adopt."))
        for standing in taken:
            _take(store, actor.name, evidence_pass, standing)
        _note(store, actor, evidence_pass, "take over every evidence", len(taken))
    return len(taken)


def take_back(store: Store, actor: User, project_id: int) -> int:
    """The gold of the first project is what it was before, for every text of a pass; what was marked stays in the pass."""
    with store.transaction():
        evidence_pass = _managed(store, actor, project_id)
        copies = [copy for copy in passes_store.copies_of(store, project_id) if copy.taken is not None]
        choices = choices_of(store, [copy.original_id for copy in copies])
        standing = [c for c in copies if (held := choices.get(c.original_id)) and held.annotation_id == c.taken]
        if not standing:
            raise Conflict(_("Nothing was adopted from this pass."))
        for copy in standing:
            restore_former(store, copy.original_id)
        _note(store, actor, evidence_pass, "take back every evidence", len(standing))
    return len(standing)


def set_automatic(store: Store, actor: User, project_id: int, is_automatic: bool) -> None:
    """Whether what is accepted in a pass from now on is taken over at once."""
    with store.transaction():
        evidence_pass = _managed(store, actor, project_id)
        passes_store.set_automatic(store, project_id, is_automatic)
        add_event(
            store, actor.name, "change evidence pass", "project", evidence_pass.source_id,
            project_id=evidence_pass.source_id, evidence_pass=evidence_pass.project_name, is_automatic=is_automatic,
        )  # fmt: skip


def after_acceptance(store: Store, instance_id: int) -> None:
    """Something of a text was accepted: where it is of a pass whose lead wants that, it is taken over; in a transaction."""
    copy = passes_store.find_copy(store, instance_id)
    if copy is None:
        return
    evidence_pass = passes_store.find_pass(store, project_of_instance(store, instance_id))
    if evidence_pass is None or not evidence_pass.is_automatic:
        return
    for standing in _standings(store, evidence_pass, [copy]):
        if standing.state == "ready":
            _take(store, evidence_pass.made_by, evidence_pass, standing)


def restore_former(store: Store, original_id: int) -> GoldChoice | None:
    """A text's choice of gold is undone; of one that a pass brought, the lead's choice before it stands again.

    Answers what was undone. A version that was made for it stays stored as withdrawn.
    """
    choice, copy = find_choice(store, original_id), passes_store.find_copy_of(store, original_id)
    if choice is None:
        return None
    if choice.is_adjudicated:
        set_annotation_state(store, choice.annotation_id, "withdrawn")
    former = copy.former_choice if copy is not None and copy.taken == choice.annotation_id else None
    if former is None:
        remove_choice(store, original_id)
    else:
        set_choice(store, former)
        if former.is_adjudicated:
            set_annotation_state(store, former.annotation_id, "reference")
    if copy is not None and copy.taken == choice.annotation_id:
        passes_store.set_taken(store, copy.copy_id, None, None)
    settle(store, original_id)
    if drops_out(store, original_id):
        end_work_on(store, original_id)
        end_reviews_of_instance(store, original_id)
        discard(store, original_id)
    return choice


def packed_gold(gold: GoldInstance) -> str:
    """Gold sets as they are kept with a copy."""
    return json.dumps([[[span.start, span.end] for span in gold_set.spans] for gold_set in gold.sets])


def has_same_text(original: Instance, copy: Instance) -> bool:
    """Whether tokens of one are those of the other."""
    return [(s.name, s.body) for s in original.segments] == [(s.name, s.body) for s in copy.segments]


def _managed(store: Store, actor: User, project_id: int) -> EvidencePass:
    evidence_pass = passes_store.find_pass(store, project_id)
    if evidence_pass is None:
        raise NotFound(_("Project {project_id} isn't a second pass.", project_id=project_id))
    require(store, actor, evidence_pass.source_id, "manage project")
    return evidence_pass


def _standings(store: Store, evidence_pass: EvidencePass, copies: Sequence[EvidenceCopy]) -> list[CopyStanding]:
    source, target = (get_project_by_id(store, n) for n in (evidence_pass.source_id, evidence_pass.project_id))
    before = gold_of_instances(store, [copy.original_id for copy in copies], source.settings.gold_policy)
    after = gold_of_instances(store, [copy.copy_id for copy in copies], target.settings.gold_policy)
    choices = choices_of(store, [copy.original_id for copy in copies])
    return [
        CopyStanding(
            copy,
            _state(copy, before[copy.original_id], after[copy.copy_id], choices.get(copy.original_id)),
            before[copy.original_id],
            after[copy.copy_id],
        )
        for copy in copies
    ]


def _state(copy: EvidenceCopy, before: GoldInstance, after: GoldInstance, choice: GoldChoice | None) -> CopyState:
    """How far a text is. What was taken over is ready again when the pass says something else by now."""
    is_held = choice is not None and choice.annotation_id == copy.taken
    is_complete = after.instance.state == "complete"
    states: tuple[tuple[CopyState, bool], ...] = (
        ("discarded", before.instance.state == "discarded"),
        ("taken", is_held and (not is_complete or after.sets == before.sets)),
        ("discarded in the pass", after.instance.state == "discarded"),
        ("waiting", not is_complete),
        ("text changed", not has_same_text(before.instance, after.instance)),
        ("other result", (before.result, after.result) != (copy.result, copy.copy_result)),
        ("gold changed", not is_held and packed_gold(before) != copy.gold),
    )
    return next((state for state, is_so in states if is_so), "ready")


def _is_taken_over(standing: CopyStanding, with_changed: bool) -> bool:
    return standing.state == "ready" or (with_changed and standing.state == "gold changed")


def _take(store: Store, by: str, evidence_pass: EvidencePass, standing: CopyStanding) -> None:
    """The copy's gold as a version of its original, chosen as its gold; what was chosen before is remembered."""
    copy, gold = standing.copy, standing.after
    earlier = find_choice(store, copy.original_id)
    if earlier is not None and earlier.is_adjudicated:
        set_annotation_state(store, earlier.annotation_id, "withdrawn")
    former = copy.former_choice if earlier and earlier.annotation_id == copy.taken else earlier
    names, user_id = _people_behind(store, gold)
    annotation_id = add_exhaustive(
        store, copy.original_id, names or by, user_id, standing.before.result, gold.sets, evidence_pass.project_name
    )
    reason = f"All evidence, from “{evidence_pass.project_name}”"
    set_choice(
        store, GoldChoice(copy.original_id, annotation_id, True, by, reason, store.now(), evidence_pass.project_name)
    )
    passes_store.set_taken(store, copy.copy_id, annotation_id, former)
    settle(store, copy.original_id)
    add_event(
        store, by, "choose every evidence", "instance", copy.original_id, project_id=evidence_pass.source_id,
        annotation=annotation_id, annotator=names, evidence_pass=evidence_pass.project_name,
        tokens_before=_n_tokens([standing.before.sets]), tokens_after=_n_tokens([gold.sets]),
    )  # fmt: skip


def _people_behind(store: Store, gold: GoldInstance) -> tuple[str, int | None]:
    """The names of whoever marked gold sets, and the account where it is one person."""
    numbers = {origin.annotation_id for origins in gold.origins for origin in origins}
    annotations = [annotation for _, annotation in sorted(get_annotations(store, sorted(numbers)).items())]
    names = list(dict.fromkeys(annotation.annotator for annotation in annotations))
    return ", ".join(names), annotations[0].user_id if len(names) == 1 else None


def _note(store: Store, actor: User, evidence_pass: EvidencePass, action: str, n: int) -> None:
    add_event(
        store, actor.name, action, "project", evidence_pass.source_id, project_id=evidence_pass.source_id,
        evidence_pass=evidence_pass.project_name, texts=n,
    )  # fmt: skip


def _n_tokens(golds: Sequence[Sequence[RationaleSet]]) -> int:
    return sum(len(union_of_tokens(sets)) for sets in golds)


# What annotators of a second pass are proposed: the gold sets of the first one, as they are at the moment.


FIRST_SETS = "first pass"  # what these sets are counted under


def first_pass_proposals(store: Store, user: User, project: Project, instance: Instance) -> list[ProposedSet]:
    """The sets, which are shown to the person from now on.

    None where the original has another text by now, or its sets are closed to the person, who has it in hand or may still be
    given it.
    """
    copy = find_copy(store, instance.id) if project.settings.are_first_sets_proposed else None
    if copy is None:
        return []
    source_id = project_of_instance(store, copy.original_id)
    original = get_instance(store, copy.original_id)
    gold = gold_of_instance(store, get_project_by_id(store, source_id), original)
    behind = independence.annotations_behind(gold)
    is_withheld = bool(independence.why_withheld(store, user, source_id, original.id, behind))
    if is_withheld or not has_same_text(original, instance):
        return []
    independence.show(store, user, source_id, original.id, behind)
    return [
        ProposedSet("carried", FIRST_SETS, rationale_set, _("first pass {letter}", letter=set_letter(number)))
        for number, rationale_set in enumerate(gold.sets)
    ]
