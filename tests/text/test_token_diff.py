"""The token diff and the tokens of a changed text: nothing is lost, as much as possible is kept, no pair of texts is slow."""

from difflib import SequenceMatcher
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.text import token_diff as longest_subsequence
from annotator.text.alignment import align_tokens, split_on_spaces
from annotator.text.token_diff import Run, TokenDiff, diff_tokens, moved_tokens, tokenise_like
from annotator.text.tokenisation import tokenise

WORDS = st.lists(st.sampled_from(["a", "A", "b", "c", "the", "The", ",", "."]), max_size=14)


def length_by_table(before: list[str], after: list[str]) -> int:
    """The length of the longest common subsequence by the textbook's table."""
    row = [0] * (len(after) + 1)
    for one in before:
        diagonal = 0
        for j, other in enumerate(after):
            diagonal, row[j + 1] = row[j + 1], diagonal + 1 if one == other else max(row[j + 1], row[j])
    return row[-1]


def rebuilt(diff: TokenDiff, before: list[str], after: list[str]) -> list[str]:
    """The text after, with its kept tokens taken from the text before."""
    return [
        token
        for run in diff.runs
        for token in (before[run.start : run.end] if run.kind == "kept" else after[run.other_start : run.other_end])
    ]


def check(diff: TokenDiff, before: list[str], after: list[str]) -> None:
    """Every token of both texts is in one run, in order; a run is what it says."""
    corners = [(0, 0), *((run.end, run.other_end) for run in diff.runs)]
    assert [(run.start, run.other_start) for run in diff.runs] == corners[:-1]
    assert corners[-1] == (len(before), len(after)) == (diff.n_before, diff.n_after)
    for run in diff.runs:
        expected = {(True, True): {"kept", "replaced"}, (True, False): {"deleted"}, (False, True): {"inserted"}}
        assert run.kind in expected[bool(run.n_before), bool(run.n_after)]
    assert not any(one.kind == other.kind != "replaced" for one, other in pairwise(diff.runs))
    assert rebuilt(diff, before, after) == after


@given(WORDS, WORDS)
def test_a_diff_reproduces_the_text_after_and_keeps_as_many_tokens_as_can_be(
    before: list[str], after: list[str]
) -> None:
    diff = diff_tokens(before, after)
    check(diff, before, after)
    assert diff.n_kept == length_by_table(before, after)


@given(WORDS, WORDS)
def test_texts_too_long_for_one_table_are_cut_in_halves_and_keep_as_much(before: list[str], after: list[str]) -> None:
    most, longest_subsequence._MOST_BITS = longest_subsequence._MOST_BITS, 6
    try:
        diff = diff_tokens(before, after)
    finally:
        longest_subsequence._MOST_BITS = most
    check(diff, before, after)
    assert diff.n_kept == length_by_table(before, after)


@given(WORDS, WORDS)
def test_it_keeps_at_least_what_difflib_keeps(before: list[str], after: list[str]) -> None:
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    assert diff_tokens(before, after).n_kept >= sum(block.size for block in blocks)


@given(WORDS, WORDS)
def test_moved_tokens_are_equal_but_for_their_case_and_none_is_used_twice(before: list[str], after: list[str]) -> None:
    diff = diff_tokens(before, after)
    moved = moved_tokens(before, after, diff)
    assert all(before[i].casefold() == after[j].casefold() for i, j in moved)
    assert len({i for i, _ in moved}) == len({j for _, j in moved}) == len(moved)
    kept = {i for run in diff.runs if run.kind == "kept" for i in range(run.start, run.end)}
    assert not kept & {i for i, _ in moved}


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("the slow plot", "the very dull plot", [("replaced", 1, 2, 1, 3)]),
        ("the plot", "The plot", [("replaced", 0, 1, 0, 1)]),  # case is a change, and a change in its place
        ("Great , film", "so great film", [("inserted", 0, 0, 0, 1), ("replaced", 0, 1, 1, 2), ("deleted", 1, 2, 2, 2)]),
        ("a b . c d .", "a b . x y . c d .", [("inserted", 3, 3, 3, 6)]),  # a sentence came in whole
        ("x q 业 务", "x 有 专 业 的 业 务", [("replaced", 1, 2, 1, 5)]),  # one change where a shortest way may make two
        ("网 球 运 动", "网 球 与 桌 球 。 网 球 运 动", [("inserted", 0, 0, 0, 6)]),  # so did one at the beginning
        ("a . b c", "a . b d . b c", [("inserted", 2, 2, 2, 5)]),
        ("", "a", [("inserted", 0, 0, 0, 1)]),
        ("a", "", [("deleted", 0, 1, 0, 0)]),
        ("a", "a", []),
        ("", "", []),
    ],
)  # fmt: skip
def test_changes_are_read_as_a_person_would(before: str, after: str, changes: list[tuple[object, ...]]) -> None:
    assert diff_tokens(before.split(), after.split()).changes == tuple(Run(*change) for change in changes)


def test_a_replaced_token_is_edited_once_and_has_its_place() -> None:
    diff = diff_tokens(["the", "slow", "old", "plot", "."], ["the", "dull", "plot", "indeed", "."])
    # slow, old -> dull: the longer side, 2; indeed: 1
    assert diff.n_edited == 3
    assert diff.places() == [0, None, 3, None, 4]


def test_a_clause_that_was_moved_is_found_and_its_punctuation_is_not() -> None:
    before = ["Although", "the", "plot", "is", "thin", ",", "I", "liked", "it", "."]
    after = ["I", "liked", "it", ",", "although", "the", "plot", "is", "thin", "."]
    moved = moved_tokens(before, after, diff_tokens(before, after))
    words = {before[i] for i, _ in moved}
    assert words in ({"Although", "the", "plot", "is", "thin"}, {"I", "liked", "it"})


def test_a_word_in_another_case_in_its_place_has_not_moved() -> None:
    before, after = ["Great", "film"], ["great", "film"]
    assert moved_tokens(before, after, diff_tokens(before, after)) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_tokens_of_ours_are_cut_as_ever(language: str) -> None:
    body = tokenise("I don't like it. 不好吃 OK", language)
    assert tokenise_like(body, "I don't love it. 不太好吃 OK", language) == tokenise(
        "I don't love it. 不太好吃 OK", language
    )


def test_blank_tokens_stay_and_new_blanks_become_tokens() -> None:
    # Wang et al.'s senti_ch: "[认真评价]  她家..." has its two blanks among the tokens.
    body = align_tokens("[评价]  她家好", list("[评价]  她家好"))
    assert tokenise_like(body, "[评价]  她家 很好", "zh").tokens() == list("[评价]  她家 很好")


def test_a_source_s_own_tokens_stay_where_they_were_left_alone_and_new_words_are_cut_by_the_language() -> None:
    body = align_tokens("a well-known so-called film", ["a", "well-known", "so-called", "film"])
    changed = tokenise_like(body, "a well-known, bad film", "en")
    assert changed.tokens() == ["a", "well-known", ",", "bad", "film"]


def test_parts_of_one_word_stay_together_or_not_at_all() -> None:
    body = align_tokens("I cannot go-there", ["I", "can", "not", "go-there"])
    assert tokenise_like(body, "I cannot go-there now", "en").tokens() == ["I", "can", "not", "go-there", "now"]
    assert "ca" not in tokenise_like(body, "I can go-there", "en").tokens()


def test_words_between_blanks_stay_words_between_blanks() -> None:
    body = split_on_spaces("It's slow, really.")
    assert tokenise_like(body, "It's dull, really!", "en").tokens() == ["It's", "dull,", "really!"]


@given(st.text("ab ,.é́不好n't", max_size=12), st.text("ab ,.é́不好n't", max_size=12), st.sampled_from(["en", "zh"]))
def test_the_tokens_of_a_changed_text_hold_all_of_it_but_blanks(one: str, other: str, language: str) -> None:
    source = align_tokens(one, list(one))
    body = tokenise_like(source, other, language)
    body.check()
    assert "".join(body.tokens()).replace(" ", "") == other.replace(" ", "")
    again = tokenise_like(source, one, language)
    assert [token for token in again.tokens() if token.strip()] == [token for token in source.tokens() if token.strip()]
