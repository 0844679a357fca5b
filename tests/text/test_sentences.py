"""Where sentences begin."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.text.alignment import align_tokens, split_on_spaces
from annotator.text.tokenisation import FINAL_CHARACTERS, tokenise


@cache
def spacy_sentencizer():
    import spacy

    nlp = spacy.blank("xx")
    return nlp.vocab, nlp.add_pipe("sentencizer")


def spacy_starts(tokens):
    from spacy.tokens import Doc

    vocab, sentencizer = spacy_sentencizer()
    return tuple(sent.start for sent in sentencizer(Doc(vocab, words=tokens)).sents) if tokens else ()


def test_the_final_characters_are_spacys():
    from spacy.pipeline import Sentencizer

    assert set(Sentencizer.default_punct_chars) == FINAL_CHARACTERS


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(["a", "No", ".", "!", "?", "...", ")", "(", '"', "。", "U.S.", "𑂾", "😀", ",", "¿"]),
        max_size=15,
    )
)
def test_sentences_of_any_tokens_are_spacys(tokens):
    assert align_tokens(" ".join(tokens), tokens).sentence_starts == spacy_starts(tokens)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("", "en", []),
        ("no final mark", "en", ["no final mark"]),
        ("One. Two.", "en", ["One .", "Two ."]),
        (
            "Mr. Smith paid $1.50. Good?! Yes",
            "en",
            ["Mr. Smith paid $ 1.50 .", "Good ? !", "Yes"],
        ),  # "Mr." is one token
        ('He said "No." She left.', "en", ['He said " No . "', "She left ."]),  # a closing quote stays
        ("很好。我喜欢！真的", "zh", ["很 好 。", "我 喜 欢 ！", "真 的"]),
        ("यह अच्छा है। हाँ।", "hi", ["यह अच्छा है ।", "हाँ ।"]),  # danda
        ("Wait... what", "en", ["Wait ... what"]),  # spaCy: the ellipsis is one token, which ends nothing
        (
            "Title\n\nText goes on\nhere",
            "en",
            ["Title", "Text goes on here"],
        ),  # a blank line ends, one line end does not
        ("Title\r\n \r\nText\r\nmore", "en", ["Title", "Text more"]),  # Windows line ends
        ("One\u2029Two", "en", ["One", "Two"]),  # paragraph separator
        ('End.\n\n"Quote" here', "en", ["End .", '" Quote " here']),  # an opening quote after a blank line starts
        ("\n\nText.\n\n", "en", ["Text ."]),  # blank lines at the borders start nothing
    ],
)
def test_sentences(text, language, expected):
    body = tokenise(text, language)
    assert [" ".join(body.tokens()[start:end]) for start, end in body.sentences()] == expected


def test_blank_tokens_of_a_source_begin_no_sentence():
    assert align_tokens("好。 吃", ["好", "。", " ", "吃"]).sentence_starts == (0, 3)


def test_blank_lines_held_in_a_sources_tokens_begin_a_sentence():
    assert align_tokens("a\n\nb", ["a", "\n\n", "b"]).sentence_starts == (0, 2)


def test_words_that_hold_their_full_stop_end_nothing():
    assert split_on_spaces("broken airplane. it fell").sentence_starts == (0,)
