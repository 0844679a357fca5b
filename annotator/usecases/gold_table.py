"""The gold of a project as one table, for what scores models against it."""

import gc
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from annotator.domain.instances import GoldInstance
from annotator.domain.measurements import ANNOTATOR, HELP, Whose, groups_of_people, help_group, is_of_people
from annotator.domain.numbers import by_key, natural_order
from annotator.domain.projects import Project, ScoredPolicy
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.scoring.gold import GoldRow, GoldTable, gold_row
from annotator.scoring.runs import ONE_PERSON, ScoringOptions
from annotator.store import Store
from annotator.store.instances import iterate_instance_batches, keys_of_originals
from annotator.usecases.gold import GoldOptions, checked_policy, gold_by_people, gold_instances

_OF_PERSON = "annotator:"


def scored_against(policy: str | None, options: ScoringOptions) -> ScoringOptions:
    """Options with a gold policy as it is written: one that a project may have, "soft", or "annotator:NAME"; None: its own.

    Raises: InvalidValue for another one, and for a person beside groups
    """
    if policy == "soft":
        return replace(options, perspective="soft")
    if policy is None or not policy.startswith(_OF_PERSON):
        return replace(options, gold_policy=checked_policy(policy, also=("soft", f"{_OF_PERSON}NAME")))
    if options.by or options.criterion is not None:
        raise InvalidValue(_(ONE_PERSON))
    return replace(options, perspective="personal", by=ANNOTATOR, group=policy.removeprefix(_OF_PERSON))


def gold_table(
    store: Store, project: Project, policy: ScoredPolicy, split: str | None = None, *, by: str = "",
    whose: Whose | None = None,
) -> GoldTable:  # fmt: skip
    """A project's gold as metrics take it, or that of a split, whose k is that of the whole all the same.

    With the tokens of originals and perturbed versions, which are compared.
    by: what the groups of its rows are of; whose: annotations alone are gold
    """
    originals = keys_of_originals(store, project.id)
    with _no_looking_for_cycles():
        whole = GoldTable(
            [
                _row(item, project, originals, by)
                for item in gold_instances(store, project, policy, GoldOptions(whose=whose))
            ],
            is_soft=policy == "soft",
        )
        return whole.of_split(split)


def _row(item: GoldInstance, project: Project, originals: Collection[str], by: str) -> GoldRow:
    return gold_row(
        item,
        project.task,
        keep_tokens=item.instance.parent_key is not None or item.instance.key in originals,
        is_exhaustive=project.settings.is_exhaustive,
        by=by,
    )


@dataclass(frozen=True, slots=True)
class GroupedGold:
    """The gold that is scored, and how many instances with gold each group has; counts: {} without groups.

    Where nobody asks for groups they are counted by the criterion of edited sentences, if some tell one.
    """

    gold: GoldTable
    counts: Mapping[str, int]
    criteria: Mapping[str, int]


def grouped_gold(
    store: Store,
    project: Project,
    policy: ScoredPolicy,
    split: str | None,
    grouping: tuple[str, str | None],
    ratio: float | None = None,
) -> GroupedGold:
    """The gold of a group, or of all; where no instance has gold all instances with their labels, for what needs no sets.

    ratio:  of a project without gold, the share of a side's tokens that k is
    Raises: InvalidValue for a ratio beside gold, which has its own
    """
    by, group = grouping
    whole = gold_table(store, project, "all" if policy == "personal" else policy, split, by=by)
    check_ratio(ratio, whole)
    if group is None and not len(whole):
        return GroupedGold(_table_without_gold(store, project, split, whole.ratios, ratio), {}, {})
    criteria = _told(Counter(row.criterion for row in whole.rows))
    if is_of_people(by):
        counts = _people(store, project, split, by)
        gold = whole if group is None else gold_table(store, project, policy, split, by=by, whose=Whose(by, group))
        if group is not None and policy == "personal" and len(gold):
            counts[group] = len(gold)  # who gave other labels alone has gold as well
        return GroupedGold(gold, counts, criteria)
    counts = _in_order(Counter(row.group for row in whole.rows if row.group is not None)) if by else {}
    return GroupedGold(whole.of_group(group), counts, criteria)


def check_ratio(ratio: float | None, gold: GoldTable) -> None:
    """Raise InvalidValue for a ratio beside gold, which has its own, and for one that is no share."""
    if ratio is None:
        return
    if any(gold.ratios):
        raise InvalidValue(_("Gold sets k. Remove --ratio."))
    if not 0 < ratio <= 1:
        raise InvalidValue(
            _("{name} is {value}; use above 0, up to {highest}.", value=ratio, name="--ratio", highest=1)
        )


def _table_without_gold(
    store: Store, project: Project, split: str | None, ratios: Sequence[float], ratio: float | None
) -> GoldTable:
    """Every instance that is not discarded, with its own label, without sets. ratios: of gold elsewhere; without any k is 0."""
    originals = keys_of_originals(store, project.id)
    batches = iterate_instance_batches(store, project.id, split=split)
    instances = (instance for batch in batches for instance in batch if instance.state != "discarded")
    with _no_looking_for_cycles():
        rows = [_row(GoldInstance(instance, (), instance.result), project, originals, "") for instance in instances]
    table = GoldTable(rows, has_gold=False)
    return table.with_ratios(ratios if any(ratios) else (ratio or 0.0,) * len(table.side_names))


@dataclass(frozen=True, slots=True)
class GoldGroups:
    """The gold of every group, read once. by_people: each group's own, where they are of people."""

    whole: GoldTable
    counts: Mapping[str, int]
    criteria: Mapping[str, int]
    by_people: Mapping[str, GoldTable] | None = None

    def of(self, group: str) -> GroupedGold:
        gold = self.whole.of_group(group) if self.by_people is None else self.by_people[group]
        return GroupedGold(gold, self.counts, self.criteria)


def gold_groups(store: Store, project: Project, policy: ScoredPolicy, split: str | None, by: str) -> GoldGroups:
    """What `grouped_gold` answers for each group, with one look at the project for all of them."""
    whole = grouped_gold(store, project, policy, split, (by, None))
    if not is_of_people(by):
        return GoldGroups(whole.gold, whole.counts, whole.criteria)
    originals = keys_of_originals(store, project.id)
    rows: dict[str, list[GoldRow]] = {name: [] for name in whole.counts}
    with _no_looking_for_cycles():
        for group, item in gold_by_people(store, project, policy, by):
            if group in rows:
                rows[group].append(_row(item, project, originals, by))
    is_soft = policy == "soft"
    tables = {group: GoldTable(of_group, is_soft=is_soft).of_split(split) for group, of_group in rows.items()}
    return GoldGroups(whole.gold, whole.counts, whole.criteria, tables)


def _people(store: Store, project: Project, split: str | None, by: str) -> dict[str, int]:
    """On how many instances the sets of each person, or of each group of people, would be gold."""
    counts: Counter[str] = Counter()
    for item in gold_instances(store, project, "all", GoldOptions(split=split)):
        counts.update(_groups_in(item, by))
    return _in_order(counts)


def _groups_in(item: GoldInstance, by: str) -> set[str]:
    """The groups of those whose sets are in the gold of an instance."""
    every = [origin for origins in item.origins for origin in origins]
    if by == HELP:
        by_annotation = by_key((origin.annotation_id, origin.help) for origin in every)
        return {help_group(origins) for origins in by_annotation.values()}
    return set(groups_of_people(item.instance, {origin.annotator for origin in every}, by).values())


def _told(counts: Counter[str]) -> dict[str, int]:
    """{} where no instance tells one."""
    return _in_order(counts) if any(counts) else {}


def _in_order(counts: Counter[str]) -> dict[str, int]:
    return {name: counts[name] for name in sorted(counts, key=natural_order)}


@contextmanager
def _no_looking_for_cycles() -> Iterator[None]:
    """While hundreds of thousands of rows are made that stay, Python would go through all of them again and again.

    That is a third of the time. What is not referred to any more is freed as ever; rows hold no cycles.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
