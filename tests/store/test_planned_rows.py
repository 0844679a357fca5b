"""A plan of an import in the database: each text once, instances with all that belongs to them, and what others become."""

from annotator.domain.imports import (
    InstanceChange,
    InstancePlan,
    NewAnnotation,
    NewDocument,
    NewInstance,
    NewSegment,
    StoredDocument,
)
from annotator.domain.models import Output, Prediction, Run
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.sources import SourceInstance
from annotator.domain.texts import RationaleSet, TokenizedText
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of, set_annotation_state
from annotator.store.annotate.instance_queue import begin_anew, next_in_queue
from annotator.store.instances import find_instance_ids, get_instance
from annotator.store.models import RunFinder, instances_with_output, store_outputs
from annotator.store.packed_rows import new_document
from annotator.store.transfer.import_rows import (
    add_documents,
    documents_of,
    last_document,
    last_queue_position,
    remove_unshown,
    write_plan,
)

GOOD = new_document(None, TokenizedText("Good food .", (0, 5, 10), (4, 9, 11), (0,)))
BAD = new_document(None, TokenizedText("Bad food", (0, 4), (3, 8), (0,)))
GOLD = NewAnnotation("ada", "negative", (RationaleSet.of((0, 1)), RationaleSet.of((1, 2))), "", 1, "accepted")


def instance(
    key: str, document: NewDocument, *annotations: NewAnnotation, document_id: int | None = None
) -> NewInstance:
    segment = NewSegment("text", True, document.body.n_tokens, document.fingerprint, document_id)
    source = SourceInstance(key, {}, "rows.jsonl", 1, result="negative")
    return NewInstance(source, "en", (segment,), None, key.encode().ljust(16), 1, "open", annotations)


def write(store: Store, project: Project, plan: InstancePlan) -> tuple[int, tuple[int, ...]]:
    with store.transaction():
        first = last_queue_position(store, project.id) + 1
        return write_plan(store, project.id, plan, range(first, first + len(plan.new)))


def number(store: Store, project: Project, key: str) -> int:
    return find_instance_ids(store, project.id, key)[0]


def test_a_text_without_a_name_is_stored_once_however_many_show_it(store: Store, project: Project) -> None:
    plan = InstancePlan(documents=(GOOD, GOOD), new=(instance("a", GOOD), instance("b", GOOD)))
    assert write(store, project, plan) == (1, ())
    assert write(store, project, InstancePlan(documents=(GOOD, BAD), new=(instance("c", GOOD),))) == (1, ())
    shown = {key: get_instance(store, number(store, project, key)).segments[0].body for key in "abc"}
    assert shown == dict.fromkeys("abc", GOOD.body)


def test_a_document_with_a_name_is_shown_by_its_number_and_goes_where_nothing_shows_it(
    store: Store, project: Project
) -> None:
    before = last_document(store)
    named, unshown = new_document("doc", GOOD.body), new_document("other", GOOD.body)
    with store.transaction():
        assert add_documents(store, project.id, [named, unshown]) == 2
    stored: dict[str, StoredDocument] = documents_of(store, project.id, ["doc", "other", "none"])
    assert {name: document.fingerprint for name, document in stored.items()} == {
        "doc": named.fingerprint,
        "other": unshown.fingerprint,
    }
    write(store, project, InstancePlan(new=(instance("a", named, document_id=stored["doc"].id),)))
    assert get_instance(store, number(store, project, "a")).segments[0].docid == "doc"
    with store.transaction():
        assert remove_unshown(store, project.id, ["doc", "other"], after=stored["other"].id) == 0  # it was there before
        assert remove_unshown(store, project.id, ["doc", "other"], after=before) == 1
    assert documents_of(store, project.id, ["doc", "other"]).keys() == {"doc"}


def test_annotations_are_added_and_replaced_with_all_their_sets(store: Store, project: Project) -> None:
    write(store, project, InstancePlan(documents=(GOOD,), new=(instance("a", GOOD, GOLD),)))
    text = number(store, project, "a")
    [stored] = annotations_of(store, [text])[text]
    assert (stored.annotator, stored.sets) == ("ada", GOLD.sets)
    otherwise = NewAnnotation("ada", "positive", (RationaleSet.of((2, 3)),), "again", 1, "reference")
    added = NewAnnotation("ben", "positive", (), "", 1, "accepted", "2020-01-01T00:00:00.000Z")
    change = InstanceChange(text, added=(added,), replaced=((stored.id, otherwise),))
    assert write(store, project, InstancePlan(changes=(change,))) == (0, (text,))
    ada, ben = annotations_of(store, [text])[text]
    assert (ada.id, ada.result, ada.sets, ada.note, ada.state) == (
        *(stored.id, "positive", otherwise.sets),
        *("again", "reference"),
    )
    assert (ben.annotator, ben.sets, ben.created_at) == ("ben", (), "2020-01-01T00:00:00.000Z")


def test_an_instance_that_is_overwritten_keeps_its_place_and_its_annotations_and_forgets_what_models_said_if_it_is_to(
    store: Store, project: Project
) -> None:
    write(store, project, InstancePlan(documents=(GOOD,), new=(instance("a", GOOD, GOLD), instance("b", GOOD))))
    texts = [number(store, project, key) for key in "ab"]
    with store.transaction():
        run_id = RunFinder(store, project.id).id_of(Run("tiny"))
        store_outputs(store, run_id, [Output(text, (Prediction("negative"),)) for text in texts])
    positions = [last_queue_position(store, project.id)]
    changes = (
        InstanceChange(texts[0], instance("a", BAD), forgets_output=True),
        InstanceChange(texts[1], result="positive"),
    )
    write(store, project, InstancePlan(documents=(BAD,), changes=changes))
    first, second = (get_instance(store, text) for text in texts)
    assert (first.segments[0].body, second.segments[0].body) == (BAD.body, GOOD.body)
    assert (first.result, second.result) == ("negative", "positive")
    assert len(annotations_of(store, texts)[texts[0]]) == 1
    assert instances_with_output(store, texts) == {texts[1]}
    assert positions == [last_queue_position(store, project.id)]


def test_what_was_worked_on_is_settled_together_and_everybody_begins_at_the_start_of_the_queue(
    store: Store, project: Project, annotator: User
) -> None:
    first, second = (number(store, project, key) for key in ("t1", "t2"))
    change = InstanceChange(first, added=(GOLD,))
    with store.transaction():
        assert next_in_queue(store, project.id, annotator.id or 0) == first
        _, worked_on = write_plan(store, project.id, InstancePlan(changes=(change,)), ())
        begin_anew(store, project.id, worked_on)
        assert next_in_queue(store, project.id, annotator.id or 0) == second
        [stored] = annotations_of(store, [first])[first]
        set_annotation_state(store, stored.id, "withdrawn")
        begin_anew(store, project.id, [first, second])
        assert next_in_queue(store, project.id, annotator.id or 0) == first
