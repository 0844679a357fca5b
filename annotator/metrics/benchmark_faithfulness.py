"""Faithfulness of the fine-grained benchmark, New-P, and the scores of answers to reading questions."""

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from annotator.errors import InvalidValue
from annotator.metrics.definitions import Definition, from_0_to_1
from annotator.metrics.ragged import Floats, Integers


def sufficiency(p_full: Floats, p_only: Floats, predicted: Integers | None = None) -> Floats:
    """What the predicted class loses when only the rationale is left.

    Shapes:    float[n_instances, n_labels] on the full input and on the rationale; predicted int[n_instances], the class
               predicted on the full input (without it: the most probable one, the first of equals); returns float[n_instances]
    Range:     -1 to 1, lower is better
    Undefined: NaN where a probability is NaN
    Source:    Wang et al. 2022, Eq. 4; that the class is the predicted one: TrustAI `cal_suf_com`
    >>> sufficiency(np.array([[0.2, 0.8]]), np.array([[0.1, 0.9]])).round(3).tolist()
    [-0.1]
    """
    return _lost(p_full, p_only, predicted)


def comprehensiveness(p_full: Floats, p_without: Floats, predicted: Integers | None = None) -> Floats:
    """What the predicted class loses when the rationale is taken out; shapes as in `sufficiency`, higher is better.

    >>> comprehensiveness(np.array([[0.2, 0.8]]), np.array([[0.7, 0.3]])).tolist()
    [0.5]
    """
    return _lost(p_full, p_without, predicted)


def _lost(p_full: Floats, p_reduced: Floats, predicted: Integers | None) -> Floats:
    if p_full.shape != p_reduced.shape:
        raise InvalidValue(f"Probabilities of {p_full.shape} and {p_reduced.shape} do not belong together.")
    if predicted is None:
        predicted = np.argmax(p_full, axis=1)
    elif np.any(predicted < 0) or np.any(predicted >= p_full.shape[1]):
        raise InvalidValue(f"A predicted label is none of the {p_full.shape[1]} for which there are probabilities.")
    rows = np.arange(len(p_full))
    return np.asarray(p_full[rows, predicted] - p_reduced[rows, predicted], dtype=np.float64)


def new_p(label_full: Integers, label_only: Integers, label_without: Integers) -> Floats:
    """1 where the rationale alone keeps the prediction and the rest alone does not.

    Labels, or answers to reading questions, are encoded as integers. The script's corpus number is the sum over the
    predictions divided by the gold records: `corpus_new_p_scripts`.

    Source: PaddleNLP newp_analysis.py
    """
    return np.asarray((label_only == label_full) & (label_without != label_full), dtype=np.float64)


def corpus_new_p_scripts(values: Floats, n_gold_records: int) -> float:
    """The script's number, 0 without gold; above 1 where there are more predictions than gold records.

    >>> corpus_new_p_scripts(np.array([1.0, 1.0]), 1)
    2.0
    """
    return float(values.sum()) / n_gold_records if n_gold_records else 0.0


_Pair = Callable[[str, str], float]


def answer_f1_chinese_scripts(gold: Sequence[str], predicted: Sequence[str | None]) -> Floats:
    """Answer F1 as mrc_f1_evaluate.py: over the longest common substring, 1 for every empty prediction, 0 for a missing one.

    >>> answer_f1_chinese_scripts(["北京大学", "北京"], ["北京的大学", ""]).round(3).tolist()
    [0.444, 1.0]
    """
    return _each(
        gold, predicted, lambda expected, other: _chinese_f1(expected, other, _substring) if other else 1.0, 0.0
    )


def answer_em_chinese_scripts(gold: Sequence[str], predicted: Sequence[str | None]) -> Floats:
    """Exact match as mrc_f1_evaluate.py: 1 for every empty prediction, 0 for a missing one."""
    return _each(
        gold,
        predicted,
        lambda expected, other: float(not other or _plain_chinese(expected) == _plain_chinese(other)),
        0.0,
    )


def answer_f1_chinese(gold: Sequence[str], predicted: Sequence[str | None]) -> Floats:
    """Answer F1 over the longest common subsequence of characters; "" is the answer that there is none.

    Undefined: NaN where there is no prediction (None)
    Source:    CMRC 2018 (Cui et al. 2019), with a subsequence, as its text says, instead of the script's substring
    >>> answer_f1_chinese(["北京大学", "北京", ""], ["北京的大学", "", ""]).round(3).tolist()
    [0.889, 0.0, 1.0]
    """
    return _each(gold, predicted, lambda expected, other: _chinese_f1(expected, other, _subsequence), np.nan)


def answer_em_chinese(gold: Sequence[str], predicted: Sequence[str | None]) -> Floats:
    """1 where both answers are the same without case and punctuation; NaN where there is no prediction."""
    return _each(
        gold, predicted, lambda expected, other: float(_plain_chinese(expected) == _plain_chinese(other)), np.nan
    )


def answer_f1_english(gold: Sequence[str], predicted: Sequence[str | None]) -> Floats:
    """Answer F1 over words without case, punctuation and articles; where one answer has no words, 1 if both have none.

    Undefined: NaN where there is no prediction (None)
    Source:    the evaluation script of SQuAD 2.0 (Rajpurkar et al. 2018), which the benchmark's script calls
    >>> answer_f1_english(["the Eiffel Tower"], ["Eiffel tower, Paris"]).round(3).tolist()
    [0.8]
    """
    return _each(
        gold, predicted, lambda expected, other: _bag_f1(_english_words(expected), _english_words(other)), np.nan
    )


def answer_em_english(gold: Sequence[str], predicted: Sequence[str | None]) -> Floats:
    """1 where both answers are the same words without case, punctuation and articles; NaN where there is no prediction."""
    return _each(
        gold, predicted, lambda expected, other: float(_english_words(expected) == _english_words(other)), np.nan
    )


def _each(gold: Sequence[str], predicted: Sequence[str | None], score: _Pair, without: float) -> Floats:
    if len(gold) != len(predicted):
        raise InvalidValue(f"Each gold answer has one prediction or None; there are {len(predicted)} for {len(gold)}.")
    return np.array(
        [without if other is None else score(expected, other) for expected, other in zip(gold, predicted, strict=True)],
        dtype=np.float64,
    )


# mrc_f1_evaluate.py also lists "……", which is two characters and so never equals one.
_CHINESE_PUNCTUATION = dict.fromkeys(map(ord, ":_`，。：？！()“”；’《》·、,「」（）－～『』|"))
_IDEOGRAPH = (
    "\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b820-\U0002ceaf"
    "\uf900-\ufaff\U0002f800-\U0002fa1f"
)
_CHINESE_PIECE = re.compile(f"[{_IDEOGRAPH}=]|[^{_IDEOGRAPH}=]+")


def _plain_chinese(text: str) -> str:
    return text.lower().translate(_CHINESE_PUNCTUATION)


def _chinese_f1(gold: str, predicted: str, n_common: Callable[[list[str], list[str]], int]) -> float:
    """2PR / (P + R) over ideographs and the stretches between them."""
    expected, other = (_CHINESE_PIECE.findall(_plain_chinese(text)) for text in (gold, predicted))
    if not expected and not other and n_common is _subsequence:
        return 1.0
    common = n_common(expected, other)
    if not common:
        return 0.0
    precision, recall = common / len(other), common / len(expected)
    return 2 * precision * recall / (precision + recall)


def _substring(expected: list[str], other: list[str]) -> int:
    """The length of the longest stretch that both hold without a gap."""
    longest, row = 0, [0] * (len(other) + 1)
    for piece in expected:
        row = [0, *(row[column] + 1 if piece == seen else 0 for column, seen in enumerate(other))]
        longest = max(longest, *row)
    return longest


def _subsequence(expected: list[str], other: list[str]) -> int:
    """The length of the longest sequence that both hold in this order."""
    row = [0] * (len(other) + 1)
    for piece in expected:
        above, row = row, [0]
        for column, seen in enumerate(other):
            row.append(above[column] + 1 if piece == seen else max(above[column + 1], row[column]))
    return row[-1]


_ARTICLES = re.compile(r"\b(a|an|the)\b")
_ENGLISH_PUNCTUATION = dict.fromkeys(map(ord, string.punctuation))


def _english_words(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_ENGLISH_PUNCTUATION)).split()


def _bag_f1(expected: list[str], other: list[str]) -> float:
    if not expected or not other:
        return float(expected == other)
    return 2 * (Counter(expected) & Counter(other)).total() / (len(expected) + len(other))


_MISSING = "without a needed prediction; excluded and counted"
_SCRIPT_MISSING = "an empty prediction counts 1 and a missing one 0, whatever gold is, as in the script"
_SCRIPT = "PaddleNLP model_interpretation mrc_f1_evaluate.py"
_CHINESE = "CMRC 2018 (Cui et al. 2019)"
_ENGLISH = "SQuAD 2.0 evaluation script (Rajpurkar et al. 2018)"

DEFINITIONS: tuple[Definition, ...] = (
    Definition(
        "benchmark.sufficiency",
        "Sufficiency",
        "p(c | full) - p(c | rationale), c the class predicted on the full input; mean over predictions",
        "lower is better",
        -1.0,
        1.0,
        "not defined where a probability is missing; left out and counted",
        "Wang et al. 2022, Eq. 4; TrustAI Evaluator.cal_suf_com",
    ),
    Definition(
        "benchmark.comprehensiveness",
        "Comprehensiveness",
        "p(c | full) - p(c | without rationale), c the class predicted on the full input; mean over predictions",
        "higher is better",
        -1.0,
        1.0,
        "not defined where a probability is missing; left out and counted",
        "Wang et al. 2022, Eq. 4; TrustAI Evaluator.cal_suf_com",
    ),
    from_0_to_1(
        "benchmark.new_p",
        "New-P",
        "share of instances whose label holds with only the rationale and changes without it",
        "without a needed prediction; excluded and counted",
        "PaddleNLP model_interpretation newp_analysis.py, over instances with both predictions",
    ),
    Definition(
        "benchmark.new_p_scripts",
        "New-P (scripts)",
        "predictions whose rationale alone keeps the label and whose rest does not / gold records",
        "higher is better",
        0.0,
        None,
        "0 without gold; above 1 where there are more predictions than gold records",
        "PaddleNLP model_interpretation newp_analysis.py",
    ),
    from_0_to_1(
        "benchmark.answer_f1_chinese_scripts",
        "Answer F1, Chinese (scripts)",
        "F1 over the longest common substring of ideographs and the stretches between them",
        _SCRIPT_MISSING,
        _SCRIPT,
    ),
    from_0_to_1(
        "benchmark.answer_em_chinese_scripts",
        "Exact match, Chinese (scripts)",
        "share of answers equal to gold, ignoring case and punctuation",
        _SCRIPT_MISSING,
        _SCRIPT,
    ),
    from_0_to_1(
        "benchmark.answer_f1_chinese",
        "Answer F1, Chinese",
        "F1 over the longest common subsequence of ideographs and stretches between",
        _MISSING,
        _CHINESE,
    ),
    from_0_to_1(
        "benchmark.answer_em_chinese",
        "Exact match, Chinese",
        "share of answers equal to gold, ignoring case and punctuation",
        _MISSING,
        _CHINESE,
    ),
    from_0_to_1(
        "benchmark.answer_f1_english",
        "Answer F1, English",
        "F1 over word counts, ignoring case, punctuation and articles",
        _MISSING,
        _ENGLISH,
    ),
    from_0_to_1(
        "benchmark.answer_em_english",
        "Exact match, English",
        "share of answers equal to gold, ignoring case, punctuation and articles",
        _MISSING,
        _ENGLISH,
    ),
)
