"""Whatever people do in whatever order: nothing is lost, hidden or given out too often, and the work can be finished."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, Right, Role, User, has_right
from annotator.domain.project.search import BulkChange
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.errors import AnnotatorError
from annotator.store import Store, open_store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.people import get_user
from annotator.store.project.open_work import texts_without_annotators
from annotator.store.review.rounds import list_undecided
from annotator.usecases.access.rights import roles_with
from annotator.usecases.annotate import talk
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.my_work import Work, my_work
from annotator.usecases.databases import find_project
from annotator.usecases.lead import bulk_actions
from annotator.usecases.lead.decisions import (
    adjudicate,
    choose_gold,
    decide,
    open_proposals,
    stuck_work,
    take_choice_back,
)
from annotator.usecases.perturb import versions
from annotator.usecases.project.projects import change_project, create_project, instances_of
from annotator.usecases.review import reviews
from annotator.usecases.review.inspection import look_at
from annotator.usecases.review.rounds import decide_round
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportReport
from annotator.usecases.upkeep import check
from tests.clock import pass_time
from tests.usecases.annotate.test_work import expire_leases
from tests.usecases.transfer.test_export import content_of

Rows = Callable[..., ImportReport]
People = Callable[..., User]


def rows(first: int, n: int) -> list[dict[str, object]]:
    return [
        {"id": f"k{number}", "text": f"Text number {number} was fine.", "label": "positive"}
        for number in range(first, first + n)
    ]


class Life:
    """A project with its annotators, reviewers and leads (some people are several of these), and one random step after the other."""

    def __init__(
        self, store: Store, project: Project, people: list[User], reviewers: list[User], import_rows: Rows, seed: int,
        leads: Sequence[User] = (),
    ) -> None:  # fmt: skip
        self.store, self.project, self.people, self.import_rows = store, project, people, import_rows
        self.reviewers, self.leads = reviewers, leads
        self.draw = Random(seed)
        self.n_rows = 6

    def step(self) -> None:
        action = self.draw.choice(
            [self.submit] * 4
            + [self.review] * 5
            + [self.skip, self.discard, self.withdraw, self.draft, self.expire, self.decide, self.more, self.wanted]
            + [self.score, self.skip_review, self.decide_round, self.stay_away, self.ask, self.adjudicate]
            + [self.look] * 2 * bool(self.leads) + [self.open_by_address, self.change_gold_in_perturb]
            + [self.change_many, self.name_people, self.undo_change]
        )  # fmt: skip
        with suppress(AnnotatorError):  # a refusal is an answer too; it must leave everything in order
            action()

    def work(self) -> tuple[User, Work | None]:
        person = self.draw.choice(self.people)
        answer = annotate_work.next_work(self.store, person, self.project.id)
        return person, self.draw.choice([answer.work, answer.ahead])

    def submit(self, *, draft: Draft | None = None) -> None:
        person, work = self.work()
        if work is not None:
            result = self.draw.choice([None, None, "positive", "negative"])
            start = self.draw.randint(0, 2)
            new = replace(
                work.assignment.draft, result=result, sets=(RationaleSet.of((0, 1), (start + 1, 5)),), origins=()
            )
            kept = replace(work.assignment.draft, result=result) if work.assignment.draft.sets else new
            draft = draft or self.draw.choice([new, kept])
            annotate_work.submit(self.store, person, work.assignment.id, work.assignment.revision, draft)

    def draft(self) -> None:
        person, work = self.work()
        if work is not None:
            draft = Draft(sets=(RationaleSet.of((1, 3)),))
            annotate_work.save_draft(self.store, person, work.assignment.id, work.assignment.revision, draft)

    def skip(self) -> None:
        person, work = self.work()
        if work is not None:
            annotate_work.skip(self.store, person, work.assignment.id)

    def discard(self) -> None:
        person, work = self.work()
        if work is not None:
            annotate_work.propose_discard(self.store, person, work.assignment.id, "broken text")

    def withdraw(self) -> None:
        person = self.draw.choice(self.people)
        rows, _ = my_work(self.store, person, self.project.id)
        mine = [row for row in rows if row.line.state in {"submitted", "accepted", "proposed"}]
        if mine:
            annotate_work.withdraw(self.store, person, self.draw.choice(mine).line.assignment_id)

    def review(self) -> None:
        """Mostly good scores, so that rounds end in every way."""
        person = self.draw.choice(self.reviewers)
        work = reviews.next_review(self.store, person, self.project.id).work
        if work is not None:
            sets = tuple(SetScore(*self.draw.choice([(3, 4), (3, 4), (2, 4)])) for _ in work.annotation.sets)
            scores = Scores(sets, self.draw.choice([3, 3, 2]), self.draw.choice(["", "a comment"]))
            reviews.submit_review(self.store, person, work.review.id, work.review.revision, scores)

    def score(self) -> None:
        person = self.draw.choice(self.reviewers)
        work = reviews.next_review(self.store, person, self.project.id).work
        if work is not None:
            scores = Scores((SetScore(self.draw.choice([1, 2, 3])),), None)
            reviews.save_review(self.store, person, work.review.id, work.review.revision, scores)

    def skip_review(self) -> None:
        person = self.draw.choice(self.reviewers)
        work = reviews.next_review(self.store, person, self.project.id).work
        if work is not None:
            reviews.skip_review(self.store, person, work.review.id)

    def decide_round(self) -> None:
        found = list_undecided(self.store, self.project.id, limit=20)
        if found:
            outcome = self.draw.choice(["accepted", "returned", "discarded"])
            decide_round(self.store, LOCAL_OPERATOR, self.draw.choice(found).annotation_id, outcome, "stuck")  # type: ignore[arg-type]

    def stay_away(self) -> None:
        """Longer than any lease, and than returned work and corrections wait for those who know them."""
        pass_time(self.store, days=self.project.settings.away_after_days + 1)

    def ask(self) -> None:
        """Whoever holds something asks the lead about it, and is answered now and then."""
        person, work = self.work()
        if work is not None:
            subject = talk.talk_of(self.store, person, self.project.id, work.instance.id).subjects[0]
            talk.begin(
                self.store, person, self.project.id, work.instance.id, subject, "Does “fine” count?", to_lead=True
            )  # fmt: skip

    def adjudicate(self) -> None:
        """The lead chooses or makes the gold of an instance, or takes that back."""
        rows = instances_of(self.store, LOCAL_OPERATOR, self.project.id)
        instance_id = self.draw.choice(rows).id
        annotations = annotations_of(self.store, [instance_id])[instance_id]
        match self.draw.choice(["choose", "make", "take back"]):
            case "choose" if annotations:
                choose_gold(self.store, LOCAL_OPERATOR, self.project, self.draw.choice(annotations).id, "the best")
            case "make":
                sets = (RationaleSet.of((0, 2)),)
                adjudicate(self.store, LOCAL_OPERATOR, self.project, instance_id, "positive", sets, "both are right")
            case _:
                take_choice_back(self.store, LOCAL_OPERATOR, self.project, instance_id)

    def look(self) -> None:
        """A lead looks at what others marked, and now and then gives back what they have in hand of it."""
        instance_id = self.draw.choice(instances_of(self.store, LOCAL_OPERATOR, self.project.id)).id
        gives_back = self.draw.choice([True, False])
        look_at(self.store, self.draw.choice(self.leads), self.project, instance_id, gives_back=gives_back)

    def open_by_address(self) -> None:
        """Somebody tries the addresses of a text and of its annotations, whatever they may do there."""
        instance_id = self.draw.choice(instances_of(self.store, LOCAL_OPERATOR, self.project.id)).id
        annotations = annotations_of(self.store, [instance_id])[instance_id]
        if annotations and self.draw.choice([True, False]):
            number = self.draw.choice(annotations).id
            reviews.next_review(self.store, self.draw.choice(self.reviewers), self.project.id, number)
        else:
            annotate_work.next_work(self.store, self.draw.choice(self.people), self.project.id, instance_id)

    def change_gold_in_perturb(self) -> None:
        """Somebody opens an original to write a changed version of it, and sees its gold."""
        person = self.draw.choice(self.people)
        original = versions.next_original(self.store, person, self.project.id)
        if original is not None:
            versions.open_original(self.store, person, original)

    def some(self) -> list[int]:
        ids = [row.id for row in instances_of(self.store, LOCAL_OPERATOR, self.project.id)]
        return self.draw.sample(ids, self.draw.randint(1, len(ids)))

    def change_many(self) -> None:
        """A lead discards or puts back some texts, gives some out again, moves some to another split."""
        made = [BulkChange("discard", reason="broken text"), BulkChange("put back"), BulkChange("give out")]
        moved = BulkChange("split", split=self.draw.choice(["", "dev"]))
        bulk_actions.change_many(
            self.store, LOCAL_OPERATOR, self.project, self.draw.choice([*made, made[1], moved]), self.some()
        )

    def name_people(self) -> None:
        people = self.draw.sample([person.name for person in self.people], self.draw.randint(0, 2))
        change = BulkChange("name", people=tuple(people), named_as=self.draw.choice(["only", "first"]))
        held = self.in_hand()
        bulk_actions.change_many(self.store, LOCAL_OPERATOR, self.project, change, self.some())
        assert self.in_hand() == held

    def undo_change(self) -> None:
        changes = bulk_actions.last_changes(self.store, LOCAL_OPERATOR, self.project, limit=3)
        held = self.in_hand()
        if changes:
            bulk_actions.undo(self.store, LOCAL_OPERATOR, self.project, self.draw.choice(changes).id)
        assert self.in_hand() == held

    def in_hand(self) -> list[tuple[int, ...]]:
        """What somebody holds, with whose lease has not run out."""
        rows = self.store.rows(
            """SELECT instance_id, user_id FROM assignments WHERE state IN ('leased', 'returned', 'proposed')
                AND (state = 'proposed' OR lease_until > ?) ORDER BY 1, 2""",
            (self.store.now(),),
        )
        return [tuple(row) for row in rows]

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
            reviewers_per_annotation=self.draw.choice([0, 1, 2, 2]),
            order=self.draw.choice(["random", "sequential"]),
        )
        self.project = change_project(self.store, LOCAL_OPERATOR, replace(self.project, settings=settings))

    def finish(self) -> None:
        """Everybody works on what they are given, and the lead decides, until nothing is left.

        What is only for people who cannot be given it any more the lead frees.
        """
        for _ in range(500):
            for proposal, _instance in open_proposals(self.store, LOCAL_OPERATOR, self.project.id):
                if proposal.id in {p.id for p, _ in open_proposals(self.store, LOCAL_OPERATOR, self.project.id)}:
                    decide(
                        self.store, LOCAL_OPERATOR, proposal.id, "relabel" if proposal.kind == "contest" else "discard"
                    )
            busy = [self.finish_one(person) for person in self.people]
            busy += [self.finish_review(person) for person in self.reviewers]
            project = find_project(self.store, self.project.name)
            gone = stuck_work(self.store, LOCAL_OPERATOR, project).for_the_gone
            busy += [
                bool(
                    gone
                    and bulk_actions.change_many(self.store, LOCAL_OPERATOR, project, BulkChange("name"), gone).action
                )
            ]
            if not any(busy):
                return
        pytest.fail("the work never ends")

    def finish_one(self, person: User) -> bool:
        work = annotate_work.next_work(self.store, person, self.project.id).work
        if work is not None:
            kept = replace(work.assignment.draft, result=None, no_rationale=False, unlocked=tuple(range(9)))
            draft = kept if kept.sets else Draft(None, (RationaleSet.of((0, 2)),))
            annotate_work.submit(self.store, person, work.assignment.id, work.assignment.revision, draft)
        return work is not None

    def finish_review(self, person: User) -> bool:
        work = reviews.next_review(self.store, person, self.project.id).work
        if work is not None:
            scores = Scores(tuple(SetScore(3, 4) for _ in work.annotation.sets), 3)
            reviews.submit_review(self.store, person, work.review.id, work.review.revision, scores)
        return work is not None


TEAMS: dict[str, dict[str, tuple[Role, ...]]] = {
    "each one thing": {f"{role}-{letter}": (role,) for role in ("annotator", "reviewer") for letter in "abc"},
    "both": {f"both-{letter}": ("annotator", "reviewer") for letter in "abcd"} | {"lead-a": ("lead",)},
    "two and a lead": {"both-a": ("annotator", "reviewer"), "both-b": ("annotator", "reviewer"), "lead-a": ("lead",)},
}


@pytest.mark.parametrize("team", TEAMS)
@pytest.mark.parametrize("seed", range(6))  # each order with 0, 1 and 2 reviewers
def test_after_any_steps_everything_is_in_order_and_can_be_finished(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: People, tmp_path: Path, team: str,
    seed: int,
) -> None:  # fmt: skip
    project = make_project(
        order="random" if seed % 2 else "sequential",
        annotators_per_instance=1 + seed % 3 // 2,
        reviewers_per_annotation=seed % 3,
    )
    import_rows(project, rows(0, 6))
    members = [add_person(name, project, *roles) for name, roles in TEAMS[team].items()]
    life = _life(store, project, members, TEAMS[team], import_rows, seed)
    for _ in range(90):
        life.step()
        assert check(store) == []
        assert_each_is_annotator_or_reviewer_of_a_text(store)
    _goes_out_and_in_again(store, find_project(store, project.name), TEAMS[team], tmp_path)
    life.finish()
    assert check(store) == []
    assert_each_is_annotator_or_reviewer_of_a_text(store)
    assert_finished(store, life)


def _life(
    store: Store, project: Project, members: list[User], team: Mapping[str, tuple[Role, ...]], import_rows: Rows, seed: int
) -> Life:  # fmt: skip
    def who_may(right: Right) -> list[User]:
        return [user for user in members if has_right(user, frozenset(team[user.name]), right)]

    return Life(
        store, project, who_may("annotate"), who_may("review"), import_rows, seed, who_may("see all annotations")
    )


def assert_each_is_annotator_or_reviewer_of_a_text(store: Store) -> None:
    """Nobody has both an annotation, or work in hand, and a review; and nobody was given a text after seeing others' sets of it."""
    both = store.rows(
        """SELECT key, users.name FROM reviews JOIN annotations ON annotations.id = reviews.annotation_id
            JOIN instances ON instances.id = instance_id JOIN users ON users.id = reviews.user_id
            WHERE EXISTS (SELECT 1 FROM annotations AS own WHERE own.instance_id = instances.id
                AND own.user_id = reviews.user_id AND own.state NOT IN ('withdrawn', 'reference'))
            OR EXISTS (SELECT 1 FROM assignments WHERE assignments.instance_id = instances.id
                AND assignments.user_id = reviews.user_id AND state IN ('leased', 'returned', 'submitted', 'proposed'))"""
    )
    given = store.rows(
        """SELECT key, users.name FROM assignments JOIN sets_shown USING (instance_id, user_id)
            JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id
            WHERE assignments.created_at > at AND NOT EXISTS (SELECT 1 FROM annotations
                WHERE annotations.id = follows_id AND annotations.user_id = assignments.user_id)"""
    )
    against_names = store.rows(
        """SELECT key, users.name FROM assignments JOIN instances ON instances.id = instance_id
            JOIN users ON users.id = user_id WHERE assignments.state = 'leased' AND named_as = 'only'
            AND NOT EXISTS (SELECT 1 FROM named_people WHERE instance_id = instances.id
                AND named_people.user_id = assignments.user_id)
            AND NOT EXISTS (SELECT 1 FROM annotations WHERE annotations.instance_id = instances.id
                AND annotations.user_id = assignments.user_id)"""  # what they handed in themselves they may open again
    )
    assert [tuple(row) for row in (*both, *given, *against_names)] == []


def assert_finished(store: Store, life: Life) -> None:
    """Nothing is open but what nobody may do any more, and that is told to the lead."""
    project = find_project(store, life.project.name)
    stuck = stuck_work(store, LOCAL_OPERATOR, project)
    open_ones = store.rows(
        """SELECT key, open_slots > 0 AND (SELECT count(DISTINCT user_id) FROM assignments
                WHERE instance_id = instances.id) < ?2 AS is_free, EXISTS (SELECT 1 FROM rounds
                WHERE rounds.instance_id = instances.id AND rounds.open_slots > 0
                AND annotation_id NOT IN (SELECT value FROM json_each(?3))) AS wants_scores
            FROM instances WHERE project_id = ?1 AND state NOT IN ('complete', 'discarded')
            AND id NOT IN (SELECT value FROM json_each(?4))""",
        (
            project.id, len(life.people), json.dumps(stuck.annotation_ids),
            json.dumps(texts_without_annotators(store, project.id, roles_with("annotate"))),
        ),
    )  # fmt: skip
    assert [row["key"] for row in open_ones if row["is_free"] or row["wants_scores"]] == []


def _goes_out_and_in_again(
    store: Store, project: Project, team: Mapping[str, tuple[Role, ...]], tmp_path: Path
) -> None:
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
        members = [get_user(other, name) for name in team]
        life = _life(other, copy, members, team, lambda *_: None, 0)  # type: ignore[arg-type,return-value]
        life.finish()
        assert check(other) == []
        assert_finished(other, life)
