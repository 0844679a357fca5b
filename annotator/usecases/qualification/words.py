"""What came of an answer, in sentences: what matches the gold, what was too much, what was missing."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from annotator.domain.instances import Instance
from annotator.domain.numbers import written
from annotator.domain.project.qualification import Audience, Known, QualificationRules, Totals
from annotator.domain.reviews import SCALES, Property, Scores, Thresholds
from annotator.domain.texts import RationaleSet, set_letter
from annotator.language import _, several, unsaid
from annotator.review.gate import decimal
from annotator.review.gold import SetMatch, compare_sets, score_sides
from annotator.usecases.review.inspection import words_of

_EXACT = unsaid("Set {letter} equals gold set {gold}.")
_MATCHES = unsaid("Set {letter} matches gold set {gold} best: token F1 {f1}.")
_TOO_MUCH = unsaid("Extra in set {letter}: “{words}”.")
_MISSING = unsaid("Missing from set {letter}: “{words}”.")
_NO_MATCH = unsaid("Set {letter} shares no token with the gold: “{words}”.")
_UNMATCHED = unsaid("You missed gold set {gold}: “{words}”.")
_BOTH_EMPTY = unsaid("Correct: this text has no rationale.")
_GOLD_EMPTY = unsaid("The gold has no rationale here.")
_LABEL_RIGHT = unsaid("Label matches the gold: {gold}.")
_LABEL_OTHER = unsaid("Gold label: {gold}; yours: {given}.")


def mark_lines(instance: Instance, marked: Sequence[RationaleSet], known: Known) -> list[str]:
    """Sentences about an annotator's sets beside the gold sets, set by set."""
    comparison = compare_sets(marked, known.sets)
    lines = [
        line
        for number, match in enumerate(comparison.matches)
        for line in _match_lines(instance, set_letter(number), marked[number], match)
    ]
    lines += [
        _(_UNMATCHED, gold=set_letter(number), words=words_of(instance, known.sets[number]))
        for number in comparison.unmatched
    ]
    if not known.sets:
        lines.append(_(_GOLD_EMPTY if marked else _BOTH_EMPTY))
    return lines


def _match_lines(instance: Instance, letter: str, marked: RationaleSet, match: SetMatch) -> Iterator[str]:
    if match.gold is None:
        yield _(_NO_MATCH, letter=letter, words=words_of(instance, marked))
        return
    gold = set_letter(match.gold)
    if match.f1 == 1:
        yield _(_EXACT, letter=letter, gold=gold)
        return
    yield _(_MATCHES, letter=letter, gold=gold, f1=written(float(match.f1)))
    if match.too_much:
        yield _(_TOO_MUCH, letter=letter, words=words_of(instance, RationaleSet.of_tokens(match.too_much)))
    if match.missing:
        yield _(_MISSING, letter=letter, words=words_of(instance, RationaleSet.of_tokens(match.missing)))


def label_line(given: str | None, known: Known) -> str:
    """A sentence about the label, or the answer."""
    gold = _shown(known.result)
    return _(_LABEL_RIGHT, gold=gold) if given == known.result else _(_LABEL_OTHER, gold=gold, given=_shown(given))


def _shown(result: str | None) -> str:
    return "–" if result is None else _("“{name}”", name=result or _("no answer"))


_SPOILED = {
    "": unsaid("These are the gold sets, unchanged."),
    "token too much": unsaid("A token was added to a gold set."),
    "token missing": unsaid("A token was removed from a gold set."),
    "set left out": unsaid("A gold set was left out."),
}


def score_lines(given: Scores, known: Known, thresholds: Thresholds, spoiling: str) -> list[str]:
    """Sentences about a reviewer's scores beside those that were expected."""
    expected = known.scores or Scores()
    sides = score_sides(given, expected, thresholds)
    lines = [_(_SPOILED[spoiling])]
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
            if score is not None and wanted is not None:
                is_right = sides[2 * number + at]
                lines.append(_score_line(name, is_right, score, wanted, limits[name], set_letter(number)))
    if given.comprehensiveness is not None and expected.comprehensiveness is not None:
        lines.append(
            _score_line(
                "comprehensiveness", sides[-1], given.comprehensiveness, expected.comprehensiveness,
                thresholds.comprehensiveness,
            )
        )  # fmt: skip
    return lines


def _score_line(
    name: Property, is_right: bool | None, given: int, expected: int, threshold: Fraction, letter: str = ""
) -> str:
    words = SCALES[name]
    about = _("Set {letter}, {score}", score=_(name), letter=letter) if letter else _(name).capitalize()
    score = _("{score} {number} ({words})", score=about, number=given, words=_(words[given - 1]))
    if is_right:
        return _("{score}, as expected.", score=score)
    return _(
        "{score}; expected {expected} ({expected_words}), threshold {threshold}.",
        score=score, expected=expected, expected_words=_(words[expected - 1]), threshold=decimal(threshold)
    )  # fmt: skip


def total_lines(totals: Totals, rules: QualificationRules, audience: Audience) -> list[str]:
    """What a try came to beside its pass marks, a sentence each."""
    lines = []
    if totals.f1 is not None:
        lines.append(
            several(
                "Mean token F1 over {n} text: {f1}; {least} passes.", "Mean token F1 over {n} texts: {f1}; {least} passes.",
                totals.n_f1, f1=written(float(totals.f1)), least=written(rules.least_f1 / 100)
            )
        )  # fmt: skip
    if totals.n and audience == "annotators":
        lines.append(
            _(
                "Labels matching the gold: {right} of {n}; {least} % passes.",
                right=totals.n_right, n=totals.n, least=rules.least_labels
            )
        )  # fmt: skip
    elif totals.n:
        lines.append(
            _(
                "Scores on the expected side of the threshold: {right} of {n} ({least} % passes).",
                right=totals.n_right, n=totals.n, least=rules.least_scores
            )
        )  # fmt: skip
    return lines


def mark_rules_line(rules: QualificationRules) -> str:
    """What passes an annotator, in a sentence."""
    return _(
        "To pass: mean token F1 ≥ {f1} (1: exactly the gold words) and, if you give labels, ≥ {labels} % correct.",
        f1=written(rules.least_f1 / 100), labels=rules.least_labels
    )  # fmt: skip


def score_rules_line(rules: QualificationRules) -> str:
    """What passes a reviewer, in a sentence."""
    return _("To pass: ≥ {scores} % of scores on the expected side of the threshold.", scores=rules.least_scores)
