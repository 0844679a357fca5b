"""Functional tests, contrast sets, fairness over groups and a second model (ER-TEST), from files alone; no database."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.errors import InvalidValue, Problem
from annotator.evaluation.er_test import contrast_sets as contrasts
from annotator.evaluation.er_test import functional_tests as functional
from annotator.evaluation.er_test.functional_tests import LabelledTexts, fairness_scores
from annotator.formats.contrast.reader import LabelledSets, read_labelled_sets
from annotator.formats.rows.findings import listed
from annotator.formats.suites.cases import Suite, read_suite
from annotator.formats.suites.predictions import Prediction, Run, Runs, problems_of_run, read_runs
from annotator.formats.suites.word_groups import WordGroup, read_word_groups
from annotator.scoring.reports import Report, refuse_if_any
from annotator.scoring.seeds import Samples

_SUM_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class ScoredFiles:
    """The files that are scored; of the suite and the contrast sets at least one.

    base_predictions: those of a model that the other is compared with
    groups:           words by group, for false positive rates of the label `positive`
    """

    predictions: tuple[Path, ...]
    suite: Path | None = None
    contrast: Path | None = None
    base_predictions: tuple[Path, ...] = ()
    groups: Path | None = None
    positive: str | None = None


@dataclass(slots=True)
class _Read:
    """What the files hold."""

    suite: Suite | None
    sets: LabelledSets | None
    models: list[Runs]  # the model's, and the base model's where it is given
    groups: list[WordGroup]
    problems: list[Problem]


def evaluate_tests(files: ScoredFiles, *, n_resamples: int = 0) -> Report:
    """`functional` for a suite, `contrast` for contrast sets, `fairness` for groups, and `counts` of what was scored.

    n_resamples: above 0, `intervals` too, of the numbers that are means over cases or originals
    Raises: NotFound or InvalidValue for files; ImportRefused, with every problem, for their rows
    """
    if files.suite is None and files.contrast is None:
        raise InvalidValue("There is nothing to score: name a suite (--suite), contrast sets (--contrast), or both.")
    if (files.groups is None) != (files.positive is None):
        raise InvalidValue(
            "Groups of words (--groups) and the label whose false positives count (--positive) go together."
        )
    read = _read(files)
    refuse_if_any(read.problems)
    _check_labels(read)
    refuse_if_any([*_problems_of_runs(read)])
    samples = Samples()
    scores = _scores(read, samples)
    if files.positive is not None:
        scores["fairness"] = _fairness(read, files.positive)
    if n_resamples:
        scores["intervals"] = samples.intervals(n_resamples)
    return {**scores, "counts": _counts(read)}


def _read(files: ScoredFiles) -> _Read:
    suite = read_suite(files.suite) if files.suite else None
    sets = read_labelled_sets(files.contrast) if files.contrast else None
    models = [read_runs(paths) for paths in (files.predictions, files.base_predictions) if paths]
    groups, problems = read_word_groups(files.groups) if files.groups else ([], [])
    of_gold = [*(suite.problems if suite else ()), *(sets.problems if sets else ())]
    return _Read(suite, sets, models, groups, [*of_gold, *problems, *(p for m in models for p in m.problems)])


def _check_labels(read: _Read) -> None:
    """Refuse predictions of nothing that is scored, and labels of which gold and predictions share none."""
    for model in read.models:
        if read.suite is not None:
            of_texts = [p for run in model.for_suite() for p in run.of_texts.values()]
            expected = functional.expected_labels(read.suite)
            _check_shared(read.suite.source, "test, case and position", expected, of_texts)
        if read.sets is not None:
            of_instances = [p for run in model.for_contrasts() for p in run.of_instances.values()]
            labels = {item.label for item in contrasts.items_of(read.sets)}
            _check_shared(read.sets.source, "id", labels, of_instances)


def _check_shared(source: str, key: str, labels: set[str], predictions: Sequence[Prediction]) -> None:
    if not predictions:
        raise InvalidValue(f"The predictions have no row for '{source}' (rows with {key}); see docs/formats.md.")
    known = functional.labels_known(predictions)
    if labels and labels.isdisjoint(known):
        raise InvalidValue(
            f"'{source}' and the predictions in '{predictions[0].source}' have no label in common: {listed(sorted(labels))} "
            f"there, {listed(sorted(known))} here. Write the same names in both."
        )


def _problems_of_runs(read: _Read) -> Iterator[Problem]:
    for model in read.models:
        if read.suite is not None:
            for run in model.for_suite():
                yield from problems_of_run(read.suite, run)
        if read.sets is not None:
            for run in model.for_contrasts():
                yield from contrasts.problems_of_run(read.sets, run)


def _scores(read: _Read, samples: Samples) -> Report:
    scores: Report = {}
    if read.suite is not None:
        runs, base = _of_both(model.for_suite() for model in read.models)
        scores["functional"] = functional.functional_scores(read.suite, runs, base, samples)
    if read.sets is not None:
        runs, base = _of_both(model.for_contrasts() for model in read.models)
        scores["contrast"] = contrasts.contrast_scores(read.sets, runs, base, samples)
    return scores


def _of_both(runs: Iterable[list[Run]]) -> tuple[list[Run], list[Run]]:
    model, *base = runs
    return model, base[0] if base else []


def _fairness(read: _Read, positive: str) -> Report:
    """False positives on contrast sets, and on the texts of tests that expect one label (MFT)."""
    by_part: Report = {}
    for part, texts in (("functional", _texts_of_suite), ("contrast", _texts_of_sets)):
        made = [items for items in (texts(read, model) for model in read.models) if items is not None]
        if made:
            scores = [fairness_scores(items, read.groups, positive) for items in made]
            by_part[part] = scores[0] if len(scores) == 1 else {**scores[0], "base": scores[1]}
    if not by_part:
        raise InvalidValue(
            "No test of the suite expects one label (MFT), so there is no false positive; add --contrast."
        )
    return by_part


def _texts_of_suite(read: _Read, model: Runs) -> LabelledTexts | None:
    cases = [] if read.suite is None else read.suite.cases
    wanted = [case for case in cases if case.type == "MFT" and len(case.labels) == 1 and not case.is_forbidden]
    positions = [(case, position) for case in wanted for position in range(len(case.texts))]
    if not positions:
        return None
    texts = [case.texts[position] for case, position in positions]
    predicted = [
        [run.of_texts[case.test, case.case, position].label for case, position in positions]
        for run in model.for_suite()
    ]
    as_lines = [text if isinstance(text, str) else "\n".join(text.values()) for text in texts]
    return LabelledTexts(as_lines, [case.labels[0] for case, _ in positions], predicted)


def _texts_of_sets(read: _Read, model: Runs) -> LabelledTexts | None:
    if read.sets is None:
        return None
    items = list(contrasts.items_of(read.sets))
    predicted = [[run.of_instances[item.key].label for item in items] for run in model.for_contrasts()]
    return LabelledTexts([item.text for item in items], [item.label for item in items], predicted)


def _counts(read: _Read) -> Report:
    counts: Report = {}
    if read.suite is not None:
        counts["suite"] = functional.counts_of_suite(read.suite)
    for name, model in zip(("predictions", "base_predictions"), read.models, strict=False):
        counts[name] = _counts_of_model(read, model)
    return counts


def _counts_of_model(read: _Read, model: Runs) -> Report:
    cases = {(case.test, case.case) for case in (read.suite.cases if read.suite else ())}
    keys = {item.key for item in contrasts.items_of(read.sets)} if read.sets else set()
    every = [p for run in model.runs for p in (*run.of_texts.values(), *run.of_instances.values())]
    with_probabilities = [p for p in every if p.probabilities is not None]
    of_suite = functional.counts_of_answers(read.suite, model.for_suite()) if read.suite else {}
    return {
        "runs_for_suite": [run.name for run in model.for_suite()],
        "runs_for_contrast": [run.name for run in model.for_contrasts()],
        "rows": len(every),
        "rows_of_unknown_cases": sum((test, case) not in cases for run in model.runs for test, case, _ in run.of_texts),
        "rows_of_unknown_instances": sum(key not in keys for run in model.runs for key in run.of_instances),
        "labels_not_of_the_highest_probability": sum(_is_not_highest(p) for p in with_probabilities),
        "probabilities_not_summing_to_one": sum(
            abs(sum((p.probabilities or {}).values()) - 1) > _SUM_TOLERANCE for p in with_probabilities
        ),
        **of_suite,
    }


def _is_not_highest(prediction: Prediction) -> bool:
    p = prediction.probabilities or {}
    return p[prediction.label] < max(p.values())
