"""Accuracy in distribution and out of it by the minutes that people spent, as a table, its card and a figure.

That there is such an experiment: ER-TEST, A.6 (Joshi et al. 2022).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from annotator.domain.numbers import counted, duration, written
from annotator.figures.curves import Curve, Panel, curve_panels
from annotator.figures.text_tables import paper_text
from annotator.files import part_folder, sync_folder
from annotator.scoring.paper_table import BLANK, PaperCell, PaperColumn, PaperRow, PaperTable, over_runs_cell
from annotator.store import Store
from annotator.training.budgets import Condition
from annotator.usecases.inspect.gold_release import gold_release
from annotator.usecases.papers.scored_rows import asked_for, joined, made_by, paper_csv, release_in_words
from annotator.usecases.training.budgets import Purchase
from annotator.usecases.training.minutes import Outcome, Sweep

CARD, TABLE, FIGURE = "README.md", "table.csv", "accuracy.html"

_TITLES: Mapping[Condition | None, str] = {
    None: "labels of the start",
    "labels": "labels",
    "rationales": "rationales",
    "both": "both",
}
_ONLINE = {
    "new": "the model of the budget before goes on, on what was bought since",
    "all": "the model of the budget before goes on, on all that was bought",
}
_MS = 60_000  # of a minute
_COUNTS = (
    PaperColumn("minutes_spent", "spent", "Minutes", decimals=1),
    PaperColumn("texts_bought", "bought", "Texts", decimals=0),
    PaperColumn("texts_with_label", "labelled", "Texts", decimals=0),
    PaperColumn("texts_with_rationales", "with rationales", "Texts", decimals=0),
)


def release_of_sweep(store: Store, sweep: Sweep) -> str | None:
    """The release of the gold that models learn from and are asked about, in words, as of now; None where nothing is frozen."""
    policy = sweep.options.data.gold_policy or sweep.project.settings.gold_policy
    return gold_release(store, sweep.project, policy)


def minutes_table(sweep: Sweep, outcomes: Sequence[Outcome], release: str | None = None) -> PaperTable:
    """A row for each budget and condition, over seeds; first what nothing was bought for."""
    names = list(sweep.judge)
    groups = ("In distribution", "Unseen")
    columns = [
        PaperColumn(f"accuracy.{name}", name, groups[number > 0], "↑", 100, 1) for number, name in enumerate(names)
    ]
    ordered = sorted(outcomes, key=lambda outcome: _place(sweep, outcome))
    rows = [_row(sweep, list(of_row)) for _, of_row in groupby(ordered, key=lambda outcome: _place(sweep, outcome))]
    policy = sweep.options.data.gold_policy or sweep.project.settings.gold_policy
    provenance = asked_for(sweep.project.name, policy, None, release, options=_options(sweep))
    return PaperTable(
        "minutes", "Minutes bought", _caption(sweep, policy, release), (*_COUNTS, *columns), (*rows, _majority(sweep)),
        tuple(_notes(sweep, outcomes)), provenance,
    )  # fmt: skip


def _options(sweep: Sweep) -> dict[str, object]:
    """What the numbers follow from besides the gold, for their signature."""
    options, alignment = sweep.options, sweep.options.fitting.alignment
    base = options.model.base
    return {
        "seeds": " ".join(map(str, options.seeds)),
        "start": sweep.n_start,
        "base": None if base is None else Path(base).name,
        "align": None if alignment is None else f"{alignment.criterion}/{alignment.over}",
        "strength": None if alignment is None else f"{alignment.strength:g}",
        "scale": None if alignment is None else f"{alignment.scale:g}",
        "online": None if options.online == "none" else options.online,
    }


def _place(sweep: Sweep, outcome: Outcome) -> tuple[float, int, bool]:
    """Where the row of an outcome stands: by minutes, then as the conditions were asked for, offline before online."""
    purchase, conditions = outcome.purchase, sweep.options.conditions
    number = -1 if purchase.condition is None else conditions.index(purchase.condition)
    return purchase.minutes, number, purchase.is_online


def _row(sweep: Sweep, outcomes: Sequence[Outcome]) -> PaperRow:
    purchases = [outcome.purchase for outcome in outcomes]
    minutes = purchases[0].minutes
    origin = next((purchase.origin for purchase in purchases if purchase.origin is not None), "")
    counts = (
        [purchase.spent_ms / _MS for purchase in purchases],
        [purchase.n_bought for purchase in purchases],
        [purchase.n_labels for purchase in purchases],
        [purchase.n_rationales for purchase in purchases],
    )
    cells = [over_runs_cell(list(map(float, of_seeds)), None, "") for of_seeds in counts]
    cells += [_accuracy(outcomes, name, number > 0) for number, name in enumerate(sweep.judge)]
    title = _title(purchases[0]) + (f" ({origin})" if origin else "")
    keys = {"minutes": f"{minutes:g}", "condition": purchases[0].name, "times": origin}
    return PaperRow(title, tuple(cells), keys, counted_minutes(minutes))


def _title(purchase: Purchase) -> str:
    return _TITLES[purchase.condition] + (", online" if purchase.is_online else "")


def _accuracy(outcomes: Sequence[Outcome], name: str, is_unseen: bool) -> PaperCell:
    pairs = [outcome.right.get(name, (0, 0)) for outcome in outcomes]
    reason = "nothing was bought, and no text had a label before"
    if not is_unseen and any(outcome.right for outcome in outcomes):
        reason = "no split has gold labels beside what is learned from and stopped by"
    return over_runs_cell([right / n if n else None for right, n in pairs], max(n for _, n in pairs), reason)


def _majority(sweep: Sweep) -> PaperRow:
    """The null: always the commonest gold label of what is asked about."""
    cells = [BLANK] * len(_COUNTS)
    for examples in sweep.judge.values():
        labels = Counter(example.label for example in examples)
        cells.append(PaperCell(max(labels.values()) / len(examples), n=len(examples)) if examples else BLANK)
    keys = {"minutes": "", "condition": "majority label", "times": ""}
    return PaperRow("majority label", tuple(cells), keys, "For comparison", is_baseline=True)


def counted_minutes(minutes: float) -> str:
    """Minutes with their noun.

    >>> counted_minutes(0), counted_minutes(1), counted_minutes(2.5)
    ('No minutes', '1 minute', '2.5 minutes')
    """
    return "No minutes" if not minutes else f"{minutes:,g} minute{'' if minutes == 1 else 's'}"


def _caption(sweep: Sweep, policy: str, release: str | None) -> str:
    unseen = list(sweep.judge)[1:]
    where = f"“{sweep.project.name}” (in distribution)" + (
        f" and “{joined(unseen)}” (nothing learned from)" if unseen else ""
    )
    n_seeds = len(sweep.options.seeds)
    seeds = (
        f"means and deviations over {counted(n_seeds, 'seed')}, each with its own order of texts"
        if n_seeds > 1
        else "of one seed"
    )
    return (
        f"Accuracy on {where} by the minutes that people spent{_simulated(sweep)}: {seeds}. "
        f"{counted(sweep.n_pool, 'text')} can be bought, of which {sweep.n_start:,} have a label before "
        f"a minute is spent. Gold policy “{policy}”. {release_in_words(release)}{made_by()}"
    )


def _simulated(sweep: Sweep) -> str:
    """How times are called where some are not those of people.

    This is said in the caption, since no number of such a table tells what people would take.
    """
    simulation = sweep.options.costs.simulation
    each = "for each token of a text" if simulation.is_by_token else "for each text"
    parts = [
        f"{seconds:g} s for {what}"
        for what, seconds in (
            ("a label", simulation.seconds_per_label),
            ("rationales", simulation.seconds_per_rationale),
        )
        if seconds is not None
    ]
    return f", of which times are SIMULATED ({' and '.join(parts)}, {each} and annotator)" if parts else ""


def _notes(sweep: Sweep, outcomes: Sequence[Outcome]) -> Iterator[str]:
    options = sweep.options
    yield (
        "Labels: the budget buys labels of further texts. Rationales: it buys rationales of the texts that have a label before. "
        "Both: it buys further texts with label and rationales. A text counts when the whole of it fits into the budget."
    )
    judged = joined([f"{counted(len(examples), 'text')} of “{name}”" for name, examples in sweep.judge.items()])
    yield f"The models are asked about {judged}."
    alignment = options.fitting.alignment
    if alignment is not None:
        yield (
            f"Rationales are learned from by the criterion {alignment.criterion} (λ {alignment.strength:g}, γ "
            f"{alignment.scale:g}); where there are none the same model is trained without."
        )
    simulation = options.costs.simulation
    if None in (simulation.seconds_per_label, simulation.seconds_per_rationale):
        limit = sweep.project.settings.idle_after_seconds
        who = " and those who scored the sets" if options.costs.with_reviews else ""
        yield (
            f"Measured: the time that the annotators{who} worked on what they submitted. Pauses of more than {limit:,} s are not "
            f"counted ({duration(sweep.idle_ms / 1000)} on all these texts)."
        )
    if sweep.n_unpriced:
        yield (
            f"{counted(sweep.n_unpriced, 'more text')} could be learned from and cannot be bought: for one of the conditions the "
            "time is not known, or what was marked there is not accepted."
        )
    if sweep.n_incomplete:
        yield f"Of {counted(sweep.n_incomplete, 'text')} some of the work has no time, so that they took longer than is known."
    yield from _of_budgets(sweep, outcomes)
    for name, table in sweep.tables.items():
        if any(label != theirs for label, theirs in table.names.items()):
            yield f"In “{name}” {table.words()}."
    for name, (n_known, n_foreign) in sweep.n_left_out.items():
        if n_known or n_foreign:
            yield (
                f"Of “{name}” {counted(n_known, 'text')} that the models learn from and {n_foreign:,} with a label that they "
                "do not learn are left out."
            )


def _of_budgets(sweep: Sweep, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Which budgets bought nothing, and which would have bought more."""
    for condition in sweep.options.conditions:
        of_condition = [outcome.purchase for outcome in outcomes if outcome.purchase.condition == condition]
        if any(purchase.first_ms is None for purchase in of_condition):
            yield f"{_TITLES[condition].capitalize()}: there is nothing to buy, since every text has a label before."
            continue
        dear = [purchase for purchase in of_condition if not purchase.n_bought and purchase.first_ms is not None]
        if dear:
            minutes = ", ".join(dict.fromkeys(f"{purchase.minutes:g}" for purchase in dear))
            first = max(purchase.first_ms or 0 for purchase in dear)
            seeds = counted(len({purchase.seed for purchase in dear}), "seed")
            yield (
                f"{_TITLES[condition].capitalize()}: {minutes} min buy no text with {seeds}, since the first one alone takes up "
                f"to {duration(first / 1000)}."
            )
        whole = [purchase for purchase in of_condition if purchase.has_all]
        if whole:
            spent = max(purchase.spent_ms for purchase in whole)
            least = min(purchase.minutes for purchase in whole)
            yield (
                f"{_TITLES[condition].capitalize()}: {least:g} min buy all there is ({duration(spent / 1000)}); more minutes buy "
                "nothing more."
            )


def minutes_figure(sweep: Sweep, table: PaperTable) -> list[Panel]:
    """Accuracy over minutes, a panel for each project and a line for each condition; all begin at the start's accuracy."""
    of_start = [row for row in table.rows if row.keys["condition"] == "start"]
    panels = []
    for number, name in enumerate(sweep.judge):
        at = len(_COUNTS) + number
        curves = []
        online = ("", " online") if sweep.options.online != "none" else ("",)
        for condition in (f"{of}{how}" for of in sweep.options.conditions for how in online):
            rows = [*of_start, *(row for row in table.rows if row.keys["condition"] == condition)]
            cells = [row.cells[at] for row in rows]
            times = next((row.keys["times"] for row in rows if row.keys["times"]), "")
            curves.append(
                Curve(
                    f"{condition} ({times} times)", [float(row.keys["minutes"]) for row in rows],
                    [cell.value for cell in cells], [_bound(cell, -1) for cell in cells],
                    [_bound(cell, 1) for cell in cells],
                )
            )  # fmt: skip
        panels.append(Panel(f"{name} ({'unseen' if number else 'in distribution'})", "minutes", "accuracy", curves))
    return panels


def _bound(cell: PaperCell, sign: int) -> float | None:
    return None if cell.value is None else cell.value + sign * (cell.deviation or 0)


def write_minutes(sweep: Sweep, table: PaperTable, folder: Path) -> None:
    """Put the table as CSV, its card and the figure beside what was trained; each appears whole."""
    figure = curve_panels(minutes_figure(sweep, table))
    _write(folder / TABLE, paper_csv(table))
    _write(folder / CARD, _card(sweep, table))
    _write(folder / FIGURE, figure.to_html(include_plotlyjs=True))


def _card(sweep: Sweep, table: PaperTable) -> str:
    """What was bought, learned and asked, with every setting; in Markdown."""
    model, fitting = sweep.options.model, sweep.options.fitting
    settings = {
        "model": model.base or f"{model.architecture} from scratch",
        "labels": joined(sweep.labels),
        "learning rate": f"{fitting.learning_rate:g}",
        "epochs, patience, batch": f"{fitting.epochs}, {fitting.patience}, {fitting.batch_size}",
        "seeds": ", ".join(map(str, sweep.options.seeds)),
        **({"online": _ONLINE[sweep.options.online]} if sweep.options.online != "none" else {}),
        "texts asked about": "; ".join(f"{name}: {len(examples):,}" for name, examples in sweep.judge.items()),
    }
    times = "SIMULATED" if sweep.options.costs.simulation.is_any else "those of people"
    lines = [f"* {name}: {value}" for name, value in settings.items()]
    sentences = "\n".join([*lines, "", paper_text(table).rstrip()]).replace("```", "'''")  # names stay within the fence
    return "\n".join(["# Accuracy by minutes", "", f"Times are {times}.", "", "```text", sentences, "```", ""])


def _write(path: Path, text: str) -> None:
    with part_folder(path) as part:
        made = part / path.name
        made.write_text(text, encoding="utf-8")
        made.replace(path)
        sync_folder(path.parent)


def outcome_line(outcome: Outcome) -> str:
    """What a model came to, as it is told when it is done."""
    purchase = outcome.purchase
    bought = f"{counted_minutes(purchase.minutes)}, {_title(purchase)}, seed {purchase.seed}"
    spent = "" if purchase.origin is None else f", {duration(purchase.spent_ms / 1000)} spent, {purchase.origin}"
    right = [f"{name} {written(n_right / n)}" for name, (n_right, n) in outcome.right.items() if n]
    known = "" if outcome.is_new else " (was there already)"
    return (
        f"{bought}: {counted(purchase.n_labels, 'text')}, {purchase.n_rationales:,} with rationales{spent}: "
        f"{', '.join(right) or 'not trained'}{known}"
    )
