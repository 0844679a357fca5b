"""The tables of sentence editing (Stevens and Su 2021): the rank of edited words by criterion, and F1 of “need edit”."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.domain.instances import CRITERION, majority_label
from annotator.domain.models import Prediction
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.metrics.aggregate import mean_of
from annotator.metrics.ragged import Flags, Integers
from annotator.metrics.sentence_editing import need_edit_f1
from annotator.scoring.instance_numbers import OfSeed
from annotator.scoring.paper_table import BLANK, PaperCell, PaperColumn, PaperRow, PaperTable, over_runs_cell
from annotator.scoring.table import MetricRow
from annotator.store import Store
from annotator.store.models import full_answers
from annotator.usecases.gold import labelled_gold
from annotator.usecases.inspect.metrics_table import names_of
from annotator.usecases.inspect.project_scores import answers_of_seed
from annotator.usecases.inspect.training_texts import learned_by_model
from annotator.usecases.papers import scored_rows

_GROUPS = {"spelling": "Spelling", "deleted": "Deleted text"}
_F1 = scored_rows.metric_column("editing.need_edit_f1", "F1", scale=100, decimals=1, group="“Need edit”")
_RANKING = (
    scored_rows.metric_column("editing.mrr", "MRR", group="Rank of the edited words"),
    scored_rows.metric_column("editing.auprc", "AUPRC", group="Rank of the edited words"),
    scored_rows.metric_column("editing.average_precision", "AP", group="Rank of the edited words"),
    scored_rows.metric_column("editing.top_1", "Top-1", group="Rank of the edited words"),
)
_N = PaperColumn("sentences", "n", decimals=0)
_COLUMNS = (*_RANKING, _N, _F1)
_SENTENCES = ("all", "correct", "wrong")
_UNJUDGED = "the model has no answers to these sentences that could be right or wrong"

Answers = Mapping[int | None, Mapping[int, Prediction]]  # by seed and instance


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One with a gold label."""

    id: int
    label: str
    criterion: str


@dataclass(frozen=True, slots=True, eq=False)
class _Edited:
    """labels: gold's, by instance; positive: that of sentences with a criterion, None where none has one.

    learned: by model, what it is not scored on
    """

    scored: scored_rows.ScoredRows
    sentences: Sequence[_Sentence]
    labels: Mapping[int, str]
    positive: str | None
    answers: Mapping[str, Answers]
    learned: Mapping[str, frozenset[int]]

    def groups(self) -> list[str]:
        """The criteria of sentences with gold sets, the paper's first."""
        ids = set(self.ids.tolist())
        with_gold = {sentence.criterion for sentence in self.sentences if sentence.id in ids}
        return [name for name in _GROUPS if name in with_gold] + sorted(with_gold - _GROUPS.keys())

    @property
    def ids(self) -> Integers:
        behind = self.scored.table.behind
        return np.zeros(0, dtype=np.int64) if behind is None else behind.ids


def edits_table(store: Store, actor: User, project: Project, choice: scored_rows.Choice) -> PaperTable:
    """By criterion a row for each model and method over all, correctly and wrongly answered sentences; last F1 of every sentence.

    Raises: NotFound without any row, or for a model or method that has none
    """
    scored = scored_rows.scored_rows(store, actor, project, choice)
    edited = _edited(store, project, scored)
    rows = [row for criterion in edited.groups() for row in _of_criterion(edited, criterion)]
    rows += _of_every_sentence(edited)
    caption = (
        f"Edited words of {project.name} as rationales, by criterion, in the columns of Stevens and Su (2021). "
        f"All sentences are divided into those that the model answers correctly and wrongly. AUPRC has recall on the "
        f"horizontal axis; the paper's column of that name has not. Top-1 is 0 of a rationale of several words. "
        f"Deviations are over seeds. {scored_rows.what_was_scored(scored)}"
    )
    notes = list(scored_rows.texts_in_words(scored, ()))
    if edited.positive is not None:
        notes.append(
            f"F1 is that of the label “{edited.positive}”; of sentences of one criterion, which all have it, it is 2R / (1 + R)."
        )
    provenance = scored_rows.asked_for(
        project.name, scored.table.gold_policy, choice.options.split, scored.table.release, table=scored.table
    )
    return PaperTable("edits", "Model, method, sentences", caption, _COLUMNS, tuple(rows), tuple(notes), provenance)


def _edited(store: Store, project: Project, scored: scored_rows.ScoredRows) -> _Edited:
    options = scored.choice.options
    with store.snapshot():
        sentences = [
            _Sentence(gold.instance.id, gold.result, gold.instance.criterion)
            for gold in labelled_gold(store, project, options.gold_policy or project.settings.gold_policy)
            if gold.result is not None and options.split in (None, gold.instance.split)
        ]
        models = dict.fromkeys(row.model for row in scored.rows)
        answers = {model: full_answers(store, project.id, model) for model in models}
        learned = learned_by_model(store, project.id, options)
    positive = majority_label(Counter(sentence.label for sentence in sentences if sentence.criterion))
    gold_labels = {sentence.id: sentence.label for sentence in sentences}
    return _Edited(scored, sentences, gold_labels, positive, answers, learned)


def _of_criterion(edited: _Edited, criterion: str) -> Iterator[PaperRow]:
    ids = {sentence.id for sentence in edited.sentences if sentence.criterion == criterion}
    is_in: Flags = np.isin(edited.ids, np.fromiter(ids, dtype=np.int64, count=len(ids)))
    title = _GROUPS.get(criterion, criterion or "Criterion not told")
    group = f"{title} ({counted(int(is_in.sum()), 'sentence')})"
    rows = edited.scored.rows
    ranked = [(row, name) for row, name in zip(rows, names_of(rows), strict=True) if "editing.mrr" in row.numbers]
    for row, name in ranked:
        f1 = _f1_cell(edited, row.model, ids)
        for sentences in _SENTENCES:
            cells = _ranking_cells(edited, row, is_in, sentences)
            keys = {CRITERION: criterion, "of": sentences, **scored_rows.keys_of(row)}
            yield PaperRow(f"{name}, {sentences}", (*cells, f1 if sentences == "all" else BLANK), keys, group)
    yield _random_row(edited, is_in, {CRITERION: criterion, "of": "all"}, group)


def _ranking_cells(edited: _Edited, row: MetricRow, is_in: Flags, sentences: str) -> list[PaperCell]:
    """As in the paper's tables a sentence without an answer is in none of the three, where the model has any answers."""
    behind = edited.scored.table.behind
    of_seeds = list(behind.rows.get(row.key, ())) if behind is not None else []
    answers = edited.answers[row.model]
    if len(of_seeds) != len(row.seeds) and len(answers) > 1:
        return [PaperCell(reason="not every seed of the method has scores, so that its answers are not told apart")] * (
            len(_RANKING) + 1
        )
    seeds = row.seeds if len(of_seeds) == len(row.seeds) else (None,) * len(of_seeds)
    chosen = [
        _chosen(edited, of_seed, answers_of_seed(answers, seed), is_in, sentences)
        for of_seed, seed in zip(of_seeds, seeds, strict=True)
    ]
    is_met = np.zeros(len(is_in), dtype=np.bool_)
    cells = []
    for column in _RANKING:
        means = []
        for of_seed, stays in zip(of_seeds, chosen, strict=True):
            values = of_seed.values[column.name][stays]
            is_met[of_seed.places[stays][~np.isnan(values)]] = True
            means.append(mean_of(values).value)
        is_unjudged = not answers and sentences != "all"
        reason = _UNJUDGED if is_unjudged else f"there is no sentence here that the model answers {_so(sentences)}"
        cells.append(over_runs_cell(means, int(is_met.sum()), reason))
    return [*cells, PaperCell(float(is_met.sum()))]


def _so(sentences: str) -> str:
    return {"correct": "correctly", "wrong": "wrongly"}.get(sentences, "and ranks the words of")


def _chosen(edited: _Edited, of_seed: OfSeed, answers: Mapping[int, Prediction], is_in: Flags, sentences: str) -> Flags:
    """bool[n of the seed]: which of its sentences are of the criterion and answered so."""
    given = [(answers.get(number), edited.labels.get(number)) for number in edited.ids[of_seed.places].tolist()]
    is_judged = np.array([answer is not None and label is not None for answer, label in given], dtype=np.bool_)
    is_right = np.array([answer is not None and answer.label == label for answer, label in given], dtype=np.bool_)
    of_criterion: Flags = is_in[of_seed.places]
    if sentences == "all":
        return of_criterion & is_judged if is_judged.any() else of_criterion
    return of_criterion & is_judged & (is_right if sentences == "correct" else ~is_right)


def _random_row(edited: _Edited, is_in: Flags, keys: Mapping[str, str], group: str) -> PaperRow:
    """Over the sentences that some row has."""
    behind = edited.scored.table.behind
    is_in = is_in & scored_rows.texts_of(edited.scored, "editing.mrr")
    cells: list[PaperCell] = []
    for column in _RANKING:
        of_all = behind.random.get(column.name) if behind is not None else None
        mean = mean_of(of_all[is_in] if of_all is not None else np.zeros(0))
        cells.append(PaperCell(mean.value, n=mean.n, reason="no sentence here has a gold set"))
    title = "random scores, ten seeds, all"
    return PaperRow(
        title, (*cells, PaperCell(float(is_in.sum())), BLANK), {**keys, "model": "random"}, group, is_baseline=True
    )


def _of_every_sentence(edited: _Edited) -> Iterator[PaperRow]:
    """F1 over all sentences with a label, also those without an edit."""
    ids = {sentence.id for sentence in edited.sentences}
    group = f"Every sentence with a gold label ({len(ids):,})"
    for model in edited.answers:
        cell = _f1_cell(edited, model, ids)
        cells = (*(BLANK,) * len(_RANKING), BLANK if cell.n is None else PaperCell(float(cell.n)), cell)
        yield PaperRow(model, cells, {CRITERION: "every", "of": "all", "model": model}, group)


def _f1_cell(edited: _Edited, model: str, ids: set[int]) -> PaperCell:
    """F1 of the positive label over the sentences that the model has answered and not learned from; mean over seeds."""
    if edited.positive is None:
        return PaperCell(reason="no sentence says its criterion, so that the label of “need edit” is not known")
    learned = edited.learned.get(model, frozenset())
    to_ask = [sentence for sentence in edited.sentences if sentence.id in ids and sentence.id not in learned]
    of_seeds, is_answered = [], set[int]()
    for answers in edited.answers[model].values():
        answered = [sentence for sentence in to_ask if sentence.id in answers]
        is_predicted = [answers[sentence.id].label == edited.positive for sentence in answered]
        is_gold = [sentence.label == edited.positive for sentence in answered]
        of_seeds.append(need_edit_f1(np.array(is_predicted, dtype=np.bool_), np.array(is_gold, dtype=np.bool_)))
        is_answered |= {sentence.id for sentence in answered}
    return over_runs_cell(of_seeds, len(is_answered), "the model has no answers to these sentences")
