"""Which numbers are asked for, and making them: at once where there is little to score, else when one asks for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.measurements import group_in_words, grouping_in_words
from annotator.domain.numbers import counted
from annotator.domain.projects import GOLD_POLICIES, GoldPolicy, Project
from annotator.language import _, in_brackets, several, unsaid
from annotator.scoring.chance_verdicts import Judged, judged
from annotator.scoring.instance_numbers import RowKey
from annotator.scoring.reports import ProjectReport
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.shared_instances import over_shared
from annotator.scoring.table import Column, MetricRow, MetricTable, metric_table, without_repeats
from annotator.usecases.databases import Store
from annotator.usecases.inspect import metric_values
from annotator.usecases.inspect.metrics_table import gold_summary, policy_in_words
from annotator.usecases.inspect.project_scores import evaluate_with_instances
from annotator.web.buttons import pressed
from annotator.web.cached_numbers import cache_of
from annotator.web.frame import as_text
from annotator.web.page_choices import PageChoices
from annotator.web.sections.metrics import choices as state
from annotator.web.sections.rules import all_meanings
from annotator.web.sections.tables import choose
from annotator.web.session import Visit, database_path

AUTOMATIC = 100_000  # answers, attributions and rationales: some four seconds
_N_RESAMPLES = 1000
_ALL = "\0"  # no split and no criterion has this name
_POPOVER = unsaid("Gold and split")
_EXPLAINED = {"predicted": unsaid("the predicted label"), "gold": unsaid("the gold one")}


@dataclass(frozen=True, slots=True)
class TableRequest:
    """What is scored, in a project of a database, as of an event.

    release: number of the newest release of the gold, which the table cites; 0 without any
    ratio:   of a project without gold, the share of the tokens that the top k are
    """

    database: str
    project_id: int
    gold_policy: GoldPolicy
    split: str | None
    by: str
    group: str | None
    explained: str
    includes_training: bool
    has_intervals: bool
    event_id: int
    release: int = 0
    ratio: float | None = None

    @property
    def options(self) -> ScoringOptions:
        return ScoringOptions(
            gold_policy=self.gold_policy, split=self.split, by=self.by, group=self.group, explained=self.explained,
            includes_training=self.includes_training, n_resamples=self.n_resamples, ratio=self.ratio,
        )  # fmt: skip

    @property
    def n_resamples(self) -> int:
        return _N_RESAMPLES if self.has_intervals else 0


@dataclass(frozen=True, slots=True)
class ScoredTable:
    """Numbers, and what they were asked for with.

    rows:   those of the table that are shown, without repeats; merged: which of them stand for what is selected as well
    shared: the rows over whose instances the numbers are; () for each row's own
    """

    request: TableRequest
    table: MetricTable
    rows: Sequence[MetricRow]
    merged: frozenset[RowKey]
    shared: tuple[RowKey, ...] = ()

    def over_shared(self, rows: Sequence[MetricRow]) -> "ScoredTable":
        """The same of some rows, over the instances that all of them have."""
        keys = tuple(row.key for row in rows)
        made = _shared_tables().get_or_make(
            (self.request, keys),
            MetricTable,
            lambda: over_shared(self.table, rows, self.request.n_resamples),
            lambda _made: 1,
        )
        return replace(self, table=made, rows=made.rows, shared=keys)

    def judged(self, rows: Sequence[MetricRow], column: Column) -> list[Judged]:
        """The rows' numbers beside chance."""
        keys = tuple(row.key for row in rows)
        return _verdicts().get_or_make(
            (self.request, self.shared, keys, column.name),
            list,
            lambda: judged(self.table, rows, column),
            lambda _made: 1,
        )


_tables = partial(cache_of, "tables", 30_000_000)  # numbers of instances, of eight bytes each
_shared_tables = partial(cache_of, "shared tables", 24)
_verdicts = partial(cache_of, "verdicts", 2_000)
_instances = partial(cache_of, "instances", 200_000)  # instances; each has some fifty numbers


def show(
    store: Store, visit: Visit, project: Project, choices: PageChoices, container: DeltaGenerator
) -> ScoredTable | None:
    """The controls; answers the numbers, of which there may be none, or None where they are not computed; why is said.

    container: for what is scored, beside the page's title
    """
    newest = metric_values.newest_event(
        store, visit.user, project
    )  # asks for the right as well, whoever made what is kept
    pinned = int(st.session_state.get(_key(project, "as_of"), newest))
    if _key(project, "splits") not in st.session_state:  # read once a visit
        st.session_state[_key(project, "splits")] = metric_values.split_names(store, visit.user, project)
        st.session_state[_key(project, "groupings")] = metric_values.groupings_of(store, visit.user, project)
    request = _controls(project, choices, container, pinned)
    request = replace(request, release=metric_values.newest_release_number(store, visit.user, project))
    # A place that is always there, filled or not: a bar that stands above the table in the first run alone would have the next
    # run move all that follows up by one; the browser makes what has moved anew, and closes the popover that one chooses in.
    with st.container():
        scored = _scored(store, visit, project, request, newest)
    if scored is None:
        return None
    request, table = scored
    _learn_gold(project, table)
    _learn_groups(project, choices, request, table)
    _say_what_is_missing(table)
    return ScoredTable(request, table, *without_repeats(table.rows))


def _scored(
    store: Store, visit: Visit, project: Project, request: TableRequest, newest: int
) -> tuple[TableRequest, MetricTable] | None:
    """The numbers and what they were asked for with: those that are kept (newer ones are offered), else new ones."""
    table = _tables().get(request, MetricTable)
    if table is not None:
        if metric_values.has_changed_since(store, visit.user, project, request.event_id):
            _offer_newer(project)
        return request, table
    request = replace(request, event_id=newest)
    table = _tables().get(request, MetricTable) or _made(store, visit, project, request)
    if table is None:
        return None
    st.session_state[_key(project, "as_of")] = newest
    return request, table


def instance_values(
    store: Store, visit: Visit, project: Project, scored: ScoredTable, choice: metric_values.RowChoice
) -> metric_values.InstanceValues:
    """The numbers of the instances behind a row, as of the same moment where nothing has happened since."""
    metric_values.newest_event(store, visit.user, project)

    def make() -> metric_values.InstanceValues:
        with st.spinner(_("Reading …")):
            return metric_values.values_of_row(store, visit.user, project, choice, scored.request.options)

    return _instances().get_or_make(
        (scored.request, choice), metric_values.InstanceValues, make, lambda made: max(1, len(made.instances))
    )


def table_with_intervals(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> MetricTable:
    """The whole table with intervals: the one that is kept, else made now."""
    request = replace(scored.request, has_intervals=True)
    metric_values.newest_event(store, visit.user, project)

    def make() -> MetricTable:
        return metric_table(*evaluate_with_instances(store, visit.user, project, options=request.options))

    return _tables().get_or_make(
        request, MetricTable, make, lambda table: 1 if table.behind is None else max(1, table.behind.n_numbers)
    )


def _learn_groups(project: Project, choices: PageChoices, request: TableRequest, table: MetricTable) -> None:
    """The choice of a group stands above the numbers, which alone tell what there is: it is drawn again."""
    if not request.by or st.session_state.get(_key(project, f"groups_of_{request.by}")) == table.groups:
        return
    st.session_state[_key(project, f"groups_of_{request.by}")] = dict(table.groups)
    if request.group is not None and request.group not in table.groups:
        choices.leave_out_text(state.GROUP, request.group)
    st.rerun()


def _learn_gold(project: Project, table: MetricTable) -> None:
    """Whether a share is to be chosen instead of the gold's RLR stands above the numbers, which alone tell: it is drawn again."""
    lacks_gold = table.gold["scored_without_gold"] > 0
    if st.session_state.get(_key(project, "lacks_gold"), False) != lacks_gold:
        st.session_state[_key(project, "lacks_gold")] = lacks_gold
        st.rerun()


def _key(project: Project, what: str) -> str:
    return f"metrics_{what}_{project.id}"


def _controls(project: Project, choices: PageChoices, container: DeltaGenerator, event_id: int) -> TableRequest:
    """What is scored."""
    with container.popover(_(_POPOVER), icon=":material/rule:", width="stretch"):
        has_intervals = st.toggle(
            _("Intervals"), key=choices.flag(state.INTERVALS),
            help=_("95 % bootstrap over instances, {n} resamples (seed 0). Slower.", n=f"{_N_RESAMPLES:,}")
        )  # fmt: skip
        policy = st.selectbox(
            _("Gold policy"), GOLD_POLICIES, help=all_meanings(), format_func=policy_in_words,
            key=choices.one(state.POLICY, GOLD_POLICIES, project.settings.gold_policy)
        )  # fmt: skip
        splits = [_ALL, *st.session_state[_key(project, "splits")]]
        split = st.selectbox(
            _("Split"), splits, key=choices.one(state.SPLIT, splits, _ALL),
            format_func=lambda name: _("all") if name == _ALL else name or in_brackets(_("none"))
        )  # fmt: skip
        by, group = _choose_group(project, choices)
        explained = choose(
            _("Explained label"), _EXPLAINED, key=choices.one(state.EXPLAINED, list(_EXPLAINED), "predicted"),
            help=_("For runs that explain several labels per instance.")
        )  # fmt: skip
        ratio = _choose_ratio(choices) if st.session_state.get(_key(project, "lacks_gold")) else None
        includes_training = st.checkbox(
            _("Include each model's training split"), key=choices.flag(state.TRAINING),
            help=_("Otherwise models trained here are scored on the other texts.")
        )  # fmt: skip
    return TableRequest(
        str(database_path().absolute()), project.id, policy, None if split == _ALL else split, by, group,
        explained, includes_training, has_intervals, event_id, ratio=ratio,
    )  # fmt: skip


def _choose_ratio(choices: PageChoices) -> float | None:
    """Without gold there is no mean rationale length."""
    percent = st.number_input(
        _("Top k, % of tokens"), 0, 100, key=choices.number(state.RATIO, 0, 100, 0),
        help=_("No gold to derive k. 0: skip metrics with k.")
    )  # fmt: skip
    return int(percent) / 100 or None


def _choose_group(project: Project, choices: PageChoices) -> tuple[str, str | None]:
    """By what instances are grouped, "" for nothing, and the group that is scored; None: all."""
    groupings = ["", *st.session_state[_key(project, "groupings")]]
    by = st.selectbox(
        _("Group by"), groupings, key=choices.one(state.GROUPING, groupings, ""),
        format_func=lambda name: grouping_in_words(name) if name else in_brackets(_("none")),
        help=_(
            "A label, split, perturbation type, metadata value, rationale rule of edited sentences (criterion, "
            "Stevens and Su 2021), or an annotator with their sets as gold."
        )
    )  # fmt: skip
    if not by:
        return "", None
    counts = st.session_state.get(_key(project, f"groups_of_{by}"))
    # Before there are numbers nobody knows the groups: the one of the address is tried.
    names = [_ALL, *(choices.asked(state.GROUP) if counts is None else counts)]
    chosen = st.selectbox(
        _("Group"), names, key=choices.one(state.GROUP, names, _ALL),
        format_func=lambda name: _("all") if name == _ALL else _group_with_count(by, name, counts or {})
    )  # fmt: skip
    return by, None if chosen == _ALL else chosen


def _group_with_count(by: str, name: str, counts: Mapping[str, int]) -> str:
    n = counts.get(name)
    return group_in_words(by, name) + ("" if n is None else f" ({counted(n, 'instance')})")


def _made(store: Store, visit: Visit, project: Project, request: TableRequest) -> MetricTable | None:
    """Score now, unless there is nothing, or so much that one should ask for it."""
    to_score = metric_values.what_to_score(store, visit.user, project)
    if not to_score.n_stored:
        st.info(_("No model output yet. Compute or import some on Saliency."), icon=":material/monitoring:")
        return None
    much = several(
        "{n} prediction, attribution or rationale of {runs}", "{n} predictions, attributions and rationales of {runs}",
        to_score.n_stored, runs=counted(to_score.n_runs, "run")
    )  # fmt: skip
    if to_score.n_stored > AUTOMATIC and not pressed(
        _("Compute metrics"), type="primary", icon=":material/calculate:", key=f"metrics_compute_{project.id}"
    ):
        st.info(_("Scoring {outputs} takes a while.", outputs=much), icon=":material/hourglass:")
        return None
    gold = st.empty()  # which is known long before the numbers are
    bar = st.progress(0.0, _("Computing …"))

    def show_gold(known: ProjectReport) -> None:
        gold.caption(as_text(gold_summary(metric_table(known))))

    def show_progress(done: int, of: int) -> None:
        bar.progress(min(1.0, done / max(of, 1)), _("Scoring: {done} of {of}", done=done, of=of))

    numbers, behind = evaluate_with_instances(
        store, visit.user, project, options=request.options, progress=show_progress, show_gold=show_gold
    )
    bar.empty()
    gold.empty()
    table = metric_table(numbers, behind)
    _tables().put(request, table, max(1, behind.n_numbers))
    return table


def _offer_newer(project: Project) -> None:
    words, button = st.columns([5, 1], vertical_alignment="center")
    words.caption(_("Gold or model output has changed since."))
    if pressed(_("Compute again"), container=button, key=f"metrics_anew_{project.id}", width="stretch"):
        del st.session_state[_key(project, "as_of")]
        st.rerun()


def _say_what_is_missing(table: MetricTable) -> None:
    if not table.gold["instances"] and not table.columns:
        st.info(
            _(
                "No gold under the policy “{policy}”. Accept annotations or import rationales.",
                policy=policy_in_words(table.gold_policy),
            ),
            icon=":material/rule:",
        )
    elif not table.columns:
        st.info(
            _(
                "No model output for instances with gold. Change “{popover}”, or add some on Saliency.",
                popover=_(_POPOVER),
            ),
            icon=":material/monitoring:",
        )
