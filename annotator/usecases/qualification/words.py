"""What came of an answer, in sentences: what matches the gold, what was too much, what was missing."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from annotator.domain.instances import Instance
from annotator.domain.numbers import written
from annotator.domain.project.qualification import Audience, Known, QualificationRules, Totals
from annotator.domain.rationales import RationaleSet, set_letter
from annotator.domain.reviews import SCALES, Property, Scores, Thresholds
from annotator.review.known_gold import SetMatch, compare_sets, score_sides
from annotator.review.score_wording import decimal
from annotator.usecases.review.inspection import words_of

_EXACT = "Set {letter} is gold set {gold}, token for token."
_MATCHES = "Set {letter} matches gold set {gold} best: token F1 {f1}."
_TOO_MUCH = "Too much in set {letter}: “{words}”."
_MISSING = "Missing from set {letter}: “{words}”."
_NO_MATCH = "Set {letter} shares no token with the gold: “{words}”."
_UNMATCHED = "Gold set {gold} was not marked: “{words}”."
_BOTH_EMPTY = "There is no rationale in this text, as you said."
_GOLD_EMPTY = "The gold has no rationale in this text."
_LABEL_RIGHT = "The label is as in the gold: {gold}."
_LABEL_OTHER = "The gold label is {gold}; you gave {given}."


def mark_lines(instance: Instance, marked: Sequence[RationaleSet], known: Known) -> list[str]:
    """Sentences about an annotator's sets beside the gold sets, set by set."""
    comparison = compare_sets(marked, known.sets)
    lines = [
        line
        for number, match in enumerate(comparison.matches)
        for line in _match_lines(instance, set_letter(number), marked[number], match)
    ]
    lines += [
        _UNMATCHED.format(gold=set_letter(number), words=words_of(instance, known.sets[number]))
        for number in comparison.unmatched
    ]
    if not known.sets:
        lines.append(_GOLD_EMPTY if marked else _BOTH_EMPTY)
    return lines


def _match_lines(instance: Instance, letter: str, marked: RationaleSet, match: SetMatch) -> Iterator[str]:
    if match.gold is None:
        yield _NO_MATCH.format(letter=letter, words=words_of(instance, marked))
        return
    gold = set_letter(match.gold)
    if match.f1 == 1:
        yield _EXACT.format(letter=letter, gold=gold)
        return
    yield _MATCHES.format(letter=letter, gold=gold, f1=written(float(match.f1)))
    if match.too_much:
        yield _TOO_MUCH.format(letter=letter, words=words_of(instance, RationaleSet.of_tokens(match.too_much)))
    if match.missing:
        yield _MISSING.format(letter=letter, words=words_of(instance, RationaleSet.of_tokens(match.missing)))


def label_line(given: str | None, known: Known) -> str:
    """A sentence about the label, or the answer."""
    gold = _shown(known.result)
    return (
        _LABEL_RIGHT.format(gold=gold) if given == known.result else _LABEL_OTHER.format(gold=gold, given=_shown(given))
    )


def _shown(result: str | None) -> str:
    return "–" if result is None else f"“{result}”" if result else "“no answer”"


_SCORE_RIGHT = "Set {letter}, {name}: {given} ({given_words}), as expected."
_SCORE_OTHER = (
    "Set {letter}, {name}: you gave {given} ({given_words}); expected is {expected} ({expected_words}). "
    "The threshold is {threshold}."
)
_WHOLE_RIGHT = "Comprehensiveness: {given} ({given_words}), as expected."
_WHOLE_OTHER = (
    "Comprehensiveness: you gave {given} ({given_words}); expected is {expected} ({expected_words}). "
    "The threshold is {threshold}."
)
_SPOILED = {
    "": "These are the gold sets as they are.",
    "token too much": "A token was added to one of the gold sets on purpose.",
    "token missing": "A token was taken out of one of the gold sets on purpose.",
    "set left out": "One of the gold sets was left out on purpose.",
}


def score_lines(given: Scores, known: Known, thresholds: Thresholds, spoiling: str) -> list[str]:
    """Sentences about a reviewer's scores beside those that were expected."""
    expected = known.scores or Scores()
    sides = score_sides(given, expected, thresholds)
    lines = [_SPOILED[spoiling]]
    names: tuple[Property, Property] = ("sufficiency", "compactness")
    limits = {"sufficiency": thresholds.sufficiency, "compactness": thresholds.compactness}
    for number, (score_given, right) in enumerate(zip(given.sets, expected.sets, strict=True)):
        pairs = zip(
            names,
            (score_given.sufficiency, score_given.compactness),
            (right.sufficiency, right.compactness),
            strict=True,
        )
        for at, (name, score, wanted) in enumerate(pairs):
            form = _SCORE_RIGHT if sides[2 * number + at] else _SCORE_OTHER
            if score is not None and wanted is not None:
                lines.append(_score_line(form, name, score, wanted, limits[name], set_letter(number)))
    if given.comprehensiveness is not None and expected.comprehensiveness is not None:
        form = _WHOLE_RIGHT if sides[-1] else _WHOLE_OTHER
        lines.append(
            _score_line(
                form,
                "comprehensiveness",
                given.comprehensiveness,
                expected.comprehensiveness,
                thresholds.comprehensiveness,
            )
        )
    return lines


def _score_line(form: str, name: Property, given: int, expected: int, threshold: Fraction, letter: str = "") -> str:
    words = SCALES[name]
    return form.format(
        letter=letter, name=name, given=given, given_words=words[given - 1], expected=expected,
        expected_words=words[expected - 1], threshold=decimal(threshold),
    )  # fmt: skip


_F1 = "Mean token F1 over {n} texts: {f1}; {least} passes."
_LABELS = "Labels as in the gold: {right} of {n}; {least} % passes."
_SCORES = "Scores on the right side of their threshold: {right} of {n}; {least} % passes."


def total_lines(totals: Totals, rules: QualificationRules, audience: Audience) -> list[str]:
    """What a try came to beside its pass marks, a sentence each."""
    lines = []
    if totals.f1 is not None:
        least = written(rules.least_f1 / 100)
        lines.append(_F1.format(n=totals.n_f1, f1=written(float(totals.f1)), least=least))
    if totals.n:
        form, percent = (_LABELS, rules.least_labels) if audience == "annotators" else (_SCORES, rules.least_scores)
        lines.append(form.format(right=totals.n_right, n=totals.n, least=percent))
    return lines


_RULES_OF_MARKS = (
    "You pass with a mean token F1 of {f1} or more, and, where you give labels, "
    "with {labels} % or more of them as in the gold."
)
_RULES_OF_SCORES = "You pass with {scores} % or more of your scores on the right side of their threshold."


def mark_rules_line(rules: QualificationRules) -> str:
    """What passes an annotator, in a sentence."""
    return _RULES_OF_MARKS.format(f1=written(rules.least_f1 / 100), labels=rules.least_labels)


def score_rules_line(rules: QualificationRules) -> str:
    """What passes a reviewer, in a sentence."""
    return _RULES_OF_SCORES.format(scores=rules.least_scores)
