"""Where the sentences of a tokenised text begin."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence

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
