"""The review screen alone, with a server that answers as docs/review.md says; the page and the switches are those of harness.py."""

import threading
from dataclasses import dataclass
from typing import Any, ClassVar

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, PanelServer

Sets = list[list[list[int]]]


def blank(count: int) -> dict[str, Any]:
    """Scores of so many sets, none given."""
    return {
        "comprehensiveness": None,
        "comment": "",
        "sets": [{"sufficiency": None, "compactness": None, "comment": ""} for _ in range(count)],
    }


def scores(whole: int | None, *sets: tuple[int | None, int | None], **changes: Any) -> dict[str, Any]:
    given = [{"sufficiency": first, "compactness": second, "comment": ""} for first, second in sets]
    return {"comprehensiveness": whole, "comment": "", "sets": given, **changes}


def review(number: int, instance: dict[str, Any], *sets: list[list[int]], **changes: Any) -> dict[str, Any]:
    """A review object as the server would give it, open and without scores."""
    shown = [{"spans": spans, "is_carried": False, "carried": None, "previous": None} for spans in sets]
    return {
        "review": number,
        "revision": 1,
        "annotation": number + 30,
        "round": 1,
        "max_rounds": 3,
        "state": "open",
        "instance": {"id": number + 100, "split": "train", "target": None, **instance},
        "result": "positive",
        "note": "",
        "no_rationale": not sets,
        "sets": shown,
        "scores": blank(len(sets)),
        "previous": None,
        "decision": None,
        **changes,
    }


def project() -> dict[str, Any]:
    return {
        "id": 1,
        "name": "Sentiment",
        "question": "Which tokens support “{result}”? Each set must suffice alone, without unneeded words.",
        "has_guidelines": True,
        "asks_model": False,
        "idle_after_s": 60,
    }


@dataclass
class ReviewFake(Fake):
    """The server's memory and its switches."""

    entry: ClassVar[str] = "review/main.js"
    sheets: ClassVar[tuple[str, ...]] = ("shared/panel.css", "review/review.css")

    def __post_init__(self) -> None:
        self.project = project()

    def mount(self) -> dict[str, Any]:
        return {"project": 1, "start": self.start, "csrf": "token", "routes": "/api/review"}

    def find(self, assignment: int) -> dict[str, Any]:
        return next(work for work in self.works if work["review"] == assignment)

    @property
    def counts(self) -> dict[str, int]:
        states = [work["state"] for work in self.works]
        return {"to_review": states.count("open"), "open": 0, "submitted": states.count("submitted")}

    def next(self, instance: int | None) -> dict[str, Any]:
        asked = next((w for w in self.works if w["annotation"] == instance), None)
        shown = asked or next((w for w in self.works if w["state"] == "open"), None)
        empty = None if shown else "Nothing to review. Annotations appear here when submitted."
        return {"work": shown, "project": self.project, "counts": self.counts, "empty": empty}

    def mine(self, asked: dict[str, Any]) -> dict[str, Any]:
        rows = [
            {
                "review": work["review"],
                "annotation": work["annotation"],
                "key": work["instance"]["key"],
                "excerpt": work["instance"]["segments"][0]["text"][:90],
                "round": work["round"],
                "state": work["decision"]["outcome"] if work["decision"] else work["state"],
                "result": work["result"],
                "sets": len(work["sets"]),
                "at": "2026-01-31T10:20:00Z",
                "may_change": work["state"] == "submitted",
                "scored": ["Set A: sufficiency score 3 (can support the result)"],
                "lines": ["The lead decided: enough."] if work["decision"] else [],
            }
            for work in self.works
            if work["state"] in ("submitted", "decided")
        ]
        words, state = asked.get("words", "").lower(), asked.get("state", "")
        rows = [r for r in rows if words in r["excerpt"].lower() and state in {"", r["state"]}]
        return {"rows": rows, "total": len(rows), "page": 1, "page_size": 20}

    def answer(self, route: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if route == "next" and not self.refuse.get("next"):
            return 200, self.next(int(body["annotation"]) if "annotation" in body else None)
        return super().answer(route, body)

    def post(self, route: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.messages.append((route, body))
        if self.refuse.get(route):
            return self.refuse[route].pop(0)
        found = self.find(body["review"])
        if found["state"] == "decided":
            return 410, {"error": "This annotation isn't under review any more."}
        if route == "skip":
            found["state"] = "skipped"
            return 200, {"next": self.next(None)}
        if body["revision"] != found["revision"] or (route == "save" and found["state"] == "submitted"):
            return 409, {"error": "These scores were changed in another tab or window.", "work": found}
        found["revision"] += 1
        found["scores"] = body["scores"]
        if route == "save":
            return 200, {"revision": found["revision"]}
        found["state"] = "submitted"
        return 200, {"next": self.next(None)}


class ReviewPage(PanelPage):
    """What a reviewer sees, in words."""

    fake: ReviewFake

    @property
    def scores(self) -> dict[str, Any]:
        """The scores that the server holds, once everything has been acknowledged."""
        self.page.wait_for_function("!Object.keys(localStorage).some((key) => key.startsWith('annotator:review:'))")
        with self.fake.lock:
            return dict(next(work for work in self.fake.works if work["instance"]["key"] == self.key)["scores"])

    @property
    def step(self) -> str:
        """The step that is asked for, such as "A sufficiency score"."""
        return " ".join(self.text(".ask-title").split())

    @property
    def view(self) -> str:
        return self.text(".views [aria-pressed=true] .button-label")

    @property
    def said(self) -> str:
        return str(self.page.locator(".live").text_content())

    def choices(self) -> list[str]:
        return [" ".join(words.split()) for words in self.page.locator(".choice:visible").all_inner_texts()]

    def given(self) -> list[str]:
        """The scores in the boxes of the chips, in their order."""
        return self.page.locator(".chip .score-box").all_inner_texts()

    def card(self, number: int) -> str:
        return str(self.page.locator(".card").nth(number).inner_text())

    def marks(self) -> dict[str, list[str]]:
        """The words under each highlight, in the order of the text."""
        return {name: words for name, words in super().marks().items() if words}


THREE: Sets = [[[13, 17]], [[13, 17], [18, 24]], [[16, 21], [39, 45]]]


def second_round(number: int = 1) -> dict[str, Any]:
    """A correction: A passed, B lost its tail and gained a token, C is new; a set of the first round has gone."""
    work = review(number, samples.english(), *THREE, round=2)
    work["sets"][0] = {
        "spans": THREE[0],
        "is_carried": True,
        "carried": {"sufficiency": "3", "compactness": "11/3"},
        "previous": 0,
    }
    work["sets"][1]["previous"] = 2
    work["previous"] = {
        "round": 1,
        "sets": [THREE[0], [[2, 4]], [[14, 17], [18, 26]]],
        "lines": ["Comprehensiveness score: 2 × not sure, 1 × comprehensive."],
        "set_lines": {
            "1": ["“The soup says the opposite.”"],
            "2": ["Compactness score: 2 × not sure, 1 × concise.", "“The comma adds nothing.”"],
        },
    }
    return work


def finding(name: str, index: int | None, given: list[int], mean: str, threshold: str, passes: bool) -> dict[str, Any]:
    return {"property": name, "set": index, "scores": given, "mean": mean, "threshold": threshold, "passes": passes}


def decided(number: int = 1) -> dict[str, Any]:
    given = scores(2, (3, 4), (3, 3), (2, 4))
    findings = [
        finding("sufficiency", 0, [3, 3, 3], "3", "3", True),
        finding("sufficiency", 1, [3, 3, 3], "3", "3", True),
        finding("sufficiency", 2, [2, 3, 3], "8/3", "3", False),
        finding("compactness", 0, [4, 4, 3], "11/3", "18/5", True),
        finding("compactness", 1, [3, 4, 3], "10/3", "18/5", False),
        finding("compactness", 2, [4, 4, 4], "4", "18/5", True),
        finding("comprehensiveness", None, [2, 2, 3], "7/3", "13/5", False),
    ]
    decision = {"outcome": "returned", "by": "gate", "reason": "", "findings": findings}
    decision["others"] = [{"set": 1, "line": "A reviewer: too long"}]
    return review(number, samples.english(), *THREE, state="decided", scores=given, decision=decision)


def scenes() -> dict[str, ReviewFake]:
    """What is worth looking at, one server each."""
    english = review(1, samples.english(), *THREE, scores=scores(None, (3, None), (None, None), (None, None)))
    chinese = samples.instance("sentiment-zh-11", samples.segment(samples.CHINESE, cjk=True), language="zh")
    arabic = samples.instance("sentiment-ar-02", samples.segment(samples.ARABIC), language="ar", direction="rtl")
    long = review(1, samples.many(5000), [[3, 9], [2040, 2044], [4800, 4810]], [[42, 60]], note="Long one.")
    nine = review(1, samples.english(), *[[[i, 20 + i]] for i in range(9)])
    answer = {"result": "in the village hall"}
    return {
        "english": ReviewFake([english, review(2, samples.short("second"), [[3, 6]])]),
        "chinese": ReviewFake([review(1, chinese, [[4, 7]], [[9, 16]], [[9, 16], [38, 50]])]),
        "arabic": ReviewFake([review(1, arabic, [[2, 4], [5, 6]], [[2, 6]])]),
        "pair": ReviewFake([review(1, samples.pair(), [[3, 4], [12, 13]], [[5, 7]], result="similar")]),
        "reading": ReviewFake([review(1, samples.reading(), [[72, 79]], [[66, 70], [72, 79]], **answer)]),
        "long": ReviewFake([long]),
        "second round": ReviewFake([second_round()]),
        "decided": ReviewFake([decided()], start=31),
        "nine sets": ReviewFake([nine]),
        "no rationale": ReviewFake([review(1, samples.english())]),
        "nothing": ReviewFake([]),
    }


def main() -> None:
    """Serve every sample until interrupted, for looking at the screen by hand."""
    for name, fake in scenes().items():
        print(f"{PanelServer(fake).url}   {name}")  # noqa: T201
    threading.Event().wait()


if __name__ == "__main__":
    main()
