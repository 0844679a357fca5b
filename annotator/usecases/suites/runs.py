"""Ask a model of the project about every text of a suite, and keep what it answers, test by test."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from annotator.attribution.base import Input, SegmentTokens
from annotator.attribution.loaders import LoadOptions
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.suites import Case, CaseAnswer, StoredSuite, StoredTest, Text
from annotator.errors import InvalidValue, ModelError, NotFound
from annotator.language import _, listed
from annotator.store import Store
from annotator.store import suites as run_store
from annotator.store.events import add_event, require_open
from annotator.store.suites import Answers, cases_of_test, has_test
from annotator.text.tokenisation import tokenise
from annotator.usecases.access.rights import require
from annotator.usecases.models.project_model import ProjectModel, asked_model
from annotator.usecases.suites.construction import check_name, suite_named
from annotator.usecases.suites.results import verdicts_of_cases

_TEXTS_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """How a model is asked.

    name:    under which its answers are kept, so that models that differ in their seed stand together; "": the model's own
    seed:    of its training, in words; "" for none
    renamed: what the project calls labels of the model, "" for one that is never an answer
    is_anew: tests that the model has answered are asked again
    """

    name: str = ""
    seed: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)
    is_anew: bool = False
    load: LoadOptions = field(default_factory=LoadOptions)


@dataclass(slots=True)
class SuiteReport:
    """What was done. n_known: tests that the model had answered before."""

    suite: str
    model: str
    seed: str
    n_tests: int = 0
    n_known: int = 0
    n_texts: int = 0
    notes: list[str] = field(default_factory=list)


def run_suite(
    store: Store, actor: User, project: Project, suite_name: str, model: str, options: SuiteOptions = SuiteOptions(), *,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> SuiteReport:  # fmt: skip
    """Ask a model about the tests of a suite that it has not answered yet; each test is stored when it is answered.

    model:    built-in, built-in:NAME, spacy:FOLDER-OR-NAME, transformers:FOLDER-OR-NAME
    progress: told how many texts are done, of how many
    Raises:   ModelError where the model cannot be had, fails, or does not know a label that a test watches
    """
    require(store, actor, project.id, "use models")
    require_open(store, project.id)
    suite = suite_named(store, project, suite_name)
    chosen = asked_model(store, actor, project, model, options.load, options.renamed)
    project_model = chosen.model
    report = SuiteReport(suite.name, options.name or project_model.name, options.seed, notes=list(chosen.notes))
    check_name(report.model, is_of_model=True)
    wanted = _wanted(store, suite, project_model, options, report)
    chosen.require_one_table(store, project)
    chosen.remember(store, actor, project)
    n_of = sum(test.n_texts for test in wanted)
    for test in wanted:
        cases = cases_of_test(store, test.id)
        _check_labels(project_model, cases)
        answers = _answers(project_model, project, cases, lambda n: progress(report.n_texts + n, n_of))
        _write(store, actor, suite, test, project_model, report, cases, answers)
    if report.n_tests:
        with store.transaction():
            add_event(store, actor.name, "run suite", "project", project.id, project_id=project.id, suite=suite.name,
                      model=report.model, seed=report.seed, computed_by=project_model.name, tests=report.n_tests,
                      texts=report.n_texts)  # fmt: skip
    return report


def _wanted(
    store: Store, suite: StoredSuite, project_model: ProjectModel, options: SuiteOptions, report: SuiteReport
) -> list[StoredTest]:
    """The tests that are to be answered; raises InvalidValue where answers of another model stand under that name."""
    run = run_store.find_run(store, suite.id, report.model, report.seed)
    if run is not None and run.computed_by != project_model.name and not options.is_anew:
        whose = _("by '{model}'", model=run.computed_by) if run.computed_by else _("from a file")
        raise InvalidValue(
            _(
                "Predictions of '{model}' with seed '{seed}' already exist, {whose}. Use another name, or --again "
                "to replace them.",
                model=report.model,
                seed=report.seed,
                whose=whose,
            )
        )
    known = set(run.tests) if run is not None and not options.is_anew else set()
    report.n_known = len(known)
    return [test for test in suite.tests if test.id not in known]


def _check_labels(project_model: ProjectModel, cases: Sequence[Case]) -> None:
    """The model must give a probability of what a DIR test watches; what an MFT expects it need not know."""
    for case in cases:
        if case.type == "DIR" and case.labels and case.labels[0] not in project_model.labels:
            raise ModelError(
                _(
                    "'{test}' needs the probability of '{label}', which '{model}' lacks (available: {labels}).",
                    test=case.test,
                    label=case.labels[0],
                    model=project_model.name,
                    labels=listed(project_model.labels),
                )
            )


def _answers(
    project_model: ProjectModel, project: Project, cases: Sequence[Case], progress: Callable[[int], None]
) -> list[Answers]:
    """The model's answers to each case's texts, so many texts at a time; a text that comes again is asked about once."""
    texts = [input_of(project, text) for case in cases for text in case.texts]
    different = list(dict.fromkeys(texts))
    answers: dict[object, CaseAnswer] = {}
    for first in range(0, len(different), _TEXTS_AT_ONCE):
        batch = different[first : first + _TEXTS_AT_ONCE]
        for text, answer in zip(batch, project_model.answers(batch), strict=True):
            answers[text] = CaseAnswer(answer.label or "", dict(answer.probabilities))
        progress(round(len(texts) * len(answers) / len(different)))
    each = iter(texts)
    return [[answers[next(each)] for _ in case.texts] for case in cases]


def _write(
    store: Store, actor: User, suite: StoredSuite, test: StoredTest, project_model: ProjectModel, report: SuiteReport,
    cases: Sequence[Case], answers: Sequence[Answers],
) -> None:  # fmt: skip
    """One test's answers, all or none. The run is made with the first; one that another model made is taken out then."""
    verdicts = verdicts_of_cases(cases, answers)
    with store.transaction():
        if not has_test(store, test.id):
            raise NotFound(
                _("'{test}' was removed while '{model}' ran it. Rerun the suite.", test=test.name, model=report.model)
            )
        run = run_store.find_run(store, suite.id, report.model, report.seed)
        if run is not None and run.computed_by != project_model.name:
            run_store.delete_run(store, run.id)
            run = None
        run_id = run.id if run is not None else run_store.add_run(
            store, suite.id, report.model, report.seed, computed_by=project_model.name, created_by=actor.name
        )  # fmt: skip
        run_store.save_answers(store, run_id, test.id, answers, verdicts)
    report.n_tests += 1
    report.n_texts += test.n_texts


def input_of(project: Project, text: Text) -> Input:
    """A text of a case as a model is asked about it, in the project's tokens."""
    by_name: Mapping[str, str] = {project.task.segments[0].name: text} if isinstance(text, str) else text
    segments = []
    for name in project.task.in_numbering_order(list(by_name)):
        spec = project.task.spec_of(name)
        body = tokenise(by_name[name], project.language)
        segments.append(SegmentTokens.of(name, body, spec is None or spec.is_selectable))
    return Input(tuple(segments), project.language)
