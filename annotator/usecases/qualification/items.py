"""Training's rules and items: which texts with known gold are for training or blind checks, and their gold now."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from annotator.domain.instances import Instance
from annotator.domain.people import User
from annotator.domain.project.qualification import (
    AUDIENCES,
    PURPOSES,
    Audience,
    Item,
    Known,
    Purpose,
    QualificationRules,
    Spoiling,
    StoredRules,
    seen_in_second_try,
)
from annotator.domain.projects import Project
from annotator.errors import Conflict, InvalidValue, NotFound
from annotator.language import _, several
from annotator.review.gold import spoiled
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.instances import InstanceRow, find_instance_ids, get_instance, project_of_instance, row_of
from annotator.store.qualification import rules as items_store
from annotator.store.qualification import rules as rules_store
from annotator.store.qualification.rules import list_items
from annotator.usecases.access.rights import require, require_of_project
from annotator.usecases.gold import find_gold

# The gold of a text as training knows it.


def known_of(store: Store, project: Project, instance: Instance) -> Known | None:
    """The gold of a text under the project's policy; None where it has none now, or was discarded."""
    gold = find_gold(store, project, instance)
    return None if gold is None or instance.state == "discarded" else Known(gold.result, gold.sets)


def known_now(store: Store, project: Project, item: Item) -> Known | None:
    """The gold of an item as it is now, worsened as the item says; None where there is none, or it cannot be worsened so."""
    instance = get_instance(store, item.instance_id)
    known = known_of(store, project, instance)
    if known is None or item.purpose != "reviewers":
        return known
    return spoiled(known, item.spoiling, item.seed, range(instance.layout.n_selectable))


GoldState = Literal["as picked", "changed", "no gold"]


@dataclass(frozen=True, slots=True)
class ShownItem:
    """An item for the lead: its text, and whether its gold is still the one that it was picked with."""

    item: Item
    row: InstanceRow
    gold: GoldState


@dataclass(frozen=True, slots=True)
class Picked:
    """What came of picking: how many are new, and for each other text why it was left out."""

    n_new: int
    left_out: tuple[str, ...]


def items_of(store: Store, actor: User, project: Project, purpose: Purpose) -> list[ShownItem]:
    """The items of a kind, in the order in which they were picked."""
    require(store, actor, project.id, "manage project")
    return [_shown(store, project, item) for item in items_store.list_items(store, project.id, purpose)]


def count_picked(store: Store, actor: User, project: Project, purpose: Purpose | None = None) -> int:
    """How many complete texts are picked, so that they count in gold and releases as well; None: for whatever."""
    require(store, actor, project.id, "export", "manage project")
    return items_store.count_complete(store, project.id, PURPOSES if purpose is None else (purpose,))


def _shown(store: Store, project: Project, item: Item) -> ShownItem:
    known = known_now(store, project, item)
    state: GoldState = "no gold" if known is None else "as picked" if known == item.known else "changed"
    return ShownItem(item, row_of(store, item.instance_id), state)


def pick(
    store: Store, actor: User, project: Project, purpose: Purpose, instance_ids: Sequence[int],
    spoilings: Sequence[Spoiling] = ("",), *, seed: int = 0,
) -> Picked:  # fmt: skip
    """Pick texts with gold for training or checks; those that cannot be are named with the reason.

    spoilings: of reviewers' items, how their sets are worsened, each text once with each
    """
    with store.transaction():
        require(store, actor, project.id, "manage project")
        if purpose != "reviewers" and tuple(spoilings) != ("",):
            raise InvalidValue(_("Only reviewers' texts can have worsened sets."))
        n_new, left_out = 0, []
        for instance_id in dict.fromkeys(instance_ids):
            new, reason = _pick(store, actor, project, purpose, instance_id, spoilings, seed)
            n_new += new
            left_out += [reason] if reason else []
        if n_new:
            add_event(
                store, actor.name, "pick training texts", "project", project.id,
                project_id=project.id, purpose=purpose, n=n_new,
            )  # fmt: skip
    return Picked(n_new, tuple(left_out))


def _pick(
    store: Store, actor: User, project: Project, purpose: Purpose, instance_id: int, spoilings: Sequence[Spoiling],
    seed: int,
) -> tuple[int, str]:  # fmt: skip
    """How many items a text became, and why it is none where it could not be."""
    require_of_project(project_of_instance(store, instance_id), project.id, instance_id, _("text"))
    instance = get_instance(store, instance_id)
    known = known_of(store, project, instance)
    if known is None:
        return 0, _("“{key}” has no gold.", key=instance.key)
    if purpose == "checks" and instance.parent_key is not None:
        return 0, _("“{key}” is a perturbed version: no blind check.", key=instance.key)
    n_new, n_made = 0, 0
    for spoiling in spoilings:
        item = Item(0, project.id, purpose, instance_id, known, spoiling, seed + instance_id)
        expected = known_now(store, project, item)
        if expected is None:
            continue
        n_made += 1
        n_new += items_store.add_item(
            store, project.id, purpose, instance_id, expected, actor.name, spoiling=spoiling, seed=item.seed
        )
    return n_new, "" if n_made else _("The gold sets of “{key}” can't be worsened so.", key=instance.key)


def instances_of_keys(store: Store, project: Project, keys: Sequence[str]) -> list[int]:
    """The numbers of texts by their keys. Raises NotFound for a key that no text has, InvalidValue for one in two splits."""
    numbers = []
    for key in keys:
        found_ids = find_instance_ids(store, project.id, key)
        if not found_ids:
            raise NotFound(_("No text with ID '{key}' in '{project}'.", project=project.name, key=key))
        if len(found_ids) > 1:
            raise InvalidValue(_("ID '{key}' occurs in several splits. Pick the text on Project.", key=key))
        numbers.append(found_ids[0])
    return numbers


def take_out(store: Store, actor: User, project: Project, item_id: int) -> None:
    """Take an item out: nobody is given it any more; what people answered to it is kept."""
    with store.transaction():
        item = _own(store, actor, project, item_id)
        items_store.remove_item(store, item.id)
        add_event(
            store, actor.name, "take out training text", "instance", item.instance_id,
            project_id=project.id, purpose=item.purpose,
        )  # fmt: skip


def accept_gold(store: Store, actor: User, project: Project, item_id: int) -> Known:
    """The lead has seen that the gold of an item changed: from now on it is not named any more.

    Raises: Conflict where the item has no gold now
    """
    with store.transaction():
        item = _own(store, actor, project, item_id)
        known = known_now(store, project, item)
        if known is None:
            raise Conflict(_("This text has no gold. Add it, or remove the text from training."))
        items_store.set_known(store, item.id, known)
        add_event(
            store, actor.name, "accept training gold", "instance", item.instance_id,
            project_id=project.id, purpose=item.purpose,
        )  # fmt: skip
    return known


def _own(store: Store, actor: User, project: Project, item_id: int) -> Item:
    require(store, actor, project.id, "manage project")
    item = items_store.get_item(store, item_id)
    require_of_project(item.project_id, project.id, item_id, _("training text"))
    return item


# The rules of training: what holds, and setting others.


def training_rules(store: Store, actor: User, project_id: int, audience: Audience) -> StoredRules:
    """The rules that hold, for the project's lead."""
    require(store, actor, project_id, "manage project")
    return rules_store.newest_rules(store, project_id, audience)


def set_rules(
    store: Store, actor: User, project_id: int, audience: Audience, rules: QualificationRules, *, based_on: int
) -> int:
    """Make other rules hold; whoever is in the middle of a try goes on under those that they began under.

    based_on: the number of the rules that the lead had before them. Answers the number of those that hold

    Raises: Conflict where somebody else set rules meanwhile; InvalidValue where training is switched on without items
    """
    with store.transaction():
        require(store, actor, project_id, "manage project")
        before = rules_store.newest_rules(store, project_id, audience)
        if before.number != based_on:
            raise Conflict(
                _(
                    "Not saved: {name} changed this meanwhile. Copy your changes, reload and redo them.",
                    name=before.made_by,
                )
            )
        if rules == before.rules:
            return before.number
        _require_items(store, project_id, audience, rules, before.rules)
        number = rules_store.add_rules(store, project_id, audience, rules, actor.name)
        was = asdict(before.rules)
        changed = {name: value for name, value in asdict(rules).items() if value != was[name]}
        add_event(
            store, actor.name, "change training", "project", project_id,
            project_id=project_id, audience=audience, number=number, changed=changed,
        )  # fmt: skip
    return number


def _require_items(
    store: Store, project_id: int, audience: Audience, rules: QualificationRules, before: QualificationRules
) -> None:
    if rules.is_on and not before.is_on and not list_items(store, project_id, audience):
        raise InvalidValue(_("No training texts. Pick some with gold first."))
    if rules.check_every and not before.check_every and not list_items(store, project_id, "checks"):
        raise InvalidValue(_("No texts for blind checks. Pick some with gold, or use 0."))


def repeated_texts_words(rules: QualificationRules, n_texts: int) -> str:
    """That a second try shows texts whose gold the first has shown, and how many would do; "" where it does not."""
    n_seen = seen_in_second_try(rules, n_texts)
    if not n_seen:
        return ""
    return several(
        "Attempt 2 repeats {n} of {in_a_try} texts. Choose {wanted} for {tries} attempts of {texts}.",
        "Attempt 2 repeats {n} of {in_a_try} texts. Choose {wanted} for {tries} attempts of {texts}.",
        n_seen,
        in_a_try=min(rules.texts, n_texts),
        wanted=rules.tries * rules.texts,
        tries=rules.tries,
        texts=rules.texts,
    )


def picked_but_off(store: Store, actor: User, project_id: int) -> list[Audience]:
    """Whose training has texts and is off, so that whoever comes is given work at once."""
    require(store, actor, project_id, "manage project")
    return [
        audience
        for audience in AUDIENCES
        if not rules_store.newest_rules(store, project_id, audience).rules.is_on
        and list_items(store, project_id, audience)
    ]
