"""The end of a project: archived and brought back as it was, or deleted with everything of it and of nothing else."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import Conflict, InvalidValue, NotAllowed, NotFound, ProjectArchived
from annotator.store import Store, open_store
from annotator.store.connection.replacement import models_of
from annotator.store.events import list_events
from annotator.store.people import add_role, roles_of
from annotator.store.project.deletion import owned_tables
from annotator.store.projects import find_project, get_project, get_project_by_id
from annotator.usecases.annotate.work import next_work, save_draft, submit
from annotator.usecases.background import ask_to_measure, stop_job
from annotator.usecases.lead.event_words import event_words
from annotator.usecases.project.ends import archive, bring_back, delete, deletion_summary
from annotator.usecases.project.projects import change_project, events_of
from annotator.usecases.restoration import restore
from annotator.usecases.transfer.export import export_file
from annotator.usecases.upkeep import check

# Accounts and what is of the whole machine stay when a project goes.
_OF_NO_PROJECT = {
    "users", "identities", "sign_in_links", "sessions", "sign_in_failures", "repeated_events", "used_numbers", "_sqlite_migrations",
    "removals", "crowd_secret", "channels", "mail_addresses",
}  # fmt: skip


@pytest.fixture
def ann(project: Project, add_person: Callable[..., User]) -> User:
    return add_person("ann", project, "annotator")


@pytest.fixture
def lea(project: Project, add_person: Callable[..., User]) -> User:
    return add_person("lea", project, "lead")


def without_times(store: Store) -> list[str]:
    return list(store.connection.iterdump())


def test_nothing_of_an_archived_project_is_given_out_or_changed_and_it_comes_back_as_it_was(
    store: Store, project: Project, ann: User, lea: User, import_rows: Callable[..., object]
) -> None:
    work = next_work(store, ann, project.id).work
    assert work is not None
    archive(store, lea, project.id)
    before = without_times(store)
    refused: list[Callable[[], object]] = [
        lambda: next_work(store, ann, project.id),
        lambda: save_draft(store, ann, work.assignment.id, 0, Draft(None, (RationaleSet.of((0, 1)),))),
        lambda: import_rows(project, [{"id": "new", "text": "One more.", "label": "negative"}]),
        lambda: import_rows(project, [{"id": "new", "text": "One more.", "label": "negative"}], dry_run=True),
        lambda: change_project(store, lea, project),
        lambda: ask_to_measure(store, lea, project),
    ]
    for act in refused:
        with pytest.raises(ProjectArchived, match="The project 'Project' is archived"):
            act()
    assert without_times(store) == before
    bring_back(store, lea, project.id)
    again = next_work(store, ann, project.id).work
    assert again is not None
    assert again.assignment.id == work.assignment.id
    assert [event_words(event) for event in events_of(store, lea, project.id)][:2] == [
        "unarchived the project",
        "archived the project",
    ]


def test_an_archived_project_is_exported_as_before(store: Store, project: Project, lea: User, tmp_path: Path) -> None:
    export_file(store, lea, project, "jsonl", tmp_path / "open.jsonl")
    archive(store, lea, project.id)
    export_file(store, lea, project, "jsonl", tmp_path / "archived.jsonl")

    def texts(name: str) -> list[str]:
        return [line for line in (tmp_path / name).read_text().splitlines() if '"instance"' in line]

    assert texts("archived.jsonl") == texts("open.jsonl") != []


def test_a_project_with_long_work_is_neither_archived_nor_deleted_and_the_work_is_named(
    store: Store, project: Project, lea: User
) -> None:
    job = ask_to_measure(store, lea, project)
    sentence = r"'Project' has running or waiting jobs: 'Metrics of all models'\. Stop them, or wait\."
    with pytest.raises(Conflict, match=sentence):
        archive(store, lea, project.id)
    with pytest.raises(Conflict, match=sentence):
        delete(store, lea, project.id, "Project")
    stop_job(store, lea, project, job.id)
    assert archive(store, lea, project.id).is_archived


def test_a_deleted_project_leaves_no_row_and_no_other_project_loses_one(database: Path, demonstration: Path) -> None:
    shutil.copy(demonstration, database)
    shutil.copytree(models_of(demonstration), models_of(database))
    with open_store(database) as store:
        first, *others = [row["id"] for row in store.rows("SELECT id FROM projects ORDER BY id")]
        tables = owned_tables(store)

        def counts(number: int) -> dict[str, int]:
            return {
                name: store.value(f"SELECT count(*) FROM {name} WHERE {table.condition}", (number,))
                for name, table in tables.items()
            }

        assert set(tables) | _OF_NO_PROJECT | {"projects"} == {
            row["name"]
            for row in store.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        }
        before = {number: counts(number) for number in others}
        assert counts(first)["attributions"] > 0
        deleted = delete(store, LOCAL_OPERATOR, first, get_project_by_id(store, first).name)
        assert set(counts(first).values()) == {0}
        assert {number: counts(number) for number in others} == before
        assert store.problems() == check(store) == []
        assert (deleted.n_instances > 0, deleted.n_models > 0) == (True, True)
        assert deleted.models is not None
        assert not (models_of(database) / str(first)).exists()
        assert sorted(path.name for path in deleted.models.iterdir())
        sentence = event_words(list_events(store, None, limit=1)[0])
        assert sentence.startswith(f"deleted the project “{deleted.name}” ({deleted.n_instances} instances, ")
        assert deletion_summary(deleted).endswith(f"Its trained models are in {deleted.models}.")


def test_the_backup_brings_a_deleted_project_back_with_its_models(database: Path, demonstration: Path) -> None:
    shutil.copy(demonstration, database)
    shutil.copytree(models_of(demonstration), models_of(database))
    with open_store(database) as store:
        name = get_project_by_id(store, 1).name
        n = store.value(
            "SELECT count(*) FROM annotations JOIN instances ON instances.id = instance_id WHERE project_id = 1"
        )
        saved = {path.name for path in (models_of(database) / "1").iterdir()}
        deleted = delete(store, LOCAL_OPERATOR, 1, name)
        assert find_project(store, name) is None
    restore(database, LOCAL_OPERATOR, deleted.backup)
    with open_store(database) as store:
        project = bring_back(store, LOCAL_OPERATOR, get_project(store, name).id)
        assert project.id == 1
        assert n == store.value(
            "SELECT count(*) FROM annotations JOIN instances ON instances.id = instance_id WHERE project_id = 1"
        )
    assert {path.name for path in (models_of(database) / "1").iterdir()} <= saved


def test_only_its_own_name_deletes_a_project_and_only_a_lead_of_it(
    store: Store, project: Project, ann: User, lea: User, database: Path
) -> None:
    before = without_times(store)
    with pytest.raises(InvalidValue, match=r"Nothing was done\. Type 'Project' exactly\."):
        delete(store, lea, project.id, "project")
    with pytest.raises(NotAllowed):
        delete(store, ann, project.id, "Project")
    assert without_times(store) == before
    assert list(database.parent.glob("*.backup")) == []


def test_a_backup_that_cannot_be_made_leaves_the_project_at_work(
    store: Store, project: Project, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise Conflict("The disk is full.")

    monkeypatch.setattr(Store, "backup", fails)
    with pytest.raises(Conflict, match="The disk is full"):
        delete(store, lea, project.id, "Project")
    assert not get_project_by_id(store, project.id).is_archived


def test_a_backup_stays_when_the_program_is_stopped_after_its_project_went(
    store: Store, project: Project, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("annotator.usecases.project.ends._moved_models", is_stopped)
    with pytest.raises(KeyboardInterrupt):
        delete(store, lea, project.id, project.name)
    assert store.value("SELECT count(*) FROM projects WHERE id = ?", (project.id,)) == 0
    [backup] = store.path.parent.glob("*.backup")
    with open_store(backup) as copy:
        assert copy.value("SELECT count(*) FROM projects WHERE id = ?", (project.id,)) == 1


def test_of_two_leads_who_delete_at_once_one_is_told_that_it_is_gone(
    database: Path, store: Store, project: Project, lea: User, add_person: Callable[..., User]
) -> None:
    lev = add_person("lev", project, "lead")
    outcomes: list[str] = []
    begin = threading.Barrier(2)

    def act(user: User) -> None:
        with open_store(database) as own:
            begin.wait()
            try:
                delete(own, user, project.id, "Project")
                outcomes.append("deleted")
            except NotFound as error:
                outcomes.append(str(error))

    threads = [threading.Thread(target=act, args=(user,)) for user in (lea, lev)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["No such project, or you have no role in it. Ask its lead.", "deleted"]
    assert len(list(database.parent.glob("*.backup"))) == 1
    assert find_project(store, "Project") is None


def test_a_page_of_a_deleted_project_that_is_still_open_never_means_the_work_of_another(
    store: Store, project: Project, ann: User, import_rows: Callable[..., object], make_project: Callable[..., Project]
) -> None:
    work = next_work(store, ann, project.id).work
    assert work is not None
    delete(store, LOCAL_OPERATOR, project.id, "Project")
    other = make_project(name="Other")
    assert other.id > project.id
    import_rows(other, [{"id": "a", "text": "Never again.", "label": "negative"}])
    with store.transaction():
        add_role(store, other.id, ann, "annotator")
    assert next_work(store, ann, other.id).work is not None
    with pytest.raises(NotFound, match=r"No assignment number 1\. Reload"):
        submit(store, ann, work.assignment.id, 0, Draft(None, (RationaleSet.of((0, 1)),)))


def test_the_record_of_a_project_that_stays_cannot_be_deleted(store: Store, project: Project) -> None:
    with pytest.raises(Exception, match="events are append only"), store.transaction():
        store.run("DELETE FROM events WHERE project_id = ?", (project.id,))
    assert roles_of(store, LOCAL_OPERATOR, project.id) == frozenset()
