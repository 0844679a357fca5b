"""What a changed version changes, and the rationale sets that are proposed for it."""

import json
from collections import defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.instances import Segment
from annotator.domain.perturbations import KINDS, get_kind, own_kind
from annotator.domain.texts import RationaleSet, TokenizedText, TokenLayout, check_spans
from annotator.errors import InvalidValue
from annotator.perturb.suggested_texts import suggest
from annotator.perturb.versions import Carried, Change, carry_sets, compare, diff_of_edits
from annotator.text.alignment import align_tokens, split_on_spaces
from annotator.text.edits import Edit
from annotator.text.token_diff import diff_tokens, moved_tokens, tokenise_like
from annotator.text.tokenisation import tokenise
from tests.conftest import SHARED_DATA, needs_data
from tests.text.test_edits import apply_edits


def segments(*texts: str, n_selectable: int = 1) -> list[Segment]:
    """Texts of words between blanks as segments, the first of them selectable."""
    return [Segment(f"s{n}", n < n_selectable, split_on_spaces(text)) for n, text in enumerate(texts)]


def change(before: str, after: str) -> Change:
    return compare(segments(before), segments(after))


def carried(before: str, after: str, *ranges: tuple[int, int], fills_gaps: bool = True) -> list[str]:
    """The words of one carried set with these spans."""
    found = carry_sets([RationaleSet.of(*ranges)], change(before, after), fills_gaps=fills_gaps)
    return [after.split()[token] for one in found.sets for token in one.token_indices]


# Kinds ---------------------------------------------------------------------------------------------------------------


def test_the_kinds_of_the_benchmark_of_contrast_sets_and_of_functional_tests_are_there() -> None:
    names = {
        family: [kind.name for kind in KINDS if kind.family == family]
        for family in ("benchmark", "contrast", "functional")
    }
    # design.md 5: Wang et al.; ER-TEST 3.2.2; ER-TEST 3.2.3
    assert names == {
        "benchmark": ["dispensable", "important", "syntax"],
        "contrast": ["contrast"],
        "functional": ["vocabulary", "robustness", "logic", "entity"],
    }
    assert get_kind("dispensable").keeps_label is True
    assert get_kind("contrast").keeps_label is False


def test_a_project_may_have_kinds_of_its_own_but_not_under_a_name_that_is_taken() -> None:
    tense = own_kind("tense", title="Another tense", keeps_label=True)
    assert get_kind("tense", [tense]) is tense
    with pytest.raises(InvalidValue, match=r"Unknown perturbation type 'tense'\. Available:"):
        get_kind("tense")
    with pytest.raises(InvalidValue, match=r"'contrast' already exists\. Choose another name\."):
        own_kind("Contrast")
    for name in ("", " x", "a\nb", "x" * 41, "<b>"):
        with pytest.raises(InvalidValue, match=r"Use up to 40 letters, digits, spaces, _ \. : - and no symbol first\."):
            own_kind(name)


# What was changed ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("after", ["It is good .", "It  is good.", " It is\ngood ."])
def test_white_space_alone_changes_nothing(after: str) -> None:
    assert change("It is good .", after).is_no_op


@pytest.mark.parametrize("after", ["it is good .", "It is good", "It is good !", ""])
def test_anything_else_is_a_change(after: str) -> None:
    assert not change("It is good .", after).is_no_op


def test_a_pair_may_leave_one_side_as_it_is() -> None:
    one = compare(segments("a b", "c d", n_selectable=2), segments("a b", "c x", n_selectable=2))
    assert not one.is_no_op
    assert (one.n_edited, one.minimality) == (1, 0.25)  # one of four tokens


def test_a_question_that_cannot_be_marked_counts_for_minimality_where_it_was_edited() -> None:
    first = compare(segments("why so", "a b", n_selectable=1), segments("why so", "a x", n_selectable=1))
    assert [s.is_selectable for s in first.segments] == [True, False]
    assert first.minimality == 0.25
    second = compare(segments("a b", "why so", n_selectable=1), segments("a x", "why so", n_selectable=1))
    assert second.minimality == 0.5


def test_minimality_counts_the_longer_side_of_each_change() -> None:
    # 1 -> 2 tokens: 2 edited, 2 kept
    assert change("the slow plot", "the very dull plot").minimality == 0.5
    assert change("a", "b").minimality == 1.0
    assert change("", "").minimality is None


@pytest.mark.parametrize(
    ("before", "after", "marked", "inside", "edited"),
    [
        ("the slow plot", "the dull plot", (1, 2), 1, 1),  # a marked word was replaced
        ("the slow plot", "a slow plot", (1, 2), 0, 1),  # one outside
        ("the slow plot", "the plot", (1, 2), 1, 1),  # a marked word was deleted
        ("the slow plot", "the very slow plot", (1, 3), 0, 1),  # inserted beside the span
        ("the slow plot", "the slow old plot", (1, 3), 1, 1),  # inserted within it
        ("the slow plot", "the so very dull plot", (1, 2), 3, 3),  # what a replacement has more counts as inserted
        ("the slow plot", "the slow plot", (1, 2), 0, 0),
    ],
)
def test_edited_tokens_are_counted_inside_and_outside_the_rationale(
    before: str, after: str, marked: tuple[int, int], inside: int, edited: int
) -> None:
    one, sets = change(before, after), [RationaleSet.of(marked)]
    assert (one.n_edited_inside(sets), one.n_edited) == (inside, edited)
    assert one.share_inside(sets) == (inside / edited if edited else None)


def test_a_changed_version_has_the_segments_of_its_original() -> None:
    with pytest.raises(InvalidValue, match="The original has segments s0, the perturbed version"):
        compare(segments("a"), segments("a", "b"))


# Carrying ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "marked", "expected"),
    [
        ("the plot is slow", "so the plot is slow", (3, 4), "slow"),  # kept tokens keep their mark
        ("the plot is slow", "the plot is dull", (3, 4), "dull"),  # a replaced one gives it to its successor
        ("the plot is slow", "the plot is very dull", (3, 4), "very dull"),  # a whole run to the whole run
        ("not good film", "far from great film", (0, 2), "far from great"),
        ("it was not good", "it seems hardly any good", (2, 3), "seems hardly any"),  # half of the run was marked
        ("it was so not good", "it hardly good", (3, 4), ""),  # less than half of it
        ("not good", "not very good", (0, 2), "not very good"),  # inserted within the span
        ("is good", "is not good", (1, 2), "good"),  # beside it
        ("his style", "his rather odd new style", (0, 2), "his style"),  # more was inserted than there was
        ("the plot is slow", "the plot is", (3, 4), ""),  # deleted
        ("the plot is slow", "", (0, 4), ""),
        ("though slow , I liked it", "I liked it , though slow", (0, 2), "though slow"),  # moved
        ("Great fun", "great fun", (0, 1), "great"),
        (
            "bad film . good end .",
            "bad film . My aunt slept . good end .",
            (1, 5),
            "film . good end",
        ),  # a sentence came in
    ],
)
def test_sets_are_carried_through_the_diff(before: str, after: str, marked: tuple[int, int], expected: str) -> None:
    assert carried(before, after, marked) == expected.split()


def test_a_dispensable_word_within_a_span_is_no_reason() -> None:
    assert carried("not good", "not very good", (0, 2), fills_gaps=False) == ["not", "good"]


def test_spans_stay_spans_in_their_order() -> None:
    found = carry_sets([RationaleSet.of((2, 4), (0, 2))], change("a b c d", "x a b c d"))
    assert found.sets == (RationaleSet.of((3, 5), (1, 3)),)
    assert found == Carried(found.sets, (0,), ())


def test_what_is_lost_empty_or_equal_is_told_and_the_proposal_has_neither() -> None:
    sets = [RationaleSet.of((0, 1)), RationaleSet.of((1, 3)), RationaleSet.of((2, 3)), RationaleSet.of((3, 4))]
    found = carry_sets(sets, change("a b c d", "c d"))
    assert found.sets == (RationaleSet.of((0, 1)), RationaleSet.of((1, 2)))
    assert found.origins == (1, 3)
    assert [note.sentence() for note in found.notes] == [
        "Set A has no tokens left and isn't proposed.",
        "Set B: 1 token is gone; check the rest.",
        "Set C equals set B; proposed once.",
    ]


def test_everything_deleted_gives_an_empty_proposal() -> None:
    one = change("a b", "")
    assert one.is_empty
    found = carry_sets([RationaleSet.of((0, 2))], one)
    assert found.sets == ()
    assert [note.kind for note in found.notes] == ["empty"]


def test_nothing_goes_into_another_segment_or_into_the_question() -> None:
    before = segments("good film", "bad end", "is it good ?", n_selectable=2)
    after = segments("film", "good bad end good", "is it good ?", n_selectable=2)
    found = carry_sets([RationaleSet.of((0, 1), (2, 3))], compare(before, after))
    assert found.sets == (RationaleSet.of((2, 3)),)  # "bad"; "good" did not go over to the other segment


WORDS = st.lists(st.sampled_from(["a", "b", "c", "good", "Good", "."]), max_size=9).map(" ".join)


@given(WORDS, WORDS, WORDS, WORDS, st.data())
def test_a_proposal_can_always_be_stored(one: str, other: str, two: str, another: str, data: st.DataObject) -> None:
    before = segments(one, two, "the question", n_selectable=2)
    after = segments(other, another, "a question", n_selectable=2)
    n_before, n_after = (sum(s.body.n_tokens for s in side[:2]) for side in (before, after))
    sets = []
    for _ in range(3 if n_before else 0):
        marked = data.draw(st.sets(st.integers(0, n_before - 1), min_size=1, max_size=4))
        sets.append(RationaleSet.of(*((token, token + 1) for token in sorted(marked))))
    found = carry_sets(sets, compare(before, after))
    check_spans(found.sets, TokenLayout.of([(s.name, s.is_selectable, s.body.n_tokens) for s in after]))
    assert all(0 <= token < n_after for one_set in found.sets for token in one_set.token_indices)
    assert len({one_set.token_indices for one_set in found.sets}) == len(found.sets) == len(found.origins)
    assert set(found.origins) | {note.set_index for note in found.notes} == set(range(len(sets)))


@given(WORDS, st.sets(st.integers(0, 8)))
def test_a_text_carried_to_itself_keeps_its_sets(text: str, marked: set[int]) -> None:
    tokens = {token for token in marked if token < len(text.split())}
    sets = [RationaleSet.of_tokens(tokens)] if tokens else []
    assert carry_sets(sets, change(text, text)) == Carried(tuple(sets), tuple(range(len(sets))), ())


# Known edits ---------------------------------------------------------------------------------------------------------


def test_edits_say_which_of_two_equal_words_is_new() -> None:
    before = tokenise("very good", "en")
    for edit, inserted in ((Edit(0, 0, "very "), 0), (Edit(5, 5, "very "), 1)):
        diff = diff_of_edits(before, [edit], tokenise(apply_edits(before.text, [edit]), "en"))
        assert [(run.kind, run.other_start) for run in diff.changes] == [("inserted", inserted)]


@given(
    st.text("ab, .好", max_size=12),
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), st.text("ab ,", max_size=3)), max_size=3),
)
def test_the_diff_of_edits_holds_every_token_of_both_texts_once(text: str, drawn: list[tuple[int, int, str]]) -> None:
    edits, end = [], 0
    for start, length, replacement in sorted(drawn):
        if end <= start <= len(text):
            end = min(start + length, len(text))
            edits.append(Edit(start, end, replacement))
    before, after = tokenise(text, "zh"), tokenise(apply_edits(text, edits), "zh")
    diff = diff_of_edits(before, edits, after)
    corners = [(0, 0), *((run.end, run.other_end) for run in diff.runs)]
    assert [(run.start, run.other_start) for run in diff.runs] == corners[:-1]
    assert corners[-1] == (before.n_tokens, after.n_tokens)
    for run in diff.runs:
        if run.kind == "kept":
            old, new = (body.tokens() for body in (before, after))
            assert old[run.start : run.end] == new[run.other_start : run.other_end]


# Pairs that people wrote: their diffs reproduce the changed text, and suggestions for their texts apply cleanly.


# folder, language, changed fields of the pairs there (counted in the files), of which change nothing but white space
SOURCES = [("dutrust_samples", "zh", 65, 0), ("dutrust_samples", "en", 60, 0), ("cad", "en", 1043, 1)]


def pairs(folder: str, language: str) -> Iterator[tuple[TokenizedText, str]]:
    """Each field of an original with its tokens, and its text in a changed version, where the two differ."""
    groups: dict[tuple[str, str], list[dict[str, object]]] = defaultdict(list)
    for line in (SHARED_DATA / folder / "canonical.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        groups[record["dataset"], record["pair"]["group"]].append(record)
    for records in groups.values():
        originals = [
            record for record in records if record["pair"]["role"] == "original" and record["lang"] == language
        ]
        others = [record for record in records if record["pair"]["role"] == "perturbed"]
        for original in originals:
            for other in others:
                for name, field in original["fields"].items():
                    text = other["fields"].get(name, field)["text"]
                    if text != field["text"]:
                        yield body_of(field, language), text


def body_of(field: dict[str, object], language: str) -> TokenizedText:
    """The field with the source's tokens; those of the reading task also hold the title, which is another field."""
    text = str(field["text"])
    tokens = [str(token) for token in field.get("tokens") or []]  # type: ignore[union-attr]
    if "".join(tokens).replace(" ", "") == text.replace(" ", "") and tokens:
        return align_tokens(text, tokens)
    return tokenise(text, language)


def pair_segments(body: TokenizedText) -> list[Segment]:
    return [Segment("text", is_selectable=True, body=body)]


@needs_data
@pytest.mark.parametrize(("folder", "language", "n", "n_no_ops"), SOURCES)
def test_the_diff_of_every_real_pair_reproduces_the_changed_text(
    folder: str, language: str, n: int, n_no_ops: int
) -> None:
    found = list(pairs(folder, language))
    assert len(found) == n
    no_ops = 0
    for body, text in found:
        after = tokenise_like(body, text, language)
        after.check()
        change = compare(pair_segments(body), pair_segments(after))
        no_ops += change.is_no_op
        old, new = body.tokens(), after.tokens()
        rebuilt = [
            token
            for run in change.segments[0].diff.runs
            for token in (old[run.start : run.end] if run.kind == "kept" else new[run.other_start : run.other_end])
        ]
        assert rebuilt == new
        assert "".join("".join(rebuilt).split()) == "".join(text.split())
    assert no_ops == n_no_ops


@needs_data
@pytest.mark.parametrize(("folder", "language", "n", "n_no_ops"), SOURCES)
def test_every_kept_or_moved_token_of_a_real_pair_keeps_its_mark(
    folder: str, language: str, n: int, n_no_ops: int
) -> None:
    for body, text in pairs(folder, language):
        after = tokenise_like(body, text, language)
        change = compare(pair_segments(body), pair_segments(after))
        sets = [RationaleSet.of_tokens(range(start, body.n_tokens, 3)) for start in range(min(3, body.n_tokens))]
        found = carry_sets(sets, change)
        check_spans(found.sets, TokenLayout.of([("text", True, after.n_tokens)]))
        carried = {origin: set(one.token_indices) for origin, one in zip(found.origins, found.sets, strict=True)}
        diff = diff_tokens(body.tokens(), after.tokens())
        kept = [
            (run.start + step, run.other_start + step)
            for run in diff.runs
            if run.kind == "kept"
            for step in range(run.n_before)
        ]
        for i, j in [*kept, *moved_tokens(body.tokens(), after.tokens(), diff)]:
            origin = i % 3
            equal_to = [note.other_index for note in found.notes if note.kind == "equal" and note.set_index == origin]
            assert j in carried[equal_to[0] if equal_to else origin]  # type: ignore[index]


@needs_data
@pytest.mark.parametrize(("folder", "language", "n", "n_no_ops"), SOURCES)
def test_suggestions_for_real_texts_apply_cleanly_and_change_something(
    folder: str, language: str, n: int, n_no_ops: int
) -> None:
    n_found = 0
    for body, _ in list(pairs(folder, language))[::30]:
        for one in suggest(body, language, "own", most=3):
            after = tokenise_like(body, apply_edits(body.text, one.edits), language)
            assert not compare(pair_segments(body), pair_segments(after), {"text": one.edits}).is_no_op
            n_found += 1
    assert n_found > 20
