"""A text that somebody typed, as a test of its own: it gets a label, or the answer of the text that it was made from."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotator.domain.people import User
from annotator.domain.perturbations import ChangedText
from annotator.domain.suites import Case, StoredTest
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.perturb.versions import changed_instance
from annotator.store import Store
from annotator.store.instances import get_instance, project_of_instance
from annotator.store.projects import get_project_by_id
from annotator.usecases.access.rights import require
from annotator.usecases.suites.construction import check_name, save_test, text_of

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
    if project.task.result_kind != "label":
        raise InvalidValue(
            _("Functional tests compare labels, but this project asks for answers, so no case can be saved.")
        )
    instance = get_instance(store, instance_id)
    typed = text_of(project, changed_instance(instance, ChangedText(_TYPED, texts, None)))
    name, category = wanted.test.strip(), wanted.category.strip()
    check_name("test", name)
    check_name("capability", category)
    if wanted.label is None:
        case = Case(name, "INV", category, instance.key, (text_of(project, instance), typed), "same")
    else:
        case = Case(name, "MFT", category, instance.key, (typed,), "label", (wanted.label,))
    return save_test(store, actor, project, wanted.suite, [case])
