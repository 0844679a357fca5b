"""Texts into tokens and sentences, by language."""

import pkgutil
import re
import sys
import threading
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache, lru_cache
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import regex

from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue
from annotator.language import _
from annotator.text.characters import CLUSTER, CONTINUES, check_characters, is_chinese, keep_clusters_whole, subtags

# Where the sentences of a tokenised text begin.


# spaCy's Sentencizer.default_punct_chars; a test compares the two, so that this module needs no spaCy.
FINAL_CHARACTERS = frozenset(
    "!.?։؟۔܀܁܂߹।॥၊။።፧፨᙮᜵᜶᠃᠉᥄᥅᪨᪩᪪᪫᭚᭛᭞᭟᰻᰼᱾᱿‼‽⁇⁈⁉⸮⸼꓿꘎꘏꛳꛷꡶꡷꣎꣏꤯꧈꧉꩝꩞꩟꫰꫱꯫﹒﹖﹗！．？𐩖𐩗𑁇𑁈𑂾𑂿𑃀𑃁𑅁𑅂𑅃𑇅𑇆𑇍𑇞𑇟𑈸𑈹𑈻𑈼"
    "𑊩𑑋𑑌𑗂𑗃𑗉𑗊𑗋𑗌𑗍𑗎𑗏𑗐𑗑𑗒𑗓𑗔𑗕𑗖𑗗𑙁𑙂𑜼𑜽𑜾𑩂𑩃𑪛𑪜𑱁𑱂𖩮𖩯𖫵𖬷𖬸𖭄𛲟𝪈｡。"
)
_BASIC_FINALS = "".join(sorted(c for c in FINAL_CHARACTERS if c < "\U00010000"))
# One class of characters is searched fast, but not one with single astral characters: all of those are candidates.
_CANDIDATE = re.compile(f"[{re.escape(_BASIC_FINALS)}\r\n\u2029\U00010000-\U0010ffff]")
_PARAGRAPH = re.compile("(?>\r\n|\r|\n)[^\\S\r\n]*+(?>\r\n|\r|\n)|\u2029")


def sentence_starts(text: str, starts: Sequence[int], ends: Sequence[int]) -> tuple[int, ...]:
    """The token numbers at which sentences begin, for tokens of ours or of a source.

    A sentence ends as with spaCy's rule-based sentencizer: after a token that is one sentence-final character (of any
    script) and all punctuation that follows it, opening brackets and quotes too. "..." and "U.S." are tokens that end
    nothing. Besides (our decision), a sentence begins after a blank line or a paragraph separator, since titles and
    lists have no full stop; one line end alone begins nothing. Blank and empty tokens begin no sentence (spaCy's
    would): they belong to the sentence before.

    Shapes:  starts, ends int[n_tokens], as in TokenizedText; returns int[n_sentences], () without tokens
    >>> sentence_starts("No! Why?) Because.", (0, 2, 4, 7, 8, 10, 17), (2, 3, 7, 8, 9, 17, 18))
    (0, 2, 5)
    """
    if not starts:
        return ()
    first = _CANDIDATE.search(text)
    if first is None or first.start() >= starts[-1]:
        return (0,)
    n_tokens = len(starts)
    paragraphs = _paragraph_starts(text, starts, ends)
    begins = {0, n_tokens, *paragraphs}
    reached = 0
    for match in _CANDIDATE.finditer(text, first.start()):
        start_char = match.start()
        number = bisect_left(starts, start_char, reached)
        if number == n_tokens:
            break
        if starts[number] == start_char and ends[number] == start_char + 1 and match.group() in FINAL_CHARACTERS:
            reached = number + 1
            while (
                reached < n_tokens and reached not in paragraphs and _is_trailing(text[starts[reached] : ends[reached]])
            ):
                reached += 1
            begins.add(reached)
    return tuple(sorted(begins)[:-1])


def _paragraph_starts(text: str, starts: Sequence[int], ends: Sequence[int]) -> set[int]:
    """The first visible token after each blank line."""
    begins: set[int] = set()
    if not ("\n" in text or "\r" in text or "\u2029" in text):
        return begins
    number = 0
    for match in _PARAGRAPH.finditer(text):
        number = max(number, bisect_left(starts, match.end()))
        while number < len(starts) and not text[starts[number] : ends[number]].strip():
            number += 1
        begins.add(number)
    return begins


def _is_trailing(token: str) -> bool:
    """Whether a token belongs to the sentence that has just ended: punctuation, blank or empty."""
    return not token.strip() or token in FINAL_CHARACTERS or all(unicodedata.category(c)[0] == "P" for c in token)


Ranges = list[tuple[int, int]]

# Written with words that only a dictionary can find, or with a tokeniser of spaCy's that needs a package.
_CLUSTER_LANGUAGES = frozenset({"ja", "km", "ko", "lo", "my", "th", "vi"})
_OTHER_NAMES = {"no": "nb", "iw": "he", "mul": "xx", "und": "xx"}

_LONGEST_SIGNS = 31  # signs in a row that spaCy gets
_LONGEST_RUN = 256  # characters in a row, without white space between them, that spaCy gets
_LONG_SIGNS = re.compile(rf"[^\w\s]{{{_LONGEST_SIGNS + 1},}}")
_LONG_RUN = re.compile(rf"\S{{{_LONGEST_RUN + 1},}}|\s{{{_LONGEST_RUN + 1},}}")
_SIGNS_APART = re.compile(r"[^\w\s] [^\w\s]")
_VISIBLE = re.compile(r"\S+")
_SAME_SIGN = re.compile(r"(.)\1*+")
_LONGEST_KNOWN_WORD = 40
_MOST_KNOWN_WORDS = 200_000


def tokenise(text: str, language: str) -> TokenizedText:
    """The text with its tokens and sentences.

    English and the other languages of spaCy: its rule-based tokens, without white space. Chinese: one character a
    token, but a run of Latin letters and digits, not of wide ones, is one (the benchmark has such runs of ASCII);
    "zh-words" are jieba's words.
    Japanese, Thai, Korean, Vietnamese and others without rules: one character a token, but a run of Latin letters and
    digits is one; never a dictionary that happens to be installed, so that a text has the same tokens on every machine.
    A character is a grapheme cluster, which no token cuts. No token holds white space: those of spaCy's that do
    ("EE. UU.") are parted there, and so is a mark from a blank that it stands on.

    The full stop behind a number is a token of its own wherever the language does not write ordinals so ("3. Mai"), with
    digits of any script; spaCy's rules for Arabic, Persian, Bengali and others leave it on the number or on a bracket.

    A run of 32 signs or more is cut where the sign changes, and a run of more than 256 characters without white space
    into parts, because spaCy takes hours for a long one; all other tokens are those of spaCy alone.

    Source:  tokens of Chinese: Wang et al. 2022, as measured on their data
    Raises:  InvalidValue for an unknown language, and for a lone surrogate (naming its place)
    >>> tokenise("It's good. Isn't it?", "en").tokens()
    ['It', "'s", 'good', '.', 'Is', "n't", 'it', '?']
    >>> tokenise("في عام ٣٩.", "ar").tokens()
    ['في', 'عام', '٣٩', '.']
    >>> tokenise("手机OK， 6寸！", "zh").tokens()
    ['手', '机', 'OK', '，', '6', '寸', '！']
    >>> tokenise("在Kraków", "zh").tokens()
    ['在', 'Kraków']
    """
    return _tokenised(text, _find_ranges_for(language))


def tokenise_all(texts: Iterable[str], language: str) -> Iterator[TokenizedText]:
    """Each text with its tokens and sentences, as `tokenise` gives them, in order and one at a time.

    Raises:  InvalidValue at once for an unknown language
    """
    find_ranges = _find_ranges_for(language)
    return (_tokenised(text, find_ranges) for text in texts)


_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]{8}")


def is_in_clauses(body: TokenizedText) -> bool:
    """Whether most of a text is tokens of whole clauses: it is of a script without spaces, and was taken for another language.

    >>> is_in_clauses(tokenise("这部电影非常好看，值得一看。", "en")), is_in_clauses(tokenise("这部电影非常好看。", "zh"))
    (True, False)
    """
    if body.text.isascii() or _UNSPACED.search(body.text) is None:
        return False
    return 2 * sum(len(token) for token in body.tokens() if _UNSPACED.search(token)) > len(body.text)


_TAG = re.compile(r"<(?:br|p|div|span|b|i|em|strong|a)(?:\s[^<>]*)?/?>", re.IGNORECASE)


def has_tags(body: TokenizedText) -> bool:
    """Whether a text has tags of HTML, which are tokens like any other."""
    return "<" in body.text and _TAG.search(body.text) is not None


Finder = Callable[[str], tuple[list[int], list[int]]]


def _tokenised(text: str, find_ranges: Finder) -> TokenizedText:
    check_characters(text)
    starts, ends = find_ranges(text)
    return TokenizedText(text, tuple(starts), tuple(ends), sentence_starts(text, starts, ends))


@lru_cache(maxsize=256)
def _find_ranges_for(language: str) -> Finder:
    """The language's tokeniser: a function from a text to the starts and ends of its tokens."""
    parts = subtags(language)
    if is_chinese(language):
        return _chinese_words().ranges if parts[-1] == "words" else _find_chinese_characters
    if parts[0] in _CLUSTER_LANGUAGES:
        return _find_characters
    return _rule_tokeniser(_OTHER_NAMES.get(parts[0], parts[0])).ranges


# Characters ----------------------------------------------------------------------------------------------------------

# Wide letters (Ａ) are one each, as Chinese characters are.
_CHINESE_CHARACTER = regex.compile(rf"(?:[[\p{{Latin}}0-9]--[\uff00-\uffef]]{CONTINUES}*+)++|{CLUSTER}", regex.V1)
_CHARACTER = regex.compile(rf"(?:[\p{{Latin}}0-9]{CONTINUES}*+)++|{CLUSTER}")


def _find_chinese_characters(text: str) -> tuple[list[int], list[int]]:
    return _parted([match.span() for match in _CHINESE_CHARACTER.finditer(text) if not match.group().isspace()])


def _find_characters(text: str) -> tuple[list[int], list[int]]:
    return _parted([match.span() for match in _CHARACTER.finditer(text) if not match.group().isspace()])


def _parted(ranges: Ranges) -> tuple[list[int], list[int]]:
    return [start for start, _ in ranges], [end for _, end in ranges]


# Chinese words -------------------------------------------------------------------------------------------------------


class _ChineseWords:
    """jieba's words. Its dictionary is read once; one thread at a time uses it."""

    def __init__(self, jieba: ModuleType) -> None:
        jieba.setLogLevel("WARNING")
        self._lock = threading.Lock()
        self._tokeniser: Any = jieba.Tokenizer()

    def ranges(self, text: str) -> tuple[list[int], list[int]]:
        with self._lock:
            words = [(start, end) for word, start, end in self._tokeniser.tokenize(text) if not word.isspace()]
        return _parted(keep_clusters_whole(text, words))


@cache
def _chinese_words() -> _ChineseWords:
    try:
        import jieba  # noqa: PLC0415
    except ImportError:
        raise InvalidValue(
            _("Tokeniser zh-words needs jieba: pip install 'rationale-annotator[chinese-words]'.")
        ) from None
    return _ChineseWords(jieba)


# spaCy's rules -------------------------------------------------------------------------------------------------------


class _KnownWords(dict[str, Ranges]):
    """The token ranges of words (runs of text between blanks); those of an unknown word are found when asked for."""

    def __init__(self, find: Callable[[str], Ranges]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, word: str) -> Ranges:
        ranges = self._find(word)
        if len(word) <= _LONGEST_KNOWN_WORD:
            self[word] = ranges
        return ranges


class _RuleTokeniser:
    """spaCy's rule-based tokens of one language.

    spaCy looks at one run without white space after the other, so each different word is given to it once. A text that
    meets a rule with a blank in it ("EE. UU."), or the signs of a rule parted by a blank ("' ''": spaCy then sees the rule
    across the blank, and not the one beside it), is given whole. One thread at a time uses spaCy.
    """

    def __init__(self, code: str) -> None:
        self._code = code
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        """Begin anew: spaCy keeps every string that it has ever seen."""
        self._spacy = _load_rules(self._code)
        self._rules_with_blanks = [rule for rule in self._spacy.rules if " " in rule.strip()]
        self._rules_apart = [
            f"{rule[:cut]} {rule[cut:]}"
            for rule in self._spacy.rules
            if not any(character.isalnum() or character.isspace() for character in rule)
            for cut in range(1, len(rule))
        ]
        self._known = _KnownWords(self._find)
        self._n_found = 0

    def ranges(self, text: str) -> tuple[list[int], list[int]]:
        known = self._known
        parts = [text] if self._looks_beyond_blanks(text) else text.split(" ")
        starts: list[int] = []
        ends: list[int] = []
        offset = 0
        for part in parts:
            for start, end in known[part]:
                starts.append(offset + start)
                ends.append(offset + end)
            offset += len(part) + 1
        return starts, ends

    def _looks_beyond_blanks(self, text: str) -> bool:
        return any(rule in text for rule in self._rules_with_blanks) or (
            _SIGNS_APART.search(text) is not None and any(rule in text for rule in self._rules_apart)
        )

    def _find(self, part: str) -> Ranges:
        with self._lock:
            if self._n_found >= _MOST_KNOWN_WORDS:
                self._forget()
            self._n_found += 1
            ranges = [
                token for start, end in _without_long_signs(part) for token in self._find_between(part, start, end)
            ]
        return keep_clusters_whole(part, ranges)

    def _find_between(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        if end - start > _LONGEST_SIGNS and _LONG_SIGNS.fullmatch(text, start, end):
            yield from (match.span() for match in _SAME_SIGN.finditer(text, start, end))
            return
        for piece_start, piece_end in _without_long_runs(text, start, end):
            for token in self._spacy(text[piece_start:piece_end]):
                start = piece_start + token.idx
                yield from (match.span() for match in _VISIBLE.finditer(text, start, start + len(token)))


def _without_long_signs(text: str) -> Iterator[tuple[int, int]]:
    """The text's parts in order: long runs of signs, and what lies between them."""
    done = 0
    for match in _LONG_SIGNS.finditer(text):
        if done < match.start():
            yield done, match.start()
        yield match.span()
        done = match.end()
    if done < len(text):
        yield done, len(text)


def _without_long_runs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts of a range of text that spaCy gets: long runs cut, long white space left out."""
    for match in _LONG_RUN.finditer(text, start, end):
        if start < match.start():
            yield start, match.start()
        start = match.start() if not match.group().isspace() else match.end()
        while start < match.end():
            border = _border_in_run(text, start, match.end())
            yield start, border
            start = border
    if start < end:
        yield start, end


def _border_in_run(text: str, start: int, end: int) -> int:
    """Where to cut a run: between a word and a sign, as late as may be, or else after the longest part allowed."""
    latest = start + _LONGEST_RUN
    if latest >= end:
        return end
    for border in range(latest, start + _LONGEST_RUN // 2, -1):
        if not (text[border - 1].isalnum() and text[border].isalnum()):
            return border
    return latest


_NEED_TORCH = ("spacy_transformers", "spacy_curated_transformers")


class _NoTorch(MetaPathFinder):
    """Torch as where it is not installed, for one thread. A None in its place in sys.modules would make SciPy fail."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, fullname: str, *_more: object) -> None:
        if fullname == "torch" and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


@contextmanager
def _rules_alone() -> Iterator[None]:
    """What spaCy loads beside its rules is left out: its commands, and torch, which takes longer than a thousand texts.

    Where a package is installed whose parts of pipelines need torch, it is loaded: it could not be later.
    """
    commands, info = ModuleType("spacy.cli"), ModuleType("spacy.cli.info")
    info.info = None  # type: ignore[attr-defined]
    stand_ins = {module.__name__: module for module in (commands, info)}
    finders = [] if any(find_spec(name) for name in _NEED_TORCH) else [_NoTorch()]
    sys.modules |= stand_ins
    sys.meta_path[:0] = finders
    try:
        yield
    finally:
        for finder in finders:
            sys.meta_path.remove(finder)
        for name in stand_ins:
            del sys.modules[name]


def _import_spacy() -> Any:
    with nullcontext() if "spacy" in sys.modules else _rules_alone():
        import spacy  # noqa: PLC0415
        import spacy.lang  # noqa: PLC0415
    return spacy


def _load_rules(code: str) -> Any:
    spacy = _import_spacy()
    known = sorted(module.name for module in pkgutil.iter_modules(spacy.lang.__path__) if module.ispkg)
    if code not in known:
        raise InvalidValue(
            _("No tokeniser for language '{code}'. Use xx or {known}.", code=code, known=", ".join(known))
        )
    return _with_bounded_affixes(spacy, code)


# Languages that write an ordinal as a number with a full stop, and in which spaCy therefore leaves it there.
_STOP_MAKES_ORDINALS = frozenset({"da", "de", "el", "hu", "nb", "nn", "sl", "sr", "tr"})
# Languages in which spaCy cuts a full stop off bare letters alone: not off signs, nor off the vowel signs of Arabic.
_STOP_STAYS_ON_SIGNS = frozenset({"am", "ar", "fa", "grc", "ti"})
_STOP_BEHIND_DIGIT = re.compile(r"(?<=\d)\.$")
_VOWEL_SIGNS = r"\u064b-\u065f\u0670"
_STOP_BEHIND_SIGN = re.compile(rf"""(?:(?<=[\d%٪)\]}}»"'”’{_VOWEL_SIGNS}])|(?<=[{_VOWEL_SIGNS}]\w))\.$""")


def _stop_rule(code: str) -> "re.Pattern[str] | None":
    """Which full stop is cut off beside those that spaCy cuts."""
    if code in _STOP_MAKES_ORDINALS:
        return None
    return _STOP_BEHIND_SIGN if code in _STOP_STAYS_ON_SIGNS else _STOP_BEHIND_DIGIT


def _with_bounded_affixes(spacy: Any, code: str) -> Any:
    """A language's rules and one more suffix, found faster: prefixes at the start alone, suffixes in the last characters alone.

    spaCy searches the whole word for both at each step. No run of signs that it gets is longer than what is looked at. Made
    without a pipeline (`spacy.blank`), which would read the rules twice and look through installed packages.
    """
    defaults, stop = spacy.util.get_lang_class(code).Defaults, _stop_rule(code)
    prefixes, suffixes = (
        spacy.util.compile_prefix_regex(defaults.prefixes),
        spacy.util.compile_suffix_regex(defaults.suffixes),
    )

    def search_suffix(word: str) -> "re.Match[str] | None":
        begin = max(0, len(word) - _LONGEST_SIGNS - 1)
        match: re.Match[str] | None = suffixes.search(word, begin)
        return match if match is not None or stop is None else stop.search(word, begin)

    return spacy.tokenizer.Tokenizer(
        spacy.vocab.create_vocab(code, defaults), defaults.tokenizer_exceptions, prefixes.match, search_suffix,
        spacy.util.compile_infix_regex(defaults.infixes).finditer, defaults.token_match, defaults.url_match,
    )  # fmt: skip


def _rule_tokeniser(code: str) -> _RuleTokeniser:
    with _MAKING:  # half a second of work, which many would do at once when a server has just begun
        return _made_tokeniser(code)


@cache
def _made_tokeniser(code: str) -> _RuleTokeniser:
    return _RuleTokeniser(code)


_MAKING = threading.Lock()
