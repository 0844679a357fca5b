"""False positive rates of a project's models over the groups that its word lists name (FPRD of ER-TEST)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.suites import FORMS
from annotator.errors import InvalidValue
from annotator.formats.suites.word_groups import WordGroup
from annotator.language import _, listed, unknown
from annotator.metrics.aggregate import OverSeeds, over_seeds
from annotator.metrics.er_test_functional import Fairness, false_positive_rate_difference
from annotator.metrics.ragged import Flags
from annotator.scoring.runs import ScoringOptions
from annotator.store import Store
from annotator.store.instances import iterate_instance_batches
from annotator.store.models import list_runs
from annotator.store.slices import answered_labels
from annotator.store.suites import list_word_lists
from annotator.usecases.access.rights import require
from annotator.usecases.gold import gold_among
from annotator.usecases.inspect.training_texts import learned_by_model, without


@dataclass(frozen=True, slots=True)
class GroupRate:
    """A group's false positive rate over seeds, None without negatives; wrong: the instances behind it, of the first seed.

    of_negatives: by each of its negatives that all seeds answered, how many of the seeds are wrong
    """

    name: str
    rate: OverSeeds
    n_texts: int
    n_negatives: int
    wrong: tuple[tuple[int, str], ...]
    of_negatives: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FairnessRow:
    """A model: FPRD, the rate over all texts, and each group's. Means over seeds; counts of the first seed.

    n_learned: instances that the model learned from, or versions of such, whose answers are not counted
    """

    model: str
    seeds: tuple[int | None, ...]
    difference: OverSeeds
    overall: OverSeeds
    groups: tuple[GroupRate, ...]
    n_texts: int
    n_learned: int = 0


@dataclass(frozen=True, slots=True)
class _Texts:
    """Instances with a gold label. Shapes: gold str[n]; mentions bool[n_groups, n]."""

    ids: Sequence[int]
    keys: Sequence[str]
    gold: Sequence[str]
    mentions: Flags


def fairness_rows(
    store: Store,
    actor: User,
    project: Project,
    groups: Sequence[str],
    positive: str,
    options: ScoringOptions = ScoringOptions(),
) -> list[FairnessRow]:
    """Every model's false positive rates for the label `positive`, over texts that mention a word of each list.

    options: the split, the criterion, and whether a model is asked about what it learned from
    Raises: InvalidValue for a list or a label that the project does not have
    """
    require(store, actor, project.id, "use models")
    if positive not in project.labels:
        raise InvalidValue(unknown(_("label"), positive, listed(project.labels)))
    lists = {word_list.name: word_list for word_list in list_word_lists(store, project.id)}
    if strange := [name for name in groups if name not in lists]:
        raise InvalidValue(unknown(_("word list"), strange[0], listed(list(lists)) or _("none")))
    made = [WordGroup.of(name, [f for word in lists[name].words for f in word.split(FORMS)]) for name in groups]
    with store.snapshot():
        texts = _texts(store, project, made, options)
        answer_runs = sorted(
            (r for r in list_runs(store, project.id) if not r.run.method), key=lambda stored: stored.run.model
        )
        answers = {stored.id: answered_labels(store, stored.id) for stored in answer_runs}
        learned = learned_by_model(store, project.id, options)
    rows = []
    for model, runs in groupby(answer_runs, key=lambda stored: stored.run.model):
        answered = [stored for stored in runs if answers[stored.id]]
        if answered:
            seeds, ids = tuple(stored.run.seed for stored in answered), learned.get(model, frozenset())
            counted = [without(answers[stored.id], ids) for stored in answered]
            rows.append(replace(_row(model, seeds, counted, texts, groups, positive), n_learned=len(ids)))
    return rows


def _texts(store: Store, project: Project, groups: Sequence[WordGroup], options: ScoringOptions) -> _Texts:
    ids, keys, gold = [], [], []
    mentions: list[list[bool]] = []
    for instances in iterate_instance_batches(store, project.id, split=options.split):
        for gold_instance in gold_among(store, instances, project.settings.gold_policy):
            instance, label = gold_instance.instance, gold_instance.result
            is_asked = options.asks_for_instance(instance, label)
            if instance.state == "discarded" or label is None or not is_asked:
                continue
            text = "\n".join(segment.body.text for segment in instance.segments if segment.is_selectable)
            ids.append(instance.id)
            keys.append(instance.key)
            gold.append(label)
            mentions.append([group.is_mentioned_in(text) for group in groups])
    return _Texts(ids, keys, gold, np.array(mentions, dtype=np.bool_).reshape(len(ids), len(groups)).T)


def _row(
    model: str,
    seeds: tuple[int | None, ...],
    answers: Sequence[Mapping[int, str]],
    texts: _Texts,
    groups: Sequence[str],
    positive: str,
) -> FairnessRow:
    made = [_of_seed(of_seed, texts, positive) for of_seed in answers]
    first = answers[0]
    is_answered = np.array([i in first for i in texts.ids], dtype=np.bool_)
    is_wrong = [first.get(i) == positive != gold for i, gold in zip(texts.ids, texts.gold, strict=True)]
    wrong = is_answered & np.array(is_wrong, dtype=np.bool_)
    return FairnessRow(
        model,
        seeds,
        _over([of_seed.difference for of_seed in made]),
        _over([of_seed.overall for of_seed in made]),
        tuple(
            GroupRate(
                name,
                _over([None if np.isnan(rate := float(of_seed.rates[n])) else rate for of_seed in made]),
                int((texts.mentions[n] & is_answered).sum()),
                int(made[0].n_negatives[n]),
                tuple((texts.ids[i], texts.keys[i]) for i in np.flatnonzero(wrong & texts.mentions[n]).tolist()),
                _of_negatives(answers, texts, texts.mentions[n], positive),
            )
            for n, name in enumerate(groups)
        ),
        int(is_answered.sum()),
    )


def _of_negatives(
    answers: Sequence[Mapping[int, str]], texts: _Texts, is_mentioned: Flags, positive: str
) -> dict[int, float]:
    return {
        texts.ids[i]: sum(of_seed[texts.ids[i]] == positive for of_seed in answers) / len(answers)
        for i in np.flatnonzero(is_mentioned).tolist()
        if texts.gold[i] != positive and all(texts.ids[i] in of_seed for of_seed in answers)
    }


def _of_seed(answers: Mapping[int, str], texts: _Texts, positive: str) -> Fairness:
    chosen = [n for n, i in enumerate(texts.ids) if i in answers]
    predicted = np.array([answers[texts.ids[n]] == positive for n in chosen], dtype=np.bool_)
    gold = np.array([texts.gold[n] == positive for n in chosen], dtype=np.bool_)
    return false_positive_rate_difference(predicted, gold, texts.mentions[:, chosen])


def _over(values: Sequence[float | None]) -> OverSeeds:
    return over_seeds(np.array([np.nan if value is None else value for value in values], dtype=np.float64))
