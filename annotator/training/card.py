"""The model card: what a model that was trained here learned from, how, and how well it does; beside its weights."""

import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

CARD = "card.json"
_OF_ALIGNMENT = frozenset({"one_in", "task_loss_on"})
_WORDS = {
    "patience": "stops after epochs without a lower validation loss",
    "warm_up": "share of steps in which the learning rate rises",
    "most_gradient": "gradients cut to the norm",
    "balances_labels": "labels count alike",
    "one_in": "with rationales, at least one text of a batch in",
    "task_loss_on": "texts of the task loss",
}
STRETCH = "a stretch of the text"  # the output of a reading model, which has no labels


@dataclass(frozen=True, slots=True)
class EpochResult:
    """What an epoch came to. Losses are means over its steps; of validation, over its examples; None where there was none.

    validation_accuracy: of a reading model the share of exact matches
    """

    task_loss: float
    alignment_loss: float | None
    n_undefined: int
    validation_loss: float | None
    validation_accuracy: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Card:
    """What is written beside a model.

    name: the model's. data, parameters, scores: as plain values; versions: of what trained it; digest: of its weights
    plan: what makes two trainings the same one; "" in cards from before it was written down
    asked: every option of the training as it was asked for: `model`, `data` and `fitting`; {} in cards from before
    """

    name: str
    digest: str
    base: str
    labels: tuple[str, ...]
    output: str
    data: Mapping[str, Any]
    parameters: Mapping[str, Any]
    epochs: tuple[EpochResult, ...]
    best_epoch: int
    scores: Mapping[str, Any]
    versions: Mapping[str, str]
    plan: str = ""
    asked: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def read(folder: Path) -> "Card | None":
        """The card of a folder; None where there is none that can be read, as in a folder from elsewhere."""
        try:
            return msgspec.json.decode((folder / CARD).read_bytes(), type=Card)
        except (OSError, msgspec.DecodeError, msgspec.ValidationError):
            return None

    def write(self, folder: Path) -> None:
        """As JSON for programs and as a README for people."""
        (folder / CARD).write_bytes(msgspec.json.format(msgspec.json.encode(asdict(self))) + b"\n")
        (folder / "README.md").write_text(self.text(), encoding="utf-8")

    def text(self) -> str:
        """In Markdown, without HTML: names of people's labels and projects stand in code spans."""
        rows = "\n".join(
            f"| {number + 1} | {_number(e.task_loss)} | {_number(e.alignment_loss)} | {_number(e.validation_loss)} | "
            f"{_number(e.validation_accuracy)} |"
            for number, e in enumerate(self.epochs)
        )
        labels = f"labels {', '.join(map(_code, self.labels))}; " if self.labels else ""
        return "\n".join(
            [
                f"# {_code(self.name)}",
                "",
                f"Trained from {_code(self.base)}; {labels}output {self.output}; weights {self.digest}.",
                "",
                "## What it learned from",
                "",
                _listed(self.data),
                "",
                "## How",
                "",
                _listed(self._telling_parameters()),
                "",
                "## How it went",
                "",
                "| epoch | loss | alignment | validation loss | validation accuracy |",
                "|---|---|---|---|---|",
                rows,
                "",
                f"Its weights are those of epoch {self.best_epoch + 1}.",
                "",
                "## How often it is right",
                "",
                _listed(self.scores) or "Not known.",
                "",
                "## Versions",
                "",
                _listed(self.versions),
                "",
            ]
        )

    def _telling_parameters(self) -> dict[str, Any]:
        """How it was trained, without what had no effect, in words where the parameter's name says too little."""
        is_aligned = self.parameters.get("alignment") is not None
        return {
            _WORDS.get(name, name): value
            for name, value in self.parameters.items()
            if value is not None and (is_aligned or name not in _OF_ALIGNMENT)
        }


def versions_here() -> dict[str, str]:
    """The versions of what trains models."""
    packages = ("rationale-annotator", "torch", "transformers", "tokenizers")
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in packages}}


def _listed(values: Mapping[str, Any]) -> str:
    return "\n".join(f"* {name.replace('_', ' ')}: {_value(value)}" for name, value in values.items())


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{_code(str(name))} {_value(of)}" for name, of in value.items())
    return _number(value) if isinstance(value, float | None) else _code(value) if isinstance(value, str) else str(value)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _code(text: str) -> str:
    """A code span that whatever the text holds cannot leave."""
    flat = " ".join(text.split())
    ticks = "`" * (max((len(run) for run in flat.replace("`", " ` ").split() if set(run) == {"`"}), default=0) + 2)
    return f"`{flat}`" if "`" not in flat else f"{ticks} {flat} {ticks}"
