"""Functional tests of a project: planned from templates, cases or typed texts, looked at, saved, taken out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import msgspec

from annotator.domain.instances import Instance
from annotator.domain.people import User
from annotator.domain.perturbations import ChangedText
from annotator.domain.projects import Project
from annotator.domain.suites import Case, ReadySuite, Recipe, StoredSuite, StoredTest, Text, WordList
from annotator.errors import InvalidValue, NotFound
from annotator.language import _, listed, unknown, unsaid
from annotator.perturb.functional_tests import build_cases, ready_suite, ready_suites, with_labels
from annotator.perturb.templates import MOST_CASES
from annotator.perturb.versions import changed_instance
from annotator.store import Store
from annotator.store import suites as run_store
from annotator.store import suites as suite_store
from annotator.store import suites as word_list_store
from annotator.store.events import add_event
from annotator.store.instances import get_instance, get_instances, ids_of_originals, project_of_instance
from annotator.store.projects import get_project_by_id
from annotator.usecases.access.rights import require

# Which cases a project's suites may hold.


def check_cases(project: Project, cases: Sequence[Case]) -> None:
    """Raise InvalidValue, naming the case, unless they can be the cases of one test of the project."""
    if not 1 <= len(cases) <= MOST_CASES:
        raise InvalidValue(_("Tests have 1 to {most} cases.", most=f"{MOST_CASES:,}"))
    seen: set[str] = set()
    for case in cases:
        reason = why_not(project, case)
        if reason is not None:
            raise InvalidValue(_("Case {case} of '{test}': {reason}", case=case.case, test=case.test, reason=reason))
        if case.case in seen:
            raise InvalidValue(_("Two cases of '{test}' are named '{case}'.", test=case.test, case=case.case))
        seen.add(case.case)


def why_not(project: Project, case: Case, *, is_of_file: bool = False) -> str | None:
    """Why a case cannot be one of the project's; None where it can. is_of_file: its labels can be renamed as it is read."""
    if len(case.test) > 200 or len(case.category) > 200:
        return _(_ONE_LINE, n=200)
    strange = [label for label in case.labels if label not in project.labels]
    if strange and project.labels:
        words = {"label": strange[0], "labels": listed(project.labels)}
        if is_of_file:
            return _("'{label}' isn't a project label ({labels}); rename it (--rename).", **words)
        return _("'{label}' isn't a project label ({labels}).", **words)
    for text in case.texts:
        reason = _why_no_text(project, text)
        if reason is not None:
            return reason
    if case.type != "MFT" and any(text == case.texts[0] for text in case.texts[1:]):
        return _("A perturbed text equals the original.")
    return None


def _why_no_text(project: Project, text: Text) -> str | None:
    specs = project.task.segments
    if isinstance(text, str):
        if len(specs) > 1:
            return _("Write a text for each segment: {segments}.", segments=listed([s.name for s in specs]))
        return None if text.strip() else _("The text is empty.")
    strange = [name for name in text if project.task.spec_of(name) is None]
    if strange:
        return unknown(_("segment"), strange[0], listed([spec.name for spec in specs]))
    for spec in specs:
        if not spec.may_be_empty and not text.get(spec.name, "").strip():
            return _("Segment '{segment}' is missing or empty.", segment=spec.name)
    return None


N_CASES = 200
_SHORTEST_ABBREVIATION = 3
_INSTANCES_AT_ONCE = 200
_ONE_LINE = unsaid("Names are one line of 1–{n} visible characters.")
_MODEL_NAME = unsaid("Model names have 1 to 200 characters.")


@dataclass(frozen=True, slots=True)
class TestPlan:
    """A test to be made.

    n:            how many cases; None: all combinations
    on_instances: the change is made to the project's texts (those that are no changed versions), not to the recipe's own
    ready:        the ready suite whose word lists it may use, beside those of the project
    """

    __test__ = False  # no test for pytest

    recipe: Recipe
    n: int | None = N_CASES
    seed: int = 0
    on_instances: bool = False
    ready: str | None = None


@dataclass(frozen=True, slots=True)
class MadeSuite:
    """A suite, and the tests of a ready one that could not be made: name and reason."""

    suite: StoredSuite
    left_out: tuple[tuple[str, str], ...] = ()


def all_ready() -> list[ReadySuite]:
    """Every suite that comes along."""
    return [ready_suite(name) for name in ready_suites()]


def ready_for(project: Project) -> list[ReadySuite]:
    """The ready suites whose texts are those of the project's task."""
    return [ready for ready in all_ready() if ready.task == project.task.name]


def find_ready(project: Project, name: str) -> ReadySuite:
    """The ready suite of a name; raises NotFound for an unknown one, InvalidValue for one of another task."""
    suite = ready_suite(name)
    if suite.task != project.task.name:
        raise InvalidValue(
            _(
                "'{suite}' is for task '{task}', not '{own_task}' ({project}).",
                suite=name,
                task=suite.task,
                project=project.name,
                own_task=project.task.name,
            )
        )
    return suite


def guessed_labels(ready: ReadySuite, project: Project) -> dict[str, str]:
    """The project's label for each label of a ready suite, where the names say it: equal, or one shortens the other.

    "pos" stands for "positive"; "0" for nothing.
    """
    by_lower = {label.casefold(): label for label in project.labels}
    named_labels: dict[str, str] = {}
    for label in ready.labels:
        short = [
            project_label for low, project_label in by_lower.items()
            if len(low) >= _SHORTEST_ABBREVIATION and (label.startswith(low) or low.startswith(label))
        ]  # fmt: skip
        named = by_lower.get(label) or (short[0] if len(short) == 1 else None)
        if named is not None:
            named_labels[label] = named
    return named_labels


def recipe_in_labels(recipe: Recipe, labels: Mapping[str, str]) -> Recipe | None:
    """A recipe in the project's labels; None where it asks for one that the project does not have."""
    return with_labels(recipe, labels)


def words_for(lists: Sequence[WordList], ready: ReadySuite | None) -> Mapping[str, Sequence[str]]:
    """The lists that slots may ask for: those that come along, and in front of them those of the project."""
    came = ready.words if ready is not None else {}
    return {**came, **{word_list.name: word_list.words for word_list in lists}}


def plan_cases(store: Store, actor: User, project: Project, plan: TestPlan) -> list[Case]:
    """The cases of a test, which are not stored: to be looked at first.

    Raises: InvalidValue, saying what to change, where a template or a change gives no case
    """
    require(store, actor, project.id, "use models")
    _require_labels(project)
    ready = None if plan.ready is None else ready_suite(plan.ready)
    with store.snapshot():
        words = words_for(word_list_store.list_word_lists(store, project.id), ready)
        bases = _texts(store, project, plan.seed) if plan.on_instances else None
        segments = [segment.name for segment in project.task.segments if segment.is_selectable]
        cases = build_cases(plan.recipe, words, n=plan.n, seed=plan.seed, bases=bases, segments=segments)
    if not cases:
        name = plan.recipe.name
        raise InvalidValue(_("'{test}' gives no cases: nothing to change.", test=name))
    return cases


def _texts(store: Store, project: Project, seed: int) -> Iterator[Text]:
    """The texts of the project in an order drawn from the seed."""
    ids = ids_of_originals(store, project.id)
    Random(seed).shuffle(ids)  # noqa: S311  (no secret)
    for first in range(0, len(ids), _INSTANCES_AT_ONCE):
        wanted = ids[first : first + _INSTANCES_AT_ONCE]
        instances = get_instances(store, wanted)
        yield from (text_of(project, instances[number]) for number in wanted)


def text_of(project: Project, instance: Instance) -> Text:
    """An instance as a text of a case: the text alone where the task has one segment, else its segments by name."""
    by_name = {segment.name: segment.body.text for segment in instance.segments}
    return next(iter(by_name.values())) if len(project.task.segments) == 1 and len(by_name) == 1 else by_name


def save_test(
    store: Store,
    actor: User,
    project: Project,
    suite_name: str,
    cases: Sequence[Case],
    recipe: Mapping[str, object] | None = None,
) -> StoredTest:
    """Store a test with its cases, in a suite that is made where there is none of that name. Cases are not changed afterwards.

    recipe: how the cases were made (`construction_report`); None: it is not known
    Raises: InvalidValue for cases that cannot be (suite_cases.check_cases), and for a name that the suite has already
    """
    suite_name = suite_name.strip()
    check_cases(project, cases)
    with store.transaction():
        require(store, actor, project.id, "use models")
        test = _add_test(store, actor, project, suite_name, cases, recipe or {})
        add_event(store, actor.name, "make test", "project", project.id, project_id=project.id, suite=suite_name,
                  test=test.name, cases=test.n_cases)  # fmt: skip
    return test


def _add_test(
    store: Store, actor: User, project: Project, suite_name: str, cases: Sequence[Case], recipe: Mapping[str, object]
) -> StoredTest:
    suite = suite_store.find_suite(store, project.id, suite_name)
    if suite is None:
        check_name(suite_name)
        suite_id = suite_store.add_suite(store, project.id, suite_name, created_by=actor.name)
    else:
        suite_id = suite.id
        if any(test.name == cases[0].test for test in suite.tests):
            raise InvalidValue(
                _(
                    "Suite '{suite}' already has test '{test}'. Choose another name.",
                    suite=suite_name,
                    test=cases[0].test,
                )
            )
    test_id = suite_store.add_test(store, suite_id, cases, recipe, created_by=actor.name)
    return next(test for test in suite_store.get_suite(store, suite_id).tests if test.id == test_id)


def check_name(name: str, *, is_of_model: bool = False) -> None:
    """Raise InvalidValue unless something can be called so."""
    if not (1 <= len(name) <= 200 and name.isprintable() and name == name.strip()):
        raise InvalidValue(_(_MODEL_NAME) if is_of_model else _(_ONE_LINE, n=200))


def construction_report(
    plan: TestPlan, *, dropped: Sequence[str] = (), edited: Sequence[str] = ()
) -> dict[str, object]:
    """How cases were made, as it is stored with them. dropped, edited: names of cases that somebody took out or rewrote."""
    report: dict[str, object] = msgspec.to_builtins(plan)
    return {**report, "dropped": list(dropped), "edited": list(edited)}


def make_ready_suite(
    store: Store, actor: User, project: Project, ready: ReadySuite, suite_name: str, labels: Mapping[str, str], *,
    n: int = N_CASES, seed: int = 0, on_instances: bool = False, only: Sequence[str] = (),
) -> MadeSuite:  # fmt: skip
    """All tests of a ready suite (or some), as one suite; all or nothing, but for those that the project cannot have.

    labels:       what the project calls the ready suite's labels
    on_instances: tests that are made by a change are made from the project's texts, the others from their templates
    Raises:       InvalidValue where not one test can be made
    """
    require(store, actor, project.id, "use models")
    suite_name = suite_name.strip()
    if strange := [label for label in labels.values() if label not in project.labels]:
        raise InvalidValue(
            _("'{label}' isn't a project label ({labels}).", label=strange[0], labels=listed(project.labels))
        )
    wanted = [ready.recipe(name) for name in only] or list(ready.recipes)
    made: list[tuple[TestPlan, list[Case]]] = []
    left_out: list[tuple[str, str]] = []
    for recipe in wanted:
        in_project_labels = with_labels(recipe, labels)
        try:
            if in_project_labels is None:
                raise InvalidValue(_lacks(project, recipe, labels))
            plan = TestPlan(in_project_labels, n, seed, on_instances and bool(in_project_labels.change), ready.name)
            made.append((plan, plan_cases(store, actor, project, plan)))
        except InvalidValue as error:
            left_out.append((recipe.name, str(error)))
    if not made:
        raise InvalidValue(
            _(
                "Can't make any test of '{suite}'. {test}: {reason}",
                suite=ready.name,
                test=left_out[0][0],
                reason=left_out[0][1],
            )
        )
    for _plan, cases in made:
        check_cases(project, cases)
    with store.transaction():
        require(store, actor, project.id, "use models")
        for plan, cases in made:
            _add_test(store, actor, project, suite_name, cases, construction_report(plan))
        add_event(store, actor.name, "make suite", "project", project.id, project_id=project.id, suite=suite_name,
                  tests=len(made), cases=sum(len(cases) for _plan, cases in made),
                  left_out=[name for name, _reason in left_out])  # fmt: skip
        return MadeSuite(suite_named(store, project, suite_name), tuple(left_out))


def _lacks(project: Project, recipe: Recipe, labels: Mapping[str, str]) -> str:
    labels_of_recipe = {
        *recipe.labels,
        *recipe.applies.original_is,
        *(x for a in recipe.alternatives for x in a.labels),
    }
    return _(
        "It needs {missing}, not a project label ({labels}).",
        missing=listed([f"'{label}'" for label in sorted(labels_of_recipe - labels.keys())]),
        labels=listed(project.labels),
    )


def _require_labels(project: Project) -> None:
    if project.task.result_kind != "label":
        raise InvalidValue(_("This needs labels; this project has answers."))


def suites_of(store: Store, actor: User, project: Project) -> list[StoredSuite]:
    """The project's suites by name."""
    require(store, actor, project.id, "use models")
    return suite_store.list_suites(store, project.id)


def known_models(store: Store, actor: User, project: Project, suite: StoredSuite) -> list[str]:
    """The names of the models that have answered to a suite."""
    require(store, actor, project.id, "use models")
    return list(dict.fromkeys(run.model for run in run_store.list_runs(store, suite.id)))


def suite_named(store: Store, project: Project, name: str) -> StoredSuite:
    """The project's suite of a name; raises NotFound naming those there are."""
    stored = suite_store.find_suite(store, project.id, name)
    if stored is None:
        known = [f"'{suite.name}'" for suite in suite_store.list_suites(store, project.id)]
        raise NotFound(unknown(_("suite"), name, listed(known) or _("none yet")))
    return stored


def remove_test(store: Store, actor: User, project: Project, suite_name: str, test_name: str) -> None:
    """Take a test out, with what models said of it; the suite with its last one. Raises NotFound."""
    with store.transaction():
        require(store, actor, project.id, "use models")
        suite = suite_named(store, project, suite_name)
        test = next((test for test in suite.tests if test.name == test_name), None)
        if test is None:
            raise NotFound(_("Suite '{suite}' has no test '{test}'.", suite=suite_name, test=test_name))
        suite_store.delete_test(store, test.id)
        if len(suite.tests) == 1:
            suite_store.delete_suite(store, suite_store.get_suite(store, suite.id))
        add_event(store, actor.name, "remove test", "project", project.id, project_id=project.id, suite=suite_name,
                  test=test_name, cases=test.n_cases)  # fmt: skip


def remove_suite(store: Store, actor: User, project: Project, suite_name: str) -> None:
    """Take a suite out, with everything that is of it. Raises NotFound."""
    with store.transaction():
        require(store, actor, project.id, "use models")
        suite = suite_named(store, project, suite_name)
        suite_store.delete_suite(store, suite)
        add_event(store, actor.name, "remove suite", "project", project.id, project_id=project.id, suite=suite_name,
                  tests=len(suite.tests), cases=suite.n_cases)  # fmt: skip


# A text that somebody typed, as a test of its own: it gets a label, or the answer of the text that it was made from.


_TYPED = "typed"


@dataclass(frozen=True, slots=True)
class TypedCase:
    """How the test is called, in which suite; label: what the text gets, None: the answer of the stored text."""

    suite: str
    test: str
    category: str
    label: str | None


def save_typed_case(
    store: Store, actor: User, instance_id: int, texts: Mapping[str, str], wanted: TypedCase
) -> StoredTest:
    """Store a test with one case. Raises: InvalidValue for a case that cannot be, or a name that is taken."""
    project = get_project_by_id(store, project_of_instance(store, instance_id))
    require(store, actor, project.id, "use models")
    _require_labels(project)
    instance = get_instance(store, instance_id)
    typed = text_of(project, changed_instance(instance, ChangedText(_TYPED, texts, None)))
    name, category = wanted.test.strip(), wanted.category.strip()
    check_name(name)
    check_name(category)
    if wanted.label is None:
        case = Case(name, "INV", category, instance.key, (text_of(project, instance), typed), "same")
    else:
        case = Case(name, "MFT", category, instance.key, (typed,), "label", (wanted.label,))
    return save_test(store, actor, project, wanted.suite, [case])
