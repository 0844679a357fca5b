"""Suites as files: out for anybody's model, in from anywhere with what was left out, and predictions read back."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from annotator.domain.numbers import by_key, counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.suites import Case, CaseAnswer, StoredSuite
from annotator.errors import Conflict, ImportRefused, InvalidValue, Problem
from annotator.formats.suites.cases import LABELS, Suite, is_suite, read_suite, write_suite
from annotator.formats.suites.predictions import Run, Runs, problems_of_run, read_runs
from annotator.language import _, first_listed, several, together, unsaid
from annotator.store import Store
from annotator.store import suites as run_store
from annotator.store import suites as suite_store
from annotator.store.events import add_event
from annotator.usecases.access.rights import require
from annotator.usecases.suites.construction import check_name, suite_named, why_not
from annotator.usecases.suites.results import verdicts_of_cases

_PROBLEMS_KEPT = 200
_A_SUITE = unsaid("This is a suite, not predictions. Use “Import suite” (annotator suite import).")


def export_suite(store: Store, actor: User, project: Project, suite_name: str, path: Path) -> int:
    """Write a suite as JSONL, a case a line; the number of cases."""
    require(store, actor, project.id, "use models")
    with store.snapshot():
        suite = suite_named(store, project, suite_name)
        write_suite(path, suite_store.cases_of_suite(store, suite.id))
    with store.transaction():
        add_event(store, actor.name, "export suite", "project", project.id, project_id=project.id, suite=suite.name,
                  file=path.name, cases=suite.n_cases)  # fmt: skip
    return suite.n_cases


@dataclass(frozen=True, slots=True)
class SuiteImport:
    """What came of a file. problems: of the lines that were left out; tests_left: those of which no case was taken."""

    suite: StoredSuite
    problems: tuple[Problem, ...] = ()
    tests_left: tuple[str, ...] = ()


def import_suite(
    store: Store, actor: User, project: Project, path: Path, suite_name: str, *,
    renamed: Mapping[str, str] | None = None, expected: Mapping[str, str] | None = None, skip_invalid: bool = False,
) -> SuiteImport:  # fmt: skip
    """Store the cases of a file as a new suite, all or nothing.

    renamed:      what the project calls labels of the file
    expected:     by test, what its cases expect where they do not say it
    skip_invalid: cases with a problem are left out and the others stored
    Raises:       ImportRefused with every problem; InvalidValue for a name that is taken
    """
    require(store, actor, project.id, "use models")
    check_name(suite_name)
    read = read_suite(path, expected or {})
    cases, problems = _checked(project, read, renamed or {})
    if problems and not (skip_invalid and cases):
        _refuse(problems, _not_valid(len(problems), read.source) if cases else _nothing_stored(len(problems)))
    by_test = by_key((case.test, case) for case in cases)
    with store.transaction():
        require(store, actor, project.id, "use models")
        if suite_store.find_suite(store, project.id, suite_name) is not None:
            raise InvalidValue(_("'{name}' already exists. Choose another name.", name=suite_name))
        suite_id = suite_store.add_suite(store, project.id, suite_name, created_by=actor.name)
        for of_test in by_test.values():
            suite_store.add_test(store, suite_id, of_test, {}, created_by=actor.name)
        add_event(store, actor.name, "import suite", "project", project.id, project_id=project.id, suite=suite_name,
                  file=path.name, tests=len(by_test), cases=len(cases), left_out=len(problems))  # fmt: skip
        without_cases = dict.fromkeys(case.test for case in read.cases if case.test not in by_test)
        return SuiteImport(suite_store.get_suite(store, suite_id), tuple(problems), tuple(without_cases))


def _checked(project: Project, read: Suite, renamed: Mapping[str, str]) -> tuple[list[Case], list[Problem]]:
    """The cases in the project's labels, and everything that is wrong with the file."""
    cases: list[Case] = []
    problems = list(read.problems)
    if read.is_checklist:
        known = {
            number: name for number, name in LABELS.items() if name in project.labels and number not in project.labels
        }
        renamed = {**known, **renamed}
    for case in read.cases:
        renamed_case = _renamed(case, renamed)
        reason = why_not(project, renamed_case, is_of_file=True)
        if reason is None:
            cases.append(renamed_case)
        else:
            problems.append(Problem(read.source, case.line, "case", f"{case.test}, {case.case}", reason))
    return cases, sorted(problems, key=lambda problem: problem.line or 0)


def _renamed(case: Case, names: Mapping[str, str]) -> Case:
    def named(labels: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(names.get(label, label) for label in labels))

    applies = replace(
        case.applies,
        original_is=named(case.applies.original_is), original_is_not=named(case.applies.original_is_not),
    )  # fmt: skip
    return replace(case, labels=named(case.labels), applies=applies)


def _nothing_stored(n_problems: int) -> str:
    return several("{n} problem; nothing was stored.", "{n} problems; nothing was stored.", n_problems)


def _not_valid(n_problems: int, name: str) -> str:
    return several(
        "{n} problem in '{name}'; nothing was stored. Correct it or use --skip-invalid.",
        "{n} problems in '{name}'; nothing was stored. Correct them or use --skip-invalid.",
        n_problems,
        name=name,
    )


def _refuse(problems: Sequence[Problem], message: str) -> None:
    raise ImportRefused(message, problems[:_PROBLEMS_KEPT], len(problems))


@dataclass(frozen=True, slots=True)
class PredictionImport:
    """Whose answers came in. n_new, n_changed, n_unchanged: runs (seeds)."""

    model: str
    n_new: int
    n_changed: int
    n_unchanged: int


def import_suite_predictions(
    store: Store, actor: User, project: Project, suite_name: str, paths: Sequence[Path], *, model: str = "",
    update: bool = False,
) -> PredictionImport:  # fmt: skip
    """Read a model's predictions for a suite back, by test, case and position; every run answers the whole suite.

    model:  its name, where the rows say none
    update: other answers of a known run take the place of those that are there
    Raises: ImportRefused, naming files that are suites themselves, every text without a prediction and every row that belongs
            to no text; Conflict for other answers of a known run
    """
    require(store, actor, project.id, "use models")
    if suites := [path.name for path in paths if is_suite(path)]:
        _refuse(
            [Problem(name, None, "file", name, _(_A_SUITE), remedy="suite") for name in suites],
            _nothing_stored(len(suites)),
        )
    runs = read_runs(paths)
    name = runs.model or model.strip()
    if not name:
        raise InvalidValue(_("Give the model's name: the rows don't."))
    if model.strip() and runs.model and runs.model != model.strip():
        raise InvalidValue(_("The rows are from '{model}', not '{given}'.", model=runs.model, given=model.strip()))
    check_name(name, is_of_model=True)
    with store.transaction():
        require(store, actor, project.id, "use models")
        stored = suite_named(store, project, suite_name)
        suite = Suite(stored.name, tuple(suite_store.cases_of_suite(store, stored.id)), ())
        problems = [*runs.problems, *_problems(suite, runs)]
        if problems:
            _refuse(problems, _nothing_stored(len(problems)))
        counts = {"new": 0, "changed": 0, "unchanged": 0}
        for run in runs.for_suite():
            counts[_Intake(store, actor, stored, suite, name, update).take(run, _seed_of(run, runs))] += 1
        add_event(store, actor.name, "import suite predictions", "project", project.id, project_id=project.id,
                  suite=stored.name, model=name, files=[path.name for path in paths], **counts)  # fmt: skip
    return PredictionImport(name, counts["new"], counts["changed"], counts["unchanged"])


def _problems(suite: Suite, runs: Runs) -> list[Problem]:
    """Texts without a prediction, and rows that belong to no text of the suite."""
    if not runs.for_suite():
        return [] if runs.problems else [
            Problem(suite.source, None, "test, case, position", "", _("No row matches a suite text; see docs/formats.md."))
        ]  # fmt: skip
    known = {(case.test, case.case) for case in suite.cases}
    problems: list[Problem] = []
    for run in runs.for_suite():
        problems += problems_of_run(suite, run)
        for (test, case, _position), prediction in run.of_texts.items():
            if (test, case) not in known:
                reason = _(
                    "Suite '{suite}' has no case '{case}' of '{test}'.", suite=suite.source, case=case, test=test
                )
                problems.append(Problem(prediction.source, prediction.line, "case", f"{test}, {case}", reason))
    return problems


def _seed_of(run: Run, runs: Runs) -> str:
    """What tells runs of a model apart: the seed, or of several files without one the file."""
    return run.name if run.has_seed or len(runs.for_suite()) > 1 else ""


@dataclass(frozen=True, slots=True)
class _Intake:
    store: Store
    actor: User
    stored: StoredSuite
    suite: Suite
    model: str
    update: bool

    def take(self, run: Run, seed: str) -> str:
        """Store a run; whether it is new, changed or unchanged."""
        known = run_store.find_run(self.store, self.stored.id, self.model, seed)
        if known is not None and self._is_same(known.id, run):
            return "unchanged"
        if known is not None and not self.update:
            raise Conflict(
                _(
                    "'{model}' already has other predictions. Choose another name, or replace them (--update).",
                    model=self.model,
                )
            )
        if known is not None:
            run_store.delete_run(self.store, known.id)
        run_id = run_store.add_run(
            self.store, self.stored.id, self.model, seed, computed_by=None, created_by=self.actor.name
        )
        for test_id, cases in self._tests():
            answers = [_answers(run, case) for case in cases]
            run_store.save_answers(self.store, run_id, test_id, answers, verdicts_of_cases(cases, answers))
        return "new" if known is None else "changed"

    def _tests(self) -> list[tuple[int, list[Case]]]:
        by_name = by_key((case.test, case) for case in self.suite.cases)
        return [(test.id, by_name[test.name]) for test in self.stored.tests]

    def _is_same(self, run_id: int, run: Run) -> bool:
        for test_id, cases in self._tests():
            stored = run_store.answers_of(self.store, run_id, test_id)
            if any(list(stored.get(number, ())) != _answers(run, case) for number, case in enumerate(cases)):
                return False
        return True


def _answers(run: Run, case: Case) -> list[CaseAnswer]:
    predictions = [run.of_texts[case.test, case.case, position] for position in range(len(case.texts))]
    return [CaseAnswer(p.label, None if p.probabilities is None else dict(p.probabilities)) for p in predictions]


# What was left out of a suite that came from a file, in words.


_NAMED = 3


def left_out_words(done: "SuiteImport") -> str:
    """How many lines were left out, and why, the most frequent reason first; tests of which nothing is left are named."""
    n_lines = len({problem.line for problem in done.problems})
    reasons = Counter(problem.reason.rstrip(".。") for problem in done.problems).most_common()
    named = "; ".join(_("{n}: {reason}", n=f"{n:,}", reason=reason) for reason, n in reasons[:_NAMED])
    more = len(reasons) - _NAMED
    if more > 0:
        named = _("{reasons}; and {others}", reasons=named, others=counted(more, "other reason"))
    words = several(
        "{n} line was left out ({reasons}).", "{n} lines were left out ({reasons}).", n_lines, reasons=named
    )
    return together(words, _nothing_left(done.tests_left)) if done.tests_left else words


def _nothing_left(tests: Sequence[str]) -> str:
    names = first_listed([_("“{name}”", name=name) for name in tests], _NAMED)
    return several(
        "{n} test has no cases left: {names}.", "{n} tests have no cases left: {names}.", len(tests), names=names
    )
