"""Pieces of every family of tokenizers lie on the words they come from."""

import pytest

from annotator.attribution.base import Input
from annotator.attribution.transformers_models import explainer
from annotator.text.tokenisation import tokenise
from tests.models.conftest import SegmentTokens, one_text

FAMILIES = ["bert", "roberta", "unigram", "byte-fallback"]

# pieces by word: what each family makes of an emoji that is not in its vocabulary
EXPECTED = {
    "bert": {"😀": ["[UNK]"], "it’s": ["it", "’", "s"]},
    "roberta": {"😀": ["Ġ", "ð", "Ł", "ĺ", "Ģ"]},
    "unigram": {"😀": ["▁", "😀"]},
    "byte-fallback": {"😀": ["▁", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>"]},
}


def by_word(attribution, words, text):
    """The pieces over each word's characters and the blank before it, found by their offsets alone."""
    found, place = {}, 0
    for word in words:
        start, place = place, text.index(word, place) + len(word)
        found[word] = [
            (p, s) for p, s in attribution.pieces if p.start is not None and start <= max(p.start, p.end - 1) < place
        ]
    return found


@pytest.mark.parametrize("name", FAMILIES)
def test_a_words_score_is_the_sum_over_its_own_pieces(loaded, name):
    text = "it’s unbelievable that that 😀 schöner Film, 中文 dull"
    words = text.split(" ")
    (one,) = explainer(loaded(name), "gradient-x-input", {}, None).explain([one_text(text)], ["positive"])
    attribution = one.attributions[0]
    assert len(attribution.scores) == len(words)
    assert sum(attribution.scores) == pytest.approx(sum(s for p, s in attribution.pieces if not p.is_special))
    # "that" twice: told apart by place, and no piece of one counts for the other
    assert attribution.scores[2] != attribution.scores[3]
    for number, word in enumerate(words):
        if words.count(word) == 1:
            pieces = by_word(attribution, words, text)[word]
            assert attribution.scores[number] == pytest.approx(sum(score for _, score in pieces)), word
    for word, expected in EXPECTED[name].items():
        found = [piece.text for piece, _ in by_word(attribution, words, text)[word]]
        assert [p for p in found if p not in "Ġ▁"] == [p for p in expected if p not in "Ġ▁"]


@pytest.mark.parametrize("name", FAMILIES)
def test_pieces_that_cross_our_tokens_are_shared_and_nothing_is_lost(loaded, name):
    # one character a token, as the project cuts Chinese; the families cut otherwise
    body = tokenise("中文电影很好看。", "zh")
    spaces = tuple("" for _ in body.starts)
    one = Input((SegmentTokens("text", tuple(body.tokens()), spaces),), "zh")
    (explained,) = explainer(loaded(name), "attention", {}, None).explain([one], [""])
    attribution = explained.attributions[0]
    assert len(attribution.scores) == body.n_tokens
    assert all(score > 0 for score in attribution.scores)
    assert sum(attribution.scores) == pytest.approx(sum(s for p, s in attribution.pieces if not p.is_special))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_text_of_unknown_signs_alone_gets_a_score_for_each(loaded, name):
    (explained,) = explainer(loaded(name), "attention", {}, None).explain([one_text("😀 👩‍👩‍👧 🇩🇪")], [""])
    assert all(score > 0 for score in explained.attributions[0].scores)


def test_a_name_of_a_special_piece_in_the_text_is_special_for_the_model_too(loaded):
    (explained,) = explainer(loaded("bert"), "attention", {}, None).explain([one_text("dull [SEP] plot")], [""])
    attribution = explained.attributions[0]
    assert attribution.scores[1] == 0
    assert [p.text for p, _ in attribution.pieces if p.is_special] == ["[CLS]", "[SEP]", "[SEP]"]


def test_what_a_tokenizer_drops_at_the_end_was_not_seen(loaded):
    # a vocabulary without a piece for unknown letters drops them
    from tokenizers import Tokenizer, models, pre_tokenizers

    from annotator.attribution.transformers_subwords import encode, merged
    from tests.models.tiny_models import wrapped

    tokenizer = Tokenizer(models.BPE(vocab={"a": 0, "b": 1}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    cutter = loaded("bert").loaded.cutter
    encoded = encode(type(cutter)(wrapped(tokenizer, {}), "tiny", None), one_text("a c b c"))
    first, dropped, last, unseen = merged(encoded, [1.0, 2.0], "sum").scores
    assert (first, dropped, last) == (1, 0, 2)
    assert unseen != unseen  # noqa: PLR0124  (NaN)
