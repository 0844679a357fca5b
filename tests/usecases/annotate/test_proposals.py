"""What an annotator of a changed version sees of its original, and the sets that are proposed there or by word lists."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.proposed_sets import ProposedCount
from annotator.domain.sources import SourceInstance, SourceProposedSet
from annotator.domain.suites import WordList
from annotator.domain.texts import RationaleSet
from annotator.errors import NotAllowed, NotFound
from annotator.store import Store, open_store
from annotator.store.annotate.proposals import answers_of
from annotator.store.instances import discard, find_instance_ids, get_instance
from annotator.store.projects import get_project
from annotator.usecases.annotate import proposals as annotate_proposals
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.my_work import Work
from annotator.usecases.annotate.panel_messages import show_original, show_proposals, show_work
from annotator.usecases.annotate.proposals import Offer, Proposals
from annotator.usecases.lead.quality import quality_of
from annotator.usecases.project.projects import change_project, create_project
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.transfer.export import everything_of, export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.upkeep import check

TEXT = "The plot is slow but the acting is superb ."
CHANGED = "The plot is rather slow but the acting is truly superb ."
Make = Callable[..., Project]
Rows = Callable[..., object]
People = Callable[..., User]


def row(key: str, text: str, **more: object) -> dict[str, object]:
    return {"id": key, "text": text, "tokens": text.split(), "label": "positive", **more}


@pytest.fixture
def reviews(make_project: Make, import_rows: Rows) -> Project:
    """An original with two gold sets, and one changed version of it that waits."""
    made = make_project(name="Reviews", may_be_empty=True)
    original = row("r0", TEXT, rationales=[[[6, 9]], [[8, 9]]])
    import_rows(made, [original, row("r0-changed", CHANGED, parent_key="r0", perturbation_kind="dispensable")])
    return made


@pytest.fixture
def ann(reviews: Project, add_person: People) -> User:
    return add_person("Ann", reviews, "annotator")


def settings(store: Store, project: Project, **changes: object) -> Project:
    now = get_project(store, project.name)
    return change_project(store, LOCAL_OPERATOR, replace(now, settings=replace(now.settings, **changes)))  # type: ignore[arg-type]


def work_of(store: Store, person: User, project: Project, key: str | None = None) -> Work:
    wanted = None if key is None else find_instance_ids(store, project.id, key)[0]
    work = annotate_work.next_work(store, person, project.id, wanted).work
    assert work is not None
    return work


def words(work: Work, one: RationaleSet) -> list[str]:
    return [work.instance.token(token) for token in one.token_indices]


def proposals(store: Store, project: Project, key: str, lists: Sequence[WordList] = ()) -> Proposals:
    instance = get_instance(store, find_instance_ids(store, project.id, key)[0])
    return annotate_proposals.proposals_for(store, project, instance, lists)


def keep(name: str = "praise", *found: str) -> WordList:
    return WordList(name, "en", "keep", found or ("superb", "truly"))


def ignore(name: str = "fillers", *found: str) -> WordList:
    return WordList(name, "en", "ignore", found or ("the", "is", "but", "."))


def test_the_gold_of_the_original_is_proposed_in_the_tokens_of_the_changed_version(
    store: Store, reviews: Project, ann: User
) -> None:
    work = work_of(store, ann, reviews)
    assert show_work(work, reviews).proposes
    offer = annotate_proposals.propose(store, ann, work.assignment.id)
    # "truly" was inserted among the tokens of the first set; a dispensable word is no reason.
    assert [(words(work, one.rationale_set), one.title) for one in offer.proposals.sets] == [
        (["acting", "is", "superb"], "original A"),
        (["superb"], "original B"),
    ]
    assert {(one.source, one.name) for one in offer.proposals.sets} == {("carried", "dispensable")}


@pytest.mark.parametrize("kind", ["contrast", "adversarial #3", None])
def test_a_kind_that_is_not_known_keeps_no_rationale_so_what_is_inserted_is_proposed_too(
    store: Store, reviews: Project, import_rows: Rows, kind: str | None
) -> None:
    import_rows(reviews, [row("other", CHANGED, parent_key="r0", **({"perturbation_kind": kind} if kind else {}))])
    first = proposals(store, reviews, "other").sets[0]
    assert (first.rationale_set.token_indices, first.name) == ((7, 8, 9, 10), kind or "")


def test_what_is_lost_on_the_way_is_said(store: Store, reviews: Project, import_rows: Rows) -> None:
    import_rows(reviews, [row("less", "The plot is slow but the acting .", parent_key="r0")])
    found = proposals(store, reviews, "less")
    assert [(one.rationale_set.token_indices, one.notes) for one in found.sets] == [
        ((6,), ("Set A: 2 tokens are gone; check the rest.",))
    ]
    assert found.notes == ("Set B has no tokens left and isn't proposed.",)


@pytest.mark.parametrize(
    ("label", "mode", "told"),
    [
        (
            "negative",
            "confirm",
            ("Contrast: positive → negative. What supported “positive” may not support “negative”.", True),
        ),
        ("positive", "contest", ("Contrast: positive, as in the original.", False)),
        ("negative", "give", None),  # whoever gives the label must not read it here
    ],
)
def test_beside_the_sets_of_the_original_stand_the_kind_of_change_and_both_labels(
    store: Store, reviews: Project, import_rows: Rows, ann: User, label: str, mode: str, told: tuple[str, bool] | None
) -> None:
    import_rows(reviews, [row("flip", CHANGED, parent_key="r0", perturbation_kind="contrast") | {"label": label}])
    changed = settings(store, reviews, result_mode=mode)
    work = work_of(store, ann, changed, "flip")
    shown = show_proposals(annotate_proposals.propose(store, ann, work.assignment.id))
    assert shown.proposals
    assert (shown.change and (shown.change.words, shown.change.is_other_result)) == told


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        ([row("plain", TEXT)], "plain"),  # no changed version
        ([row("lost", TEXT, parent_key="nowhere")], "lost"),  # its original is not there
        ([row("bare", TEXT), row("child", TEXT, parent_key="bare")], "child"),  # its original has no gold yet
    ],
)
def test_without_gold_of_an_original_nothing_is_carried(
    store: Store, reviews: Project, import_rows: Rows, rows: list[dict[str, object]], key: str
) -> None:
    import_rows(reviews, rows)
    assert proposals(store, reviews, key) == Proposals()


def test_the_original_of_the_same_split_is_meant(store: Store, reviews: Project, import_rows: Rows) -> None:
    import_rows(
        reviews,
        [
            row("twice", TEXT, split="train", rationales=[[[0, 1]]]),
            row("twice", TEXT, split="test", rationales=[[[3, 4]]]),
            row("child", CHANGED, split="test", parent_key="twice"),
        ],
    )
    assert [one.rationale_set.token_indices for one in proposals(store, reviews, "child").sets] == [(4,)]


def test_the_lead_may_switch_it_off(store: Store, reviews: Project, ann: User) -> None:
    off = settings(store, reviews, are_carried_sets_proposed=False)
    work = work_of(store, ann, off)
    assert not show_work(work, off).proposes
    assert annotate_proposals.propose(store, ann, work.assignment.id) == Offer((), Proposals())


def test_word_lists_propose_only_when_they_are_chosen(store: Store, reviews: Project, ann: User) -> None:
    off = settings(store, reviews, are_carried_sets_proposed=False)
    save_word_list(store, LOCAL_OPERATOR, off, "praise", ["superb", "truly"], role="keep")
    work = work_of(store, ann, off)
    assert annotate_proposals.propose(store, ann, work.assignment.id) == Offer((), Proposals())
    on = settings(store, off, proposed_word_lists=("praise", "gone"))
    assert show_work(work, on).proposes
    [one] = annotate_proposals.propose(store, ann, work.assignment.id).proposals.sets
    assert (one.source, one.name, one.rationale_set.token_indices) == ("lexicon", "praise", (9, 10))


def test_an_ignore_list_marks_its_words_and_offers_all_others_on_request(store: Store, reviews: Project) -> None:
    on = settings(store, reviews, are_carried_sets_proposed=False, proposed_word_lists=("fillers", "time"))
    found = proposals(store, on, "r0-changed", [ignore(), ignore("time", "slow", "late")])
    assert found.ignored is not None
    assert found.ignored.names == ("fillers", "time")
    assert found.ignored.tokens.token_indices == (0, 2, 4, 5, 6, 8, 11)
    [rest] = found.sets
    assert (rest.source, rest.name, rest.first_state) == ("complement", "fillers + time", "unasked")
    assert rest.rationale_set.token_indices == (1, 3, 7, 9, 10)


def test_equal_sets_are_proposed_once_and_other_languages_are_left_alone(store: Store, reviews: Project) -> None:
    on = settings(store, reviews, proposed_word_lists=("one", "german"))
    lists = [keep("one", "superb"), WordList("german", "de", "keep", ("plot",))]
    found = [(one.source, one.rationale_set.token_indices) for one in proposals(store, on, "r0-changed", lists).sets]
    assert found == [("carried", (7, 8, 10)), ("carried", (10,))]


def test_words_of_a_pair_are_one_set_a_segment_where_sets_may_not_cross(
    store: Store, make_project: Make, import_rows: Rows
) -> None:
    pairs = make_project("similarity", name="Pairs", sets_may_cross_segments=False, proposed_word_lists=("cats",))
    import_rows(pairs, [{"id": "p", "sentence1": "A cat sat", "sentence2": "Cat naps", "label": "positive"}])
    lists = [keep("cats", "cat")]
    assert [one.rationale_set.token_indices for one in proposals(store, pairs, "p", lists).sets] == [(1,), (3,)]
    crossing = settings(store, pairs, sets_may_cross_segments=True)
    assert [one.rationale_set.token_indices for one in proposals(store, crossing, "p", lists).sets] == [(1, 3)]


def test_the_target_is_never_proposed(store: Store, make_project: Make, import_rows: Rows) -> None:
    entities = make_project("entity", name="Entities", proposed_word_lists=("praise",))
    spoken = {"id": "e", "text": "superb soup superb", "target": [0, 1], "label": "positive"}
    import_rows(entities, [{**spoken, "tokens": ["superb", "soup", "superb"]}])
    instance = get_instance(store, find_instance_ids(store, entities.id, "e")[0])
    assert instance.target == (0, 1)
    assert [one.rationale_set.token_indices for one in proposals(store, entities, "e", [keep()]).sets] == [(2,)]


def answer(store: Store, person: User, work: Work, answers: dict[int, str], *sets: tuple[int, int]) -> Work:
    """Save a draft with answers; the work as it is then."""
    draft = Draft(sets=tuple(RationaleSet.of(span) for span in sets), proposed=answers)  # type: ignore[arg-type]
    annotate_work.save_draft(store, person, work.assignment.id, work.assignment.revision, draft)
    return annotate_work.current_work(store, person, work.assignment.id)


def test_what_was_said_is_remembered_with_the_work_and_taken_back_by_undo(
    store: Store, reviews: Project, ann: User
) -> None:
    work = work_of(store, ann, reviews)
    first, second = annotate_proposals.propose(store, ann, work.assignment.id).numbers
    work = answer(store, ann, work, {first: "accepted", second: "rejected"}, (7, 9))
    assert show_work(work, reviews).draft.proposed == {first: "accepted", second: "rejected"}
    assert annotate_proposals.propose(store, ann, work.assignment.id).numbers == (first, second)
    work = answer(store, ann, work, {second: "rejected"})
    assert show_work(work, reviews).draft.proposed == {second: "rejected"}


def test_a_draft_that_says_nothing_of_proposals_leaves_them_as_they_are(
    store: Store, reviews: Project, ann: User
) -> None:
    work = work_of(store, ann, reviews)
    first, _ = annotate_proposals.propose(store, ann, work.assignment.id).numbers
    work = answer(store, ann, work, {first: "rejected"})
    annotate_work.save_draft(store, ann, work.assignment.id, work.assignment.revision, Draft())
    assert answers_of(store, work.assignment.id) == {first: "rejected"}


def test_answers_to_sets_of_other_work_change_nothing(
    store: Store, reviews: Project, ann: User, add_person: People, import_rows: Rows
) -> None:
    import_rows(reviews, [row("more", CHANGED, parent_key="r0")])
    ben = add_person("Ben", reviews, "annotator")
    mine = work_of(store, ann, reviews, "r0-changed")
    [first, _] = annotate_proposals.propose(store, ann, mine.assignment.id).numbers
    annotate_work.skip(store, ann, mine.assignment.id)
    theirs = work_of(store, ben, reviews, "r0-changed")
    annotate_proposals.propose(store, ben, theirs.assignment.id)
    answer(store, ben, theirs, {first: "rejected"})
    assert answers_of(store, mine.assignment.id) == {}
    with pytest.raises(NotAllowed, match=r"This text is assigned to others\."):
        annotate_proposals.propose(store, ben, mine.assignment.id)


def test_what_the_original_lost_since_is_not_proposed_any_more_but_stays_decided(
    store: Store, reviews: Project, ann: User, import_rows: Rows
) -> None:
    work = work_of(store, ann, reviews)
    first, _ = annotate_proposals.propose(store, ann, work.assignment.id).numbers
    answer(store, ann, work, {first: "accepted"}, (7, 9))
    gold = find_instance_ids(store, reviews.id, "r0")[0]
    with store.transaction():
        store.run(
            "DELETE FROM rationale_sets WHERE annotation_id IN (SELECT id FROM annotations WHERE instance_id = ?)",
            (gold,),
        )
    assert annotate_proposals.propose(store, ann, work.assignment.id).numbers == ()
    assert answers_of(store, work.assignment.id) == {first: "accepted"}


def test_what_was_kept_changed_rejected_and_left_is_counted_when_it_is_handed_in(
    store: Store, reviews: Project, ann: User
) -> None:
    on = settings(store, reviews, proposed_word_lists=("praise", "pace", "fillers"))
    for one in (keep(), keep("pace", "slow"), ignore(), keep("not_chosen", "plot")):
        save_word_list(store, LOCAL_OPERATOR, on, one.name, one.words, role=one.role)
    work = work_of(store, ann, on)
    offer = annotate_proposals.propose(store, ann, work.assignment.id)
    whole, single, pace, praise, _rest = offer.numbers
    said = {whole: "accepted", single: "rejected", praise: "accepted", pace: "undecided"}
    assert quality_of(store, LOCAL_OPERATOR, on).proposed == ()
    # The first carried set as it was proposed, the words of praise with a token less.
    sets = (RationaleSet.of((7, 9), (10, 11)), RationaleSet.of((9, 10)))
    annotate_work.submit(store, ann, work.assignment.id, 0, Draft("positive", sets, proposed=said))  # type: ignore[arg-type]
    assert quality_of(store, LOCAL_OPERATOR, on).proposed == (
        ProposedCount("carried", "dispensable", 2, 1, 0, 1, 0),
        ProposedCount("lexicon", "pace", 1, 0, 0, 0, 1),
        ProposedCount("lexicon", "praise", 1, 1, 1, 0, 0),
    )  # the complement was never asked for
    assert not check(store)
    annotate_work.withdraw(store, ann, work.assignment.id)
    assert quality_of(store, LOCAL_OPERATOR, on).proposed == ()


def test_a_set_that_was_accepted_and_taken_out_again_was_not_kept(store: Store, reviews: Project, ann: User) -> None:
    work = work_of(store, ann, reviews)
    first, second = annotate_proposals.propose(store, ann, work.assignment.id).numbers
    said = {first: "accepted", second: "accepted"}
    sets = (RationaleSet.of((1, 4)),)
    annotate_work.submit(store, ann, work.assignment.id, 0, Draft("positive", sets, proposed=said))  # type: ignore[arg-type]
    [count] = quality_of(store, LOCAL_OPERATOR, reviews).proposed
    assert (count.n_suggested, count.n_kept, count.n_rejected) == (2, 0, 2)


def test_a_correction_is_proposed_nothing(store: Store, reviews: Project, ann: User) -> None:
    work = work_of(store, ann, reviews)
    correction = replace(work.assignment, follows_id=1, state="returned")
    assert not annotate_proposals.may_propose(reviews, correction, work.instance)
    assert annotate_proposals.may_propose(reviews, work.assignment, work.instance)


def test_only_whoever_sees_all_annotations_reads_the_counts(
    store: Store, reviews: Project, ann: User, add_person: People
) -> None:
    with pytest.raises(NotAllowed, match="see all annotations"):
        quality_of(store, ann, reviews)
    with pytest.raises(NotFound):
        quality_of(store, add_person("Nobody", reviews), reviews)


def test_our_own_export_carries_what_was_proposed_and_what_was_said(
    store: Store, reviews: Project, ann: User, tmp_path: Path
) -> None:
    work = work_of(store, ann, reviews)
    first, _ = annotate_proposals.propose(store, ann, work.assignment.id).numbers
    answer(store, ann, work, {first: "accepted"}, (7, 9))
    export_file(store, LOCAL_OPERATOR, reviews, "jsonl", tmp_path / "all.jsonl")
    with open_store(tmp_path / "other.db", create=True) as other:
        copy = create_project(other, LOCAL_OPERATOR, "Copy", reviews.task)
        import_file(other, LOCAL_OPERATOR, copy, "jsonl", tmp_path / "all.jsonl")
        kept = [
            item.work[0].proposed
            for item in everything_of(other, get_project(other, "Copy"))
            if isinstance(item, SourceInstance) and item.work
        ]
    assert kept == [
        (
            SourceProposedSet("carried", "dispensable", ((7, 9), (10, 11)), "accepted"),
            SourceProposedSet("carried", "dispensable", ((10, 11),), "undecided"),
        )
    ]


# What an annotator of a changed version sees of its original: the text and the change, and nothing that anybody said of it.

CHANGED_PAIR = "The plot is slow and the acting is dire ."


def pair_row(key: str, text: str, label: str, **more: object) -> dict[str, object]:
    return {"id": key, "text": text, "tokens": text.split(), "label": label, **more}


@pytest.fixture
def pairs(make_project: Make, import_rows: Rows) -> Project:
    made = make_project(name="Pairs", may_be_empty=True)
    rows = [
        pair_row("film", TEXT, "positive", rationales=[[[6, 9]]]),
        pair_row("film-changed", CHANGED_PAIR, "negative", parent_key="film", perturbation_kind="contrast"),
        pair_row("lonely", "Well made .", "positive", parent_key="elsewhere", perturbation_kind="contrast"),
    ]
    import_rows(made, rows)
    return made


@pytest.fixture
def pair_annotator(pairs: Project, add_person: People) -> User:
    return add_person("Ann", pairs, "annotator")


def test_the_text_of_the_original_and_what_was_changed_are_shown(
    store: Store, pairs: Project, pair_annotator: User
) -> None:
    work = work_of(store, pair_annotator, pairs, "film-changed")
    assert show_work(work, pairs).is_changed
    (segment,) = show_original(store, pair_annotator, work.assignment.id).segments
    assert segment.is_changed
    assert "".join(before for _, before, _ in segment.pieces) == TEXT
    assert "".join(after for _, _, after in segment.pieces) == CHANGED_PAIR
    assert [(before, after) for kind, before, after in segment.pieces if kind != "kept"] == [
        (" but", " and"),
        (" superb", " dire"),
    ]


def test_neither_label_nor_sets_nor_kind_of_the_original_are_told(
    store: Store, pairs: Project, pair_annotator: User
) -> None:
    work = work_of(store, pair_annotator, pairs, "film-changed")
    told = msgspec.json.encode(show_original(store, pair_annotator, work.assignment.id)).decode()
    for secret in ("positive", "negative", "contrast", "film"):
        assert secret not in told
    assert set(json.loads(told)) == {"language", "direction", "segments"}


def test_it_is_shown_for_ones_own_work_alone(
    store: Store, pairs: Project, pair_annotator: User, add_person: People
) -> None:
    work = work_of(store, pair_annotator, pairs, "film-changed")
    other = add_person("Bo", pairs, "annotator")
    with pytest.raises(NotAllowed, match=r"This text is assigned to others\."):
        show_original(store, other, work.assignment.id)


def test_an_original_that_is_not_there_is_told(store: Store, pairs: Project, pair_annotator: User) -> None:
    work = work_of(store, pair_annotator, pairs, "lonely")
    with pytest.raises(NotFound, match=r"The original isn't in the project\."):
        show_original(store, pair_annotator, work.assignment.id)


def test_an_original_that_was_discarded_is_not_shown(store: Store, pairs: Project, pair_annotator: User) -> None:
    work = work_of(store, pair_annotator, pairs, "film-changed")
    with store.transaction():
        discard(store, find_instance_ids(store, pairs.id, "film")[0])
    with pytest.raises(NotFound, match=r"The original was discarded\."):
        show_original(store, pair_annotator, work.assignment.id)
