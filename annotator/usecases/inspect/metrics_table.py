"""The table of metrics in words: names of rows and columns, which are shown, over how many instances, and notes."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import ceil

from annotator.domain.measurements import CRITERION, group_in_words, grouping_in_words, is_of_people
from annotator.domain.numbers import UNDEFINED, by_key, counted, written
from annotator.domain.self_explanations import METHOD
from annotator.errors import NotFound
from annotator.language import _, clause_by_clause, in_brackets, listed, several, together, unsaid
from annotator.metrics.definitions import Definition, Direction
from annotator.metrics.registry import all_definitions, definition_of, idea_of, one_of_each
from annotator.metrics.significance import FEWEST
from annotator.scoring.chance_verdicts import Judged, best_rows
from annotator.scoring.reports import PeopleReport
from annotator.scoring.row_differences import ComparedRow, Family, with_seeds_apart
from annotator.scoring.shared_instances import are_comparable, as_shown
from annotator.scoring.soft import needs_sets
from annotator.scoring.table import RANDOM, Column, Group, MetricRow, MetricTable, Number, without_repeats
from annotator.usecases.inspect.gold_release import cited_in_words
from annotator.usecases.inspect.training_texts import words_of
from annotator.usecases.models.parameter_words import parameter_words

ARROWS = {"higher is better": "↑", "lower is better": "↓", "neither": ""}
_FAMILIES = {
    "sets": unsaid("set by set"),
    "benchmark": unsaid("benchmark"),
    "editing": unsaid("sentence editing"),
    "eraser": "ERASER",
    "er_test": "ER-TEST",
    "method": unsaid("rationale as input"),
    "naopc": unsaid("normalised AOPC"),
    "confidence": unsaid("sentence editing"),
    "soft": unsaid("soft gold"),
    "person": unsaid("per person"),
}
# What is shown before anybody chose: the first of each line that the project has, then spare ones until there are six; of an
# idea one variant alone.
_FIRST: tuple[tuple[str, ...], ...] = (
    ("sets.best_f1", "soft.token_f1"),
    ("eraser.average_precision", "eraser.iou_f1_macro"),
    ("method.comprehensiveness", "eraser.comprehensiveness_aopc", "benchmark.new_p"),
    ("method.sufficiency", "eraser.sufficiency_aopc"),
    ("benchmark.map",),
    ("eraser.accuracy", "benchmark.answer_f1_english", "benchmark.answer_f1_chinese"),
)
_SPARE = (
    "soft.token_f1_ceiling", "person.token_f1", "person.accuracy", "soft.label_jensen_shannon",
    "editing.mrr", "editing.need_edit_f1", "sets.whole_set",
)  # fmt: skip
_N_FIRST = 6
_KINDS = {"hard": unsaid("selected tokens"), "ranked": unsaid("ranking")}
_GROUPS: Mapping[Group, str] = {
    "plausibility": unsaid("plausibility"),
    "faithfulness": unsaid("faithfulness"),
    "consistency": unsaid("consistency"),
    "confidence": unsaid("confidence"),
    "quality": unsaid("quality"),
}
_WAYS: Mapping[Direction, str] = {
    "higher is better": unsaid("Higher is better."),
    "lower is better": unsaid("Lower is better."),
    "neither": "",
}
Parameters = Mapping[str, object]  # of a method, from JSON


def title_of(row: MetricRow) -> str:
    """A row in a few words: its model and method, the layer, and whether it is of what was selected or ranked."""
    is_chance = row.model == RANDOM and not row.method
    parts = [_("random")] if is_chance else [row.model, row.method or _("predictions")]
    parts += [] if row.layer is None else [_("layer {layer}", layer=row.layer)]
    parts += [_(_KINDS[row.kind])] if row.kind in _KINDS else []
    return " · ".join(part for part in parts if part)


def details_of(rows: Sequence[MetricRow]) -> list[str]:
    """What each row's runs were made with, less what all rows of its method have in common; and its seeds."""
    common = _common(rows)
    return [
        listed([*_summary(_parameters(row), less=common.get(row.method, {})), *_seeds(row)])
        for row in rows
    ]  # fmt: skip


def parameters_in_common(rows: Sequence[MetricRow]) -> str:
    """What all rows of a method were made with, method by method; "" where there is nothing to say."""
    return _("; ").join(
        _("{method}: {parameters}", method=method, parameters=listed(_summary(same)))
        for method, same in _common(rows).items()
        if same
    )


def training_in_common(rows: Sequence[MetricRow]) -> bool:
    """Whether the same is to be said of the training of each row's model, so that it need not stand in each row."""
    return len({words_of(row.training) for row in rows}) == 1


def names_of(rows: Sequence[MetricRow]) -> list[str]:
    """The rows by name, each another one: what they were made with is told where the rest is the same."""
    titles, details = [title_of(row) for row in rows], details_of(rows)
    return [
        f"{title} ({detail})" if titles.count(title) > 1 and detail else title
        for title, detail in zip(titles, details, strict=True)
    ]


def _parameters(row: MetricRow) -> Parameters:
    return dict(json.loads(row.parameters))


def _common(rows: Sequence[MetricRow]) -> dict[str, Parameters]:
    """By method, the parameters that have one value in all of its rows."""
    by_method = by_key((row.method, _parameters(row)) for row in rows)
    return {
        method: {
            name: value
            for name, value in of[0].items()
            if all(name in parameters and parameters[name] == value for parameters in of)
        }
        for method, of in by_method.items()
    }


def _summary(parameters: Parameters, less: Parameters | None = None) -> list[str]:
    return [parameter_words(name, value) for name, value in parameters.items() if name not in (less or {})]


def _seeds(row: MetricRow) -> list[str]:
    seeds = [seed for seed in row.seeds if seed is not None]
    if len(seeds) > 1:
        return [several("mean of {n} seed", "mean of {n} seeds", len(seeds))]
    return [_("seed {seed}", seed=seed) for seed in seeds]


def criterion_in_words(criterion: str) -> str:
    """The rule by which an edit became its rationale, or that it is not told."""
    return criterion or _("not stated")


def family_of(column: Column) -> str:
    """Whose metric it is."""
    family = column.name.partition(".")[0]
    return _(_FAMILIES.get(family, family))


def group_of(column: Column) -> str:
    """Under which heading a column stands."""
    return _(_GROUPS[column.group])


def title_in_words(definition: Definition) -> str:
    """The title of a metric; names of the papers stay as they are."""
    return clause_by_clause(definition.title, ", ")


def plain_words_of(definition: Definition) -> str:
    """What a metric tells newcomers, and which way is better; "" of one that no table of a project has."""
    plain = definition.in_plain_words
    return "" if plain is None else together(clause_by_clause(plain, ": "), way_of(definition))


def named(column: Column) -> str:
    """A column where it stands outside of the table."""
    arrow = ARROWS[column.definition.direction]
    name = _("{metric} ({family})", metric=title_in_words(column.definition), family=family_of(column))
    return f"{name} {arrow}" if arrow else name


def first_columns(table: MetricTable) -> list[str]:
    """The names of the columns that are shown before anybody chose, of each idea one."""
    names = [column.name for column in table.columns]
    shown: dict[str, str] = {}
    for line in _FIRST:
        chosen = next((name for name in line if name in names), None)
        if chosen is not None:
            shown.setdefault(idea_of(chosen), chosen)
    for name in _SPARE:
        if name in names and len(shown) < _N_FIRST:
            shown.setdefault(idea_of(name), name)
    chosen_names = list(shown.values()) or one_of_each(names)[:_N_FIRST]
    return [name for name in names if name in chosen_names]


def comparisons_of(table: MetricTable, reference: ComparedRow) -> Family:
    """What p is corrected for, hidden or not: all other rows of the table, in the columns that it has at first."""
    rows = with_seeds_apart(without_repeats(table.rows)[0], reference)
    return rows, [table.column(name) for name in first_columns(table)]


def way_of(definition: Definition) -> str:
    """Which way is better, as a sentence."""
    return _(_WAYS[definition.direction])


def meaning_of(column: Column) -> str:
    """What a column tells, on its head."""
    return plain_words_of(column.definition) or together(
        clause_by_clause(column.definition.definition), way_of(column.definition)
    )


def sentence_of(definition: Definition) -> str:
    """A definition with its bounds, and what happens where it is not defined."""
    lowest, highest = ("–" if bound is None else f"{bound:g}" for bound in (definition.lowest, definition.highest))
    formula, undefined = clause_by_clause(definition.definition), clause_by_clause(definition.undefined)
    if definition.lowest is definition.highest is None:
        return _("Definition: {definition}. Undefined: {undefined}.", definition=formula, undefined=undefined)
    return _(
        "Definition: {definition}, from {lowest} to {highest}. Undefined: {undefined}.",
        definition=formula, lowest=lowest, highest=highest, undefined=undefined
    )  # fmt: skip


# What is shown of the table of metrics before anybody chose, or of the metrics that were asked for by name.


_MOST_NEAR = 5
_MOST_GROUPS = 12  # that are listed


_POLICIES: Mapping[str, str] = {
    "chosen": unsaid("chosen"),
    "all": unsaid("all"),
    "majority": unsaid("majority"),
    "union": unsaid("union"),
    "soft": unsaid("soft"),
    "personal": unsaid("one person"),
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
    options += _split(table)
    options += [asked_group(table)] if asked_group(table) else []
    ratio = _("top k: RLR × tokens, rounded up; RLR {ratios}", ratios=ratios)
    whose = _whose_ratio(table)
    parts = [
        several("{n} instance with gold ({asked})", "{n} instances with gold ({asked})", n, asked=listed(options)),
        *([] if table.release is None else [_("gold: {release}", release=cited_in_words(table.release))]),
        *([_groups(table)] if (table.groups or table.criteria) and table.gold_policy != "personal" else []),
        *([_("{n} without sets", n=f"{n_without:,}")] if n_without else []),
        *([_without_gold(gold["labelled_without_gold"])] if gold["labelled_without_gold"] else []),
        counted(gold["sets"], "distinct rationale set")
        if table.gold_policy == "all"
        else counted(gold["sets"], "rationale set"),
        *([_people(gold["people"])] if "people" in gold else []),
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
        "No gold sets here: accuracy, faithfulness and consistency of {n} text",
        "No gold sets here: accuracy, faithfulness and consistency of {n} texts",
        table.gold["scored_without_gold"],
    )
    top = (
        _("top k: {ratio} of the tokens, rounded up", ratio=listed([*ratios]))
        if any(table.gold["ratios"].values())
        else _("no top k without gold: set a share (--ratio, or “Gold and split”)")
    )
    return " · ".join([texts, *_split(table), top])


def _people(people: PeopleReport) -> str:
    """Of soft gold, whose numbers are compared at equal numbers of people, and which has no sets."""
    fewest, most = people["fewest"], people["most"]
    n = f"{most:,}" if fewest == most else _("{fewest} to {most}", fewest=f"{fewest:,}", most=f"{most:,}")
    return _("people per text: {n} (shares of people, so no metrics against sets)", n=n)


def _split(table: MetricTable) -> list[str]:
    return [] if table.split is None else [_("split {split}", split=table.split or in_brackets(_("none")))]


def _without_gold(n: int) -> str:
    return several("{n} labelled text without gold doesn't count", "{n} labelled texts without gold don't count", n)


def _of_other_results(n: int) -> str:
    return several(
        "{n} accepted annotation with a different result isn't gold",
        "{n} accepted annotations with a different result aren't gold",
        n,
    )


def _whose_ratio(table: MetricTable) -> str:
    """Whose it is, where that are not the instances asked for alone."""
    if is_of_people(table.by) and table.group is not None:
        return _("of all marks in this group") if table.split is not None else ""
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
        "({n} group under {fewest}, too few to tell)", "({n} groups under {fewest}, too few to tell)", n_small,
        fewest=FEWEST
    )  # fmt: skip
    return together(sizes, few)


def _recall(n_exhaustive: int) -> str:
    """What a recall says where gold does not mark all evidence (DeYoung et al. 2020, section 4.1)."""
    if not n_exhaustive:
        return _("gold isn't marked exhaustive, so recall doesn't measure comprehensiveness")
    return several(
        "recall measures comprehensiveness only for the {n} exhaustive instance (group by “exhaustive”)",
        "recall measures comprehensiveness only for the {n} exhaustive instances (group by “exhaustive”)",
        n_exhaustive,
    )


def _chosen(table: MetricTable, names: Sequence[str]) -> list[Column]:
    """The columns of these names in their order, each once; without names the first ones."""
    names = list(dict.fromkeys(names)) or first_columns(table)
    known = {column.name: column for column in table.columns}
    if table.gold_policy == "soft":
        known |= {name: _undefined(name) for name in names if name not in known and needs_sets(name)}
    require_metrics(names, list(known), table.project, first_columns(table))
    return [known[name] for name in names]


def _undefined(name: str) -> Column:
    """A column of dashes."""
    return Column(name, "plausibility", definition_of(name))


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
            others = " It needs --gold-policy soft." if name.startswith(("soft.", "person.")) else others
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


# Over how many instances the numbers of shown rows are, told where it is told in the fewest words.


@dataclass(frozen=True, slots=True)
class RowSizes:
    """by_column: in the heads, where each column has one; None: beside the rows' names, by_row, the commonest of each row."""

    by_column: Mapping[str, int] | None
    by_row: Sequence[int | None] = ()

    @staticmethod
    def of(rows: Sequence[MetricRow], columns: Sequence[Column]) -> "RowSizes":
        by_column = {column.name: {n for row in rows if (n := _n(row, column)) is not None} for column in columns}
        if all(len(sizes) <= 1 for sizes in by_column.values()):
            return RowSizes({name: next(iter(sizes)) for name, sizes in by_column.items() if sizes})
        return RowSizes(None, [_commonest(row, columns) for row in rows])

    def beside(self, at: int) -> str:
        """What stands beside the name of a row."""
        n = self.by_row[at]
        return UNDEFINED if n is None else f"{n:,}"

    def differing(self, at: int, number: Number) -> int | None:
        """The number's own count, where it is another than its row's."""
        is_told = self.by_column is not None or number.n == self.by_row[at]
        return None if is_told else number.n


def _commonest(row: MetricRow, columns: Sequence[Column]) -> int | None:
    counts = Counter(n for column in columns if (n := _n(row, column)) is not None)
    return max(counts, key=lambda n: (counts[n], n), default=None)


def _n(row: MetricRow, column: Column) -> int | None:
    number = row.numbers.get(column.name)
    return None if number is None else number.n


# What is to be known of rows that hold a model's own reasons, wherever the table of metrics is shown.


_WORDS = unsaid("{models}: scores are of words quoted as reasons, never gold; faithfulness needs probabilities.")


def self_explanation_lines(rows: Iterable[MetricRow]) -> list[str]:
    """A line that names the models whose own reasons are among the rows; none where there are none."""
    models = dict.fromkeys(row.model for row in rows if row.method == METHOD)
    return [_(_WORDS, models=listed(list(models)))] if models else []


# Maps that rank nothing, since all of their scores are equal: how many a row has, in words.


_FLAT_MAPS = "instances_with_all_scores_equal"
_AOPC_COUNTS = ("instances_without_reaction", "instances_outside_aopc_bounds")
_NEARLY_ALL = 0.95  # of the texts
_DEGENERATE = {
    "instances_with_nothing_selected": unsaid("{row}: degenerate mask, nothing selected in {n} of {all} texts."),
    "instances_with_everything_selected": unsaid("{row}: degenerate mask, every token selected in {n} of {all} texts."),
}


def degenerate_mask_lines(rows: Sequence[MetricRow]) -> list[str]:
    """A line for each row that selects nothing, or everything, in nearly all texts: such masks tell no words apart."""
    return [
        _(sentence, row=name, n=f"{row.counts[count]:,.0f}", all=f"{row.counts['instances']:,.0f}")
        for name, row in zip(names_of(rows), rows, strict=True)
        for count, sentence in _DEGENERATE.items()
        if row.kind == "hard" and row.counts.get(count, 0) > _NEARLY_ALL * row.counts["instances"]
    ]


def constant_attribution_lines(rows: Sequence[MetricRow]) -> list[str]:
    """A line for all rows that have such maps; of several seeds the mean, rounded up."""
    counts = [ceil(row.counts.get(_FLAT_MAPS, 0)) for row in rows]
    of_rows = [
        several(
            "{row}: {n} constant attribution (all scores equal)",
            "{row}: {n} constant attributions (all scores equal)",
            n,
            row=name,
        )
        for name, n in zip(names_of(rows), counts, strict=True)
        if n
    ]
    if not of_rows:
        return []
    what_it_is = _(
        "{maps}: no token ranking, so no order-based plausibility, MAP or plausibility verdict; areas such "
        "as AUPRC include them.",
        maps="; ".join(of_rows),
    )
    return [what_it_is]


def normalised_aopc_lines(rows: Sequence[MetricRow]) -> list[str]:
    """Of how many texts the model hardly reacts, and of how many a beam's bounds are too narrow; of several seeds the mean."""
    sentences: list[str] = []
    for row, name in zip(rows, names_of(rows), strict=True):
        n_still, n_outside = (ceil(row.counts.get(count, 0)) for count in _AOPC_COUNTS)
        if n_still:
            sentences.append(
                several(
                    "{row}: the model hardly reacts to {n} text: normalised AOPC undefined.",
                    "{row}: the model hardly reacts to {n} texts: normalised AOPC undefined.",
                    n_still,
                    row=name,
                )
            )
        if n_outside:
            sentences.append(
                several(
                    "{row}: normalised AOPC of {n} text is outside 0 to 1; a wider beam finds wider bounds.",
                    "{row}: normalised AOPC of {n} texts is outside 0 to 1; a wider beam finds wider bounds.",
                    n_outside,
                    row=name,
                )
            )
    return sentences
