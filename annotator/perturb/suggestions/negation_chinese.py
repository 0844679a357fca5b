"""Chinese negation with 不 and 没, put in and taken out."""

from collections.abc import Iterator

from annotator.perturb.linguistics.chinese import may_end_word, word_at
from annotator.perturb.passage import Passage
from annotator.perturb.registry import Proposal, suggester
from annotator.text.edits import Edit

_PLAIN_BEFORE_NEGATION = (
    "并",
    "毫",
    "绝",
    "从来",
    "一点也",
    "一点都",
    "一点儿也",
    "再也",
    "得",
    "差",
    "要",
    "是",
    "好",
    "能",
)
_HAVE_COMPOUNDS = (
    "没有",
    "所有",
    "具有",
    "只有",
    "还有",
    "拥有",
    "如有",
    "含有",
    "享有",
    "占有",
    "稀有",
    "特有",
    "固有",
    "富有",
)
_AFTER_HAVE = ("点", "些", "的", "时", "人", "没", "趣", "名", "限", "效", "关", "意思", "可能", "必要", "助于", "利于")


@suggester("Negate", kinds="logic contrast", languages="zh", turns=2)
def negate_chinese(passage: Passage) -> Iterator[Proposal]:
    lists, text = passage.word_lists, passage.text
    negatable = (*lists.list("adjectives"), *lists.list("verbs"))
    for start, end, degree in passage.find(lists.list("degrees")):
        word = word_at(text, end, negatable)
        if word is not None and text[end + len(word) : end + len(word) + 1] != word[:1]:
            yield [Edit(start, end, "不")], f"{degree}{word} → 不{word}"
            yield [Edit(start, start, "不是")], f"不是{degree}{word}"
    for start, end, word in passage.find(lists.list("verbs")):
        if (
            not text.endswith(("不", "没", "别", *lists.list("degrees"), *lists.list("reducers")), 0, start)
            and text[end : end + 1] != "不"
        ):
            yield [Edit(start, start, "不")], f"不{word}"
    for start, end, _ in passage.find(["有"]):
        is_word = text[start - 1 : end] in _HAVE_COMPOUNDS if start else False
        if not is_word and not text.startswith(_AFTER_HAVE, end) and end < len(text):
            yield [Edit(start, start, "没")], "有 → 没有"


@suggester("Take a negation out", kinds="logic contrast", languages="zh", turns=2)
def affirm_chinese(passage: Passage) -> Iterator[Proposal]:
    """不 before an adjective or verb of our lists, and 没有. Not in 好不好, 并不好, 一点也不好, where more would have to go."""
    lists, text = passage.word_lists, passage.text
    words = sorted({*lists.list("adjectives"), *lists.list("verbs")}, key=len, reverse=True)
    for start, end, _ in passage.find(["不"]):
        word = word_at(text, end, words)
        if word is None or text.endswith((*_PLAIN_BEFORE_NEGATION, word[0]), 0, start):
            continue
        if len(word) > 1 or may_end_word(text, end + len(word)):
            yield [Edit(start, end, "")], f"不{word} → {word}"
    for start, end, _ in passage.find(["没有"]):
        if (
            not text.endswith((*_PLAIN_BEFORE_NEGATION, "有", "还"), 0, start)
            and not text.startswith(("人", "了", "，", "。"), end)
            and end < len(text)
        ):
            yield [Edit(start, start + 1, "")], "没有 → 有"
