"""A typed text as a test of its own."""

from collections.abc import Callable

import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.suites import cases_of_test
from annotator.usecases.suites.construction import TypedCase, save_typed_case

WANTED = TypedCase("Typed texts", "t1, changed", "Robustness", None)


@pytest.fixture
def text(make_project: Callable[..., Project], import_rows: Callable[..., object], store: Store) -> tuple[Project, int]:
    project = make_project()
    import_rows(project, [{"id": "t1", "text": "bad soup", "label": "negative"}])
    return project, find_instance_ids(store, project.id, "t1")[0]


def test_the_answer_of_the_stored_text_is_expected_of_the_typed_one(store: Store, text) -> None:
    test = save_typed_case(store, LOCAL_OPERATOR, text[1], {"text": "awful soup"}, WANTED)
    [case] = cases_of_test(store, test.id)
    assert (case.type, case.expectation, case.texts) == ("INV", "same", ("bad soup", "awful soup"))


def test_a_label_is_expected_of_the_typed_text(store: Store, text) -> None:
    wanted = TypedCase("Typed texts", "t1, changed", "Vocabulary", "positive")
    test = save_typed_case(store, LOCAL_OPERATOR, text[1], {"text": "good soup"}, wanted)
    [case] = cases_of_test(store, test.id)
    assert (case.type, case.labels, case.texts) == ("MFT", ("positive",), ("good soup",))


@pytest.mark.parametrize(
    ("typed", "wanted", "reason"),
    [
        ("bad soup", WANTED, "the same as the original"),
        (" ", WANTED, "A text is empty"),
        ("awful", TypedCase("Typed texts", " ", "Logic", None), "test needs a name"),
        ("awful", TypedCase("", "t", "Logic", None), "suite needs a name"),
        ("awful", TypedCase("s", "t", "Logic", "strange"), "none of the project's labels"),
    ],
)
def test_a_case_that_cannot_be_is_refused_with_the_reason(
    store: Store, text, typed: str, wanted: TypedCase, reason: str
) -> None:
    with pytest.raises(InvalidValue, match=reason):
        save_typed_case(store, LOCAL_OPERATOR, text[1], {"text": typed}, wanted)


def test_a_name_that_is_taken_and_people_without_the_right_are_refused(
    store: Store, text, add_person: Callable[..., User]
) -> None:
    project, number = text
    save_typed_case(store, LOCAL_OPERATOR, number, {"text": "awful soup"}, WANTED)
    with pytest.raises(InvalidValue, match="has a test 't1, changed' already"):
        save_typed_case(store, LOCAL_OPERATOR, number, {"text": "dull soup"}, WANTED)
    with pytest.raises(NotAllowed):
        save_typed_case(store, add_person("ann", project, "annotator"), number, {"text": "dull soup"}, WANTED)
