"""Which cases of a suite failed, by the metrics of functional tests."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from annotator.domain.suites import Case, Verdict
from annotator.metrics.ragged import Floats
from annotator.scoring.reports import verdicts
from annotator.store.suites import Answers

_NOT_APPLICABLE = 2


def verdicts_of_cases(cases: Sequence[Case], answers: Sequence[Answers]) -> list[Verdict]:
    """The verdict on each case of one test."""
    return [_in_words(value) for value in verdicts(cases, answers).tolist()]


def failing_texts(case: Case, answers: Answers) -> tuple[bool, ...]:
    """For each text whether it alone would fail the case; the original of INV and DIR is not judged."""
    if case.type == "MFT":
        alone = [replace(case, texts=(text,)) for text in case.texts]
        return tuple(value == 1 for value in verdicts(alone, [[answer] for answer in answers]).tolist())
    pairs = [replace(case, texts=(case.texts[0], text)) for text in case.texts[1:]]
    judged = verdicts(pairs, [[answers[0], answer] for answer in answers[1:]])
    return (False, *(value == 1 for value in judged.tolist()))


def _in_words(value: float) -> Verdict:
    if value != value:  # noqa: PLR0124  # NaN
        return "not applicable"
    return "failed" if value else "passed"


def as_floats(packed: bytes) -> Floats:
    """float[n_cases] of a stored byte for each case: 1 failed, 0 passed, NaN does not apply."""
    codes = np.frombuffer(packed, dtype=np.uint8)
    return np.where(codes == _NOT_APPLICABLE, np.nan, codes.astype(np.float64))
