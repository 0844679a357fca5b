"""Change many instances at once, and undo it: what people hold stays with them, and nothing that changed since is touched."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from annotator.domain.people import User
from annotator.domain.project.search import BulkAction, BulkChange, BulkPlan, InstanceFacts, PassedOver, Undone
from annotator.domain.projects import Project
from annotator.errors import Conflict, InvalidValue
from annotator.language import _, several
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.instances import leaking_documents
from annotator.store.people import list_members
from annotator.store.project import bulk_actions as bulk_store
from annotator.usecases.access.rights import require, require_of_project, roles_with
from annotator.usecases.review.rounds import decide_complete_of

_MOST_EXTRA = 100
_KEPT = 20  # actions that are listed

_Wanted = Mapping[int, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class BulkResult:
    """What was done. n_leaks: of a change of splits, how many texts then stand in more than one of them."""

    action: BulkAction | None
    plan: BulkPlan
    n_leaks: int = 0


def plan_change(
    store: Store, actor: User, project: Project, change: BulkChange, instance_ids: Sequence[int]
) -> BulkPlan:
    """How many of some instances a change concerns, and how many it passes over and why; nothing is stored."""
    require(store, actor, project.id, "manage project")
    with store.snapshot():
        return _plan(store, project, change, instance_ids)


def change_many(
    store: Store, actor: User, project: Project, change: BulkChange, instance_ids: Sequence[int], *,
    n_expected: int | None = None,
) -> BulkResult:  # fmt: skip
    """Carry a change out in one transaction; those that it must pass over stay as they are.

    n_expected: how many it concerned when somebody agreed to it
    Raises: Conflict where it concerns another number by now; nothing is stored then
    """
    with store.transaction():
        require(store, actor, project.id, "manage project")
        plan = _plan(store, project, change, instance_ids)
        if n_expected is not None and len(plan.ids) != n_expected:
            raise Conflict(
                several(
                    "{n} text now matches (it was {expected}). Confirm again.",
                    "{n} texts now match (it was {expected}). Confirm again.",
                    len(plan.ids),
                    expected=f"{n_expected:,}",
                )
            )
        if not plan.ids:
            return BulkResult(None, plan)
        before = bulk_store.facts_of(store, project.id, plan.ids)
        wanted = {number: _wanted(change, facts, _people(store, project, change)) for number, facts in before.items()}
        _write(store, project, wanted)
        after = _values_of(bulk_store.facts_of(store, project.id, plan.ids), _watched(change))
        action_id = bulk_store.add_action(
            store, actor, project.id, change, _values_of(before, wanted[plan.ids[0]].keys()), after
        )
        add_event(
            store, actor.name, "change many texts", "project", project.id, project_id=project.id,
            number=action_id, kind=change.kind, instances=len(plan.ids), passed_over=sum(plan.passed_over.values()),
            **_told(change),
        )  # fmt: skip
        n_leaks = leaking_documents(store, project.id) if change.kind == "split" else 0
        return BulkResult(bulk_store.get_action(store, action_id), plan, n_leaks)


def last_changes(store: Store, actor: User, project: Project, *, limit: int = _KEPT) -> list[BulkAction]:
    """The last changes of many texts of a project, the newest first, those that were undone too."""
    require(store, actor, project.id, "manage project")
    return bulk_store.list_actions(store, project.id, limit=limit)


def plan_undoing(store: Store, actor: User, project: Project, action_id: int) -> Undone:
    """What undoing a change would come to; nothing is stored."""
    require(store, actor, project.id, "manage project")
    with store.snapshot():
        restored, n_changed = _restorable(store, project, _of_project(store, project, action_id))
    return Undone(len(restored), n_changed)


def undo(store: Store, actor: User, project: Project, action_id: int) -> Undone:
    """Give each instance back what the change took, where it is still as the change left it and nobody holds it.

    Raises: Conflict when somebody has undone it already
    """
    with store.transaction():
        require(store, actor, project.id, "manage project")
        action = _of_project(store, project, action_id)
        if action.undone_by is not None:
            raise Conflict(_("Already undone by {name}.", name=action.undone_by))
        restored, n_changed = _restorable(store, project, action)
        _write(store, project, restored)
        undone = Undone(len(restored), n_changed)
        bulk_store.note_undone(store, action_id, actor, undone)
        add_event(
            store, actor.name, "undo change of many texts", "project", project.id, project_id=project.id,
            number=action_id, kind=action.change.kind, instances=undone.n_restored, changed_since=undone.n_changed,
        )  # fmt: skip
    return undone


def _of_project(store: Store, project: Project, action_id: int) -> BulkAction:
    action = bulk_store.get_action(store, action_id)
    require_of_project(action.project_id, project.id, action_id, _("change"))
    return action


def _told(change: BulkChange) -> dict[str, object]:
    """What of a change the record tells."""
    match change.kind:
        case "split":
            return {"split": change.split}
        case "exhaustive":
            return {"is_exhaustive": change.is_exhaustive}
        case "discard":
            return {"reason": change.reason, "comment": change.comment.strip()}
        case "name" | "give out":
            return {"people": list(change.people), "named_as": change.named_as if change.people else None}
    return {}


# --- What is done, and to which of them ---------------------------------------------------------------------------------


def _plan(store: Store, project: Project, change: BulkChange, instance_ids: Sequence[int]) -> BulkPlan:
    facts = bulk_store.facts_of(store, project.id, instance_ids)
    people = _people(store, project, change)
    if change.kind == "split":
        return _plan_split(store, project, change, facts)
    passed_over: Counter[PassedOver] = Counter()
    ids: list[int] = []
    for number, of_one in facts.items():
        reason = _why_passed_over(change, of_one, people)
        if reason is None:
            ids.append(number)
        else:
            passed_over[reason] += 1
    return BulkPlan(tuple(ids), dict(passed_over), n_short=_n_short(store, change, [facts[n] for n in ids], people))


def _n_short(store: Store, change: BulkChange, concerned: Sequence[InstanceFacts], people: Sequence[int]) -> int:
    """How many instances stay incomplete since they are for too few people only."""
    if not people or change.named_as != "only":
        return 0
    n_new = bulk_store.count_new_people(store, [facts.id for facts in concerned], people)
    n_more = change.kind == "give out"
    return sum(facts.open_slots + n_more > n_new[facts.id] for facts in concerned)


def _people(store: Store, project: Project, change: BulkChange) -> tuple[int, ...]:
    """The numbers of the people of a change; raises InvalidValue for one who does not annotate in the project."""
    if not change.people:
        return ()
    annotating = roles_with("annotate")
    by_name = {
        user.name.casefold(): cast("int", user.id)
        for user, role in list_members(store, project.id)
        if role in annotating and not user.is_disabled
    }
    for name in change.people:
        if name.casefold() not in by_name:
            known = ", ".join(sorted(by_name)) or _("nobody yet")
            raise InvalidValue(
                _("'{name}' doesn't annotate here. Choose {people}, or give a role (People).", name=name, people=known)
            )
    return tuple(sorted({by_name[name.casefold()] for name in change.people}))


def _why_passed_over(change: BulkChange, facts: InstanceFacts, people: Sequence[int]) -> PassedOver | None:
    is_out = facts.state == "discarded"
    if change.kind in {"exhaustive", "put back"}:
        is_so = facts.is_exhaustive == change.is_exhaustive
        return ("so already" if is_so else None) if change.kind == "exhaustive" else None if is_out else "not discarded"
    if is_out or facts.state == "held":
        return "discarded" if is_out else "with the lead"
    if set(facts.held_by) - (set(people) if change.kind == "name" else set()):
        return "held"
    if change.kind == "discard":
        return "reviewed" if facts.is_reviewed else None
    return _why_not_named(change, facts, people) if change.kind == "name" else _why_not_given_out(facts)


def _why_not_named(change: BulkChange, facts: InstanceFacts, people: Sequence[int]) -> PassedOver | None:
    wanted_as = change.named_as if people else None
    if (facts.named_as, facts.named) == (wanted_as, tuple(people)):
        return "so already"
    return "nothing wanted" if people and facts.open_slots == 0 and not facts.held_by else None


def _why_not_given_out(facts: InstanceFacts) -> PassedOver | None:
    if facts.is_adjudicated:
        return "adjudicated"
    if facts.open_slots:
        return "waiting"
    return "full" if facts.extra_annotators >= _MOST_EXTRA else None


def _plan_split(store: Store, project: Project, change: BulkChange, chosen: Mapping[int, InstanceFacts]) -> BulkPlan:
    """Changed versions follow their originals; a family one of whose keys is taken in the new split stays."""
    versions = bulk_store.facts_of(store, project.id, bulk_store.versions_of(store, project.id, list(chosen)))
    families: dict[int, list[InstanceFacts]] = {}
    passed_over: Counter[PassedOver] = Counter()
    for facts in (*chosen.values(), *versions.values()):
        if facts.original_id in chosen:
            families.setdefault(cast("int", facts.original_id), []).append(facts)
        elif facts.original_id is not None:
            passed_over["follows original"] += 1
        else:
            families.setdefault(facts.id, []).insert(0, facts)
    taken = bulk_store.keys_in_split(store, project.id, change.split)
    ids: list[int] = []
    for family in families.values():
        moved = [facts for facts in family if facts.split != change.split]
        if not moved:
            passed_over["so already"] += len(family)
        elif any(facts.key in taken for facts in moved):
            passed_over["key taken"] += len(family)
        else:
            taken.update({facts.key: facts.id for facts in moved})
            ids += [facts.id for facts in moved]
    return BulkPlan(tuple(sorted(ids)), dict(passed_over), sum(number in versions for number in ids))


def _wanted(change: BulkChange, facts: InstanceFacts, people: Sequence[int]) -> dict[str, Any]:
    """What is to be written of an instance."""
    named = {"named_as": change.named_as if people else None, "named": list(people)}
    match change.kind:
        case "split":
            return {"split": change.split}
        case "exhaustive":
            return {"is_exhaustive": change.is_exhaustive}
        case "discard":
            return {"state": "discarded"}
        case "put back":
            return {"state": "open"}
        case "name":
            return named
        case "give out":
            return {"extra_annotators": facts.extra_annotators + 1, **(named if people else {})}


def _watched(change: BulkChange) -> frozenset[str]:
    """What of an instance must be as the change left it, so that it can be undone."""
    match change.kind:
        case "put back":
            return frozenset({"state", "open_slots"})
        case "give out":
            return frozenset({"extra_annotators", "open_slots", *({"named_as", "named"} if change.people else ())})
        case "name":
            return frozenset({"named_as", "named"})
        case "discard":
            return frozenset({"state"})
    return frozenset({change.kind.replace("exhaustive", "is_exhaustive")})


def _values_of(facts: Mapping[int, InstanceFacts], names: Iterable[str]) -> dict[int, dict[str, Any]]:
    def value(of_one: InstanceFacts, name: str) -> object:
        stored = getattr(of_one, name)
        return list(stored) if isinstance(stored, tuple) else stored

    return {number: {name: value(of_one, name) for name in names} for number, of_one in facts.items()}


def _write(store: Store, project: Project, wanted: _Wanted) -> None:
    bulk_store.write_facts(store, project.id, wanted)
    for number, facts in wanted.items():
        if facts.get("state", "discarded") != "discarded":
            decide_complete_of(store, project, number)


# --- Undoing ------------------------------------------------------------------------------------------------------------


def _restorable(store: Store, project: Project, action: BulkAction) -> tuple[dict[int, dict[str, Any]], int]:
    """What undoing writes of each instance that is as the action left it, and how many are not."""
    members = bulk_store.members_of_action(store, action.id)
    facts = bulk_store.facts_of(store, project.id, members)
    values = _values_of(facts, _watched(action.change))
    splits = {before["split"] for before, _, _ in members.values() if "split" in before}
    taken = {split: set(bulk_store.keys_in_split(store, project.id, split)) for split in splits}
    restored: dict[int, dict[str, Any]] = {}
    for number, (before, after, is_overtaken) in members.items():
        if is_overtaken or values.get(number) != after or _is_in_hand(action.change, facts[number], before):
            continue
        if "split" in before:
            if facts[number].key in taken[before["split"]]:
                continue
            taken[before["split"]].add(facts[number].key)
        restored[number] = before
    return restored, len(members) - len(restored)


def _is_in_hand(change: BulkChange, facts: InstanceFacts, before: Mapping[str, Any]) -> bool:
    """Whether undoing would take something from somebody's hands."""
    if change.kind in {"split", "exhaustive", "discard"}:
        return False
    if before.get("named_as") == "only":
        return bool(set(facts.held_by) - set(before["named"]))
    return change.kind != "name" and (bool(facts.held_by) or facts.is_reviewed)
