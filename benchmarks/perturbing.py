"""What a pause in typing costs on the Perturb screen, in texts of 300 and of 5,000 tokens: the changed text's tokens, the
diff, the carried sets and the suggestions. The diff also beside difflib's, in texts that are easy and hard for difflib.

Target: 50 ms for 300 tokens and 300 ms for 5,000, everything together, in English and Chinese.
"""

import random
import statistics
import time
from collections.abc import Callable
from difflib import SequenceMatcher

from annotator.domain.instances import Segment
from annotator.domain.perturbations import KINDS
from annotator.domain.texts import RationaleSet, TokenizedText
from annotator.perturb.suggested_texts import suggest
from annotator.perturb.versions import carry_sets, compare
from annotator.text.token_diff import diff_tokens, tokenise_like
from annotator.text.tokenisation import tokenise
from benchmarks.measured import Measured, table

_ENGLISH = (
    "the a film plot is was very good bad slow , . and not with Emily Paris 1998 it 's boring friendly I do n't like"
)
_CHINESE = "的 了 是 我 不 在 有 店 里 服务 很 好 吃 味道 ， 。 非常 便宜 热情 没有 3 两个 北京"
_WORDS = {"en": _ENGLISH.split(), "zh": _CHINESE.split()}
_ROUNDS = 10


def main() -> list[Measured]:
    """Milliseconds of a pause for each size and language, the kind with most suggestions; and the diff beside difflib."""
    rows: list[Measured] = []
    for language in _WORDS:
        for n_tokens, at_most in ((300, 50.0), (5_000, 300.0)):
            times = {kind.name: _pause(language, n_tokens, kind.name) for kind in KINDS}
            slowest = max(times, key=lambda name: times[name])
            what = f"a pause in {n_tokens:,} tokens ({language}; slowest kind: {slowest})"
            rows.append(Measured(what, times[slowest], "ms", at_most=at_most))
    for what, before, after in _texts():
        ours = _milliseconds(lambda: diff_tokens(before, after))  # noqa: B023  (called at once)
        theirs = _milliseconds(lambda: SequenceMatcher(None, before, after, autojunk=False).get_opcodes(), rounds=1)  # noqa: B023
        rows.append(Measured(f"diff: {what}", ours, "ms", theirs, "difflib"))
    return rows


def _pause(language: str, n_tokens: int, kind: str) -> float:
    draw = random.Random(0)
    gap = "" if language == "zh" else " "
    words = draw.choices(_WORDS[language], k=n_tokens)
    text = gap.join(words)
    for place in draw.sample(range(n_tokens), max(2, n_tokens // 50)):
        words[place] = draw.choice(_WORDS[language])
    changed = gap.join(words)
    body = tokenise(text, language)
    sets = [RationaleSet.of((start, start + 8)) for start in range(0, body.n_tokens - 8, 40)]

    def pause() -> None:
        after = tokenise_like(body, changed, language)
        change = compare([_segment(body)], [_segment(after)])
        carry_sets(sets, change)
        change.share_inside(sets)
        suggest(after, language, kind)

    return _milliseconds(pause)


def _segment(body: TokenizedText) -> Segment:
    return Segment("text", is_selectable=True, body=body)


def _texts() -> list[tuple[str, list[str], list[str]]]:
    """What, tokens before and tokens after: all of 5,000 tokens or so."""
    draw = random.Random(0)
    drawn = draw.choices([f"w{number}" for number in range(800)], k=5_000)
    two = ["X", *drawn[1:-1], "Y"]
    many = [token if draw.random() > 0.04 else "X" for token in drawn]
    shuffled = draw.sample(drawn, len(drawn))
    few_kinds = [draw.choice("ab") for _ in range(2_000)]
    return [
        ("5,000 tokens, two edits at the ends", drawn, two),
        ("5,000 tokens, 200 edits", drawn, many),
        ("5,000 tokens, in another order", drawn, shuffled),
        ("2,000 tokens of two kinds", few_kinds, draw.sample(few_kinds, len(few_kinds))),
    ]


def _milliseconds(work: Callable[[], object], rounds: int = _ROUNDS) -> float:
    if rounds > 1:
        work()
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times)


if __name__ == "__main__":
    print(table([("perturbing", row) for row in main()]))
