"""Whatever people do in whatever order: nothing is lost, hidden or given out too often, and the work can be finished."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.rationales import RationaleSet
from annotator.domain.tasks import get_task
from annotator.errors import AnnotatorError
from annotator.store import Store, open_store
from annotator.store.people import get_user
from annotator.usecases import marking
from annotator.usecases.deciding import decide, open_proposals
from annotator.usecases.exporting import export_file
from annotator.usecases.import_report import ImportReport
from annotator.usecases.importing import import_file
from annotator.usecases.projects import change_project, create_project, find_project, progress_of
from annotator.usecases.upkeep import check
from tests.usecases.test_exporting import content_of
from tests.usecases.test_marking import expire_leases

Rows = Callable[..., ImportReport]
People = Callable[..., User]


def rows(first: int, n: int) -> list[dict[str, object]]:
    return [
        {"id": f"k{number}", "text": f"Text number {number} was fine.", "label": "positive"}
        for number in range(first, first + n)
    ]


class Life:
    """A project with three annotators, and one random step after the other."""

    def __init__(self, store: Store, project: Project, people: list[User], import_rows: Rows, seed: int) -> None:
        self.store, self.project, self.people, self.import_rows = store, project, people, import_rows
        self.draw = Random(seed)
        self.n_rows = 6

    def step(self) -> None:
        action = self.draw.choice(
            [self.submit] * 4
            + [self.skip, self.discard, self.withdraw, self.draft, self.expire, self.decide, self.more, self.wanted]
        )
        with suppress(AnnotatorError):  # a refusal is an answer too; it must leave everything in order
            action()

    def work(self) -> tuple[User, marking.Work | None]:
        person = self.draw.choice(self.people)
        answer = marking.next_work(self.store, person, self.project.id)
        return person, self.draw.choice([answer.work, answer.ahead])

    def submit(self, *, draft: Draft | None = None) -> None:
        person, work = self.work()
        if work is not None:
            result = self.draw.choice([None, None, "positive", "negative"])
            draft = draft or Draft(result, (RationaleSet.of((0, 1), (2, 4)),))
            marking.submit(self.store, person, work.assignment.id, work.assignment.revision, draft)

    def draft(self) -> None:
        person, work = self.work()
        if work is not None:
            draft = Draft(sets=(RationaleSet.of((1, 3)),))
            marking.save_draft(self.store, person, work.assignment.id, work.assignment.revision, draft)

    def skip(self) -> None:
        person, work = self.work()
        if work is not None:
            marking.skip(self.store, person, work.assignment.id)

    def discard(self) -> None:
        person, work = self.work()
        if work is not None:
            marking.propose_discard(self.store, person, work.assignment.id, "broken text")

    def withdraw(self) -> None:
        person = self.draw.choice(self.people)
        mine, _ = marking.list_finished(self.store, person, self.project.id, 1)
        if mine:
            marking.withdraw(self.store, person, self.draw.choice(mine).assignment_id)

    def expire(self) -> None:
        expire_leases(self.store)

    def decide(self) -> None:
        waiting = open_proposals(self.store, LOCAL_OPERATOR, self.project.id)
        if waiting:
            proposal, _ = self.draw.choice(waiting)
            decide(self.store, LOCAL_OPERATOR, proposal.id, self.draw.choice(["keep", "discard", "relabel"]))  # type: ignore[arg-type]

    def more(self) -> None:
        self.import_rows(self.project, rows(self.n_rows - 1, 3), skip_invalid=True)
        self.n_rows += 2

    def wanted(self) -> None:
        self.project = find_project(self.store, self.project.name)
        settings = replace(
            self.project.settings,
            annotators_per_instance=self.draw.choice([1, 2]),
            order=self.draw.choice(["random", "sequential"]),
        )
        self.project = change_project(self.store, LOCAL_OPERATOR, replace(self.project, settings=settings))

    def finish(self) -> None:
        """Everybody works on what they are given, and the lead decides, until nothing is left."""
        for _ in range(500):
            for proposal, _instance in open_proposals(self.store, LOCAL_OPERATOR, self.project.id):
                if proposal.id in {p.id for p, _ in open_proposals(self.store, LOCAL_OPERATOR, self.project.id)}:
                    decide(
                        self.store, LOCAL_OPERATOR, proposal.id, "relabel" if proposal.kind == "contest" else "discard"
                    )
            if not any([self.finish_one(person) for person in self.people]):  # noqa: C419  (each has a turn)
                return
        pytest.fail("the work never ends")

    def finish_one(self, person: User) -> bool:
        work = marking.next_work(self.store, person, self.project.id).work
        if work is not None:
            draft = Draft(None, (RationaleSet.of((0, 2)),))
            marking.submit(self.store, person, work.assignment.id, work.assignment.revision, draft)
        return work is not None


@pytest.mark.parametrize("seed", range(12))
def test_after_any_steps_everything_is_in_order_and_can_be_finished(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People, tmp_path: Path, seed: int
) -> None:
    project = make_project(order="random" if seed % 2 else "sequential", annotators_per_instance=1 + seed % 3 // 2)
    import_rows(project, rows(0, 6))
    people = [add_person(f"annotator-{letter}", project, "annotator") for letter in "abc"]
    life = Life(store, project, people, import_rows, seed)
    for _ in range(60):
        life.step()
        assert check(store) == []
    _goes_out_and_in_again(store, find_project(store, project.name), tmp_path)
    life.finish()
    assert check(store) == []
    counts = progress_of(store, LOCAL_OPERATOR, project.id).instances
    assert set(counts) <= {"complete", "discarded"}, counts


def _goes_out_and_in_again(store: Store, project: Project, tmp_path: Path) -> None:
    """In whatever state: our own form restores it equal, in order, and the work can be finished there too."""
    export_file(store, LOCAL_OPERATOR, project, "jsonl", tmp_path / "all.jsonl")
    with open_store(tmp_path / "other.db", create=True) as other:
        copy = create_project(other, LOCAL_OPERATOR, "Copy", get_task("sentiment"))
        import_file(other, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl")
        copy = find_project(other, "Copy")
        assert content_of(other, copy) == content_of(store, project)
        assert check(other) == []
        with other.transaction():
            other.run("UPDATE users SET is_disabled = 0")
        people = [get_user(other, f"annotator-{letter}") for letter in "abc"]
        Life(other, copy, people, lambda *_: None, 0).finish()  # type: ignore[arg-type]
        assert check(other) == []
        assert set(progress_of(other, LOCAL_OPERATOR, copy.id).instances) <= {"complete", "discarded"}
