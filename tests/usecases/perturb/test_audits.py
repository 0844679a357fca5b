"""Audits of accepted changed versions: drawn by a seed, judged by third people, and what becomes of the wrong ones."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.perturbations import ChangedText
from annotator.domain.project.audits import Drawing
from annotator.domain.projects import Project
from annotator.errors import Conflict, ImportRefused, InvalidValue, NotAllowed
from annotator.store import Store, open_store
from annotator.store.instances import find_instance_ids, get_instance, set_result
from annotator.store.perturb.perturbations import get_perturbation
from annotator.usecases.gold import gold_instances
from annotator.usecases.perturb import checks, versions
from annotator.usecases.perturb.audit_results import AuditResult, audits_of_project, csv_rows, remedy_wrong
from annotator.usecases.perturb.audits import ToAudit, count_to_audit, draw_audit, judge, next_to_audit, preview_drawing
from annotator.usecases.project.labels import replace_label
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.upkeep import check

TEXT = "The plot is slow but the acting is superb ."
ALL = Drawing(n=100, seed=3)
KINDS = ("dispensable", "dispensable", "dispensable", "syntax")


@pytest.fixture
def reviews(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project(name="Reviews")
    rows = [
        {"id": f"r{n}", "text": TEXT, "tokens": TEXT.split(), "label": "positive", "rationales": [[[6, 9]]]}
        for n in range(4)
    ]
    import_rows(made, rows, split="test")
    return made


@pytest.fixture
def people(reviews: Project, add_person: Callable[..., User]) -> dict[str, User]:
    names = {"Ann": "annotator", "Ben": "annotator", "Cem": "reviewer", "Dan": "annotator", "Eve": "reviewer"}
    return {name: add_person(name, reviews, role) for name, role in names.items()}


@pytest.fixture
def accepted(store: Store, reviews: Project, people: dict[str, User]) -> list[int]:
    """Four versions that Ann wrote and Ben and Cem approved; their numbers."""
    numbers = []
    for n, kind in enumerate(KINDS):
        changed = ChangedText(kind, {"text": TEXT.replace("superb", f"truly superb {n}")}, "positive")
        written = versions.hand_in(store, people["Ann"], find_instance_ids(store, reviews.id, f"r{n}")[0], changed)
        for checker in ("Ben", "Cem"):
            checks.approve(store, people[checker], written.id, 1)
        numbers.append(written.id)
    return numbers


@pytest.fixture
def audit(store: Store, reviews: Project, accepted: list[int]) -> int:
    return draw_audit(store, LOCAL_OPERATOR, reviews, ALL)


def result(store: Store, project: Project) -> AuditResult:
    return audits_of_project(store, LOCAL_OPERATOR, project)[0]


def take(store: Store, person: User, project: Project) -> ToAudit:
    shown = next_to_audit(store, person, project.id)
    assert shown is not None
    return shown


def say(store: Store, person: User, shown: ToAudit, *faults: str, comment: str = "") -> None:
    judge(
        store, person, shown.item.audit_id, shown.item.perturbation_id, shown.says, faults=faults, comment=comment  # type: ignore[arg-type]
    )  # fmt: skip


def judge_all(store: Store, person: User, project: Project, wrong: int = 0) -> list[int]:
    """The first so many are wrong; answers all in the order in which they came."""
    judged = []
    while (shown := next_to_audit(store, person, project.id)) is not None:
        say(store, person, shown, *(["result"] if len(judged) < wrong else []))
        judged.append(shown.item.perturbation_id)
    return judged


# --- drawing


def test_what_a_drawing_comes_to_is_said_before(store: Store, reviews: Project, accepted: list[int]) -> None:
    preview = preview_drawing(store, LOCAL_OPERATOR, reviews, Drawing(n=3, seed=1))
    assert (preview.n, preview.n_third, preview.n_unjudged) == (3, 2, 0)
    assert preview.bounds is not None
    # Wilson 1927 of 0.95 of 3, by hand: 0.6973 ± 0.3009
    assert (round(preview.bounds.low, 3), round(preview.bounds.high, 3)) == (0.396, 0.998)
    of_kinds = preview_drawing(store, LOCAL_OPERATOR, reviews, Drawing("of each kind", n=1))
    assert of_kinds.kinds == {"dispensable": (1, 3), "syntax": (1, 1)}
    share = preview_drawing(store, LOCAL_OPERATOR, reviews, Drawing("of each kind", n=None, percent=50))
    assert share.kinds == {"dispensable": (2, 3), "syntax": (1, 1)}
    assert preview_drawing(store, LOCAL_OPERATOR, reviews, Drawing(kinds=("syntax",))).kinds == {"syntax": (1, 1)}


def test_the_same_seed_draws_the_same_and_a_larger_sample_holds_the_smaller(
    store: Store, reviews: Project, accepted: list[int]
) -> None:
    drawn = []
    for n in (2, 2, 3):
        draw_audit(store, LOCAL_OPERATOR, reviews, Drawing(n=n, seed=5))
        drawn.append({version.item.perturbation_id for version in result(store, reviews).versions})
    assert drawn[0] == drawn[1] < drawn[2]


def test_too_few_third_people_are_said_before(store: Store, reviews: Project, accepted: list[int]) -> None:
    with store.transaction():
        store.run("DELETE FROM memberships WHERE user_id IN (SELECT id FROM users WHERE name IN ('Dan', 'Eve'))")
    preview = preview_drawing(store, LOCAL_OPERATOR, reviews, ALL)
    assert (preview.n, preview.n_third, preview.n_unjudged) == (4, 0, 4)


@pytest.mark.parametrize("wrong", [{"n": 0}, {"n": None}, {"n": None, "percent": 0}, {"n": 5, "percent": 5}])
def test_a_drawing_that_draws_nothing_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidValue):
        Drawing(**wrong)  # type: ignore[arg-type]


def test_without_accepted_versions_nothing_is_drawn(store: Store, reviews: Project) -> None:
    with pytest.raises(InvalidValue, match=r"No accepted perturbed versions of these types\."):
        draw_audit(store, LOCAL_OPERATOR, reviews, ALL)


def test_only_leads_draw_and_remedy(store: Store, reviews: Project, people: dict[str, User], audit: int) -> None:
    for refused in (
        lambda: draw_audit(store, people["Dan"], reviews, ALL),
        lambda: preview_drawing(store, people["Dan"], reviews, ALL),
        lambda: audits_of_project(store, people["Dan"], reviews),
        lambda: remedy_wrong(store, people["Dan"], reviews, audit, [], "discard"),
    ):
        with pytest.raises(NotAllowed):
            refused()


# --- judging


def test_only_third_people_judge_and_see_texts_results_and_the_kind(
    store: Store, reviews: Project, people: dict[str, User], audit: int
) -> None:
    for name in ("Ann", "Ben", "Cem"):
        assert next_to_audit(store, people[name], reviews.id) is None
        assert count_to_audit(store, people[name], reviews.id) == 0
    assert count_to_audit(store, people["Dan"], reviews.id) == 4
    shown = take(store, people["Dan"], reviews)
    assert (shown.before, shown.after, shown.kind.name) == ("positive", "positive", shown.item.kind)
    [(name, pieces)] = shown.segments
    assert name == "text"
    assert (pieces[0][0], pieces[0][1].strip()) == ("kept", "The plot is slow but the acting is")
    assert not {"Ann", "Ben", "Cem"} & {str(value) for value in (shown.before, shown.after, *shown.faults.values())}
    with pytest.raises(NotAllowed, match=r"You can't check your own work\."):
        say(store, people["Ben"], shown)


def test_the_share_is_told_by_kind_and_altogether_with_its_interval(
    store: Store, reviews: Project, people: dict[str, User], audit: int
) -> None:
    assert result(store, reviews).overall.share is None
    judge_all(store, people["Dan"], reviews, wrong=1)
    overall, *of_kinds = result(store, reviews).shares
    assert (overall.population, overall.n_drawn, overall.n_judged, overall.n_right) == (4, 4, 4, 3)
    # Wilson 1927 of 3 of 4, by hand
    assert (overall.share, round(overall.low or 0, 4), round(overall.high or 0, 4)) == (0.75, 0.3006, 0.9544)
    assert overall.words == "75.0 % right of 4 judged (95 % CI 30.1 % to 95.4 %)"
    assert [(share.kind, share.n_judged) for share in of_kinds] == [("dispensable", 3), ("syntax", 1)]
    assert sum(share.n_right for share in of_kinds) == 3
    rows = list(csv_rows(result(store, reviews)))
    assert [row["verdict"] for row in rows] == ["wrong", "right", "right", "right"]
    assert rows[0]["faults"] == "result"
    assert "Dan" not in str(rows)
    assert check(store) == []


def test_a_fault_must_be_one_of_the_kind_and_something_else_needs_a_comment(
    store: Store, reviews: Project, people: dict[str, User], audit: int
) -> None:
    shown = take(store, people["Dan"], reviews)
    assert "rationale" in shown.faults
    with pytest.raises(InvalidValue, match="isn't a condition of type '"):
        say(store, people["Dan"], shown, "spelling")
    with pytest.raises(InvalidValue, match="problem"):
        say(store, people["Dan"], shown, "other")
    say(store, people["Dan"], shown, "other", comment="It names a person.")


def test_two_people_at_once_get_different_versions(
    store: Store, reviews: Project, people: dict[str, User], audit: int, database: Path
) -> None:
    taken: list[int] = []

    def work(person: User) -> None:
        with open_store(database) as own:
            while (shown := next_to_audit(own, person, reviews.id)) is not None:
                taken.append(shown.item.perturbation_id)
                say(own, person, shown)

    threads = [threading.Thread(target=work, args=(people[name],)) for name in ("Dan", "Eve")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(set(taken))
    assert len(taken) == 4


def test_what_another_has_before_them_is_not_judged_by_a_link(
    store: Store, reviews: Project, people: dict[str, User], audit: int
) -> None:
    shown = take(store, people["Dan"], reviews)
    with pytest.raises(Conflict, match=r"This version is taken or discarded\. Go on with the next\."):
        say(store, people["Eve"], shown)
    say(store, people["Dan"], shown)
    with pytest.raises(Conflict, match=r"This version is taken or discarded\. Go on with the next\."):
        say(store, people["Dan"], shown)


def test_a_version_that_was_changed_while_it_is_judged_is_shown_again(
    store: Store, reviews: Project, people: dict[str, User], audit: int
) -> None:
    shown = take(store, people["Dan"], reviews)
    with store.transaction():
        set_result(store, shown.item.instance_id, "negative")
    with pytest.raises(Conflict, match=r"This has changed\. Reload and check it again\."):
        say(store, people["Dan"], shown)
    say(store, people["Dan"], take(store, people["Dan"], reviews))


# --- afterwards


def test_a_verdict_on_what_was_changed_since_is_out_of_date_and_judged_again(
    store: Store, reviews: Project, people: dict[str, User], audit: int
) -> None:
    judge_all(store, people["Dan"], reviews)
    changed = result(store, reviews).versions[0].item
    with store.transaction():
        set_result(store, changed.instance_id, "negative")
    overall = result(store, reviews).overall
    assert (overall.n_judged, overall.n_changed) == (3, 1)
    again = take(store, people["Eve"], reviews)
    assert again.item.perturbation_id == changed.perturbation_id
    say(store, people["Eve"], again, "result")
    overall = result(store, reviews).overall
    assert (overall.n_judged, overall.n_right, overall.n_changed) == (4, 3, 0)


def test_a_label_that_is_called_otherwise_leaves_verdicts_as_they_are(
    store: Store, reviews: Project, people: dict[str, User], audit: int
) -> None:
    judge_all(store, people["Dan"], reviews)
    replace_label(store, LOCAL_OPERATOR, reviews, "positive", "good")
    assert result(store, reviews).overall.n_changed == 0


def test_what_is_sent_back_leaves_the_data_set_tells_its_author_why_and_still_counts_as_wrong(
    store: Store, reviews: Project, people: dict[str, User], audit: int
) -> None:
    judge_all(store, people["Dan"], reviews, wrong=1)
    [wrong] = result(store, reviews).wrong
    assert remedy_wrong(store, LOCAL_OPERATOR, reviews, audit, [wrong.item.perturbation_id], "send back") == 1
    perturbation = get_perturbation(store, wrong.item.perturbation_id)
    assert (perturbation.state, perturbation.instance_id) == ("returned", None)
    assert [c.reason for c in perturbation.checks_of_current if c.verdict == "reject"] == [
        "its label or answer is wrong"
    ]
    assert get_instance(store, wrong.item.instance_id).state == "discarded"
    overall = result(store, reviews).overall
    assert (overall.n_judged, overall.n_right) == (4, 3)
    assert not result(store, reviews).wrong[0].is_in_data_set
    with pytest.raises(Conflict, match=r"This has changed\. Reload and check it again\."):
        remedy_wrong(store, LOCAL_OPERATOR, reviews, audit, [wrong.item.perturbation_id], "discard")
    relabelled = replace(perturbation.current.changed, result="negative")
    versions.revise(store, people["Ann"], perturbation.id, relabelled)
    for name in ("Dan", "Eve"):
        checks.approve(store, people[name], perturbation.id, 2)
    assert get_perturbation(store, perturbation.id).state == "approved"
    assert result(store, reviews).overall.n_right == 3, "the verdict was on the version that was drawn"
    assert check(store) == []


def test_what_is_discarded_has_no_gold_and_still_counts_as_wrong(
    store: Store, reviews: Project, people: dict[str, User], audit: int
) -> None:
    judge_all(store, people["Dan"], reviews, wrong=2)
    wrong = result(store, reviews).wrong
    before = [g.instance.id for g in gold_instances(store, reviews, "chosen")]
    assert remedy_wrong(store, LOCAL_OPERATOR, reviews, audit, [w.item.perturbation_id for w in wrong], "discard") == 2
    assert {get_instance(store, w.item.instance_id).state for w in wrong} == {"discarded"}
    assert [g.instance.id for g in gold_instances(store, reviews, "chosen")] == before, "originals keep their gold"
    assert (result(store, reviews).overall.n_judged, result(store, reviews).overall.n_right) == (4, 2)
    assert check(store) == []


def test_a_right_one_is_not_remedied(store: Store, reviews: Project, people: dict[str, User], audit: int) -> None:
    right = judge_all(store, people["Dan"], reviews)[0]
    before = list(store.connection.iterdump())
    with pytest.raises(Conflict, match=r"This has changed\. Reload and check it again\."):
        remedy_wrong(store, LOCAL_OPERATOR, reviews, audit, [right], "discard")
    assert list(store.connection.iterdump()) == before


def test_a_version_that_was_discarded_before_it_was_judged_is_passed_over(
    store: Store, reviews: Project, people: dict[str, User], audit: int
) -> None:
    gone = result(store, reviews).versions[0].item.instance_id
    with store.transaction():
        store.run("UPDATE instances SET state = 'discarded' WHERE id = ?", (gone,))
    assert len(judge_all(store, people["Dan"], reviews)) == 3
    assert [version.state for version in result(store, reviews).versions].count("gone") == 1


def test_a_restored_project_has_its_audits_with_their_verdicts(
    store: Store, reviews: Project, people: dict[str, User], audit: int, tmp_path: Path
) -> None:
    judge_all(store, people["Dan"], reviews, wrong=1)
    draw_audit(store, LOCAL_OPERATOR, reviews, Drawing("of each kind", n=1, kinds=("syntax",)))
    export_file(store, LOCAL_OPERATOR, reviews, "jsonl", tmp_path / "all.jsonl")
    restored = create_project(store, LOCAL_OPERATOR, "Restored", reviews.task, labels=reviews.labels)
    import_file(store, LOCAL_OPERATOR, restored, "jsonl", tmp_path / "all.jsonl")
    before, after = (audits_of_project(store, LOCAL_OPERATOR, project) for project in (reviews, restored))
    assert [replace(r.audit, id=0, project_id=0) for r in after] == [
        replace(r.audit, id=0, project_id=0) for r in before
    ]
    assert [r.shares for r in after] == [r.shares for r in before]
    assert [next(csv_rows(r))["faults"] for r in after] == ["", "result"]
    assert check(store) == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"place": 7}, "unknown instance"),
        ({"judged_at": None}, "A verdict needs auditor, is_right, texts and judged_at"),
        ({"faults": ["result"]}, "Faults are for wrong verdicts only, and required there."),
        ({"faults": ["spelling"]}, "spelling"),
    ],
)
def test_an_audit_that_does_not_fit_is_refused_with_its_line(
    store: Store,
    reviews: Project,
    people: dict[str, User],
    audit: int,
    tmp_path: Path,
    changes: dict[str, object],
    reason: str,
) -> None:
    judge_all(store, people["Dan"], reviews)
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, reviews, "jsonl", path)
    records = [json.loads(line) for line in path.read_text().splitlines()]
    [audited] = [record for record in records if record["record"] == "audit"]
    audited["items"][0] |= changes
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    restored = create_project(store, LOCAL_OPERATOR, "Restored", reviews.task, labels=reviews.labels)
    with pytest.raises(ImportRefused) as refused:
        import_file(store, LOCAL_OPERATOR, restored, "jsonl", path)
    assert any(reason in str(problem) for problem in refused.value.problems)


def test_the_check_finds_a_verdict_by_somebody_who_had_a_part(
    store: Store, reviews: Project, people: dict[str, User], audit: int
) -> None:
    judge_all(store, people["Dan"], reviews)
    assert check(store) == []
    with store.transaction():
        store.run("UPDATE audit_items SET auditor = ? WHERE position = 0", (people["Ann"].id,))
    assert [line.split("'")[1] for line in check(store)] == ["Ann"]
