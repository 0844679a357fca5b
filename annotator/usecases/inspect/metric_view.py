"""What is shown of the table of metrics before anybody chose, or of the metrics that were asked for by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from annotator.domain.measurements import CRITERION, group_in_words, grouping_in_words, is_of_people
from annotator.domain.numbers import counted, written
from annotator.errors import NotFound
from annotator.language import _, listed, several, together, unsaid
from annotator.metrics.registry import all_definitions
from annotator.metrics.significance import FEWEST
from annotator.scoring.chance_verdicts import Judged, best_rows
from annotator.scoring.shared_instances import are_comparable, as_shown
from annotator.scoring.table import Column, MetricRow, MetricTable, without_repeats
from annotator.usecases.inspect.gold_release import cited_in_words
from annotator.usecases.inspect.metric_names import first_columns

_MOST_NEAR = 5
_MOST_GROUPS = 12  # that are listed


_POLICIES: Mapping[str, str] = {
    "chosen": unsaid("chosen"),
    "all": unsaid("all"),
    "majority": unsaid("majority"),
    "union": unsaid("union"),
}


@dataclass(frozen=True, slots=True)
class MetricView:
    """Rows and columns of a table; its rows are over shared instances where `table.shared` says so."""

    table: MetricTable
    rows: Sequence[MetricRow]
    columns: Sequence[Column]


def metric_view(
    table: MetricTable, names: Sequence[str] = (), *, n_resamples: int = 0, is_shared: bool | None = None
) -> MetricView:
    """What the Metrics page shows before anybody chose, with these columns instead of the first ones where some are named.

    is_shared: whether all rows of a column are over the instances that they have in common; None: as on the page, where
               rows are over different ones, unless too few would be left to say anything
    Raises: NotFound where nothing is there to be shown, or for a name that stands for no number here
    """
    _require_numbers(table)
    rows = without_repeats(table.rows)[0]
    columns = _chosen(table, names)
    return MetricView(*as_shown(table, rows, columns, n_resamples, is_shared), columns)


def best_of(table: MetricTable, rows: Sequence[MetricRow], column: Column, verdicts: Sequence[Judged]) -> set[int]:
    """The places of the best rows of a column; of rows over different instances, and of those that lack some, there are none."""
    if not are_comparable(table, rows, column):
        return set()
    shared = table.shared.get(column.name)
    is_lacking = [shared is not None and row.key in shared.lacking for row in rows]
    return best_rows(rows, column, verdicts, is_lacking)


def policy_in_words(policy: str) -> str:
    """A gold policy by its name."""
    return _(_POLICIES.get(policy, policy))


def gold_summary(table: MetricTable) -> str:
    """What the numbers are held against: how much gold, under which policy, and by which RLR k is taken."""
    gold = table.gold
    if gold["scored_without_gold"]:
        return _without_any_gold(table)
    ratios = listed([f"{f'{side} ' if side else ''}{written(ratio)}" for side, ratio in gold["ratios"].items()])
    n, n_without, n_exhaustive = gold["instances"], gold["instances_without_sets"], gold["exhaustive_instances"]
    options = [_("policy “{policy}”", policy=policy_in_words(table.gold_policy))]
    options += [] if table.split is None else [_("split {split}", split=table.split or _("(none)"))]
    options += [asked_group(table)] if asked_group(table) else []
    ratio = _("top k: RLR × tokens, rounded up; RLR {ratios}", ratios=ratios)
    whose = _whose_ratio(table)
    parts = [
        several("{n} instance with gold ({asked})", "{n} instances with gold ({asked})", n, asked=listed(options)),
        *([] if table.release is None else [_("gold: {release}", release=cited_in_words(table.release))]),
        *([_groups(table)] if table.groups or table.criteria else []),
        *([_("{n} of them without sets", n=f"{n_without:,}")] if n_without else []),
        *([_without_gold(gold["labelled_without_gold"])] if gold["labelled_without_gold"] else []),
        counted(gold["sets"], "rationale set"),
        *(
            [_of_other_results(gold["annotations_with_other_results"])]
            if gold["annotations_with_other_results"]
            else []
        ),
        f"{ratio} {whose}" if whose else ratio,
        *([] if n_exhaustive == n else [_recall(n_exhaustive)]),
    ]
    return " · ".join(parts)


def _without_any_gold(table: MetricTable) -> str:
    """How much is scored, and by which k."""
    ratios = dict.fromkeys(written(ratio) for ratio in table.gold["ratios"].values())
    texts = several(
        "No text here has gold: faithfulness and consistency of {n} text",
        "No text here has gold: faithfulness and consistency of {n} texts",
        table.gold["scored_without_gold"],
    )
    split = [] if table.split is None else [_("split {split}", split=table.split or _("(none)"))]
    top = (
        _("top k: {ratio} of the tokens, rounded up", ratio=listed([*ratios]))
        if any(table.gold["ratios"].values())
        else _("no top k without gold: state its share of the tokens (--ratio; on the page, “Gold and split”)")
    )
    return " · ".join([texts, *split, top])


def _without_gold(n: int) -> str:
    return several(
        "{n} labelled text has no gold and does not count", "{n} labelled texts have no gold and do not count", n
    )


def _of_other_results(n: int) -> str:
    return several(
        "{n} accepted annotation gives another result than the gold one and is no part of it",
        "{n} accepted annotations give another result than the gold one and are no part of it",
        n,
    )


def _whose_ratio(table: MetricTable) -> str:
    """Whose it is, where that are not the instances asked for alone."""
    if is_of_people(table.by) and table.group is not None:
        return _("of all that was marked in this group") if table.split is not None else ""
    return "" if table.split is None and table.group is None else _("of the whole project’s gold")


def asked_group(table: MetricTable) -> str:
    """Of which group the numbers are; "" of all."""
    if table.group is None:
        return ""
    return _("{by} {group}", by=grouping_in_words(table.by), group=group_in_words(table.by, table.group))


def _groups(table: MetricTable) -> str:
    """How many instances have which, whichever was chosen; and of which groups nothing can be told."""
    by, counts = (table.by, table.groups) if table.by else (CRITERION, table.criteria)
    shown = (
        dict(sorted(counts.items(), key=lambda pair: -pair[1])[:_MOST_GROUPS]) if len(counts) > _MOST_GROUPS else counts
    )
    groups = listed([f"{group_in_words(by, name)} {n:,}" for name, n in shown.items()])
    if len(counts) > len(shown):
        smaller = counted(len(counts) - len(shown), "smaller group")
        groups = _("{groups} and {smaller}", groups=groups, smaller=smaller)
    sizes = _("by {by}: {groups}", by=grouping_in_words(by), groups=groups or _("no group"))
    n_small = sum(n < FEWEST for n in counts.values())
    if not n_small or not table.by:
        return sizes
    few = several(
        "({n} group of fewer than {fewest}, too few to say)", "({n} groups of fewer than {fewest}, too few to say)", n_small,
        fewest=FEWEST,
    )  # fmt: skip
    return together(sizes, few)


def _recall(n_exhaustive: int) -> str:
    """What a recall says where gold does not mark all evidence (DeYoung et al. 2020, section 4.1)."""
    if not n_exhaustive:
        return _("the gold is not marked as exhaustive, so recall does not measure comprehensiveness")
    return several(
        "recall measures comprehensiveness only for the {n} instance whose gold is exhaustive "
        "(grouped by “exhaustive” they stand alone)",
        "recall measures comprehensiveness only for the {n} instances whose gold is exhaustive "
        "(grouped by “exhaustive” they stand alone)",
        n_exhaustive,
    )


def _require_numbers(table: MetricTable) -> None:
    if not table.gold["instances"] and not (table.rows and table.columns):
        raise NotFound(
            f"No instance of '{table.project}' that was asked for has gold under the policy “{table.gold_policy}”, and there are "
            "no attributions to score for faithfulness or consistency. Have texts annotated, import rationales with "
            "'annotator import', or compute attributions with 'annotator attribute --faithfulness'."
        )
    if not table.rows or not table.columns:
        raise NotFound(
            f"There are no numbers of '{table.project}' yet: no model has output for texts with gold. Import some, or compute "
            f"attributions with 'annotator attribute'."
        )


def _chosen(table: MetricTable, names: Sequence[str]) -> list[Column]:
    """The columns of these names in their order, each once; without names the first ones."""
    names = list(dict.fromkeys(names)) or first_columns(table)
    require_metrics(names, [column.name for column in table.columns], table.project, first_columns(table))
    return [table.column(name) for name in names]


def require_metrics(names: Sequence[str], here: Sequence[str], project: str, examples: Sequence[str] = ()) -> None:
    """Raise NotFound, naming near ones, for a name that is no metric's, or that none of the numbers here has.

    here: the names that some number has; examples: those of them that are named where none is near
    """
    known = [*here, *(definition.name for definition in all_definitions() if definition.name not in here)]
    for name in names:
        if name not in known:
            near = _near(name, here) or _near(name, known)
            did_you_mean = (
                f"Did you mean {' or '.join(filter(None, (', '.join(near[:-1]), near[-1])))}? " if near else ""
            )
            raise NotFound(f"There is no metric '{name}'. {did_you_mean}docs/metrics.md lists those there are.")
        if name not in here:
            near = _near(name, here) or list(examples or here[:_MOST_NEAR])
            others = f" There are, among others, {', '.join(near)}." if near else ""
            raise NotFound(f"No run of '{project}' that was asked for has the number '{name}'.{others}")


def _near(name: str, known: Sequence[str]) -> list[str]:
    """Names that a slip of the hand, or a name without its family, may have meant, the nearest first.

    >>> _near("f1", ["sets.best_f1", "eraser.accuracy"]), _near("eraser.acuracy", ["sets.best_f1", "eraser.accuracy"])
    (['sets.best_f1'], ['eraser.accuracy'])
    """
    small = name.strip().lower()
    measure = small.rpartition(".")[2]
    holding = [of for of in known if measure and measure in of.rpartition(".")[2]]
    alike = get_close_matches(small, known, n=_MOST_NEAR, cutoff=0.75)
    return list(dict.fromkeys([*alike, *sorted(holding, key=len)]))[:_MOST_NEAR]
