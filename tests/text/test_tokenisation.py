"""Tokens of texts: spaCy's, characters, and what no text may do to the program."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from annotator.errors import InvalidValue
from annotator.text import tokenisation
from annotator.text.alignment import align_tokens, split_on_spaces
from annotator.text.characters import cluster_ranges, may_have_clusters
from annotator.text.tokenisation import FINAL_CHARACTERS, tokenise, tokenise_all
from benchmarks.tokenising import HOSTILE

SHARED_DATA = next(
    (p / "shared" / "data" for p in Path(__file__).resolve().parents if (p / "shared" / "data").is_dir()), None
)

FAMILY, FLAGS, THUMB = "👨‍👩‍👧‍👦", "🇩🇪🇨🇳", "👍🏽"
LANGUAGES = ("en", "xx", "de", "es", "zh", "ja", "th", "ko", "ar", "hi")
PIECES = st.sampled_from(
    [
        *(FAMILY, FLAGS, THUMB, "e\u0301", "\u200d", "\u200f", "\u0600", "\x00"),
        *("\r\n", "\n\n", " ", "  ", "\u3000", "\u00a0", "OK", "don't", "U.S.", "EE. UU.", "(", "...", "。", ":)"),
        *("क्षि", "שָׁלוֹם", "مرحبا", "각", "http://a.b/c?d", "中文", "é"),
    ]
)
TEXTS = st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.lists(PIECES, max_size=12).map("".join))


@cache
def plain_spacy(language):
    import spacy

    return spacy.blank(language).tokenizer


def spacy_tokens(text, language):
    return " ".join(token.text for token in plain_spacy(language)(text)).split()


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=TEXTS)
@example(text="")
@example(text=" \u0301a")
@example(text="\u0600 a")
@example(text="👩\u200d \u200d👩")
@example(text="a" + "\u0301" * 600)
@example(text="\r\n\r\n")
def test_any_text_is_its_tokens_and_white_space_between_them(text, language):
    body = tokenise(text, language)
    body.check()
    rebuilt, end = "", 0
    for start, next_end in zip(body.starts, body.ends, strict=True):
        assert start < next_end
        assert not text[end:start].strip()
        rebuilt += text[end:start] + text[start:next_end]
        end = next_end
    assert not text[end:].strip()
    assert rebuilt + text[end:] == text
    assert not any(token.split() != [token] for token in body.tokens())


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=TEXTS)
@example(text=f"{FAMILY}{FLAGS} {THUMB}")
@example(text=" \u0301a")
@example(text="x \u0600 a")
@example(text=("e\u0301" * 400))
def test_no_token_cuts_a_grapheme_cluster(text, language):
    body = tokenise(text, language)
    borders = {0} | {found.end() for found in regex.finditer(r"\X", text)}
    borders |= {border for place, c in enumerate(text) if c.isspace() for border in (place, place + 1)}
    assert borders.issuperset(body.starts)
    assert borders.issuperset(body.ends)


@given(text=TEXTS, language=st.sampled_from(LANGUAGES))
def test_sentences_part_the_tokens(text, language):
    body = tokenise(text, language)
    assert [i for start, end in body.sentences() for i in range(start, end)] == list(range(body.n_tokens))


@given(text=TEXTS, language=st.sampled_from(LANGUAGES))
def test_aligning_our_own_tokens_gives_our_own_offsets(text, language):
    body = tokenise(text, language)
    assert align_tokens(text, body.tokens()) == body


WORDS = [
    "It's",
    "good,",
    "U.S.",
    "(see",
    "pp.",
    "3-4)!",
    "cannot",
    "http://a.b/c?d=1",
    "10km",
    "“No”",
    "e.g.",
    "a--b",
    "$5m",
]


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ru", "xx", "tr", "he"])
@given(
    words=st.lists(st.one_of(st.sampled_from(WORDS), st.text("abcé.,!?'-’1$", max_size=8)), max_size=30), data=st.data()
)
def test_our_tokens_are_those_of_spacy_alone(words, data, language):
    text = "".join(word + data.draw(st.sampled_from([" ", " ", "  ", "\n", "\t ", "\u00a0"])) for word in words)
    assert tokenise(text, language).tokens() == spacy_tokens(text, language)


STOPS = [
    ("ar", "في عام 39.", "في عام 39 .", "spaCy's Arabic leaves it on numbers"),
    ("ar", "في عام ٣٩.", "في عام ٣٩ .", "Arabic-Indic digits"),
    ("fa", "سال ۱۳۹۹.", "سال ۱۳۹۹ .", "Persian ones"),
    ("ur", "سال ۱۹.", "سال ۱۹ .", "spaCy's Urdu cuts it off ASCII digits alone"),
    ("bn", "39.", "39 .", ""),
    ("hi", "३९.", "३९ .", "as spaCy has it"),
    ("ar", "(1990).", "( 1990 ) .", "a bracket before it"),
    ("ar", "39%. ٣٩٪.", "39 % . ٣٩ ٪ .", "a sign of percent"),
    ("ar", "«39».", "« 39 » .", "quotation marks"),
    ("ar", "هلامياً.", "هلامياً .", "a vowel sign: spaCy's Arabic cuts it off bare letters alone"),
    ("ar", "الخِطَابَة.", "الخِطَابَة .", "a letter behind one"),
    ("ar", "3.14. 1990... 12:30.", "3.14 . 1990 ... 12:30 .", "a point within a number, an ellipsis, a time"),
    ("ar", "www.x.com.", "www.x.com.", "letters: as spaCy has it"),
    ("en", "In 39.", "In 39 .", "as spaCy has it"),
    ("de", "Am 3. Mai 1990.", "Am 3. Mai 1990.", "an ordinal: as spaCy has it"),
    ("da", "den 3. maj", "den 3. maj", ""),
    ("nb", "3. mai", "3. mai", ""),
    ("tr", "3. gün", "3. gün", ""),
    ("hu", "3. nap", "3. nap", ""),
    ("sr", "3. maj", "3. maj", ""),
]


@pytest.mark.parametrize(("language", "text", "tokens", "_why"), STOPS)
def test_a_full_stop_is_cut_off_a_number_where_it_makes_no_ordinal(language, text, tokens, _why):
    assert " ".join(tokenise(text, language).tokens()) == tokens


@pytest.mark.parametrize("text", ["' ''1", ": (:", "a' ''b '", "(' '' ')", "x : ) y", ". ''1"])
@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_signs_of_a_rule_on_both_sides_of_a_blank_are_what_spacy_makes_of_them(text: str, language: str) -> None:
    assert tokenise(text, language).tokens() == spacy_tokens(text, language)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("word " * 300_000, "en", ["word"] * 300_000)  # more than the 1,000,000 characters that nlp() takes
    ],
)
def test_splitting_at_white_space_changes_no_token(text, language, expected):
    assert tokenise(text, language).tokens() == spacy_tokens(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("", "en", []),  # nothing
        (" \n\u00a0\t", "en", []),  # white space only
        ("word", "en", ["word"]),  # one token
        ("Don't!", "en", ["Do", "n't", "!"]),  # spaCy's contractions
        ("a  b\n\nc\u00a0d", "en", ["a", "b", "c", "d"]),  # spaCy's white space tokens are dropped
        (f"hi {FAMILY}!", "en", ["hi", FAMILY, "!"]),  # a family is one token
        (FLAGS, "xx", ["🇩🇪", "🇨🇳"]),  # spaCy makes a token of each half
        ("one \u0301 \U0001f3fb", "en", ["one", "\u0301", "\U0001f3fb"]),  # marks on blanks (tweets)
        ("La EE. UU. es", "es", ["La", "EE.", "UU.", "es"]),  # spaCy's token "EE. UU." holds a blank
        ("и т.д. и", "ru", ["и", "т.д.", "и"]),
        ("特别OK的666店，hiit b2", "zh", ["特", "别", "OK", "的", "666", "店", "，", "hiit", "b2"]),  # the benchmark's
        ("[认真评价]  她", "zh", list("[认真评价]她")),  # our own white space is dropped
        ("好", "zh-CN", ["好"]),  # region
        ("好吃", "zh_Hans", ["好", "吃"]),  # script, underscore
        ("好吃", "ZH", ["好", "吃"]),  # upper case
        (f"好{FLAGS}{THUMB}", "zh", ["好", "🇩🇪", "🇨🇳", THUMB]),  # a flag is a character
        (
            "cafe\u0301 caf\u00e9 ＯＫ",
            "zh",
            ["cafe\u0301", "caf\u00e9", "Ｏ", "Ｋ"],
        ),  # wide letters are one each in Chinese
        ("ABC会社です", "ja", ["ABC", "会", "社", "で", "す"]),
        ("สวัสดี", "th", regex.findall(r"\X", "สวัสดี")),  # vowel signs stay on their consonant
        ("한국 OK", "ko", ["한", "국", "OK"]),
        ("Tiếng Việt", "vi", ["Tiếng", "Việt"]),  # a run of Latin letters is one token, so words stay words
        ("ខ្មែរ", "km", regex.findall(r"\X", "ខ្មែរ")),  # spaCy does not know Khmer
        ("a\x00b c", "en", ["a\x00b", "c"]),  # NUL passes
        ("\u200fשלום\u200f עולם", "he", ["\u200fשלום\u200f", "עולם"]),  # direction marks stay where they are
        ("hei", "no", ["hei"]),  # spaCy calls it nb
        ("hello", "en-GB", ["hello"]),
        ("a" + "(" * 33 + "!" * 2, "en", ["a", "(" * 33, "!!"]),  # a long run of signs, cut where the sign changes
    ],
)
def test_tokens(text, language, expected):
    assert tokenise(text, language).tokens() == expected


def test_a_long_run_is_cut_between_words_and_loses_nothing():
    run = "/".join(["word" * 5] * 100)
    tokens = tokenise(run, "xx").tokens()
    assert "".join(tokens) == run
    assert max(map(len, tokens)) <= 256


@pytest.mark.parametrize("code", ["qq", "tlh", "lex", "xxx"])
def test_an_unknown_language_is_refused_with_a_remedy(code):
    with pytest.raises(InvalidValue, match=rf"{code}.*[Uu]se xx|{code}.*xx for any language"):
        tokenise("text", code)


@pytest.mark.parametrize("code", ["", "e", "../en", "en us", "english language", "12"])
def test_what_is_no_language_code_is_refused(code):
    with pytest.raises(InvalidValue, match=r"isn't a language code, e\.g\. en, zh, pt-BR, xx for any\."):
        tokenise_all([], code)


@pytest.mark.parametrize("language", ["en", "zh", "ja"])
def test_a_lone_surrogate_is_refused_with_its_place(language):
    with pytest.raises(InvalidValue, match=r"Character 3 is U\+DC00"):
        tokenise("ab \udc00", language)


def test_zh_words_needs_jieba(monkeypatch):
    monkeypatch.setitem(sys.modules, "jieba", None)
    tokenisation._find_ranges_for.cache_clear()
    tokenisation._chinese_words.cache_clear()
    with pytest.raises(InvalidValue, match=r"pip install"):
        tokenise("好吃", "zh-words")


def test_zh_words_are_jiebas():
    script = "from annotator.text.tokenisation import tokenise\nprint(tokenise('我来到 北京清华大学。', 'zh-words').tokens())"
    pytest.importorskip("importlib.util").find_spec("jieba") or pytest.skip("jieba is not installed")
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    assert found.stdout.strip() == "['我', '来到', '北京', '清华大学', '。']"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 40_000,  # spaCy alone: 101 s
        "".join(")(]["[i * i % 7 % 4] for i in range(40_000)),
        "ab.c" * 25_000,
        "ab" * 50_000,
        "中文，" * 33_000,
        "(a" * 40_000,
        "🇩🇪" * 10_000,
        "' ''" + " a.b" * 10_000 + "(" * 10_000,  # given whole, for a rule with a blank in it
        "\n" * 100_000,
    ],
    ids=lambda text: text[:6],
)
def test_spacy_which_is_quadratic_in_a_run_gets_every_run_cut_and_each_character_once(text, monkeypatch):
    tokeniser, given = tokenisation._RuleTokeniser("en"), []
    rules = tokeniser._spacy
    monkeypatch.setattr(tokeniser, "_spacy", lambda part: given.append(part) or rules(part))
    tokeniser.ranges(text)
    assert max((len(run) for part in given for run in part.split()), default=0) <= 256
    assert max((len(signs) for part in given for signs in re.findall(r"[^\w\s]+", part)), default=0) <= 31
    assert sum(map(len, given)) <= len(text)


@pytest.mark.parametrize(("unit", "language"), [(unit, language) for unit, _, language in HOSTILE])
def test_the_tokens_of_a_text_made_to_hang_a_tokeniser_are_sound(unit, language):
    """How long it takes is measured by `python -m benchmarks tokenising`."""
    tokenise(unit * 1_000, language).check()


def test_all_texts_come_in_order_and_one_at_a_time():
    def texts():
        yield "first text"
        yield "second"
        raise AssertionError("read ahead")

    bodies = tokenise_all(texts(), "en")
    assert [next(bodies).text, next(bodies).text] == ["first text", "second"]


def test_threads_get_the_tokens_that_one_alone_gets():
    texts = [f"Word{i % 97}, isn't it? No. {i}-{i}" for i in range(2_000)]
    expected = [tokenise(text, "en") for text in texts]
    tokenisation._find_ranges_for.cache_clear()
    tokenisation._made_tokeniser.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: tokenise(text, "en"), texts)) == expected
    assert tokenisation._made_tokeniser.cache_info().misses == 1  # each is half a second of work


def test_forgetting_known_words_changes_nothing(monkeypatch):
    monkeypatch.setattr(tokenisation, "_MOST_KNOWN_WORDS", 50)
    tokeniser = tokenisation._RuleTokeniser("xx")
    text = " ".join(f"w{i}." for i in range(200))
    assert tokeniser.ranges(text) == tokeniser.ranges(text)
    assert len(tokeniser._known) <= 50


def test_importing_the_module_imports_no_spacy():
    script = "import sys, annotator.text.tokenisation, annotator.text.alignment; print({'spacy', 'numpy'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


def test_the_fast_check_misses_no_character_that_joins_another():
    joins = regex.compile(r"[^\p{GCB=XX}\p{GCB=CN}\p{GCB=CR}\p{GCB=LF}\p{GCB=LV}\p{GCB=LVT}]")
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    missed = [f"U+{ord(c):04X}" for c in joins.findall(everything) if not may_have_clusters(c)]
    assert not missed


@given(text=TEXTS)
@example(text="🇩🇪🇨")
@example(text="🇩\u200d🇪🇨")
@example(text="\u0600🇩🇪🇨🇳")
def test_clusters_are_those_of_the_regex_module(text):
    text = "".join(text.split())
    expected = [found.span() for found in regex.finditer(r"\X", text) if found.end() - found.start() > 1]
    assert cluster_ranges(text) == expected


@pytest.mark.data
@pytest.mark.skipif(SHARED_DATA is None, reason="../shared/data is not there")
def test_real_english_texts_have_spacys_tokens():
    n_texts = 0
    for path in sorted(SHARED_DATA.glob("*/canonical.jsonl")):
        with path.open(encoding="utf-8") as lines:
            for row in (json.loads(line) for _, line in zip(range(150), lines, strict=False)):
                for field in row["fields"].values():
                    if row.get("lang") == "en" and "text" in field:
                        n_texts += 1
                        assert tokenise(field["text"], "en").tokens() == spacy_tokens(field["text"], "en"), row["id"]
    assert n_texts > 500


# Where sentences begin.


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
