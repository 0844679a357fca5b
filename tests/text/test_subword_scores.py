"""Scores of subwords become scores of words: every family's marks, unknown words, and places that must not jump."""

import math
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotator.domain.models import Subword
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue
from annotator.text.alignment import align_tokens, eraser_docs_jsonl, split_on_spaces
from annotator.text.subword_alignment import find_subwords
from annotator.text.subword_scores import How, Merged, merge_over_segments
from annotator.text.tokenisation import tokenise


def merge_subwords(
    subwords: list[Subword], scores: list[float], body: TokenizedText, *how: How, **options: bool
) -> Merged:
    return merge_over_segments(subwords, scores, {"text": body}, *how, **options)


def merged(text: str, subwords: list[str], scores: list[float] | None = None, **options: object) -> Merged:
    body = split_on_spaces(text)
    return merge_subwords([Subword(p) for p in subwords], scores or powers(len(subwords)), body, **options)


def powers(n: int) -> list[float]:
    """1, 2, 4 ...: a sum says which of them are in it."""
    return [2.0**number for number in range(n)]


def places(text: str, subwords: list[str], **options: bool) -> list[str]:
    return [text[start:end] for start, end in find_subwords(subwords, text, **options)]


# Places that must not jump -------------------------------------------------------------------------------------------


def test_a_word_does_not_end_at_a_subword_that_is_its_own_suffix():
    # the worked example of shared/reference/sentence_editing.md 1.6, defect 1: that = .4634, cat = .1254
    scores = [0.0758, 0.3492, 0.1142, 0.1254, 0.3354]
    found = merged("that cat", ["[CLS]", "t", "hat", "cat", "[SEP]"], scores)
    assert found.scores == pytest.approx([0.4634, 0.1254])
    assert merged("assess it", ["as", "s", "ess", "it"]).scores == (1 + 2 + 4, 8)
    assert merged("assess it", ["as", "##s", "##ess", "it"]).scores == (1 + 2 + 4, 8)


def test_a_subword_that_is_the_end_of_a_later_word_stays_where_it_is():
    # defect 2, with the sentence it was found in
    text = "For the _MATH_-th discrepancy _MATH_ , _MATH_"
    subwords = ["for", "the", "_MATH_", "-", "th", "disc", "##re", "##pan", "##cy", "_MATH_", ",", "_MATH_"]
    assert merged(text, subwords).scores == (1, 2, 4 + 8 + 16, 32 + 64 + 128 + 256, 512, 1024, 2048)


@pytest.mark.parametrize(
    ("text", "subwords", "expected"),
    [
        ("the the the", ["the", "the", "the"], (1, 2, 4)),
        ("a b a b", ["a", "b", "a", "b"], (1, 2, 4, 8)),
        ("an an ana", ["an", "a", "n", "a", "na"], (1, 2 + 4, 8 + 16)),
        ("cat concat", ["cat", "con", "##cat"], (1, 2 + 4)),
        ("in inn", ["in", "in", "##n"], (1, 2 + 4)),
    ],
)
def test_repeated_words_and_subwords_are_told_apart_by_place(text, subwords, expected):
    assert merged(text, subwords).scores == expected


# Families ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "subwords", "expected"),
    [
        ("Unlikeable plot!", ["un", "##like", "##able", "plot", "!"], (7, 24)),  # BERT, lower-cased
        ("Café déjà", ["cafe", "de", "##ja"], (1, 6)),  # accents stripped
        ("cafe\u0301 x", ["caf", "##e", "x"], (3, 4)),  # ... that were characters of their own
        ("café x", ["cafe", "\u0301", "x"], (3, 4)),  # a model that parts them
        ("so good", ["so", "Ġgo", "od"], (1, 6)),  # byte-level BPE
        ("a\n\nb", ["a", "Ċ", "Ċ", "b"], (1, 2 + 4 + 8)),  # a blank goes to the word after it
        ("a b ", ["a", "Ġb", "Ġ"], (1, 2 + 4)),  # ... and at the end to the last
        ("it’s ok", ["it", "âĢ", "Ļ", "s", "Ġok"], (1 + 2 + 4 + 8, 16)),  # bytes of one character in two subwords
        ("我 hi", ["æĪ", "ĳ", "Ġhi"], (3, 4)),
        ("so good", ["▁so", "▁go", "od"], (1, 6)),  # Unigram
        ("so good", ["▁", "so", "▁", "go", "od"], (3, 28)),
        ("ok 佳", ["▁ok", "▁", "<0xE4>", "<0xBD>", "<0xB3>"], (1, 30)),  # byte fallback
        ("ok ½…", ["▁ok", "▁1⁄2", "..."], (1, 6)),  # compatibility forms
        ("hello all", ["hel@@", "lo", "all"], (3, 4)),
        ("hello all", ["hel", "lo</w>", "all</w>"], (3, 4)),
        ("the movie", ["the ", "mo", "vie"], (1, 6)),  # SHAP keeps the blank at the end
        ("the movie", ["the", " mo", "vie"], (1, 6)),  # ... or at the start
        ("soft\u00adhyphen\u200b end", ["soft", "##hyphen", "end"], (3, 4)),  # characters that models drop
        ("# ## a", ["#", "#", "#", "a"], (1, 6, 8)),  # a text that holds the mark itself
        ("Ġorġ tajjeb", ["Ġorġ", "taj", "##jeb"], (1, 6)),
        ("▁ a", ["▁", "a"], (1, 2)),
    ],
)
def test_the_marks_of_each_family_are_no_text(text, subwords, expected):
    assert merged(text, subwords).scores == expected


@pytest.mark.parametrize(
    ("text", "subwords", "expected"),
    [
        ("I love it 😀😀 !", ["i", "love", "it", "[UNK]", "!"], (1, 2, 4, 8, 16)),
        ("a 😀 ☃☃ b", ["a", "[UNK]", "[UNK]", "b"], (1, 2, 4, 8)),
        ("😀", ["<unk>"], (1,)),
        ("theater☃ the end", ["[UNK]", "the", "end"], (1, 2, 4)),  # the next subword stands inside the unknown word too
        ("☃thx☃the end", ["[UNK]", "the", "end"], (1 + 2, 4)),  # ... and something like its beginning before that
        ("a☃b b", ["▁a", "<unk>", "b", "▁b"], (1 + 2 + 4, 8)),
        ("x 😀 y", ["x", "�", "�", "�", "�", "y"], (1, 2 + 4 + 8 + 16, 32)),  # bytes of an emoji, decoded one by one
        ("say [UNK] twice", ["say", "[UNK]", "twice"], (1, 2, 4)),
    ],
)
def test_a_subword_for_an_unknown_word_takes_what_lies_between_its_neighbours(text, subwords, expected):
    assert merged(text, subwords).scores == expected


def test_unknown_chinese_characters_are_one_subword_each():
    text = "好𠀀𠀁。"
    body = tokenise(text, "zh")
    found = merge_subwords([Subword(p) for p in ("好", "[UNK]", "[UNK]", "。")], powers(4), body)
    assert found.scores == (1, 2, 4, 8)


def test_a_family_that_a_whole_emoji_is_made_of_keeps_it_in_one_word():
    family = "👩‍👩‍👧"
    subwords = [*[chr_of(byte) for byte in family.encode()], "Ġok"]
    found = merged(f"{family} ok", subwords, [1.0] * len(subwords))
    assert found.scores == (len(family.encode()), 1)


def chr_of(byte: int) -> str:
    """GPT-2's letter for a byte, by its published rule."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return chr(byte) if byte in visible else chr(256 + [b for b in range(256) if b not in visible].index(byte))


# Special subwords, splitting, how --------------------------------------------------------------------------------------


def test_special_subwords_are_left_out_and_counted():
    found = merged("so good", ["[CLS]", "so", "good", "[SEP]", "[PAD]", ""], [8.0, 1.0, -2.0, 4.0, 0.0, 0.5])
    assert found.scores == (1, -2)
    assert found.n_special == 4
    assert found.special_share == pytest.approx(12.5 / 15.5)
    assert [subword.is_special for subword, _ in found.subwords] == [True, False, False, True, True, True]
    assert [(p.start, p.end) for p, _ in found.subwords] == [(None, None), (0, 2), (3, 7), *[(None, None)] * 3]


def test_without_any_score_special_subwords_have_no_share():
    assert merged("so", ["[CLS]", "so"], [0.0, 0.0]).special_share is None


def test_a_subword_that_the_source_calls_special_is_so_whatever_it_is_called():
    found = merge_subwords(
        [Subword("so", is_special=True), Subword("so"), Subword("good")], powers(3), split_on_spaces("so good")
    )
    assert found.scores == (2, 4)


def test_a_text_may_hold_the_name_of_a_special_subword():
    assert merged("strike <s> out", ["<s>", "strike", "<s>", "out", "</s>"][1:4]).scores == (1, 2, 4)


def test_a_subword_over_two_words_is_split_by_length():
    assert merged("New Yorkers", ["NewYorkers"], [10.0]).scores == pytest.approx((3, 7))
    assert merge_subwords([Subword("▁你好吗")], [3.0], tokenise("你好吗", "zh")).scores == pytest.approx((1, 1, 1))
    assert merge_subwords([Subword("a b", 0, 3)], [4.0], split_on_spaces("a b")).scores == (2, 2)


@pytest.mark.parametrize(("how", "expected"), [("sum", (0.5, 2.0)), ("mean", (0.25, 2.0)), ("signed max", (-1.0, 2.0))])
def test_scores_of_a_word_s_subwords_are_summed_averaged_or_the_largest_is_taken(how, expected):
    scores = [-1.0, 1.5, 2.0] if how != "signed max" else [-1.0, 0.5, 2.0]
    assert merged("unlike it", ["un", "##like", "it"], scores, how=how).scores == expected


def test_of_equal_sizes_signed_max_takes_the_first():
    assert merged("unlike", ["un", "##like"], [1.0, -1.0], how="signed max").scores == (1.0,)


def test_an_unknown_way_of_merging_is_refused():
    with pytest.raises(InvalidValue, match=r"Can't merge scores by 'max'\. Choose one of"):
        merged("a", ["a"], how="max")


# Offsets -------------------------------------------------------------------------------------------------------------


def test_offsets_decide_where_the_subwords_have_them():
    subwords = [Subword("[CLS]", 0, 0), Subword("##b", 2, 3), Subword("a", 0, 1)]  # in any order
    assert merge_subwords(subwords, powers(3), split_on_spaces("a b")).scores == (4, 2)


def test_offsets_that_include_the_blank_give_it_to_the_word():
    subwords = [Subword("so", 0, 2), Subword("Ġgo", 2, 5), Subword("od", 5, 7)]
    assert merge_subwords(subwords, powers(3), split_on_spaces("so good")).scores == (1, 6)


@pytest.mark.parametrize(
    ("subword", "reason"),
    [
        (Subword("cat", 5, 9), "Subword 1 'cat' is placed at characters 5 to 9, but its text has 8 characters"),
        (Subword("cat", 4, 3), r"characters 4 to 3, but"),
        (
            Subword("dog", 5, 8),
            "Subword 1 'dog' is placed at characters 5 to 8, where 'cat' is; offsets count code points",
        ),
        (
            Subword("cat", 4, 7),
            r"Subword 1 'cat' is placed at characters 4 to 7, where ' ca' is; offsets count code points\.",
        ),  # shifted by one, as UTF-16 offsets are after an emoji
        (Subword("cat", 5, None), r"Subword 1 'cat' needs both start and end, or neither\."),
        (Subword("cat"), r"Subword 1 'cat' has no start and end\. Give them for all or none\."),
    ],
)
def test_offsets_that_do_not_fit_are_named(subword, reason):
    with pytest.raises(InvalidValue, match=reason):
        merge_subwords([Subword("that", 0, 4), subword], [1.0, 2.0], split_on_spaces("that cat"), is_partial=True)


# Faults --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subwords", "reason"),
    [
        (["[CLS]", "the", "cat"], r"Subword 2 'cat' isn't at character 4; the text has 'dog sat'\."),
        (["the", "##dog", "sit"], r"Subword 2 'sit' isn't at character 9; the text has 'at'\."),
        (
            ["the", "dog"],
            r"The 2 subwords end at character 8, before 'sat'\. For truncated texts, mark the scores as partial\.",
        ),
        (["the", "dog", "sat", "on"], r"Subword 3 'on' is past the end \(character 11\)\."),
        (["the", "[UNK]"], r"Subword 1 '\[UNK\]' isn't at character 4; the text has 'dog sat'\."),
        (["<img src=x onerror=alert(1)>"], r"Subword 0 '<img src=x onerror=alert\(1\)>' isn't at character"),
    ],
)
def test_subwords_of_another_text_are_named_with_what_stands_there(subwords, reason):
    with pytest.raises(InvalidValue, match=reason):
        merged("the dog sat", subwords, [1.0] * len(subwords))


def test_subwords_and_scores_of_different_number_are_refused():
    with pytest.raises(InvalidValue, match=r"Got 1 subword, but 2 scores\."):
        merged("a", ["a"], [1.0, 2.0])


def test_what_a_model_did_not_see_has_no_score():
    found = merged("the dog sat down", ["the", "do", "##g", "sa"], is_partial=True)
    assert found.scores[:3] == (1, 6, 8)
    assert math.isnan(found.scores[3])


def test_unknown_subwords_at_the_end_of_a_part_take_one_word_each():
    found = merged("a ☃ ☄ b", ["a", "[UNK]"], is_partial=True)
    assert found.scores[:2] == (1, 2)
    assert all(math.isnan(score) for score in found.scores[2:])


def test_too_many_ways_are_refused_and_take_no_hours():
    with pytest.raises(
        InvalidValue, match=r"Ambiguous subwords of unknown words\. Give each subword's start and end\."
    ):
        find_subwords(["<unk>", "a"] * 2000 + ["b"], "a" * 20_000)


def test_empty_tokens_and_blank_tokens_of_a_source_are_tokens_too():
    body = eraser_docs_jsonl("a  b")  # three tokens, the second empty
    assert merge_subwords([Subword("a"), Subword("b")], [1.0, 2.0], body).scores == (1.0, 0.0, 2.0)
    body = align_tokens("a b", ["a", " ", "b"])
    assert merge_subwords([Subword("a"), Subword("Ġ"), Subword("b")], powers(3), body).scores == (1, 2, 4)


def test_a_text_without_tokens_takes_special_subwords_alone():
    empty = TokenizedText("", (), (), ())
    assert merge_subwords([Subword("[CLS]")], [1.0], empty).scores == ()


# Several segments ----------------------------------------------------------------------------------------------------


def over(texts: dict[str, str], subwords: list[Subword | str], **options: bool) -> Merged:
    bodies = {name: split_on_spaces(text) for name, text in texts.items()}
    return merge_over_segments(
        [p if isinstance(p, Subword) else Subword(p) for p in subwords], powers(len(subwords)), bodies, **options
    )


PAIR = {"premise": "a cat sits", "hypothesis": "a cat"}


def test_a_pair_is_parted_at_special_subwords():
    found = over(PAIR, ["[CLS]", "a", "cat", "sit", "##s", "[SEP]", "a", "cat", "[SEP]"])
    assert found.scores == (2, 4, 8 + 16, 64, 128)
    assert [p.segment for p, _ in found.subwords] == [None, *["premise"] * 4, None, *["hypothesis"] * 2, None]


def test_a_model_may_take_the_question_first():
    texts = {"passage": "it is red", "question": "is it ?"}
    found = over(texts, ["<s>", "is", "it", "?", "</s>", "</s>", "it", "is", "red", "</s>"])
    assert found.scores == (64, 128, 256, 2, 4, 8)


def test_a_segment_that_no_subword_goes_to_has_no_scores():
    found = over(PAIR, ["[CLS]", "a", "cat", "[SEP]"])
    assert found.scores[3:] == (2, 4)
    assert all(math.isnan(score) for score in found.scores[:3])


def test_without_special_subwords_segments_follow_each_other():
    found = over(PAIR, ["a", "cat", "sits", "a", "cat"])
    assert found.scores == (1, 2, 4, 8, 16)
    assert [(p.segment, p.start) for p, _ in found.subwords][3:] == [("hypothesis", 0), ("hypothesis", 2)]


def test_subwords_may_name_their_segment():
    found = over(PAIR, ["[CLS]", Subword("cat", 2, 5, segment="hypothesis"), Subword("a", 0, 1, segment="hypothesis")])
    assert found.scores[3:] == (4, 2)
    with pytest.raises(
        InvalidValue, match=r"Subword 0 'x' names the segment 'title'; the instance has premise, hypothesis\."
    ):
        over(PAIR, [Subword("x", segment="title")])
    with pytest.raises(
        InvalidValue, match=r"Subword 1 'x' names no segment, but others do; the instance has premise, hypothesis\."
    ):
        over(PAIR, [Subword("a", segment="hypothesis"), "x"])


def test_a_pair_that_was_cut_keeps_what_was_seen_of_each():
    found = over(PAIR, ["[CLS]", "a", "cat", "sits", "[SEP]", "a", "[SEP]"], is_partial=True)
    assert found.scores[:4] == (2, 4, 8, 32)
    assert math.isnan(found.scores[4])


def test_subwords_of_no_segment_are_named_by_their_number_in_the_file():
    with pytest.raises(InvalidValue, match=r"Subword 7 'dog' isn't at character 2; the text has 'cat'\."):
        over(PAIR, ["[CLS]", "a", "cat", "sits", "[SEP]", "[SEP]", "a", "dog", "[SEP]"])


# For any text --------------------------------------------------------------------------------------------------------

WORDS = ["that", "hat", "cat", "a", "as", "assess", "As", "It's", "Café", "cafe\u0301", "naïve", "e\u0323\u0302", "你好", "好",
         "好看！", "ok,", "...", "—", "ﬁne", "it’s", "U.S."]  # fmt: skip
UNKNOWN = ["😀", "☃☃", "👩‍💻", "🇩🇪", "𠀀"]
TEXTS = st.lists(st.tuples(st.sampled_from(WORDS + UNKNOWN), st.sampled_from(["", " ", " ", " ", "\n", "  "])), min_size=1, max_size=9).map(
    lambda parts: "".join(word + blank for word, blank in parts)
)  # fmt: skip
Cut = list[tuple[str, int, int]]  # the subword as it is written, with its characters


@st.composite
def cut_ranges(draw: st.DrawFn, start: int, end: int) -> list[tuple[int, int]]:
    """A stretch of text cut at random."""
    borders = [place for place in range(start + 1, end) if draw(st.booleans())]
    return list(pairwise([start, *borders, end]))


def runs(text: str, is_border) -> list[tuple[int, int]]:
    """Visible runs of text, cut where `is_border` says of two neighbours that a word ends."""
    found, start = [], None
    for place, character in enumerate(text):
        if character.isspace():
            start = None
        elif start is None or is_border(text[place - 1], character):
            start = place
            found.append([place, place + 1])
        else:
            found[-1][1] = place + 1
    return [(a, b) for a, b in found]


def is_alone(character: str) -> bool:
    category = unicodedata.category(character)[0]
    return (
        category == "P"
        or (category == "S" and character.isascii())
        or "\u4e00" <= character <= "\u9fff"
        or character == "𠀀"
    )


@st.composite
def subwords(draw: st.DrawFn, text: str, is_lowered: bool) -> Cut:
    """As BERT cuts: words at blanks, punctuation and Chinese characters; a word with an unknown letter is [UNK]."""
    found: Cut = []
    for start, end in runs(text, lambda a, b: is_alone(a) or is_alone(b)):
        if any(c in "".join(UNKNOWN) for c in text[start:end]):
            found.append(("[UNK]", start, end))
            continue
        for a, b in draw(cut_ranges(start, end)):
            said = text[a:b]
            if is_lowered:
                said = "".join(c for c in unicodedata.normalize("NFD", said.lower()) if unicodedata.category(c) != "Mn")
            if said:  # an accent alone is no subword for such a model
                found.append((("" if a == start else "##") + said, a, b))
    return found


@st.composite
def byte_subwords(draw: st.DrawFn, text: str) -> Cut:
    """As GPT-2 cuts: bytes, the blank before a word in its first subword."""
    owners = [place for place, character in enumerate(text) for _ in character.encode()]
    content = text.encode()
    return [
        ("".join(chr_of(byte) for byte in content[a:b]), owners[a], owners[b - 1] + 1)
        for a, b in draw(cut_ranges(0, len(content)))
    ]


@st.composite
def unigram_subwords(draw: st.DrawFn, text: str, has_bytes: bool) -> Cut:
    """As SentencePiece cuts: ▁ before a word, sometimes alone; unknown letters in a row are <unk>, or bytes."""
    found: Cut = []
    unknown = "".join(UNKNOWN)
    for first, last in runs(text, lambda a, b: False):
        mark = "▁"
        if draw(st.booleans()):
            found.append(("▁", max(first - 1, 0), first))
            mark = ""
        for start, end in runs(text[:last], lambda a, b: (a in unknown) != (b in unknown)):
            if start < first:
                continue
            if text[start] not in unknown:
                cut = draw(cut_ranges(start, end))
                found += [((mark if a == start else "") + text[a:b], a, b) for a, b in cut]
            elif has_bytes:
                found += [("▁", first, first)] if mark else []
                found += [(f"<0x{byte:02X}>", p, p + 1) for p in range(start, end) for byte in text[p].encode()]
            else:
                found += [("▁", first, first)] if mark else []
                found.append(("<unk>", start, end))
            mark = ""
    return found


@st.composite
def blank_kept_subwords(draw: st.DrawFn, text: str) -> Cut:
    """As SHAP shows them: slices of the text, blanks at the end or the start of a subword."""
    return [(text[a:b], a, b) for a, b in draw(cut_ranges(0, len(text)))]


def by_true_places(cut: Cut, scores: list[float], body: TokenizedText) -> list[float]:
    """The definition, letter by letter: each letter that a model sees has an equal part of its subword's score."""
    sums = [0.0] * body.n_tokens
    for (_, start, end), score in zip(cut, scores, strict=True):
        letters = [p for p in range(start, end) if not body.text[p].isspace()]
        seen = [p for p in letters if unicodedata.category(body.text[p]) not in {"Mn", "Me", "Cf"}] or letters
        for place in seen:
            token = next(t for t in range(body.n_tokens) if body.starts[t] <= place < body.ends[t])
            sums[token] += score / len(seen)
        if not seen:
            sums[next((t for t in range(body.n_tokens) if body.ends[t] > start), body.n_tokens - 1)] += score
    return sums


FAMILIES = {
    "WordPiece": lambda text: subwords(text, is_lowered=False),
    "WordPiece, lower-cased": lambda text: subwords(text, is_lowered=True),
    "byte-level BPE": byte_subwords,
    "Unigram": lambda text: unigram_subwords(text, has_bytes=False),
    "Unigram with bytes": lambda text: unigram_subwords(text, has_bytes=True),
    "blanks kept": blank_kept_subwords,
}


@pytest.mark.parametrize("family", FAMILIES)
@given(data=st.data(), text=TEXTS, language=st.sampled_from(["", "zh"]), with_specials=st.booleans())
def test_merged_sums_are_those_of_the_true_places_and_nothing_is_lost(family, data, text, language, with_specials):
    cut = data.draw(FAMILIES[family](text))
    scores = data.draw(st.lists(st.floats(-8, 8, width=16), min_size=len(cut), max_size=len(cut)))
    body = tokenise(text, language) if language else split_on_spaces(text)
    subwords = [Subword(said) for said, _, _ in cut]
    expected = by_true_places(cut, scores, body)
    if with_specials:
        subwords, scores = [Subword("[CLS]"), *subwords, Subword("[SEP]")], [99.0, *scores, 99.0]
    found = merge_subwords(subwords, scores, body)
    assert found.scores == pytest.approx(expected, abs=1e-9)
    assert math.fsum(found.scores) == pytest.approx(math.fsum(scores) - 198 * with_specials, abs=1e-9)
    assert found.n_special == 2 * with_specials


@given(data=st.data(), text=TEXTS)
def test_true_offsets_give_the_same_sums(data, text):
    cut = data.draw(FAMILIES[data.draw(st.sampled_from(sorted(FAMILIES)))](text))
    scores = data.draw(st.lists(st.floats(-8, 8, width=16), min_size=len(cut), max_size=len(cut)))
    body = split_on_spaces(text)
    found = merge_subwords([Subword(*one) for one in cut], scores, body)
    assert found.scores == pytest.approx(by_true_places(cut, scores, body), abs=1e-9)


@given(
    subwords=st.lists(
        st.text(max_size=4) | st.sampled_from(["[UNK]", "##a", "Ġ", "▁", "<0xE4>", "�", "<s>"]), max_size=6
    ),
    text=st.text(max_size=12),
)
@example(subwords=["<0xE4>", "<0x"], text="a")
@example(subwords=["[UNK]"], text="\u0301")
@example(subwords=["\u0301"], text="a")
def test_whatever_the_subwords_are_they_fit_or_are_refused(subwords, text):  # fmt: skip
    body = split_on_spaces("".join(c for c in text if not "\ud800" <= c <= "\udfff"))
    for is_partial in (False, True):
        try:
            found = merge_subwords([Subword(p) for p in subwords], [1.0] * len(subwords), body, is_partial=is_partial)
        except InvalidValue:
            continue
        assert len(found.scores) == body.n_tokens
        assert all(p.is_special or 0 <= p.start <= p.end <= len(body.text) for p, _ in found.subwords)
