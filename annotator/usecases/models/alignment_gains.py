"""What a model gains over another, with a control beside it: how often it is right, and how plausible its attributions are.

Plausibility is told of each method by itself, since that of the one that was trained proves nothing: occlusion
asks the model, and of the built-in model the exact weights are known.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from annotator.domain.instances import GoldInstance
from annotator.domain.models import Output
from annotator.domain.numbers import signed
from annotator.domain.projects import GoldPolicy, Project
from annotator.language import _, unsaid
from annotator.metrics.model_comparison import ControlledGain, controlled_gain
from annotator.metrics.ragged import Floats
from annotator.metrics.significance import Verdict
from annotator.scoring.gold import GoldTable, gold_row
from annotator.scoring.instance_numbers import places_of
from annotator.scoring.runs import Answers, ScoringOptions
from annotator.scoring.scored_blocks import score_run
from annotator.store import Store
from annotator.store.models import StoredRun, full_answers, ids_answered, list_runs, outputs_of_run
from annotator.store.trained_models import find_training, ids_learned_from, ids_of_versions
from annotator.usecases.gold import labelled_gold_of

ACCURACY = "accuracy"
TRAINED, INDEPENDENT, EXACT = "gradient-x-input", "occlusion", "linear"
OWN = "selection"  # an extractor's, which only a model that was aligned so has
TITLES = {
    ACCURACY: unsaid("Accuracy"),
    TRAINED: unsaid("Plausibility by gradient × input"),
    "attention": unsaid("Plausibility by attention"),
    "integrated-gradients": unsaid("Plausibility by integrated gradients"),
    OWN: unsaid("Plausibility of its extractor"),
    INDEPENDENT: unsaid("Plausibility by occlusion"),
    EXACT: unsaid("Plausibility by exact weights"),
}
PLAUSIBILITY = "eraser.auprc"
_AT_ONCE = 500
Areas = Callable[[StoredRun], Mapping[int, float] | None]  # AUPRC by instance; None where it is not known
Parameters = Mapping[str, Mapping[str, str]]  # by method and model, as JSON


def in_words(verdict: Verdict | None) -> str | None:
    """A difference with its interval, as far as there are both."""
    if verdict is None or verdict.difference is None:
        return None
    if verdict.low is None or verdict.high is None:
        return signed(verdict.difference)
    return f"{signed(verdict.difference)} [{signed(verdict.low)}, {signed(verdict.high)}]"


@dataclass(frozen=True, slots=True)
class Measured:
    """A number of two models and of a control.

    measure: "accuracy", or the method whose AUPRC it is
    is_alike: the method has the same parameters for all of them; else each has its own, such as how occlusion removes a word
    trained:  the method that an alignment trains
    """

    measure: str
    gain: ControlledGain
    is_alike: bool = True
    trained: str = TRAINED

    @property
    def title(self) -> str:
        title = _(TITLES[self.measure])
        return title if self.is_alike else _("{title}, with different parameters", title=title)

    def sentence(self, is_control: bool) -> str:
        """What an alignment brought by this number. is_control: it was trained on shuffled rationales itself."""
        title = self.title
        if self.measure == self.trained:
            return _("{title} was the training target: no proof.", title=title)
        if is_control and self.gain.word == "no control":
            return _("{title}: a control's gain, not from the rationales.", title=title)
        words = self.gain.sentence
        return _("{title}: {sentence}", title=title, sentence=f"{words[:1].lower()}{words[1:]}")


def measures_as_json(measures: Sequence[Measured]) -> dict[str, object]:
    """By measure, each with what its gain comes to in a word."""
    return {of.measure: {**asdict(of.gain), "word": of.gain.word} for of in measures}


@dataclass(frozen=True)
class _Texts:
    """The texts that models are compared on. table: for what has to be scored, made when that is needed."""

    project: Project
    gold: Sequence[GoldInstance]

    @property
    def ids(self) -> list[int]:
        return [item.instance.id for item in self.gold]

    @cached_property
    def table(self) -> GoldTable:
        return GoldTable(
            [gold_row(item, self.project.task, keep_tokens=False, is_exhaustive=False) for item in self.gold]
        )


def learned_by(store: Store, project: Project, model: str) -> set[int]:
    """What a model that was trained here learned from, and the changed versions of it."""
    training = find_training(store, project.id, model)
    return set() if training is None else ids_learned_from(store, training.id) | ids_of_versions(store, training.id)


def measured(
    store: Store, project: Project, gold: Sequence[GoldInstance],
    base: Sequence[str], other: Sequence[str], control: Sequence[str] = (), known: Areas = lambda _given: None,
    trained: str = TRAINED,
) -> tuple[Measured, ...]:  # fmt: skip
    """Accuracy, and the AUPRC of each method that one of the models has; occlusion always.

    gold: of texts with a gold label; what a model learned from is left out for it. base, other, control: several names are
    trainings of one kind: of each text the mean over those that have a number there
    known: of runs whose AUPRC need not be scored again; trained: the method that was aligned
    """
    texts = _Texts(project, gold)
    parameters = chosen_parameters(
        [*base, *other, *control],
        lambda name, method: {stored.run.parameters for stored in list_runs(store, project.id, name, method)},
        trained,
    )
    of_base, of_other = (_side(store, texts, names, parameters, known) for names in (base, other))
    of_control = _side(store, texts, control, parameters, known) if control else None
    return gains_of_sides(of_base, of_other, of_control, len(gold), parameters, trained)


def gains_of_sides(
    of_base: Mapping[str, Floats], of_other: Mapping[str, Floats], of_control: Mapping[str, Floats] | None, n_texts: int,
    parameters: Parameters, trained: str = TRAINED,
) -> tuple[Measured, ...]:  # fmt: skip
    """The same of numbers by measure, float[n_texts] each, NaN where there is none."""
    nothing = np.full(n_texts, np.nan)
    present = [m for m in methods_with(trained) if m == INDEPENDENT or m in of_base or (m in of_other and m != OWN)]
    return tuple(
        Measured(
            name,
            controlled_gain(
                of_base.get(name, nothing),
                of_other.get(name, nothing),
                None if of_control is None else of_control.get(name, nothing),
            ),
            len(set(parameters.get(name, {}).values())) < 2,
            trained,
        )
        for name in (ACCURACY, *present)
    )


def compared_gold(store: Store, project: Project, names: Sequence[str], policy: GoldPolicy) -> list[GoldInstance]:
    """The labelled texts that some of these models has answered; of others there would be no number."""
    answered: set[int] = set()
    for name in dict.fromkeys(names):
        answered |= ids_answered(store, project.id, name)
    return list(labelled_gold_of(store, sorted(answered), policy))


def _side(store: Store, texts: _Texts, names: Sequence[str], parameters: Parameters, known: Areas) -> dict[str, Floats]:
    """By measure float[n_texts]: the mean over trainings, NaN where none has a number."""
    of_names = [_of_model(store, texts, name, parameters, known) for name in dict.fromkeys(names)]
    measures = dict.fromkeys(measure for values in of_names for measure in values)
    return {
        measure: means_of_texts([values[measure] for values in of_names if measure in values]) for measure in measures
    }


def _of_model(store: Store, texts: _Texts, name: str, parameters: Parameters, known: Areas) -> dict[str, Floats]:
    answers, ids = full_answers(store, texts.project.id, name), texts.ids
    results = [(item.instance.id, item.result) for item in texts.gold]
    of_seeds = [
        [float(given[i].label == gold) if i in given else np.nan for i, gold in results] for given in answers.values()
    ]
    values = (
        {ACCURACY: means_of_texts([np.array(of_seed, dtype=np.float64) for of_seed in of_seeds])} if of_seeds else {}
    )
    for method, of_names in parameters.items():
        wanted = of_names.get(name)
        runs = [
            stored for stored in list_runs(store, texts.project.id, name, method) if stored.run.parameters == wanted
        ]
        if runs:
            of_runs = [
                np.array([areas.get(number, np.nan) for number in ids], dtype=np.float64)
                if (areas := known(run)) is not None
                else _areas(store, texts.table, run, _of_seed(answers, run.run.seed))
                for run in runs
            ]
            values[method] = means_of_texts(of_runs)
    learned = learned_by(store, texts.project, name)
    was_learned = np.array([number in learned for number in ids], dtype=np.bool_)
    return {measure: np.where(was_learned, np.nan, numbers) for measure, numbers in values.items()}


def methods_with(trained: str) -> tuple[str, ...]:
    """Whose plausibility is told where a method was aligned."""
    return (trained, INDEPENDENT, EXACT)


def chosen_parameters(
    names: Sequence[str], known: Callable[[str, str], set[str]], trained: str = TRAINED
) -> Parameters:
    """With which parameters a method is taken of each model: the first that all who have it share, else each one's first.

    known: of a model and a method, with which (JSON) it was computed
    """
    chosen: dict[str, Mapping[str, str]] = {}
    for method in methods_with(trained):
        of_names = {name: parameters for name in names if (parameters := known(name, method))}
        shared = set.intersection(*of_names.values()) if of_names else set()
        chosen[method] = {name: min(shared or parameters) for name, parameters in of_names.items()}
    return chosen


def _of_seed(answers: Mapping[int | None, Answers], seed: int | None) -> Answers:
    return answers.get(seed) or answers.get(None) or next(iter(answers.values()), {})


def _areas(store: Store, table: GoldTable, stored: StoredRun, answers: Answers) -> Floats:
    """float[n_texts]: the AUPRC of a run's scores."""
    only = None if stored.run.method == "attention" else ("attribution", None)  # attention is of a layer
    scored = score_run(
        table, _outputs(store, stored.id, table), answers, ScoringOptions(), only=only, names={PLAUSIBILITY}
    )  # fmt: skip
    values = np.full(len(table), np.nan)
    for (kind, _layer), row in scored.rows.items():
        if kind == "attribution":
            values[places_of(table, row)] = row.values[PLAUSIBILITY]
    return values


def _outputs(store: Store, run_id: int, table: GoldTable) -> Iterator[Output]:
    ids = [row.id for row in table.rows]
    for first in range(0, len(ids), _AT_ONCE):
        yield from outputs_of_run(store, run_id, ids[first : first + _AT_ONCE]).values()


def means_of_texts(many: Sequence[Floats]) -> Floats:
    """float[n]: of each text the mean of what there is."""
    numbers = np.stack(many)
    is_there = ~np.isnan(numbers)
    n, sums = is_there.sum(axis=0), np.where(is_there, numbers, 0.0).sum(axis=0)
    means = np.full(len(n), np.nan)
    np.divide(sums, n, out=means, where=n > 0)
    return means
