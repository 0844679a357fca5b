"""The Saliency component alone, on a server that answers it as docs/saliency.md says."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from playwright.sync_api import Locator

from tests.browser.panel.harness import Fake, PanelPage

NO_SLICES: dict[str, Any] = {**{name: [] for name in ("labels", "splits", "lengths", "facts", "groups")}, "left_out": 0}
WORDS = ("bad", "slow", "plot", "good", "cast")


def map_of(run: int = 1, **changes: Any) -> dict[str, Any]:
    """What a map is drawn from: signed scores for "negative", by a model that answers "positive"."""
    return {
        "run": run,
        "model": "tiny",
        "method": "occlusion",
        "parameters": "{}",
        "seed": None,
        "unit": "none",
        "is_signed": True,
        "label": "negative",
        "asked_label": None,
        "layer": None,
        "answer": {"label": "positive", "probabilities": {"positive": 0.8, "negative": 0.2}},
        "numbers": {},
        "scores": [0.5, 0.25, -0.5, -0.125, 0.0],
        "ranking": None,
        "spans": None,
        "subwords": None,
        "convergence": None,
        "facts": {},
        "spread": None,
        "beside_random": None,
        "held_out": None,
        "trust": None,
        "seen": None,
        **changes,
    }


def attention(run: int = 2, **changes: Any) -> dict[str, Any]:
    """Weights without a sign that belong to no label."""
    scores = [0.4, 0.1, 0.2, 0.2, 0.1]
    return map_of(run, **{"method": "attention", "is_signed": False, "label": "", "scores": scores, **changes})


def annotator(name: str, *sets: tuple[int, ...], **changes: Any) -> dict[str, Any]:
    """What one person marked."""
    facts = {"label": "negative", "facts": [], "is_numbered": False, "is_own": False, "is_accepted": True}
    return {"name": name, "sets": sets, **facts, **changes}


def number(run: int, model: str, method: str, *names: str) -> dict[str, Any]:
    """A run with the numbers that were measured of it."""
    numbers = [{"layer": None, "name": name} for name in names]
    return {"run": run, "model": model, "method": method, "parameters": "{}", "seed": None, "numbers": numbers}


@dataclass
class SaliencyFake(Fake):
    """Texts that all have the same words, and maps of them."""

    entry: ClassVar[str] = "saliency/main.js"
    sheets: ClassVar[tuple[str, ...]] = ("shared/panel.css", "saliency/saliency.css")

    works: list[dict[str, Any]] = field(default_factory=list)
    panels: list[dict[str, Any]] = field(default_factory=lambda: [map_of(), attention()])
    keys: tuple[str, ...] = ("first", "second")
    numbers: list[dict[str, Any]] = field(default_factory=list)
    without: int | None = None
    gold: tuple[tuple[int, ...], ...] = ((0, 1), (2,))
    people: tuple[dict[str, Any], ...] = ()
    slices: dict[str, Any] = field(default_factory=lambda: dict(NO_SLICES))
    predicted: str | None = None
    of_texts: tuple[str, ...] = ()
    learned: dict[str, list[int]] = field(default_factory=dict)
    may_import: bool = False
    may_write: bool = True
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def mount(self) -> dict[str, Any]:
        data = {
            "project": 1,
            "user": 1,
            "csrf": "token",
            "start": self.start,
            "measured": "",
            "routes": "/api/saliency",
        }
        return {**data, "may_import": self.may_import, "may_write": self.may_write, "labels": ["negative", "positive"]}

    def answer(self, route: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.asked.append((route, body))
        names = {one["name"] for run in self.numbers for one in run["numbers"]}
        told = {name: {"title": name, "definition": "", "direction": "", "source": ""} for name in names}
        rows = [self._row(place) for place in range(len(self.keys))]
        if body.get("words"):
            rows = [row for row in rows if body["words"] in row["key"]]
        answers = {
            "numbers": lambda: {"runs": self._runs(), "names": told, "of_texts": self.of_texts, "of_answers": []},
            "points": self._points,
            "list": lambda: {"rows": rows, "n": len(rows), "page": 1, "without": self.without},
            "slices": lambda: self.slices,
            "slice_names": lambda: {"facts": [], "groups": []},
            "lists": lambda: {"lists": []},
            "instance": lambda: self._instance(int(body["instance"]), body.get("panels"), body.get("gold")),
        }
        return 200, answers[route]()

    def _runs(self) -> list[dict[str, Any]]:
        """All runs of the project: those that were measured, and those that only have maps."""
        measured = {one["run"] for one in self.numbers}
        others = {one["run"]: {**self._choice(one), "numbers": []} for one in self.panels if one["run"] not in measured}
        return [*self.numbers, *others.values()]

    def _points(self) -> dict[str, Any]:
        """Every text has its place in the list, from 1, as both numbers."""
        n = len(self.keys)
        numbers = list(range(1, n + 1))
        facts = {"n": n, "without_x": 0, "without_y": 0, "learned": self.learned}
        return {"ids": numbers, "keys": self.keys, "x": numbers, "y": numbers, **facts}

    def _row(self, place: int) -> dict[str, Any]:
        facts = {"split": "", "result": "negative", "kind": None, "excerpt": " ".join(WORDS), "label": self.predicted}
        return {"id": place + 1, "key": self.keys[place], "value": None, **facts}

    def _instance(self, number: int, panels: str | None, gold: str | None) -> dict[str, Any]:
        asked = None if panels is None else [one.split(":") for one in panels.split(",") if one]
        shown = self.panels if asked is None else [self._panel(int(run), layer) for run, layer, _ in asked]
        before = ["", *[" "] * (len(WORDS) - 1)]
        segment = {"name": "text", "first": 0, "is_selectable": True, "tokens": WORDS, "before": before, "rest": ""}
        facts = {"split": "", "result": "negative", "language": "en", "parent": None, "kind": None}
        return {
            "project": 1,
            "policy": "chosen",
            "instance": {"id": number, "key": self.keys[number - 1], **facts},
            "segments": [segment],
            "gold": () if gold == "people" else self.gold,
            "people": self.people if gold == "people" else None,
            "withheld": "",
            "sides": [{"name": "", "n": len(WORDS)}],
            "ratios": [0.4],
            "are_ratios_measured": True,
            "panels": shown,
            "choices": list({one["run"]: self._choice(one) for one in self.panels}.values()),
            "partners": [],
        }

    def _panel(self, run: int, layer: str) -> dict[str, Any]:
        of_run = [one for one in self.panels if one["run"] == run]
        nothing = {**of_run[0], "layer": None, "label": "", "scores": None}
        return next((one for one in of_run if layer in {"-", str(one["layer"])}), nothing)

    def _choice(self, one: dict[str, Any]) -> dict[str, Any]:
        names = ("run", "model", "method", "parameters", "seed", *(["group"] if "group" in one else []))
        layers, labels = one.get("layers", []), one.get("labels", [one["label"]] if one["label"] else [])
        return {**{name: one[name] for name in names}, "layers": layers, "labels": labels}


class SaliencyPage(PanelPage):
    """What a person sees of the screen."""

    def open(self, theme: str = "light", query: str = "") -> "SaliencyPage":
        self.page.goto(f"{self.server.url}?theme={theme}{query}")
        self.page.wait_for_function("window.shadow?.querySelector('.heat-where h2, .heat-notice:not(:empty)')")
        return self

    def map(self, place: int = 0) -> Locator:
        return self.page.locator(".heat-panel").nth(place)
