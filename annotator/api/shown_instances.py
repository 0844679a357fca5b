"""An instance as a notebook shows it: its tokens with the gold sets below them, and the maps of models."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotator.api.frames import frame
from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.models import StoredOutput
from annotator.domain.numbers import counted

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True, repr=False)
class ShownInstance:
    """An instance with its gold (None of a text that is not stored) and what models say of it; see docs/api.md."""

    instance: Instance
    gold: GoldInstance | None
    outputs: tuple[StoredOutput, ...]

    def __repr__(self) -> str:
        name = f"'{self.instance.key}'" if self.instance.key else "that is not stored"
        return f"<annotator instance {name}, {counted(self.instance.layout.n_tokens, 'token')}>"

    @property
    def tokens(self) -> list[str]:
        """Of all segments, numbered through them, those that can be marked first."""
        return [token for segment in self.instance.segments for token in segment.body.tokens()]

    @property
    def sets(self) -> list[list[int]]:
        """The gold sets as token indices; [] without gold."""
        return [] if self.gold is None else [list(rationale_set.token_indices) for rationale_set in self.gold.sets]

    def predictions(self) -> "DataFrame":
        """A row a model and seed: its label or answer to the full input, and the probabilities."""
        columns = ("model", "seed", "answer", "probabilities")
        return frame(
            (
                {
                    "model": of.run.model, "seed": of.run.seed, "answer": prediction.label,
                    "probabilities": dict(prediction.probabilities) or None,
                }
                for of in self.outputs
                for prediction in of.output.predictions
                if prediction.on == "full"
            ),
            columns,
        )  # fmt: skip

    def attributions(self) -> "DataFrame":
        """A row a map, as `Project.attributions` has them."""
        from annotator.api.tables import ATTRIBUTION_COLUMNS, rows_of_attributions  # noqa: PLC0415

        return frame((row for of in self.outputs for row in rows_of_attributions(of)), ATTRIBUTION_COLUMNS)

    def _repr_html_(self) -> str:
        from annotator.figures.instance_html import instance_html  # noqa: PLC0415

        return instance_html(self.instance, self.gold, self.outputs)
