"""Texts for the panel's tests and pictures, with a plain tokeniser of their own."""

import re
from typing import Any

from tests.browser.panel.harness import Fake, project, work

CJK = re.compile(r"[\u4e00-\u9fff]|[A-Za-z0-9]+|[^\w\s]")
WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?[\u064b-\u0652]*|\d+|[^\w\s]", re.UNICODE)
SENTENCE_END = ".!?。！？؟"


def segment(
    text: str, name: str = "text", title: str = "Text", *, selectable: bool = True, cjk: bool = False
) -> dict[str, Any]:
    """A segment with offsets in UTF-16 units, as the server gives them."""
    units = [0]
    for char in text:
        units.append(units[-1] + (2 if ord(char) > 0xFFFF else 1))
    found = list((CJK if cjk else WORDS).finditer(text))
    sentences = [i for i in range(len(found)) if i == 0 or found[i - 1].group() in SENTENCE_END]
    return {
        "name": name,
        "title": title,
        "selectable": selectable,
        "text": text,
        "starts": [units[m.start()] for m in found],
        "ends": [units[m.end()] for m in found],
        "sentences": sentences,
    }


def instance(key: str, *segments: dict[str, Any], language: str = "en", direction: str = "ltr") -> dict[str, Any]:
    return {"key": key, "language": language, "direction": direction, "segments": list(segments)}


ENGLISH = (
    "The soup arrived lukewarm, and for a moment I feared the worst. But the lamb was tender, the greens still "
    "had some bite, and our waiter noticed every empty glass before we did. I would come back for the bread alone."
)
SECOND = "We waited forty minutes for a table we had booked. Nobody said sorry, and the fish tasted of the freezer."
THIRD = "A quiet room, honest prices, and a dessert I still think about."
CHINESE = "前台的服务很热情，房间也打扫得干净。不过隔音不太好，半夜能听见走廊里的说话声。总的来说，这个价格住在地铁站旁边，已经很划算了，下次还会选择这家酒店。"
ARABIC = (
    "كانت الخدمة سريعة جدًا والطعام لذيذًا. لكن المكان كان مزدحمًا، ولم نجد طاولة بجانب النافذة. سنعود مرة أخرى بكل تأكيد."
)
PASSAGE = (
    "The lighthouse on Harrow Point was lit for the first time in the autumn of 1871. Its keeper, Edith Marlow, had "
    "grown up in the fishing village below and knew every rock of the bay by name.\n\nFor eleven years she climbed the "
    "142 steps each evening. When the lamp was converted to electricity in 1934, her grandson kept the old mirror; it "
    "now stands in the village hall, beside a photograph of the first crew. Visitors may climb the tower on Sundays "
    "between April and October, provided that the wind does not exceed forty knots."
)
QUESTION = "Where can the old mirror of the lighthouse be seen today?"


def english(key: str = "sentiment-en-05") -> dict[str, Any]:
    return instance(key, segment(ENGLISH))


def short(key: str, text: str = SECOND) -> dict[str, Any]:
    return instance(key, segment(text))


def reading() -> dict[str, Any]:
    return instance(
        "reading-en-03",
        segment(PASSAGE, "passage", "Passage"),
        segment("The lamp on Harrow Point", "title", "Title"),
        segment(QUESTION, "question", "Question", selectable=False),
    )


def pair() -> dict[str, Any]:
    return instance(
        "similarity-en-02",
        segment("A man is slicing a ripe tomato in his kitchen.", "sentence1", "Sentence 1"),
        segment("Someone cuts a vegetable at home.", "sentence2", "Sentence 2"),
    )


def many(tokens: int, key: str = "long", *, one_line: bool = False) -> dict[str, Any]:
    """A text of so many tokens, in paragraphs of about ninety or all in one line."""
    words = [
        "the",
        "evening",
        "train",
        "crossed",
        "a",
        "narrow",
        "bridge",
        "while",
        "rain",
        "drew",
        "thin",
        "lines",
        "along",
        "each",
        "window",
        "and",
        "somebody",
        "in",
        "the",
        "last",
        "carriage",
        "hummed",
        "an",
        "old",
        "song",
    ]
    parts = []
    for index in range(tokens):
        parts.append(words[(index * 7 + index // 11) % len(words)])
        parts.append("\n\n" if not one_line and index % 90 == 89 else " ")
    return instance(key, segment("".join(parts)))


def draft(*sets: list[list[int]], **changes: Any) -> dict[str, Any]:
    return {"result": None, "sets": list(sets), "note": "", "no_rationale": False, **changes}


def scenes() -> dict[str, Fake]:
    """What is worth looking at, one server each."""
    three = draft([[13, 17]], [[13, 17], [18, 24]], [[16, 21], [39, 45]])
    answer = {"kind": "answer", "given": "in the village hall"}
    feedback = {
        "round": 1,
        "lines": ["Comprehensiveness score: 3 × not sure."],
        "sets": {"1": ["Compactness score: 3 × includes disturbances.", "A reviewer: I would leave the waiter out."]},
    }
    return {
        "english": Fake([work(1, english()), work(2, short("sentiment-en-06"))]),
        "three sets": Fake([work(1, english(), draft=three), work(2, short("sentiment-en-06"))]),
        "chinese": Fake(
            [
                work(
                    1,
                    instance("sentiment-zh-11", segment(CHINESE, cjk=True), language="zh"),
                    draft=draft([[4, 7]], [[9, 16]], [[9, 16], [38, 50]]),
                )
            ]
        ),
        "arabic": Fake(
            [
                work(
                    1,
                    instance("sentiment-ar-02", segment(ARABIC), language="ar", direction="rtl"),
                    draft=draft([[2, 4], [5, 6]], [[2, 6]]),
                )
            ]
        ),
        "reading": Fake(
            [work(1, reading(), result=answer, draft=draft([[72, 79]], [[66, 70], [72, 79]]))],
            project(
                question="Which tokens of the passage support the prediction “{result}”?",
                result_kind="answer",
                result_mode="contest",
            ),
        ),
        "pair": Fake(
            [work(1, pair(), result={"kind": "label", "given": "similar"}, draft=draft([[3, 4], [12, 13]], [[5, 7]]))],
            project(labels=["similar", "different"], result_mode="give"),
        ),
        "returned": Fake(
            [work(1, english(), draft=three, state="returned", round=2, locked_sets=[0], feedback=feedback)]
        ),
        "long": Fake([work(1, many(5000), draft=draft([[3, 9], [40, 44]], [[42, 60]]))]),
        "nine sets": Fake([work(1, english(), draft=draft(*[[[i, 20 + i]] for i in range(9)]))]),
        "labels": Fake(
            [work(1, english())], project(result_mode="labels_only", labels=["negative", "neutral", "positive"])
        ),
    }
