"""Which texts a report shows: drawn from a seed, those on which two models differ most, those of a list or of some keys."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.domain.instances import GoldInstance
from annotator.domain.measurements import group_of
from annotator.domain.models import Prediction
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.scoring.instance_numbers import Behind
from annotator.scoring.runs import ScoringOptions, p_of
from annotator.store import Store
from annotator.store.instances import find_instance_ids, instances_without_texts
from annotator.store.lists import find_list, ids_on_list, lists_of
from annotator.store.models import full_answers
from annotator.usecases.compare.model_comparison import LabelledText, labelled_texts
from annotator.usecases.compare.report_differences import most_differing
from annotator.usecases.compare.report_request import MOST_TEXTS, ReportRequest, TextChoice
from annotator.usecases.compare.row_comparison import TwoRows
from annotator.usecases.inspect.metric_names import named
from annotator.usecases.inspect.shown_table import TableView
from annotator.usecases.inspect.training_texts import learned_by_model

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ChosenTexts:
    """The texts in their order, and in a sentence how they were chosen."""

    ids: Sequence[int]
    sentence: str


def choose_texts(
    store: Store, actor: User, project: Project, request: ReportRequest, view: TableView, pair: TwoRows | None
) -> ChosenTexts:
    """The texts that a report shows. view: whose models' training texts are not drawn; pair: the two rows that are looked at.

    Raises: NotFound for a list or a key that the project does not have
    """
    texts = request.texts
    if texts.how == "list":
        return _of_list(store, project, texts)
    if texts.how == "keys":
        return _of_keys(store, project, texts, request.options.split)
    if texts.how == "differences" and request.against:
        return _of_rows(store, actor, project, texts, pair)
    if texts.how == "differences":
        return _of_differences(store, actor, project, request, view.table.behind)
    return _drawn(store, texts, view.table.behind, list(dict.fromkeys(row.model for row in view.rows)))


def is_of_group(options: ScoringOptions, behind: Behind | None, item: GoldInstance) -> bool:
    """Whether a text is of the group that is asked for; of an annotator's, whether it is among those that are scored."""
    if options.whose is not None:
        return behind is not None and item.instance.id in behind.ids
    group = group_of(item.instance, item.result, options.grouping[0])
    return group is None or options.grouping[1] in (None, group)


def _of_list(store: Store, project: Project, texts: TextChoice) -> ChosenTexts:
    saved = find_list(store, project.id, texts.list_name)
    if saved is None:
        known = ", ".join(f"'{of.name}'" for of in lists_of(store, project.id)) or "none yet"
        raise NotFound(f"The project '{project.name}' has no list '{texts.list_name}' (it has {known}).")
    ids = ids_on_list(store, saved.id)
    first = f" (the first {MOST_TEXTS} of {len(ids):,})" if len(ids) > MOST_TEXTS else ""
    return ChosenTexts(
        ids[:MOST_TEXTS], f"{counted(min(len(ids), MOST_TEXTS), 'text')} of the list “{saved.name}”{first}."
    )


def _of_keys(store: Store, project: Project, texts: TextChoice, split: str | None) -> ChosenTexts:
    ids: list[int] = []
    for key in dict.fromkeys(texts.keys):
        of_key = find_instance_ids(store, project.id, key, split)
        if not of_key:
            where = "" if split is None else f" in the split '{split}'"
            raise NotFound(f"The project '{project.name}' has no instance '{key}'{where}.")
        ids += of_key
    return ChosenTexts(ids[:MOST_TEXTS], f"{counted(len(ids), 'text')}, chosen by hand.")


def _drawn(store: Store, texts: TextChoice, behind: Behind | None, models: Sequence[str]) -> ChosenTexts:
    """From those with gold that no model learned from where it is not scored on them; by key, so that a copy draws the same."""
    if behind is None or not len(behind.ids):
        return ChosenTexts((), "No text has gold here.")
    stays = np.ones(len(behind.ids), dtype=np.bool_)
    for model in models:
        if model in behind.left_out:
            stays &= ~behind.left_out[model]
    ids = _by_key(store, behind.ids[stays].tolist())
    order = np.random.default_rng(texts.seed).permutation(len(ids))[: texts.n].tolist()
    drawn = f"{counted(len(order), 'text')} of {len(ids):,} with gold"
    sentence = f"{drawn}, drawn at random from seed {texts.seed}: nobody chose them."
    return ChosenTexts([ids[index] for index in order], sentence)


def _by_key(store: Store, ids: Sequence[int]) -> list[int]:
    names: list[tuple[str, str, int]] = []
    for first in range(0, len(ids), _AT_ONCE):
        part = instances_without_texts(store, ids[first : first + _AT_ONCE])
        names += [(instance.split, instance.key, number) for number, instance in part.items()]
    return [number for _, _, number in sorted(names)]


def _of_rows(store: Store, actor: User, project: Project, texts: TextChoice, pair: TwoRows | None) -> ChosenTexts:
    if pair is None:
        return ChosenTexts((), "No two rows are compared here, so that there are no texts in which they differ.")
    ids = most_differing(store, actor, project, pair, texts.n)
    row, reference = pair.names
    return ChosenTexts(
        ids,
        f"The {counted(len(ids), 'text')} in which {row} and {reference} differ most: {named(pair.column)}. They are not "
        "typical of the rest.",
    )


def _of_differences(
    store: Store, actor: User, project: Project, request: ReportRequest, behind: Behind | None
) -> ChosenTexts:
    options, pair = request.options, (request.base, request.other)
    learned = learned_by_model(store, project.id, options)
    scored = None if options.whose is None or behind is None else set(behind.ids.tolist())
    of_models = [_beliefs(store, project, model) for model in pair]
    unseen = [
        text
        for text in labelled_texts(store, actor, project, options)
        if options.asks_for(text.split, text.group)
        and (scored is None or text.id in scored)
        and not any(text.id in learned.get(model, ()) for model in pair)
    ]
    differences = []
    for text in unseen:
        base, other = (belief(text) for belief in of_models)
        if base is not None and other is not None:
            differences.append((-abs(other - base), text.id))
    largest = sorted(differences)[: request.texts.n]
    sentence = (
        f"The {counted(len(largest), 'text')} of {len(differences):,} on which {request.other} and {request.base} differ most, "
        "by the probability of the gold label (where a model gives none, by whether it is right). They are not typical of the "
        "rest."
    )
    return ChosenTexts([number for _, number in largest], sentence)


def _beliefs(store: Store, project: Project, model: str) -> Callable[[LabelledText], float | None]:
    """What a model gives the gold label of a text, the mean over its seeds."""
    of_seeds = list(full_answers(store, project.id, model).values())

    def belief(text: LabelledText) -> float | None:
        values = [_value(of_seed, text) for of_seed in of_seeds if text.id in of_seed]
        return sum(values) / len(values) if values else None

    return belief


def _value(answers: Mapping[int, Prediction], text: LabelledText) -> float:
    p = p_of(answers[text.id], text.result)
    return float(answers[text.id].label == text.result) if np.isnan(p) else float(p)
