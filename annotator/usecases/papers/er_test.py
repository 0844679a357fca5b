"""ER-TEST's tables (Joshi et al. 2022): accuracy in and out of distribution, contrast sets, functional tests, FPRD."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from annotator.domain.numbers import by_key, counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotFound
from annotator.formats.rows.files import new_file
from annotator.metrics.aggregate import OverSeeds
from annotator.metrics.ragged import Floats
from annotator.metrics.significance import sign_flips
from annotator.scoring.paper_table import (
    BLANK,
    LEVEL,
    MARK,
    PaperCell,
    PaperColumn,
    PaperRow,
    PaperTable,
    marked,
    over_runs_cell,
)
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.models import list_models
from annotator.store.suites import list_suites, list_word_lists
from annotator.usecases.compare.model_comparison import ModelPair, PartComparison, compare_models
from annotator.usecases.gold import labelled_gold, require_split
from annotator.usecases.inspect.contrast_accuracy import ContrastRow, contrast_rows
from annotator.usecases.inspect.fairness import FairnessRow, GroupRate, fairness_rows
from annotator.usecases.inspect.gold_release import gold_release
from annotator.usecases.inspect.training_texts import learned_by_model
from annotator.usecases.models.label_tables import label_notes
from annotator.usecases.papers.alignment_losses import alignment_cells, alignment_plot
from annotator.usecases.papers.benchmark import NO_PAIRS_ANSWERED, by_model, contrast_cell
from annotator.usecases.papers.scored_rows import asked_for, joined, made_by, release_in_words, split_in_words
from annotator.usecases.suites.results import Rate, case_means, suite_results
from annotator.usecases.training.forecast import aligned_cards

# False positive rates over the texts that mention a word of a list, as columns of ER-TEST's table, and their FPRD.


_NAME = "groups"
_NO_ANSWERS = "the model has no answers to texts with another label that mention a word of the list"
Cells = dict[str, list[PaperCell]]


@dataclass(frozen=True, slots=True)
class Groups:
    """word_lists: each a group; positive: the label whose false positives count."""

    word_lists: tuple[str, ...] = ()
    positive: str = ""

    def __post_init__(self) -> None:
        if bool(self.word_lists) != bool(self.positive):
            raise InvalidValue("Word lists and the label whose false positives count need each other: give both.")


NO_GROUPS = Groups()


def require_groups(groups: Groups, columns: Sequence[PaperColumn]) -> None:
    """Raise InvalidValue where groups are asked for and no project has them."""
    if groups.word_lists and not any(column.name.startswith(_NAME) for column in columns):
        raise InvalidValue(
            f"None of these projects has the label '{groups.positive}' and all of the word lists "
            f"{', '.join(repr(name) for name in groups.word_lists)}."
        )


def group_cells(
    store: Store, actor: User, project: Project, rows: Mapping[str, tuple[str, ...]], base: str | None, groups: Groups,
    options: ScoringOptions,
) -> tuple[list[PaperColumn], Cells, list[str]]:  # fmt: skip
    """Columns, by row their cells, and a note where the project lacks a list or the label."""
    if not groups.word_lists:
        return [], {}, []
    known = {words.name for words in list_word_lists(store, project.id)}
    missing = [f"no word list “{name}”" for name in groups.word_lists if name not in known]
    missing += [] if groups.positive in project.labels else [f"no label “{groups.positive}”"]
    if missing:
        return [], {}, [f"{project.name} has {' and '.join(missing)}, so that it is not among the groups."]
    by_model = {
        row.model: row for row in fairness_rows(store, actor, project, groups.word_lists, groups.positive, options)
    }
    title = f"False positives of “{groups.positive}”, {project.name}"
    names = [*groups.word_lists, "FPRD"]
    columns = [PaperColumn(f"{_NAME}.{name}.{project.name}", name, title, "↓", 100, 2) for name in names]
    of_rows = {title: [by_model.get(name) for name in names] for title, names in rows.items()}
    of_base = [] if base is None else of_rows[base]
    return columns, {
        title: [
            *(_group_cell(of_row, [] if title == base else of_base, at) for at in range(len(groups.word_lists))),
            _over([None if row is None else row.difference for row in of_row], None),
        ]
        for title, of_row in of_rows.items()
    }, []  # fmt: skip


def _group_cell(rows: Sequence[FairnessRow | None], base: Sequence[FairnessRow | None], at: int) -> PaperCell:
    of_groups, of_base = ([None if row is None else row.groups[at] for row in side] for side in (rows, base))
    n = {group.n_negatives for group in of_groups if group is not None}
    cell = _over([None if group is None else group.rate for group in of_groups], n.pop() if len(n) == 1 else None)
    return PaperCell(cell.value, cell.deviation, cell.n, cell.n_seeds, reason=cell.reason, p=_p(of_base, of_groups))


def _p(base: Sequence[GroupRate | None], other: Sequence[GroupRate | None]) -> float | None:
    """Over the negatives that all have answered."""
    sides = [[group.of_negatives for group in side if group is not None] for side in (base, other)]
    if not all(sides) or len(sides[0]) < len(base) or len(sides[1]) < len(other):
        return None
    ids = sorted(set.intersection(*(set(of) for side in sides for of in side)))
    means = [np.array([[of[i] for i in ids] for of in side], dtype=np.float64).mean(axis=0) for side in sides]
    return sign_flips(means[1] - means[0])


def _over(numbers: Sequence[OverSeeds | None], n: int | None) -> PaperCell:
    """Of one name over its seeds; of several trainings over these."""
    known = [number for number in numbers if number is not None]
    if len(known) == 1 and known[0].mean is not None:
        n_seeds = known[0].n_seeds if known[0].n_seeds > 1 else None
        return PaperCell(known[0].mean, known[0].deviation, n, n_seeds)
    return over_runs_cell([number.mean for number in known], n, _NO_ANSWERS)


_ACCURACY, _MACRO_F1, _COST, _CONTRAST, _FUNCTIONAL = "accuracy", "macro_f1", "cost", "contrast", "functional"
_BY_MACRO_F1 = frozenset({"inference", "entity"})  # tasks of which the paper prints macro F1
_GROUPS = ("In distribution", "Out of distribution")


@dataclass(frozen=True, slots=True)
class Trained:
    """The models of the rows, by title: several names are trainings of one kind. base None: nothing is compared."""

    rows: Mapping[str, tuple[str, ...]]
    base: str | None = None

    @staticmethod
    def of(base: Sequence[str], models: Sequence[str]) -> "Trained":
        """As it is written: MODEL, or TITLE=MODEL; the base's title is that of its first name.

        >>> Trained.of(["None=n0", "None=n1"], ["m"])
        Trained(rows={'None': ('n0', 'n1'), 'm': ('m',)}, base='None')
        """
        first = _titled(base[0])[0] if base else None
        rows: dict[str, list[str]] = {}
        for title, name in [(first or "", _titled(of)[1]) for of in base] + [_titled(of) for of in models]:
            names = rows.setdefault(title, [])
            if name not in names:
                names.append(name)
        return Trained({title: tuple(names) for title, names in rows.items()}, first)


def _titled(written: str) -> tuple[str, str]:
    title, sign, name = written.partition("=")
    if sign and not (title.strip() and name.strip()):
        raise InvalidValue(f"“{written}” is no model: write MODEL, or TITLE=MODEL.")
    return (title.strip(), name.strip()) if sign else (written, written)


def er_test_table(
    store: Store, actor: User, projects: Sequence[Project], trained: Trained, options: ScoringOptions = ScoringOptions(),
    groups: Groups = NO_GROUPS,
) -> PaperTable:  # fmt: skip
    """A row for each kind of training: the first project is in distribution, the others are out of it.

    groups: word lists of the projects, over whose texts false positives are told
    Raises: NotFound where no project has answers of the models, InvalidValue where none has the word lists and their label
    """
    require_split(store, projects, options.split)
    trained = _all_models(store, projects, trained)
    rows: dict[str, list[PaperCell]] = {title: [] for title in trained.rows}
    majority: list[PaperCell] = []
    columns: list[PaperColumn] = []
    notes: list[str] = []
    costs: list[tuple[PaperColumn, dict[str, list[PaperCell]]]] = []
    for project in projects:
        accuracy = {title: _accuracy(store, actor, project, trained, title, options) for title in rows}
        group = _GROUPS[project is not projects[0]]
        has_macro_f1 = project.task.name in _BY_MACRO_F1
        columns.append(_column(project, _ACCURACY, project.name, group))
        columns += [_column(project, _MACRO_F1, f"{project.name}, macro F1", group)] if has_macro_f1 else []
        majority += _majority(store, project, trained, options)[: 1 + has_macro_f1]
        notes += _sizes(project, {title: of.note for title, of in accuracy.items() if of.note})
        notes += _labels(store, project, trained)
        _extend(rows, {title: [of.accuracy, of.macro_f1][: 1 + has_macro_f1] for title, of in accuracy.items()})
        cost_column = _column(project, _COST, project.name, "Opportunity cost", "↓")
        costs.append((cost_column, {title: [of.cost] for title, of in accuracy.items()}))
    for column, of_rows in costs if trained.base is not None and len(rows) > 1 else ():
        columns.append(column)
        _extend(rows, of_rows)
    for more, of_perturbed in _on_perturbed(store, actor, projects, trained, options):
        columns += more
        _extend(rows, of_perturbed)
    for project in projects:
        more, of_groups, note = group_cells(store, actor, project, trained.rows, trained.base, groups, options)
        columns += more
        notes += note
        _extend(rows, of_groups)
    require_groups(groups, columns)
    cards = aligned_cards(store, actor, projects[0], [name for names in trained.rows.values() for name in names])
    more, of_losses, note = alignment_cells(trained.rows, cards)
    columns += more
    notes += note
    _extend(rows, of_losses)
    made = [
        PaperRow(title, tuple(cells), {"row": title, "models": " ".join(trained.rows[title])})
        for title, cells in rows.items()
    ]
    made, n_compared = marked(made)
    baseline = (*majority, *(BLANK,) * (len(columns) - len(majority)))
    made.append(PaperRow("majority label", baseline, {"row": "majority label"}, is_baseline=True))
    policy = options.gold_policy or " ".join(dict.fromkeys(project.settings.gold_policy for project in projects))
    names = " ".join(project.name for project in projects)
    release = _releases(store, projects, options)
    return PaperTable(
        "er-test", "Model", _caption(projects, trained, options, n_compared, release), tuple(columns), tuple(made),
        tuple(notes), asked_for(names, policy, options.split, release),
    )  # fmt: skip


def _on_perturbed(
    store: Store, actor: User, projects: Sequence[Project], trained: Trained, options: ScoringOptions
) -> Iterator[tuple[list[PaperColumn], Mapping[str, list[PaperCell]]]]:
    """Columns with their cells of each project's contrast sets, and then of its functional tests."""
    for project in projects:
        of_project = _contrast(store, actor, project, trained, options)
        if of_project:
            group = f"Contrast sets of {project.name}"
            titles = _CONTRAST_TITLES.items()
            yield [_column(project, f"{_CONTRAST}.{name}", title, group) for name, title in titles], of_project
    for project in projects:
        yield from _functional(store, actor, project, trained)


def write_er_test_plot(
    store: Store, actor: User, projects: Sequence[Project], trained: Trained, path: Path
) -> None:  # fmt: skip
    """Write as SVG the accuracy over the alignment loss of the rows' models that were trained in the first project.

    Raises: NotFound where none was trained there with rationales
    """
    rows = _all_models(store, projects, trained).rows
    cards = aligned_cards(store, actor, projects[0], [name for names in rows.values() for name in names])
    plot = alignment_plot(rows, cards)
    if not plot:
        raise NotFound(
            f"No model of these rows was trained in '{projects[0].name}' with rationales and a validation part, so there is "
            "nothing to plot."
        )
    with new_file(path) as file:
        file.write(plot.encode("utf-8", "replace"))


def _releases(store: Store, projects: Sequence[Project], options: ScoringOptions) -> str:
    """Which releases the gold of the projects is; nothing of those where nothing is frozen."""
    of_projects = [
        (project.name, gold_release(store, project, options.gold_policy or project.settings.gold_policy))
        for project in projects
    ]
    if len(of_projects) == 1:
        return of_projects[0][1] or ""
    return "; ".join(f"{name}: {release}" for name, release in of_projects if release)


def _all_models(store: Store, projects: Sequence[Project], trained: Trained) -> Trained:
    """Those named, checked; all of the first project beside the base where no other is named."""
    known = {name: None for project in projects for name in list_models(store, project.id)}
    for name in (name for names in trained.rows.values() for name in names):
        if name not in known:
            raise NotFound(f"None of these projects has a model '{name}' (there is {', '.join(known) or 'none'}).")
    if len(trained.rows) > (trained.base is not None):
        return trained
    taken = {name for names in trained.rows.values() for name in names}
    others = {name: (name,) for name in list_models(store, projects[0].id) if name not in taken}
    if not others and not taken:
        raise NotFound(f"The project '{projects[0].name}' has no model; import the answers of one, or train one.")
    return replace(trained, rows={**trained.rows, **others})


def _column(project: Project, name: str, title: str, group: str, arrow: str = "↑") -> PaperColumn:
    return PaperColumn(f"{name}.{project.name}", title, group, arrow, 100, 2)


def _sizes(project: Project, notes: Mapping[str, str]) -> list[str]:
    """Over how many texts the rows are, once where that is the same for all."""
    titles = by_key((note, title) for title, note in notes.items())
    return [
        f"{project.name}{'' if len(titles) == 1 else f' ({joined(of_note)})'}: {note}."
        for note, of_note in titles.items()
    ]


def _labels(store: Store, project: Project, trained: Trained) -> list[str]:
    """What the project calls the labels of models that learned others, and which of its own they lack."""
    names = [name for of_row in trained.rows.values() for name in of_row]
    return [f"{project.name}: {note}" for note in label_notes(store, project, names)]


def _extend(rows: Mapping[str, list[PaperCell]], more: Mapping[str, Sequence[PaperCell]]) -> None:
    for title, cells in more.items():
        rows[title].extend(cells)


@dataclass(frozen=True, slots=True)
class _OfRow:
    """A row's cells of one project, and over how many texts they are."""

    accuracy: PaperCell
    macro_f1: PaperCell
    cost: PaperCell
    note: str


_NO_LABELS = "no text has a gold label and an answer, and was not learned from"
_NO_COST = "there is no base with as many runs to compare it with here"


def _accuracy(
    store: Store, actor: User, project: Project, trained: Trained, title: str, options: ScoringOptions
) -> _OfRow:  # fmt: skip
    """Over the texts that the row and the base have answered, and over how many; without a base over the row's own."""
    names = trained.rows[title]
    base = names if trained.base is None else trained.rows[trained.base]
    try:
        part, note = _compared(store, actor, project, ModelPair(base, names), options)
    except NotFound:
        try:
            part, note = _compared(store, actor, project, ModelPair(names, names), options)
        except NotFound:
            missing = PaperCell(reason="the project has no answers of the model")
            return _OfRow(missing, missing, missing, "")
        return _row_of(part, "not compared, as the base has no answers here", is_compared=False)
    if base == names:
        return replace(_row_of(part, note, is_compared=False), cost=BLANK)
    return _row_of(part, note, is_compared=True)


def _row_of(part: PartComparison, note: str, *, is_compared: bool) -> _OfRow:
    """Without a p runs could not be paired, so that the row was held against itself."""
    is_paired = is_compared and (part.p is not None or not part.n)
    cost = over_runs_cell(part.cost["runs"], part.n, _NO_LABELS) if is_paired else PaperCell(reason=_NO_COST)
    of_labels = part.macro_f1["runs"] if part.macro_f1 is not None else []
    return _OfRow(
        _accuracy_cell(part, is_compared=is_compared), over_runs_cell(of_labels, part.n, _NO_LABELS), cost, note
    )  # fmt: skip


def _compared(
    store: Store, actor: User, project: Project, pair: ModelPair, options: ScoringOptions
) -> tuple[PartComparison, str]:
    """The comparison over all texts; of the other model with itself where runs cannot be paired."""
    try:
        comparison, unpaired = compare_models(store, actor, [project], pair, options)[project.name], ""
    except InvalidValue:
        with_itself = ModelPair(pair.other, pair.other)
        comparison = compare_models(store, actor, [project], with_itself, options)[project.name]
        unpaired = ", not compared with the base, which has another number of runs"
    part = comparison.parts["all"]
    left_out = [
        f"{n:,} left out {why}"
        for n, why in (
            (comparison.n_learned, "as learned from"),
            (comparison.n_unanswered, "as not answered by all runs"),
        )
        if n
    ]
    return replace(part, p=None) if unpaired else part, ("; ".join([f"n = {part.n:,}", *left_out]) + unpaired)


def _accuracy_cell(part: PartComparison, *, is_compared: bool) -> PaperCell:
    cell = over_runs_cell(part.other["runs"], part.n, _NO_LABELS)
    return replace(cell, p=part.p) if is_compared and cell.value is not None else cell


def _majority(store: Store, project: Project, trained: Trained, options: ScoringOptions) -> list[PaperCell]:
    """The null: always the commonest gold label, over the texts that no row's model learned from; its accuracy and macro F1."""
    with store.snapshot():
        learned = learned_by_model(store, project.id, options)
        policy = options.gold_policy or project.settings.gold_policy
        ids = frozenset[int]().union(*(learned.get(name, ()) for names in trained.rows.values() for name in names))
        labels = Counter(
            gold.result
            for gold in labelled_gold(store, project, policy)
            if options.split in (None, gold.instance.split) and gold.instance.id not in ids
        )
    n = labels.total()
    if not n:
        return [PaperCell(reason="no text has a gold label here")] * 2
    share = max(labels.values()) / n  # its precision; its recall is 1, and the other labels' F1 0
    return [PaperCell(share, n=n), PaperCell(2 * share / (1 + share) / len(labels), n=n)]


_CONTRAST_TITLES = {"original": "Original", "contrast": "Contrast", "delta": "Δ", "consistency_of_sets": "Consistency"}


def _contrast(
    store: Store, actor: User, project: Project, trained: Trained, options: ScoringOptions
) -> dict[str, list[PaperCell]]:
    """By row its cells; {} where no row's model has answered a pair."""
    policy = options.gold_policy or project.settings.gold_policy
    under_policy = replace(project, settings=replace(project.settings, gold_policy=policy))
    of_models = by_model(contrast_rows(store, actor, under_policy, options))
    if not any(name in of_models and of_models[name].n_contrasts for names in trained.rows.values() for name in names):
        return {}
    cells = {}
    for title, names in trained.rows.items():
        rows = [of_models.get(model) for model in names]
        base = (
            [of_models.get(model) for model in trained.rows[trained.base]] if trained.base not in (None, title) else []
        )
        cells[title] = [_contrast_cell(rows, base, name) for name in _CONTRAST_TITLES]
    return cells


def _contrast_cell(rows: Sequence[ContrastRow | None], base: Sequence[ContrastRow | None], name: str) -> PaperCell:
    cells = [contrast_cell(row, name) for row in rows if row is not None]
    cell = _over_names(cells, NO_PAIRS_ANSWERED)
    if name not in _OF_ORIGINALS or cell.value is None:
        return cell
    return replace(cell, p=_p_of_sets(base, rows, _OF_ORIGINALS[name]))


_OF_ORIGINALS = {"original": 0, "contrast": 1}  # what is compared original by original, its versions together


def _p_of_sets(
    base: Sequence[ContrastRow | None], rows: Sequence[ContrastRow | None], place_in_set: int
) -> float | None:
    """Over the originals that all have with as many versions; versions of one original are not independent."""
    sides = [[row.sets for row in side if row is not None] for side in (base, rows)]
    if not all(sides) or any(len(side) < len(of) for side, of in zip(sides, (base, rows), strict=True)):
        return None
    shared = set.intersection(*({(i, of[2]) for i, of in sets.items()} for side in sides for sets in side))
    means = [
        np.array([[sets[i][place_in_set] for i, _ in sorted(shared)] for sets in side], dtype=np.float64).mean(axis=0)
        for side in sides
    ]
    return sign_flips(means[1] - means[0])


def _over_names(cells: Sequence[PaperCell], reason: str) -> PaperCell:
    """One name's own number over its seeds; of several trainings the mean over these."""
    if len(cells) == 1:
        return cells[0]
    sizes = {cell.n for cell in cells}
    return over_runs_cell([cell.value for cell in cells], sizes.pop() if len(sizes) == 1 else None, reason)


def _functional(
    store: Store, actor: User, project: Project, trained: Trained
) -> list[tuple[list[PaperColumn], dict[str, list[PaperCell]]]]:
    """Of each suite that a row's model has answered: failure rates by capability, and of all its tests."""
    made = []
    names = {name for of_row in trained.rows.values() for name in of_row}
    for suite in list_suites(store, project.id):
        results = suite_results(store, actor, project, suite)
        rows = [row for row in results.rows if row.test is None]
        if not names & set(results.models):
            continue
        group = f"Failure rate, {suite.name}"
        columns = [_column(project, f"{_FUNCTIONAL}.{suite.name}.{row.name}", row.name, group, "↓") for row in rows]
        means = case_means(store, actor, project, suite)
        cells = {
            title: [
                replace(
                    _rate_cell([row.rates.get(name) for name in of_row], row.n_cases),
                    p=_p_of_cases(means[row.name], trained, title),
                )
                for row in rows
            ]
            for title, of_row in trained.rows.items()
        }
        made.append((columns, cells))
    return made


def _p_of_cases(means: Mapping[str, Floats], trained: Trained, title: str) -> float | None:
    """Over the cases on which both are judged, by all of their names."""
    sides = [trained.rows[trained.base], trained.rows[title]] if trained.base not in (None, title) else []
    if not sides or not all(name in means for side in sides for name in side):
        return None
    base, other = (np.mean([means[name] for name in side], axis=0) for side in sides)
    return sign_flips(other - base)


def _rate_cell(rates: Sequence[Rate | None], n_cases: int) -> PaperCell:
    reason = "the model has not answered all of these tests"
    cells = [
        PaperCell(rate.rate, rate.deviation, n_cases, rate.n_runs if rate.n_runs > 1 else None, reason=reason)
        for rate in rates
        if rate is not None
    ]
    return _over_names(cells, reason)


def _caption(
    projects: Sequence[Project], trained: Trained, options: ScoringOptions, n_compared: int, release: str
) -> str:
    out = ", ".join(project.name for project in projects[1:])
    where = f"{projects[0].name} (in distribution){f' and {out} (out of distribution)' if out else ''}"
    marks = (
        f"{MARK}: differs from “{trained.base}” over the texts or cases that both have answered: p < {LEVEL:g} of paired sign "
        f"flips over texts (originals with all their changed versions, cases), each with its mean over runs, after Holm's "
        f"correction for the {counted(n_compared, 'comparison')} that this table shows; Δ, consistency and FPRD are not "
        "compared, nor are macro F1, opportunity cost and the alignment loss. "
        if trained.base is not None
        else "No base was named, so that nothing is compared. "
    )
    return (
        f"Accuracy on {where}, contrast sets, functional tests, groups of word lists and trainings, as in ER-TEST "
        f"(Joshi et al. 2022). "
        f"{marks}Deviations are over trainings. {_policies(projects, options)}, {split_in_words(options.split)}. "
        f"{release_in_words(release)}{made_by()}"
    )


def _policies(projects: Sequence[Project], options: ScoringOptions) -> str:
    """The gold policy, or, where projects have others, whose is which."""
    by_project = {project.name: options.gold_policy or project.settings.gold_policy for project in projects}
    if len(set(by_project.values())) == 1:
        return f"Gold policy “{next(iter(by_project.values()))}”"
    return "Gold policies: " + ", ".join(f"{name} “{policy}”" for name, policy in by_project.items())
