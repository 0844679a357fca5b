"""What models are asked from Python: attributions of a whole project, and of a text that is not stored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotator.api.frames import frame
from annotator.api.project import OpenProject, speaks_python
from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.models import StoredOutput
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import USUAL_PROMPT

if TYPE_CHECKING:
    from pandas import DataFrame

    from annotator.usecases.models.attributions import AttributingReport

# An instance as a notebook shows it: its tokens with the gold sets below them, and the maps of models.


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


@speaks_python
class ProjectModels(OpenProject):
    """The part of a Project that asks models."""

    def attribute(
        self,
        model: str,
        method: str,
        *,
        label: str = "predicted",
        seeds: int | Sequence[int] = (),
        params: Mapping[str, object] | None = None,
        split: str | None = None,
        faithfulness: bool = False,
        ratio: float | None = None,
        normalised: bool = False,
        most_tokens: int = 50,
        beam_width: int = 5,
        train: bool = False,
        again: bool = False,
        rename: Mapping[str, str] | None = None,
        prompt: str | None = None,
        label_words: Mapping[str, str] | None = None,
        longest_answer: int = 20,
        device: str = "auto",
        allow_model_hub: bool = False,
        progress: Callable[[int, int], None] = lambda _done, _of: None,
    ) -> "AttributingReport":
        """Compute and store answers and attributions, as `annotator attribute` does; what is stored is not computed again.

        model:    built-in, spacy:..., transformers:FOLDER, transformers-zero-shot:FOLDER, transformers-writing:FOLDER, or the
                  name of one that was trained here
        label:    whose attribution: "predicted", "gold", "all", or a label
        params:   of the method
        ratio:    of a project without gold, the share of a text's tokens that a rationale is, with faithfulness
        normalised: with faithfulness and normalised AOPC, of texts of at most most_tokens, above 12 by a beam of beam_width
        rename:   what the project calls labels of the model
        prompt:   of models that choose by a prompt or write their answer, with {text} in it; None: the usual one
        label_words: of both, what a label is called there; longest_answer: how many subwords one that writes has at most
        allow_model_hub: a model that is not on this machine may be fetched from the Hugging Face hub
        progress: called with how many instances are done, and of how many
        """
        from annotator.usecases.models.attributions import AttributingOptions, LoadOptions, attribute  # noqa: PLC0415

        options = AttributingOptions(
            label, (seeds,) if isinstance(seeds, int) else tuple(seeds), params or {}, split, faithfulness, trains=train,
            renamed=rename or {}, is_anew=again, load=LoadOptions(
                device=device, asks_hub=allow_model_hub, prompt=prompt or USUAL_PROMPT, label_words=label_words or {},
                longest_answer=longest_answer,
            ), ratio=ratio, is_normalised=normalised, most_tokens=most_tokens,
            beam_width=beam_width,
        )  # fmt: skip
        return attribute(self.database.store, LOCAL_OPERATOR, self.rules, model, method, options, progress=progress)

    def explain(
        self,
        text: str | Mapping[str, str],
        model: str = "built-in",
        methods: str | Sequence[str] = "occlusion",
        *,
        label: str | None = None,
        seed: int | None = None,
        params: Mapping[str, object] | None = None,
        rename: Mapping[str, str] | None = None,
        device: str = "auto",
        allow_model_hub: bool = False,
    ) -> ShownInstance:
        """What a model answers to a text that is not stored, and the maps of it; nothing is kept. A notebook shows both.

        text:   the text; where the task has several segments, each of them by its name
        model:  as for `attribute`
        label:  whose attribution; None: of the label that the model predicts
        params: of the methods
        rename: what the project calls labels of the model
        """
        from annotator.usecases.models.attributions import LoadOptions  # noqa: PLC0415
        from annotator.usecases.models.explanations import ExplainOptions, explain  # noqa: PLC0415

        load = LoadOptions(device=device, asks_hub=allow_model_hub)
        options = ExplainOptions(label, seed, params or {}, rename or {}, load)
        names = (methods,) if isinstance(methods, str) else tuple(methods)
        explained = explain(self.database.store, LOCAL_OPERATOR, self.rules, text, model, names, options)
        return ShownInstance(explained.instance, None, explained.outputs)
