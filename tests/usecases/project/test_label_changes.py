"""Labels that change after work has begun: what that does is said before, and nobody who marks meanwhile loses a mark."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.instances import Draft
from annotator.domain.models import Prediction, Run, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.perturbations import ChangedText
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import AnnotatorError, InvalidAnnotation, InvalidValue, NotAllowed
from annotator.store import Store, open_store
from annotator.store.annotate.assignments import give_up_work_of
from annotator.store.events import list_events
from annotator.store.projects import get_project_by_id
from annotator.usecases.annotate.work import next_work, save_draft, submit
from annotator.usecases.inspect.measurement import measure
from annotator.usecases.lead.event_words import event_words
from annotator.usecases.perturb.versions import hand_in
from annotator.usecases.project.labels import add_label, label_effects, map_label, rename_label
from annotator.usecases.project.projects import change_project
from annotator.usecases.releases.frozen_gold import freeze_gold
from annotator.usecases.upkeep import check
from tests.usecases.project.test_label_replacement import LABELS, bring, everything, ids, three

__all__ = ["three"]  # the fixture

SETS = (RationaleSet.of((0, 1)),)
TEN = 10


@pytest.fixture
def ann(three: Project, add_person: Callable[..., User]) -> User:
    return add_person("ann", three, "annotator")


@pytest.fixture
def many(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> tuple[Project, list[User]]:
    """Fifty texts (one is leased ahead for each) without a label, and ten people who give them one."""
    project = make_project(name="Many", result_mode="give")
    project = change_project(store, LOCAL_OPERATOR, replace(project, labels=LABELS))
    import_rows(project, [{"id": f"t{n}", "text": f"Text {n} is so so."} for n in range(5 * TEN)])
    return project, [add_person(f"ann{n}", project, "annotator") for n in range(TEN)]


def _while_ten_mark(database: Path, many: tuple[Project, list[User]], change: Callable[[Store], object]) -> list[str]:
    """Each of ten people marks three texts under the label that they see at first; what went wrong for whom."""
    project, people = many
    faults: list[str] = []
    begin = threading.Barrier(TEN + 1)

    def work_as(user: User) -> None:
        try:
            with open_store(database) as own:
                begin.wait()
                for _ in range(3):
                    work = next_work(own, user, project.id).work
                    assert work is not None
                    draft = Draft("neutral", SETS)
                    revision = save_draft(own, user, work.assignment.id, work.assignment.revision, draft)
                    submit(own, user, work.assignment.id, revision, draft)
        except (AnnotatorError, AssertionError) as error:
            faults.append(f"{user.name}: {error}")

    threads = [threading.Thread(target=work_as, args=(user,)) for user in people]
    for thread in threads:
        thread.start()
    with open_store(database) as own:
        begin.wait()
        change(own)
    for thread in threads:
        thread.join()
    return faults


def test_a_rename_while_ten_people_mark_loses_no_mark(
    database: Path, store: Store, many: tuple[Project, list[User]]
) -> None:
    project, _ = many
    faults = _while_ten_mark(database, many, lambda own: rename_label(own, LOCAL_OPERATOR, project, "neutral", "mixed"))
    assert faults == []
    results = store.rows("SELECT result, count(*) AS n FROM annotations GROUP BY result")
    assert [tuple(row) for row in results] == [("mixed", 3 * TEN)]
    assert store.value("SELECT count(*) FROM rationale_sets") == 3 * TEN
    assert check(store) == []


def test_a_new_label_while_ten_people_mark_changes_nothing_for_them(
    database: Path, store: Store, many: tuple[Project, list[User]]
) -> None:
    project, people = many
    faults = _while_ten_mark(database, many, lambda own: add_label(own, LOCAL_OPERATOR, project, "mixed"))
    assert faults == []
    assert store.value("SELECT count(*) FROM annotations WHERE result = 'neutral'") == 3 * TEN
    assert next_work(store, people[0], project.id).project.labels == (*LABELS, "mixed")
    assert event_words(list_events(store, project.id, limit=3 * TEN * 2 + 1)[-1])  # every event has its sentence


def test_what_a_page_sends_under_an_old_name_is_stored_under_the_last_of_several(
    store: Store, three: Project, ann: User
) -> None:
    work = next_work(store, ann, three.id).work
    assert work is not None
    rename_label(store, LOCAL_OPERATOR, three, "neutral", "mixed")
    map_label(store, LOCAL_OPERATOR, get_project_by_id(store, three.id), "mixed", "positive")
    submit(store, ann, work.assignment.id, 0, Draft("neutral", SETS))
    assert store.value("SELECT result FROM annotations WHERE user_id = ?", (ann.id,)) == "positive"


def test_a_changed_version_that_was_written_before_a_rename_is_handed_in(
    store: Store, three: Project, add_person: Callable[..., User]
) -> None:
    lea = add_person("lea", three, "lead")
    rename_label(store, LOCAL_OPERATOR, three, "neutral", "mixed")
    made = hand_in(store, lea, ids(store, three)["z"], ChangedText("contrast", {"text": "a chair"}, "neutral"))
    assert made.current.changed.result == "mixed"


def test_a_label_that_was_taken_away_unused_is_sent_back_with_a_sentence(
    store: Store, three: Project, ann: User
) -> None:
    three = add_label(store, LOCAL_OPERATOR, three, "odd")
    work = next_work(store, ann, three.id).work
    assert work is not None
    change_project(store, LOCAL_OPERATOR, replace(three, labels=LABELS))
    with pytest.raises(
        InvalidAnnotation, match="'odd' is not a label of this project.* reload it: your marks are kept"
    ):
        submit(store, ann, work.assignment.id, 0, Draft("odd", SETS))


def test_the_inverse_undoes_a_rename(store: Store, three: Project) -> None:
    def data() -> list[str]:
        return [line for line in everything(store).splitlines() if not line.startswith('INSERT INTO "events"')]

    bring(store, three, [SourceOutput("z", Run("m"), "f", 1, None, (Prediction("neutral", {"neutral": 1.0}),))])
    before = data()
    rename_label(store, LOCAL_OPERATOR, three, "neutral", "mixed")
    assert data() != before
    rename_label(store, LOCAL_OPERATOR, get_project_by_id(store, three.id), "mixed", "neutral")
    assert data() == before


def test_answers_that_only_name_a_label_with_a_probability_are_counted_apart(store: Store, three: Project) -> None:
    answers = {
        "p": Prediction("positive", {"positive": 0.8, "neutral": 0.2}),
        "n": Prediction("negative", {"negative": 0.9, "neutral": 0.1}),
        "z": Prediction("neutral", {"neutral": 0.8, "positive": 0.2}),
    }
    bring(
        store,
        three,
        [
            SourceOutput(key, Run("m"), "f", line, None, (answer,))
            for line, (key, answer) in enumerate(answers.items(), 1)
        ],
    )
    changes = label_effects(store, LOCAL_OPERATOR, three, "neutral").changes
    assert changes[-2:] == ("1 answer of models", "2 probabilities in other answers of models")


def test_what_a_replacement_changes_and_leaves_is_said_before(store: Store, three: Project, ann: User) -> None:
    work = next_work(store, ann, three.id).work
    assert work is not None
    save_draft(store, ann, work.assignment.id, 0, Draft("neutral", SETS))
    bring(store, three, [SourceOutput("z", Run("m"), "f", 1, None, (Prediction("neutral", {"neutral": 1.0}),))])
    measure(store, LOCAL_OPERATOR, three)
    three = change_project(store, LOCAL_OPERATOR, replace(three, licence="CC0"))
    freeze_gold(store, LOCAL_OPERATOR, three, "first")
    effects = label_effects(store, LOCAL_OPERATOR, three, "neutral")
    assert effects.changes == ("2 instances", "2 annotations", "1 draft", "1 answer of models")
    assert effects.stays == (
        "What reviewers scored stays, and which rounds were accepted.",
        "1 run has stored numbers; they are shown as out of date until they are measured again.",
        "1 release keeps the labels of that day.",
        "Models that were trained here learned the old label and have to be trained again.",
    )
    assert (
        rename_label(store, LOCAL_OPERATOR, three, "neutral", "mixed")
        == "2 texts, 2 annotations, 1 draft, 1 prediction"
    )


def test_a_name_that_open_pages_still_send_for_another_label_is_not_given_anew(
    store: Store, three: Project, ann: User
) -> None:
    work = next_work(store, ann, three.id).work
    assert work is not None
    rename_label(store, LOCAL_OPERATOR, three, "neutral", "mixed")
    three = get_project_by_id(store, three.id)
    sentence = "'neutral' was the name of another label a while ago"
    with pytest.raises(InvalidValue, match=sentence):
        add_label(store, LOCAL_OPERATOR, three, "neutral")
    with pytest.raises(InvalidValue, match=sentence):
        rename_label(store, LOCAL_OPERATOR, three, "positive", "neutral")
    with pytest.raises(InvalidValue, match=sentence):
        change_project(store, LOCAL_OPERATOR, replace(three, labels=(*three.labels, "neutral")))
    with store.transaction():
        give_up_work_of(store, ann)  # as when it was handed in: nobody holds a text from before
    assert add_label(store, LOCAL_OPERATOR, three, "neutral").labels[-1] == "neutral"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "cannot be a label: it needs at least one character"),
        ("a, b", "'a, b' cannot be a label"),
        ("positive", "'positive' is a label of this project already"),
    ],
)
def test_a_label_that_cannot_be_is_not_added(store: Store, three: Project, name: str, sentence: str) -> None:
    before = everything(store)
    with pytest.raises(InvalidValue, match=sentence):
        add_label(store, LOCAL_OPERATOR, three, name)
    assert everything(store) == before


def test_renaming_is_not_mapping_and_only_leads_do_either(store: Store, three: Project, ann: User) -> None:
    before = everything(store)
    with pytest.raises(
        InvalidValue, match="'positive' is a label of this project already. To put two labels together, map"
    ):
        rename_label(store, LOCAL_OPERATOR, three, "neutral", "positive")
    with pytest.raises(
        InvalidValue, match="'mixed' is not a label of this project .* To give a label another name, rename"
    ):
        map_label(store, LOCAL_OPERATOR, three, "neutral", "mixed")
    for act in (add_label, label_effects):
        with pytest.raises(NotAllowed):
            act(store, ann, three, "neutral")
    assert everything(store) == before
