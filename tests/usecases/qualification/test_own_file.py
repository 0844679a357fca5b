"""Training in our own JSONL: the rules, the texts and who may work come along; the answers stay."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import ImportRefused, NotAllowed
from annotator.store import Store
from annotator.store.qualification.rules import newest_rules
from annotator.usecases.qualification.items import instances_of_keys, items_of, pick
from annotator.usecases.qualification.people import allow, trained_people
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from tests.usecases.qualification.conftest import pick_keys


def export_to(store: Store, actor: User, project: Project, path: Path) -> list[dict[str, Any]]:
    export_file(store, actor, project, "jsonl", path)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def training_records(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line for line in lines if line.get("record") == "qualification"]


@pytest.mark.usefixtures("training")
def test_rules_texts_and_who_may_work_come_back(
    store: Store, project: Project, lead: User, annotator: User, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    allow(store, lead, project, "annotators", annotator.name, "let through")
    pick_keys(store, lead, project, "checks", "g4")
    pick(store, lead, project, "reviewers", instances_of_keys(store, project, ["g1"]), ["token missing"], seed=4)
    export_to(store, lead, project, tmp_path / "all.jsonl")
    copy = make_project(name="Copy")
    import_file(store, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl", ImportOptions())
    before, after = (newest_rules(store, number, "annotators").rules for number in (project.id, copy.id))
    assert before == after
    for purpose in ("annotators", "reviewers", "checks"):
        mine, theirs = (
            [(s.row.key, s.item.known, s.item.spoiling, s.item.seed, s.gold) for s in items_of(store, LOCAL_OPERATOR, p, purpose)]
            for p in (project, copy)
        )  # fmt: skip
        assert mine == theirs
    states = {p.user.name: p.state for p in trained_people(store, LOCAL_OPERATOR, copy, "annotators")}
    assert states[annotator.name] == "let through"


def test_a_project_without_training_writes_nothing_of_it(
    store: Store, project: Project, lead: User, tmp_path: Path
) -> None:
    assert not training_records(export_to(store, lead, project, tmp_path / "all.jsonl"))


@pytest.mark.usefixtures("training")
def test_an_annotator_who_may_export_does_not_learn_which_texts_are_checks(
    store: Store, project: Project, lead: User, add_person: Callable[..., User], tmp_path: Path
) -> None:
    both = add_person("both", project, "annotator", "researcher")
    assert training_records(export_to(store, lead, project, tmp_path / "lead.jsonl"))
    with pytest.raises(NotAllowed):
        export_to(store, both, project, tmp_path / "both.jsonl")


@pytest.mark.usefixtures("training")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rules": {"annotators": {"texts": 0}}}, "texts is 0; it must lie between 1 and 100"),
        ({"rules": {"annotators": {"least": 3}}}, "there is no rule 'least'"),
        ({"members": []}, "members and items must be as many"),
        (
            {"members": [["nowhere", ""]] * 4},
            "the training names a text that is neither in the file nor in the project",
        ),
    ],
)
def test_a_record_that_cannot_be_is_refused_with_its_line(
    store: Store, project: Project, lead: User, make_project: Callable[..., Project], tmp_path: Path,
    change: dict[str, Any], message: str,
) -> None:  # fmt: skip
    path = tmp_path / "all.jsonl"
    lines = export_to(store, lead, project, path)
    changed = [line | change if line.get("record") == "qualification" else line for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in changed), encoding="utf-8")
    with pytest.raises(ImportRefused) as refusal:
        import_file(store, LOCAL_OPERATOR, make_project(name="Copy"), "jsonl", path, ImportOptions())
    assert message in " ".join(problem.reason for problem in refusal.value.problems)
