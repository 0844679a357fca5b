"""A predictor from what a person writes: spacy:, transformers:, transformers-zero-shot:, transformers-writing: or served:, and
a folder or name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotator.attribution import spacy_models
from annotator.attribution.base import Predictor, TooLong
from annotator.domain.projects import USUAL_PROMPT
from annotator.errors import InvalidValue
from annotator.language import _

BUILT_IN = "built-in"
_KINDS = ("spacy", "transformers", "transformers-zero-shot", "transformers-writing", "served")


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How a transformers model is run; others have no need of it.

    inputs_at_once: texts in one batch of the model; None: 8 on a CPU, 32 on a GPU
    too_long:       a text beyond the model's limit is refused, cut at its end, or read in windows
    labels:         of zero-shot and served models: what they choose from
    prompt:         of these, and of models that write: the text in what it stands in, up to the label
    label_words:    of both: what a label is called there, where that is another word
    longest_answer: of models that write their answer: how many subwords it has at most
    asks_hub:       a model that is not on this machine may be fetched from the Hugging Face hub; else no other host is asked
    """

    device: str = "auto"
    threads: int = 1
    inputs_at_once: int | None = None
    too_long: TooLong = "refuse"
    is_query_first: bool = False
    asks_hub: bool = False
    labels: tuple[str, ...] = ()
    prompt: str = USUAL_PROMPT
    label_words: Mapping[str, str] = field(default_factory=dict)
    longest_answer: int = 20


def require_known_kind(spec: str) -> None:
    """Raise InvalidValue for a spec of a model of no known kind, such as a folder alone."""
    kind, _colon, source = spec.partition(":")
    if kind not in _KINDS or not source.strip():
        raise InvalidValue(
            _(
                "'{spec}' isn't a model. Use {built_in}, {built_in}:NAME, spacy:FOLDER-OR-NAME, "
                "transformers:FOLDER-OR-NAME, transformers-zero-shot:FOLDER-OR-NAME, "
                "transformers-writing:FOLDER-OR-NAME or served:NAME.",
                spec=spec,
                built_in=BUILT_IN,
            )
        )


def load_predictor(spec: str, options: LoadOptions) -> Predictor:
    """The model that a spec names; the built-in one is not made here.

    Raises: InvalidValue for a spec of no known kind, ModelError where the model cannot be loaded
    """
    require_known_kind(spec)
    kind, _colon, source = spec.partition(":")
    of_transformers: Any = {
        "device": options.device, "threads": options.threads, "batch_size": options.inputs_at_once,
        "too_long": options.too_long, "query_first": options.is_query_first, "asks_hub": options.asks_hub,
    }  # fmt: skip
    match kind:
        case "spacy":
            return spacy_models.load(source, name=Path(source).name or source)
        case "transformers" | "transformers-zero-shot":
            from annotator.attribution import transformers_models  # noqa: PLC0415
            from annotator.attribution.transformers_prompts import Prompt  # noqa: PLC0415

            prompt = None
            if kind == "transformers-zero-shot":
                prompt = Prompt.of(options.prompt, options.labels, options.label_words)
            return transformers_models.load(source, **of_transformers, prompt=prompt)
        case "transformers-writing":
            from annotator.attribution.transformers_generators import load_writer  # noqa: PLC0415

            return load_writer(source, **of_transformers, template=options.prompt, longest=options.longest_answer)
        case _:
            from annotator.attribution.served_models import ServedLabels, ServedModel  # noqa: PLC0415

            return ServedLabels(ServedModel.of(source), options.labels)
