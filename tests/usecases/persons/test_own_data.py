"""Everything about somebody goes into one file: their own, with nothing of others."""

import io
import json
import zipfile

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.qualification import Known, Measures
from annotator.errors import NotAllowed, NotFound
from annotator.store import Store
from annotator.store.people import get_user
from annotator.store.persons.columns import COUNTED_NAMES, NAMES, PACKED_WORDS, REFERENCES, WORDS
from annotator.store.persons.own_data import FILES
from annotator.store.qualification.exercises import add_exercise, set_measured
from annotator.usecases.persons.my_account import data_of_person
from tests.usecases.persons.conftest import MAIL, WANDA, WORD, speak

# Of these a person gets nothing: counts, places in the queue, links that only open, and what strangers typed.
NOT_TAKEN = {"assignment_counts", "queue_cursors", "sign_in_links", "repeated_events", "sign_in_failures"}


def files_in(content: bytes) -> dict[str, object]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {n.removesuffix(".json"): json.loads(archive.read(n)) for n in archive.namelist() if n.endswith(".json")}


def test_every_table_that_knows_people_is_in_a_file() -> None:
    packed = {w.table for w in PACKED_WORDS}
    tables = (
        packed
        | {r.table for r in REFERENCES}
        | {table for table, _ in (*NAMES, *COUNTED_NAMES)}
        | {w.table for w in WORDS}
    )
    assert tables - {table for of_file, _ in FILES.values() for table in of_file} == NOT_TAKEN


def test_somebody_gets_all_their_words_and_sets_and_nothing_of_others(store: Store, live) -> None:
    life = live(5)
    n_words = speak(store, WANDA)
    with store.transaction():
        store.run("UPDATE reviews SET comment = 'of another' WHERE user_id <> ?", (get_user(store, WANDA).id,))
    wanda = get_user(store, WANDA)
    files = files_in(data_of_person(store, wanda, WANDA))
    assert json.dumps(files).count(f"{WORD} in ") >= n_words
    own = store.value("SELECT count(*) FROM annotations WHERE user_id = ? OR annotator = ?", (wanda.id, WANDA))
    assert len(files["annotations"]) == own > 1
    assert {"project", "key", "split", "sets", "result", "created_at"} <= set(files["annotations"][0])
    assert len(files["work"]) == store.value("SELECT count(*) FROM assignments WHERE user_id = ?", (wanda.id,))
    for other in ("Bo", "Cleo", "Lea", "Zoe", "of another", "was fine"):
        assert other not in json.dumps({name: rows for name, rows in files.items() if name != "changed_versions"})
    [answer] = files["training_answers"]
    assert (answer["kind"], answer["state"]) == ("training", "answered")
    assert answer["answer"]["draft"]["sets"]
    assert [verdict["is_right"] for verdict in files["audits"]] == [0]
    assert files["account"][0]["mail_address"] == MAIL
    assert len(files["notices"]) == store.value("SELECT count(*) FROM notices WHERE user_id = ?", (wanda.id,)) > 0
    assert "split" in {change["kind"] for change in files["changes_of_many_texts"]}
    assert files["roles"] == [{"project": life.project.name, "role": role} for role in ("annotator", "reviewer")]


def test_a_blind_check_is_told_when_it_was_handed_in_and_not_before(store: Store, live) -> None:
    life = live(1, n_steps=3)
    wanda = get_user(store, WANDA)
    with store.transaction():
        item = store.row("SELECT id, instance_id FROM qualification_items LIMIT 1")
        check = add_exercise(store, life.project.id, wanda.id, item["id"], item["instance_id"], None)
    assert "blind check" not in json.dumps(files_in(data_of_person(store, wanda, WANDA)))
    with store.transaction():
        set_measured(store, check.id, Known(None, ()), Measures(), "passed over")
    assert "blind check" in json.dumps(files_in(data_of_person(store, wanda, WANDA)))


def test_only_the_person_and_administrators_may_take_it(store: Store, live) -> None:
    live(1, n_steps=3)
    with pytest.raises(NotAllowed, match=r"Only the person or an administrator can download this\."):
        data_of_person(store, get_user(store, "Lea"), WANDA)
    with pytest.raises(NotFound, match=r"No person 'Xaver'\."):
        data_of_person(store, LOCAL_OPERATOR, "Xaver")
    assert files_in(data_of_person(store, LOCAL_OPERATOR, WANDA.upper()))["account"][0]["name"] == WANDA
