"""Changed versions: written, looked at, handed in, checked by two others, corrected, sent back, and what they become."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.perturbations import ChangedText, Perturbation
from annotator.domain.projects import Project
from annotator.errors import Conflict, ImportRefused, InvalidAnnotation, InvalidValue, NotAllowed, NotFound
from annotator.language import speaking
from annotator.store import Store
from annotator.store.instances import find_instance_ids, get_instance, splittable_rows
from annotator.store.measurements import partners_of
from annotator.store.people import set_disabled
from annotator.store.perturb import originals as originals_store
from annotator.store.perturb import perturbations as perturbations_store
from annotator.store.transfer import export_sources
from annotator.usecases.annotate.work import next_work
from annotator.usecases.lead.timeline import Relative, original_of, timeline, versions_of
from annotator.usecases.notices.notices import sentence, unread
from annotator.usecases.perturb import checks, versions
from annotator.usecases.perturb import panel_messages as messages
from annotator.usecases.perturb.version_draft import staleness
from annotator.usecases.project.projects import change_project
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.upkeep import check
from tests.clock import let_no_moment_be_twice
from tests.usecases.perturb.conftest import TEXT, approve, change, original


def test_the_sets_of_the_original_are_proposed_in_the_changed_text(
    store: Store, reviews: Project, people: dict[str, User]
) -> None:
    look = versions.assess_version(store, people["Ann"], original(store, reviews), change())
    tokens = look.after.segments[0].body.tokens()
    assert tokens == ["The", "plot", "is", "slow", "but", "the", "acting", "is", "truly", "superb", "."]
    # A dispensable word that was inserted among the tokens of a set is no reason, so it is not proposed.
    assert [[tokens[i] for i in one.token_indices] for one in look.carried.sets] == [
        ["acting", "is", "superb"],
        ["superb"],
    ]
    assert (look.change.n_edited, look.change.n_edited_inside(look.gold.sets), look.problems) == (1, 1, ())


def test_what_is_written_is_kept_as_a_draft_at_every_look(
    store: Store, reviews: Project, people: dict[str, User]
) -> None:
    draft = change(result=None)
    versions.assess_version(store, people["Ann"], original(store, reviews), draft)
    assert versions.open_original(store, people["Ann"], original(store, reviews)).draft == draft
    assert versions.open_original(store, people["Ben"], original(store, reviews)).draft is None
    versions.hand_in(store, people["Ann"], original(store, reviews), change())
    assert versions.open_original(store, people["Ann"], original(store, reviews)).draft is None


def test_a_version_that_was_written_elsewhere_leaves_the_draft_as_it_is(
    store: Store, reviews: Project, people: dict[str, User]
) -> None:
    number = original(store, reviews)
    versions.assess_version(store, people["Ann"], number, change("The plot is fast ."))
    versions.hand_in(store, people["Ann"], number, change(), keeps_draft=True)
    draft = versions.open_original(store, people["Ann"], number).draft
    assert draft is not None
    assert draft.texts == {"text": "The plot is fast ."}


def test_what_is_sent_again_since_its_answer_was_lost_is_no_second_version(
    store: Store, reviews: Project, people: dict[str, User]
) -> None:
    number = original(store, reviews)
    first = versions.hand_in(store, people["Ann"], number, change())
    assert versions.hand_in(store, people["Ann"], number, change()).id == first.id
    with pytest.raises(InvalidValue, match="has the same text"):
        versions.hand_in(store, people["Ben"], number, change())
    versions.withdraw(store, people["Ann"], first.id)
    assert versions.hand_in(store, people["Ann"], number, change()).id != first.id


def test_what_two_others_approve_enters_annotation_linked_to_its_original(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation
) -> None:
    assert approve(store, people["Ben"], written).state == "waiting"
    approved = approve(store, people["Cem"], written)
    assert approved.state == "approved"
    instance = get_instance(store, approved.instance_id or 0)
    assert (instance.key, instance.parent_key, instance.perturbation_kind) == ("r0~dispensable", "r0", "dispensable")
    assert (instance.result, instance.state, instance.split) == (
        "positive",
        "open",
        get_instance(store, written.original_id).split,
    )
    assert instance.segments[0].body.tokens() == [
        "The",
        "plot",
        "is",
        "slow",
        "but",
        "the",
        "acting",
        "is",
        "truly",
        "superb",
        ".",
    ]
    assert originals_store.children_of(store, written.original_id) == [instance.id]
    work = next_work(store, people["Ben"], reviews.id, instance.id).work
    assert work is not None
    assert work.instance.id == instance.id
    assert check(store) == []


def test_two_versions_of_one_kind_get_keys_of_their_own(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation
) -> None:
    other = versions.hand_in(
        store, people["Ann"], written.original_id, change("The plot is slow but the acting is superb !")
    )
    for one in (written, other):
        approve(store, people["Ben"], one)
        approve(store, people["Lea"], one)
    keys = [get_instance(store, child).key for child in originals_store.children_of(store, written.original_id)]
    assert keys == ["r0~dispensable", "r0~dispensable-2"]


def test_nobody_checks_their_own_words_or_checks_twice(
    store: Store, people: dict[str, User], written: Perturbation
) -> None:
    with pytest.raises(NotAllowed, match=r"You can't check your own work\."):
        approve(store, people["Ann"], written)
    approve(store, people["Ben"], written)
    with pytest.raises(Conflict, match=r"You've already checked this version\."):
        approve(store, people["Ben"], written)
    with pytest.raises(NotAllowed, match=r"Your role doesn't allow this\. Ask a lead\."):
        approve(store, people["Ria"], written)
    assert perturbations_store.get_perturbation(store, written.id).state == "waiting"


def test_the_next_to_check_is_neither_ones_own_nor_checked_already(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation
) -> None:
    assert checks.next_to_check(store, people["Ann"], reviews.id) is None
    found = checks.next_to_check(store, people["Ben"], reviews.id)
    assert found is not None
    assert found.perturbation.id == written.id
    approve(store, people["Ben"], written)
    assert checks.next_to_check(store, people["Ben"], reviews.id) is None
    assert checks.next_to_check(store, people["Cem"], reviews.id, after=written.id) is not None


def test_a_correction_is_a_new_version_and_restarts_the_checking(
    store: Store, people: dict[str, User], written: Perturbation
) -> None:
    approve(store, people["Ben"], written)
    better = change("The plot is slow but the acting is quite superb .")
    corrected = checks.correct(store, people["Cem"], written.id, 1, better, "truly is more than a filler")
    assert (corrected.state, corrected.current.number, corrected.current.made_by_name) == ("waiting", 2, "Cem")
    assert [version.changed.texts["text"] for version in corrected.versions] == [
        change().texts["text"],
        better.texts["text"],
    ]
    assert corrected.current.reason == "truly is more than a filler"
    with pytest.raises(NotAllowed, match="own work"):
        approve(store, people["Cem"], written)
    assert approve(store, people["Ben"], written).state == "waiting"
    assert approve(store, people["Ann"], written).state == "approved"  # the author may check what another one corrected


def test_one_rejection_sends_it_back_with_its_reason_and_the_author_writes_it_anew(
    store: Store, people: dict[str, User], written: Perturbation
) -> None:
    approve(store, people["Ben"], written)
    with pytest.raises(InvalidValue, match=r"Say briefly why\."):
        checks.reject(store, people["Cem"], written.id, 1, " ")
    returned = checks.reject(store, people["Cem"], written.id, 1, "changes the meaning")
    assert (returned.state, returned.checks[-1].reason) == ("returned", "changes the meaning")
    lines_of = {name: [sentence(group) for group in unread(store, person)] for name, person in people.items()}
    assert {name: lines for name, lines in lines_of.items() if lines} == {
        "Ann": ["1 of your perturbed versions was returned"]
    }
    with pytest.raises(NotAllowed, match=r"Only its author can change this\."):
        versions.revise(store, people["Ben"], written.id, change())
    again = versions.revise(store, people["Ann"], written.id, change("The plot is slow but its acting is superb ."))
    assert (again.state, again.current.number) == ("waiting", 2)
    approve(store, people["Cem"], again)
    assert approve(store, people["Lea"], again).state == "approved"


def test_a_check_of_a_version_that_was_replaced_meanwhile_is_refused(
    store: Store, people: dict[str, User], written: Perturbation
) -> None:
    checks.correct(store, people["Cem"], written.id, 1, change("The plot is slow , the acting is superb ."), "shorter")
    with pytest.raises(Conflict, match=r"This has changed\. Reload and check it again\."):
        checks.approve(store, people["Ben"], written.id, 1)


def test_without_checkers_it_is_an_instance_at_once(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:
    alone = make_project(name="Alone", checkers_per_perturbation=0)
    import_rows(alone, [{"id": "r0", "text": TEXT, "label": "positive", "rationales": [[[8, 9]]]}])
    one = versions.hand_in(store, add_person("Ann", alone, "annotator"), original(store, alone), change())
    assert one.state == "approved"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (change(TEXT), "Nothing has changed, white space aside."),
        (change(TEXT.replace(" ", "  ")), "Nothing has changed, white space aside."),
        (change(result=None), "Choose the label"),
        (change(result="superb"), r"isn't a project label \(negative, positive\)"),
        (change(kind="magic"), "Unknown perturbation type 'magic'. Available:"),
        (ChangedText("contrast", {"title": "x"}, "negative"), r"Unknown name 'title'\. Available: text\."),
        (change("x" * 200_001), "has at most 200,000 characters."),
        (change("a \ud800 b"), "surrogate|character"),
    ],
)
def test_what_cannot_be_handed_in_is_refused_with_the_reason(
    store: Store, reviews: Project, people: dict[str, User], changed: ChangedText, said: str
) -> None:
    with pytest.raises(InvalidValue, match=said):
        versions.hand_in(store, people["Ann"], original(store, reviews), changed)
    assert perturbations_store.perturbations_of(store, original(store, reviews)) == []


def test_a_version_that_a_checker_corrected_names_both_in_its_instance(
    store: Store, people: dict[str, User], written: Perturbation
) -> None:
    better = change("The plot is slow but the acting is really superb .")
    checks.correct(store, people["Ben"], written.id, 1, better, "a better word")
    for name in ("Ann", "Cem"):
        one = approve(store, people[name], written)
    assert get_instance(store, one.instance_id or 0).metadata == {"author": "Ann", "corrected_by": ["Ben"]}


def test_what_was_rejected_is_not_submitted_again_unchanged_but_with_an_answer_in_the_note(
    store: Store, people: dict[str, User], written: Perturbation
) -> None:
    checks.reject(store, people["Ben"], written.id, 1, "why?")
    for same in (change(), change("The plot is  slow but the acting is truly superb . ")):
        with pytest.raises(InvalidValue, match=r"Change something, or reply in the note\."):
            versions.revise(store, people["Ann"], written.id, same)
    answered = replace(change(), note="Because nothing else is said.")
    assert versions.revise(store, people["Ann"], written.id, answered).state == "waiting"


def test_mine_lists_drafts_also_of_texts_of_which_somebody_else_has_submitted_a_version(
    store: Store, reviews: Project, people: dict[str, User]
) -> None:
    found = original(store, reviews)
    versions.assess_version(store, people["Ann"], found, change(result=None))
    versions.hand_in(store, people["Ben"], found, change("The plot is fast but the acting is superb ."))
    mine = messages.show_mine(store, people["Ann"], reviews.id, 1)
    assert (mine.rows, mine.page, mine.pages) == ((), 1, 0)
    [draft] = mine.drafts
    assert (draft.id, draft.key, draft.kind, draft.result) == (found, "r0", "dispensable", None)
    assert messages.show_mine(store, people["Ben"], reviews.id, 1).drafts == ()
    versions.hand_in(store, people["Ann"], found, change())
    mine = messages.show_mine(store, people["Ann"], reviews.id, 1)
    assert (mine.drafts, len(mine.rows), mine.pages) == ((), 1, 1)


def test_mine_shows_what_each_version_and_draft_has_otherwise_than_the_original(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation
) -> None:
    checks.reject(store, people["Ben"], written.id, 1, "why?")
    versions.assess_version(store, people["Ann"], written.original_id, change(""))
    mine = messages.show_mine(store, people["Ann"], reviews.id, 1)
    assert mine.rows[0].changes == {
        "text": [
            ("kept", "The plot is slow but the acting is", "The plot is slow but the acting is"),
            ("inserted", "", " truly"),
            ("kept", " superb .", " superb ."),
        ]
    }
    assert mine.drafts[0].changes == {"text": [("deleted", TEXT, "")]}


def test_a_lead_is_led_from_an_original_to_its_versions_and_back(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation
) -> None:
    lea, text = people["Lea"], get_instance(store, written.original_id)
    assert original_of(store, lea, reviews, text) is None
    told = ("Dispensable words", "positive")
    assert versions_of(store, lea, reviews, text) == [Relative("", *told, "being checked", None, written.id)]
    with speaking("zh"):
        assert [version.kind for version in versions_of(store, lea, reviews, text)] == ["非关键词"]
    for name in ("Ben", "Cem"):
        done = approve(store, people[name], written)
    assert done.instance_id is not None
    found = Relative("r0~dispensable", *told, "approved, open", done.instance_id, written.id)
    assert versions_of(store, lea, reviews, text) == [found]
    version = get_instance(store, done.instance_id)
    assert original_of(store, lea, reviews, version) == Relative("r0", *told, "complete", text.id)
    for asked in (original_of, versions_of):
        with pytest.raises(NotAllowed):
            asked(store, people["Ann"], reviews, version)


@pytest.fixture
def of_two_splits(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Two texts of one key, in train and in test, and a changed version of the one in test."""
    made = make_project(name="Two splits")
    row = {"id": "k", "text": TEXT, "tokens": TEXT.split(), "label": "positive", "rationales": [[[8, 9]]]}
    changed = {"id": "k~1", "parent": "k", "perturbation_kind": "dispensable", "text": "Superb .", "label": "positive"}
    import_rows(made, [row | {"split": "train"}, row | {"split": "test"}, changed | {"split": "test"}])
    return made


def test_where_keys_repeat_between_splits_a_changed_version_belongs_to_the_original_of_its_own_split(
    store: Store, of_two_splits: Project, add_person: Callable[..., User]
) -> None:
    lea, ann = add_person("Lea", of_two_splits, "lead"), add_person("Ann", of_two_splits, "annotator")
    train, test = find_instance_ids(store, of_two_splits.id, "k")
    (version,) = find_instance_ids(store, of_two_splits.id, "k~1")
    led_to = [
        [one.instance_id for one in versions_of(store, lea, of_two_splits, get_instance(store, of_one))]
        for of_one in (train, test)
    ]
    assert led_to == [[], [version]]
    listed = messages.show_originals(store, ann, of_two_splits.id, "", 1, is_without=False).rows
    assert [(row.id, row.n_there) for row in listed] == [(train, 0), (test, 1)]
    assert versions.next_original(store, ann, of_two_splits.id) == train
    assert [[row[0] for row in partners_of(store, one)] for one in (train, test, version)] == [[], [version], [test]]
    assert [row[2] for row in splittable_rows(store, of_two_splits.id)] == [None, None, test]


def test_ones_own_draft_is_marked_in_the_list_and_can_be_discarded(
    store: Store, reviews: Project, people: dict[str, User]
) -> None:
    found = original(store, reviews)

    def begun(name: str) -> list[bool]:
        rows = messages.show_originals(store, people[name], reviews.id, "", 1, is_without=True).rows
        return [row.has_draft for row in rows if row.id == found]

    for name in ("Ann", "Ben"):
        versions.assess_version(store, people[name], found, change(result=None))
    versions.discard_draft(store, people["Ann"], found)
    assert (begun("Ann"), begun("Ben")) == ([False], [True])
    assert versions.open_original(store, people["Ann"], found).draft is None
    with pytest.raises(NotAllowed):
        versions.discard_draft(store, people["Ria"], found)


def test_two_authors_with_the_same_text_are_one_too_many(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation
) -> None:
    spaced = change("The plot is slow  but the acting is truly superb .\n")
    for same in (change(), spaced):
        with pytest.raises(InvalidValue, match="Another perturbed version of this original has the same text"):
            versions.hand_in(store, people["Ben"], written.original_id, same)
    approve(store, people["Ben"], written)
    approve(store, people["Cem"], written)
    for same in (change(), spaced):
        with pytest.raises(InvalidValue, match="'r0~dispensable' has the same text"):
            versions.hand_in(store, people["Ben"], written.original_id, same)


@pytest.mark.parametrize("text", ["", " \n "])
def test_a_version_in_which_nothing_is_left_is_refused_however_often_it_is_submitted(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation, text: str
) -> None:
    with pytest.raises(InvalidValue, match=r"'text' is empty\. Write its text\."):
        versions.hand_in(store, people["Ann"], original(store, reviews), change(text), may_be_empty=True)
    with pytest.raises(InvalidValue, match=r"'text' is empty\. Write its text\."):
        versions.revise(store, people["Ann"], written.id, change(text), may_be_empty=True)
    with pytest.raises(InvalidValue, match=r"'text' is empty\. Write its text\."):
        checks.correct(store, people["Ben"], written.id, 1, change(text), "shorter", may_be_empty=True)


def test_a_segment_that_the_task_lets_be_empty_may_be_emptied(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:
    reading = make_project(name="Reading", task="reading", checkers_per_perturbation=1)
    texts = {"passage": "Ada wrote.", "title": "Ada", "question": "Who?"}
    import_rows(reading, [{"id": "q", "answer": "Ada", **texts}])
    rea, lou = add_person("Rea", reading, "lead"), add_person("Lou", reading, "lead")
    found = original(store, reading, "q")
    one = versions.hand_in(store, rea, found, ChangedText("dispensable", {**texts, "title": ""}, "Ada"))
    assert approve(store, lou, one).state == "approved"
    assert check(store) == []
    with pytest.raises(InvalidValue, match=r"'question' is empty\. Write its text\."):
        versions.hand_in(store, rea, found, ChangedText("dispensable", {**texts, "question": ""}, "Ada"))


def emptied(store: Store, one: Perturbation) -> None:
    """As an older program stored it."""
    with store.transaction():
        store.run("UPDATE perturbation_versions SET texts = ? WHERE perturbation_id = ?", ('{"text": ""}', one.id))


def test_an_empty_version_of_an_older_database_is_not_approved_and_an_instance_of_it_is_named_by_the_check(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation
) -> None:
    emptied(store, written)
    with pytest.raises(InvalidValue, match=r"'text' is empty\. Reject or correct it\."):
        approve(store, people["Ben"], written)
    assert perturbations_store.get_perturbation(store, written.id).checks == ()
    change_project(
        store, LOCAL_OPERATOR, replace(reviews, settings=replace(reviews.settings, checkers_per_perturbation=0))
    )
    assert perturbations_store.get_perturbation(store, written.id).state == "waiting"
    assert check(store) == []
    with store.transaction():
        store.run(
            """INSERT INTO documents (project_id, text, n_tokens, token_offsets, sentence_starts, fingerprint)
            VALUES (?, '', 0, x'', x'', zeroblob(16))""",
            (reviews.id,),
        )
        store.run(
            "UPDATE segments SET document_id = (SELECT max(id) FROM documents) WHERE instance_id = ?",
            (written.original_id,),
        )
    assert any(said.startswith("Instance 'r0' has no text in its segment 'text'") for said in check(store))


def test_an_edit_that_deletes_every_rationale_is_said_and_taken_when_it_is_meant(
    store: Store, reviews: Project, people: dict[str, User]
) -> None:
    text = "The plot is slow ."
    with pytest.raises(InvalidAnnotation, match=r"No rationale tokens are left: no set proposed\.") as refused:
        versions.hand_in(store, people["Ann"], original(store, reviews), change(text))
    assert refused.value.is_warning
    one = versions.hand_in(store, people["Ann"], original(store, reviews), change(text), may_be_empty=True)
    assert one.state == "waiting"
    approve(store, people["Ben"], one)
    assert approve(store, people["Cem"], one).state == "approved"


def test_a_changed_version_of_a_changed_version_is_refused(
    store: Store, people: dict[str, User], written: Perturbation
) -> None:
    approve(store, people["Ben"], written)
    child = approve(store, people["Cem"], written).instance_id or 0
    with pytest.raises(Conflict, match=r"is a perturbed version\. Perturb the original 'r0'\."):
        versions.open_original(store, people["Ann"], child)


def test_gold_of_what_is_still_annotated_is_shown_to_leads_alone(
    store: Store, reviews: Project, people: dict[str, User]
) -> None:
    still_open = original(store, reviews, "open")
    with pytest.raises(Conflict, match="isn't finished yet"):
        versions.open_original(store, people["Ann"], still_open)
    assert versions.open_original(store, people["Lea"], still_open).gold.sets == ()
    for refused in (people["Ria"], people["Cem"]):
        with pytest.raises(
            NotAllowed,
            match=rf"{refused.name} can't annotate in 'Reviews'\. A lead of the project \(Lea\) can grant a role \(annotator or lead\)\.",
        ):
            versions.open_original(store, refused, original(store, reviews))
    with pytest.raises(NotFound):
        versions.open_original(store, User(99, "Nobody"), original(store, reviews))


def test_the_next_original_is_one_without_a_changed_version(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation
) -> None:
    found = versions.next_original(store, people["Ann"], reviews.id)
    assert found == original(store, reviews, "r1")
    assert versions.next_original(store, people["Ann"], reviews.id, after=original(store, reviews, "r2")) == found
    versions.withdraw(store, people["Ann"], written.id)
    assert versions.next_original(store, people["Ann"], reviews.id) == written.original_id
    assert versions.next_original(store, people["Lea"], reviews.id, after=original(store, reviews, "r2")) == original(
        store, reviews, "open"
    )


def test_a_version_is_stale_when_its_original_or_the_gold_changed_and_nothing_is_lost(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation, import_rows: Callable[..., object]
) -> None:
    assert staleness(store, reviews, written) == ()
    row = {"id": "r0", "text": TEXT, "tokens": TEXT.split(), "label": "positive", "rationales": [[[1, 4]]]}
    import_rows(reviews, [row], update=True)
    assert any("gold sets" in said for said in staleness(store, reviews, written))
    found = checks.next_to_check(store, people["Ben"], reviews.id)
    assert found is not None
    assert found.stale
    again = versions.revise(store, people["Ann"], written.id, change("The plot is slow but her acting is superb ."))
    assert staleness(store, reviews, again) == ()
    assert len(again.versions) == 2


def test_only_what_is_not_approved_is_withdrawn_and_not_by_other_annotators(
    store: Store, people: dict[str, User], written: Perturbation
) -> None:
    with pytest.raises(NotAllowed, match=r"Only its author can change this\."):
        versions.withdraw(store, people["Ben"], written.id)
    approve(store, people["Ben"], written)
    approve(store, people["Cem"], written)
    with pytest.raises(Conflict, match="is approved"):
        versions.withdraw(store, people["Ann"], written.id)


def test_one_side_of_a_pair_may_stay_as_it_is(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:
    pairs = make_project(task="similarity", name="Pairs", checkers_per_perturbation=0)
    import_rows(
        pairs,
        [
            {
                "id": "p",
                "sentence1": "A dog runs",
                "sentence2": "A cat sleeps",
                "label": "negative",
                "rationales": [[{"segment": "sentence1", "start_token": 1, "end_token": 2}]],
            }
        ],
    )
    ann = add_person("Ann", pairs, "annotator")
    one = versions.hand_in(
        store, ann, original(store, pairs, "p"), ChangedText("important", {"sentence2": "A wolf runs"}, "positive")
    )
    texts = {s.name: s.body.text for s in get_instance(store, one.instance_id or 0).segments}
    assert texts == {"sentence1": "A dog runs", "sentence2": "A wolf runs"}


def test_a_source_s_own_tokens_stay_where_the_text_stays(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:
    """Chinese words and a blank, as a source brought them; our own tokens of Chinese are single characters."""
    chinese = make_project(name="Chinese")
    tokens = ["手机", " ", "非常", "好用", "，", "喜欢"]
    import_rows(
        chinese,
        [
            {
                "id": "r0",
                "text": "".join(tokens),
                "tokens": tokens,
                "language": "zh",
                "label": "positive",
                "rationales": [[[2, 4]]],
            }
        ],
    )
    ann = add_person("Ann", chinese, "annotator")
    look = versions.assess_version(
        store, ann, original(store, chinese), change("手机 真的非常好用，不喜欢", kind="logic")
    )
    assert look.after.segments[0].body.tokens() == ["手机", " ", "真", "的", "非常", "好用", "，", "不", "喜欢"]
    assert [one.token_indices for one in look.carried.sets] == [(4, 5)]


def test_suggestions_are_of_the_text_as_it_is_now(store: Store, reviews: Project, people: dict[str, User]) -> None:
    found = versions.suggestions_for(
        store, people["Ann"], original(store, reviews), "text", "It isn't good.", "robustness", 0
    )
    assert any("isn't → is not" in one.why for one in found)
    with pytest.raises(NotFound, match=r"The original has no segment 'title'\."):
        versions.suggestions_for(store, people["Ann"], original(store, reviews), "title", "x", "robustness", 0)


def test_a_reading_task_is_offered_no_praise_of_its_passage_or_question(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:
    project = make_project("reading")
    import_rows(project, [{"id": "r1", "passage": "It opened in 1915.", "question": "When?", "answer": "1915"}])
    lea = add_person("Lea", project, "lead")
    found = versions.suggestions_for(store, lea, 1, "question", "When did it open?", "vocabulary", 0)
    assert not {"add_praise", "add_blame"} & {one.maker for one in found}


def test_a_full_export_holds_every_version_and_check_and_reads_back(
    store: Store,
    reviews: Project,
    people: dict[str, User],
    written: Perturbation,
    tmp_path: Path,
    make_project: Callable[..., Project],
) -> None:
    checks.correct(store, people["Cem"], written.id, 1, change("The plot is slow , the acting is superb ."), "shorter")
    approve(store, people["Ben"], written)
    approve(store, people["Ann"], written)
    versions.hand_in(store, people["Ann"], original(store, reviews, "r1"), change())
    export_file(store, LOCAL_OPERATOR, reviews, "jsonl", tmp_path / "all.jsonl")
    copy = make_project(name="Copy")
    import_file(store, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl")
    assert list(export_sources.perturbations_as_sources(store, copy.id)) == list(
        export_sources.perturbations_as_sources(store, reviews.id)
    )
    (restored,) = perturbations_store.perturbations_of(store, original(store, copy))
    assert (restored.state, len(restored.versions), len(restored.checks)) == ("approved", 2, 3)
    assert staleness(store, copy, restored) == ()


def test_the_history_in_a_copy_names_the_copy_s_own_numbers(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation, tmp_path: Path,
    make_project: Callable[..., Project],
) -> None:  # fmt: skip
    approve(store, people["Ben"], written)
    approved = approve(store, people["Cem"], written)
    export_file(store, LOCAL_OPERATOR, reviews, "jsonl", tmp_path / "all.jsonl")
    copy = make_project(name="Copy")
    import_file(store, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl")
    (restored,) = perturbations_store.perturbations_of(store, original(store, copy))
    assert restored.id != approved.id
    told = [moment.what for moment in timeline(store, LOCAL_OPERATOR, copy, original(store, copy))]
    assert f"accepted version no. {restored.id}: instance {restored.instance_id}" in told
    assert not any(f"no. {approved.id}" in what for what in told)


def test_synonyms_come_from_the_project_s_own_word_list(
    store: Store, reviews: Project, people: dict[str, User]
) -> None:
    save_word_list(store, people["Lea"], reviews, "synonyms", ["superb | splendid | brilliant"])
    found = versions.suggestions_for(store, people["Ann"], original(store, reviews), "text", TEXT, "important", 0)
    replaced = {edit.replacement for one in found for edit in one.edits if TEXT[edit.start : edit.end] == "superb"}
    assert {"splendid", "brilliant"} <= replaced


def test_a_kind_of_the_projects_own_stays_while_versions_of_it_wait(
    store: Store, reviews: Project, people: dict[str, User]
) -> None:
    def with_kinds(*names: str) -> Project:
        return replace(reviews, settings=replace(reviews.settings, own_perturbation_kinds=names))

    change_project(store, people["Lea"], with_kinds("irony"))
    one = versions.hand_in(store, people["Ann"], original(store, reviews), change(kind="irony"))
    with pytest.raises(
        InvalidValue, match=r"Can't remove type 'irony': decide its 1 pending perturbed version first\."
    ):
        change_project(store, people["Lea"], with_kinds())
    versions.withdraw(store, people["Ann"], one.id)
    change_project(store, people["Lea"], with_kinds("sarcasm"))


def test_the_history_of_an_original_tells_of_its_changed_versions(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation
) -> None:
    let_no_moment_be_twice(store)
    better = change("The plot is slow but the acting is quite superb .")
    checks.correct(store, people["Cem"], written.id, 1, better, "calmer")
    checks.reject(store, people["Ben"], written.id, 2, "still a filler")
    versions.revise(store, people["Ann"], written.id, change("The plot is slow , the acting superb ."))
    for name in ("Ben", "Cem"):
        approve(store, people[name], written)
    number = perturbations_store.get_perturbation(store, written.id).instance_id
    moments = timeline(store, people["Lea"], reviews, written.original_id)
    assert [f"{moment.who} {moment.what}" for moment in moments if moment.who != "gold"] == [
        "Ann wrote version no. 1 of the text (dispensable)",
        "Cem corrected version no. 1 (v1) (calmer)",
        "Ben returned version no. 1 (v2) to its author (still a filler)",
        "Ann revised version no. 1, now v3",
        "Ben approved version no. 1 (v3)",
        "Cem approved version no. 1 (v3)",
        f"Cem accepted version no. 1: instance {number}",
    ]
    other = versions.hand_in(store, people["Ann"], written.original_id, change("So the acting is superb ."))
    versions.withdraw(store, people["Ann"], other.id)
    assert timeline(store, people["Lea"], reviews, written.original_id)[-1].what == "withdrew version no. 2"


def test_a_check_shows_no_gold_that_annotators_are_still_to_find(
    store: Store, reviews: Project, people: dict[str, User]
) -> None:
    """A lead may write of an original that is still annotated; the version waits for its checkers until that is complete."""
    early = ChangedText("contrast", {"text": "Bright."}, "positive")
    one = versions.hand_in(store, people["Lea"], original(store, reviews, "open"), early)
    assert checks.next_to_check(store, people["Ann"], reviews.id) is None
    for refused in (
        lambda: checks.open_check(store, people["Ann"], one.id),
        lambda: checks.assess_correction(store, people["Ann"], one.id, early),
        lambda: checks.approve(store, people["Ann"], one.id, 1),
    ):
        with pytest.raises(Conflict, match=r"isn't finished yet\. Come back later\."):
            refused()


def test_what_is_decided_is_shown_again_only_to_those_who_had_a_part_in_it(
    store: Store, people: dict[str, User], reviews: Project, add_person: Callable[..., User], written: Perturbation
) -> None:
    approve(store, people["Ben"], written)
    approve(store, people["Cem"], written)
    assert checks.open_check(store, people["Ben"], written.id).perturbation.state == "approved"
    assert checks.open_check(store, people["Ann"], written.id).perturbation.id == written.id
    with pytest.raises(Conflict, match=r"Nothing left to check here\."):
        checks.open_check(store, add_person("Dan", reviews, "annotator"), written.id)


def test_fewer_checkers_let_what_has_enough_approvals_become_an_instance(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation
) -> None:
    approve(store, people["Ben"], written)
    settings = replace(reviews.settings, checkers_per_perturbation=1)
    change_project(store, people["Lea"], replace(reviews, settings=settings))
    assert perturbations_store.get_perturbation(store, written.id).state == "approved"


def test_fewer_checkers_leave_nothing_behind_of_what_cannot_become_an_instance(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation
) -> None:
    approve(store, people["Ben"], written)
    with store.transaction():  # as a file may bring it, whose project had another label
        store.run("UPDATE perturbation_versions SET result = 'mixed'")
    n_documents = store.value("SELECT count(*) FROM documents")
    settings = replace(reviews.settings, checkers_per_perturbation=1)
    change_project(store, people["Lea"], replace(reviews, settings=settings))
    assert perturbations_store.get_perturbation(store, written.id).state == "waiting"
    assert store.value("SELECT count(*) FROM documents") == n_documents


def test_what_was_approved_and_then_discarded_does_not_count_against_the_target(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation
) -> None:
    def n_approved() -> int:
        kinds = messages.show_progress(store, people["Ann"], reviews.id).kinds
        return next(kind.approved for kind in kinds if kind.name == "dispensable")

    for name in ("Ben", "Cem"):
        done = approve(store, people[name], written)
    assert n_approved() == 1
    with store.transaction():
        store.run("UPDATE instances SET state = 'discarded' WHERE id = ?", (done.instance_id,))
    assert n_approved() == 0


def test_a_lead_withdraws_what_nobody_else_can(store: Store, people: dict[str, User], written: Perturbation) -> None:
    checks.reject(store, people["Ben"], written.id, 1, "unclear")
    with store.transaction():
        set_disabled(store, people["Ann"], is_disabled=True)
    with pytest.raises(NotAllowed):
        versions.withdraw(store, people["Ben"], written.id)
    versions.withdraw(store, people["Lea"], written.id)
    assert perturbations_store.get_perturbation(store, written.id).state == "withdrawn"


def test_a_label_that_a_waiting_version_has_stays(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:
    three = make_project(name="Three")
    change_project(store, LOCAL_OPERATOR, replace(three, labels=("negative", "positive", "mixed")))
    import_rows(three, [{"id": "r0", "text": TEXT, "label": "positive", "rationales": [[[8, 9]]]}])
    versions.hand_in(store, add_person("Ann", three, "annotator"), original(store, three), change(result="mixed"))
    with pytest.raises(
        InvalidValue,
        match=r"Can't remove label 'mixed': used by 1 pending perturbed version \('r0', …\)\. Replace it by another label \(Project, Rules\)\.",
    ):
        change_project(store, LOCAL_OPERATOR, three)


def test_white_space_in_the_note_is_no_correction(store: Store, people: dict[str, User], written: Perturbation) -> None:
    same = replace(change(), note="  ")
    with pytest.raises(InvalidValue, match=r"Nothing has changed, white space aside\."):
        checks.correct(store, people["Ben"], written.id, 1, same, "nothing really")


def _named_twice(record: dict[str, Any]) -> None:
    record["checks"].append(dict(record["checks"][0], by="BEN"))


def _without_version(record: dict[str, Any]) -> None:
    record["checks"][0]["version"] = 7


def _without_reason(record: dict[str, Any]) -> None:
    record["checks"][0]["verdict"] = "reject"


def _unknown_kind(record: dict[str, Any]) -> None:
    record["versions"][0]["kind"] = "magic"


def _other_segment(record: dict[str, Any]) -> None:
    record["versions"][0]["texts"] = {"title": "x"}


def _of_nothing(record: dict[str, Any]) -> None:
    record["original"] = ["nowhere", ""]


@pytest.mark.parametrize(
    ("breaks", "said"),
    [
        (_named_twice, "Duplicate. Keep one."),
        (_without_version, "there are"),
        (_without_reason, "need a reason"),
        (_unknown_kind, "Unknown perturbation type 'magic'. Available:"),
        (_other_segment, "Unknown name 'title'. Available: text."),
        (_of_nothing, "unknown instance"),
    ],
)
def test_a_broken_perturbation_of_a_file_is_a_problem_with_its_line(
    store: Store, reviews: Project, people: dict[str, User], written: Perturbation, tmp_path: Path,
    make_project: Callable[..., Project], breaks: Callable[[dict[str, Any]], None], said: str,
) -> None:  # fmt: skip
    approve(store, people["Ben"], written)
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, reviews, "jsonl", path)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    (broken,) = [record for record in records if record["record"] == "perturbation"]
    breaks(broken)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    copy = make_project(name="Copy")
    with pytest.raises(ImportRefused) as refused:
        import_file(store, LOCAL_OPERATOR, copy, "jsonl", path)
    (problem,) = refused.value.problems
    assert said in problem.reason
    assert problem.line == records.index(broken) + 1
