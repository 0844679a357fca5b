"""What models that read nothing get of functional tests: one that always gives the same label, and random ones.

Both answer with probability 1 for the label they give. A constant model never fails an invariance test, and seldom a
directional one, so that a low failure rate alone says little.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotator.domain.numbers import percent
from annotator.domain.suites import Applies, Case, CaseAnswer
from annotator.language import _
from annotator.metrics.ragged import Floats, Integers
from annotator.metrics.significance import RANDOM, Word, rate_difference, word_in_words
from annotator.scoring.reports import verdicts

_WORDS: dict[str, Word] = {"less": "better", "more": "not better", "not told": "not told", "too few": "too few"}


@dataclass(frozen=True, slots=True)
class Baseline:
    """The failure rate of a model that always gives `label`, or (None) of one that gives each text any label.

    rate: None where it is judged on no case; n: on how many it is judged, of random with a chance
    """

    label: str | None
    rate: float | None
    n: int = 0

    @property
    def name(self) -> str:
        return _(RANDOM) if self.label is None else _("always “{label}”", label=self.label)


@dataclass(frozen=True, slots=True)
class AgainstBaseline:
    """A model beside the baseline with the lowest failure rate, over the cases that both are judged on.

    labels: of the constant models with that rate; () for random
    rate, n: of the model, over the n cases that both are judged on, where it is judged on more; else None and 0
    """

    word: Word
    labels: tuple[str, ...]
    rate: float | None = None
    n: int = 0

    @property
    def words(self) -> str:
        """Whether the model is better, in a few words.

        >>> AgainstBaseline("not told", ("negative",)).words
        'no clear difference from always “negative”'
        """
        only = Baseline(self.labels[0] if self.labels else None, None).name
        words = word_in_words(self.word, _("a constant model") if len(self.labels) > 1 else only)
        if self.rate is None:
            return words
        return _("{words} ({rate} over the {n} cases of both)", words=words, rate=percent(self.rate), n=f"{self.n:,}")


@dataclass(frozen=True, slots=True, eq=False)
class Baselines:
    """Of cases in order.

    Shapes: constant float[n_labels, n_cases], verdicts; random float[n_cases], how likely a case fails where it is judged,
            NaN where it never is; random_weights float[n_cases], how likely it is judged
    """

    labels: tuple[str, ...]
    constant: Floats
    random: Floats
    random_weights: Floats

    def rates(self, numbers: Integers) -> tuple[Baseline, ...]:
        """Of some of the cases: the constant models in the order of the labels, then random."""
        constants = [Baseline(label, *_mean(of[numbers])) for label, of in zip(self.labels, self.constant, strict=True)]
        return (*constants, Baseline(None, *_mean(self.random[numbers], self.random_weights[numbers])))

    def against(self, tests: Sequence[tuple[Integers, Floats]]) -> AgainstBaseline | None:
        """A model beside the lowest of the rates; None where no baseline is judged, or no case in common.

        tests: of each test the numbers of its cases, and float[n_cases] how often the model fails each; NaN not judged
        """
        rates = self.rates(np.concatenate([numbers for numbers, _values in tests]))
        judged = [baseline.rate for baseline in rates if baseline.rate is not None]
        if not judged:
            return None
        labels = tuple(b.label for b in rates if b.rate == min(judged) and b.label is not None)
        of = self.constant[self.labels.index(labels[0])] if labels else self.random
        difference = rate_difference(
            [of[numbers] for numbers, _values in tests], [values for _numbers, values in tests]
        )
        if difference.value is None:
            return None
        of_model = np.concatenate([values for _numbers, values in tests])
        in_common = of_model[~np.isnan(np.concatenate([of[numbers] for numbers, _values in tests]) + of_model)]
        is_less = len(in_common) < np.count_nonzero(~np.isnan(of_model))
        rate_and_n = (float(in_common.mean()), len(in_common)) if is_less else (None, 0)
        return AgainstBaseline(_WORDS[difference.word], labels, *rate_and_n)


def baselines_of(cases: Sequence[Case], labels: Sequence[str]) -> Baselines:
    """What a constant model of each label, and random, make of cases; cases that ask the same are judged once.

    Random is exact: given the first text's label, each further text passes by itself, so that the chances multiply.
    """
    questions: dict[Case, int] = {}
    which = np.array([questions.setdefault(_without_texts(case), len(questions)) for case in cases], dtype=np.int64)
    constant = np.empty((len(labels), len(questions)))
    for row, label in enumerate(labels):
        constant[row] = verdicts(list(questions), [_always(label, case, labels) for case in questions])
    random = np.array([_random(case, labels) for case in questions]).reshape(-1, 2)
    return Baselines(tuple(labels), constant[:, which], random[which, 0], random[which, 1])


def _without_texts(case: Case) -> Case:
    """What is asked of as many texts, whatever they say: equal for cases that are judged alike."""
    return replace(case, test="", category="", case="", texts=("",) * len(case.texts), edits=None)


def _answer(label: str, case: Case, labels: Sequence[str]) -> CaseAnswer:
    return CaseAnswer(label, {name: float(name == label) for name in (*labels, *case.labels)})


def _always(label: str, case: Case, labels: Sequence[str]) -> list[CaseAnswer]:
    return [_answer(label, case, labels)] * len(case.texts)


def _random(case: Case, labels: Sequence[str]) -> tuple[float, float]:
    """How likely it fails where it is judged (NaN: it never is), and how likely it is judged."""
    judged = [passes for first in labels if not np.isnan(passes := _pass_given(case, first, labels))]
    return (1 - float(np.mean(judged)) if judged else np.nan), len(judged) / max(len(labels), 1)


def _pass_given(case: Case, first: str, labels: Sequence[str]) -> float:
    """How likely it passes when its first text got a label; NaN where it is not judged then."""
    if case.type != "MFT":
        if len(case.texts) < 2:
            return np.nan
        return _mean_pass(_pair(case, first, other, labels) for other in labels) ** (len(case.texts) - 1)
    alone = replace(case, texts=("",))
    [verdict] = verdicts([alone], [_always(first, alone, labels)])
    free = replace(alone, applies=Applies())
    others = verdicts([free] * len(labels), [_always(label, free, labels) for label in labels])
    return float((1 - verdict) * _mean_pass(iter(others.tolist())) ** (len(case.texts) - 1))


def _pair(case: Case, first: str, other: str, labels: Sequence[str]) -> float:
    """The verdict on the first text and one further."""
    answers = [_answer(first, case, labels), _answer(other, case, labels)]
    [verdict] = verdicts([replace(case, texts=("", ""))], [answers])
    return float(verdict)


def _mean_pass(fails: Iterator[float]) -> float:
    return 1 - float(np.mean(list(fails)))


def _mean(values: Floats, weights: Floats | None = None) -> tuple[float | None, int]:
    """Over the cases that are judged, and how many these are."""
    is_judged = ~np.isnan(values)
    if not is_judged.any():
        return None, 0
    mean = float(np.average(values[is_judged], weights=None if weights is None else weights[is_judged]))
    return mean, int(np.count_nonzero(is_judged))
