"""What models are asked from Python: attributions of a whole project, and of a text that is not stored."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from annotator.api.open_project import OpenProject
from annotator.api.refusals import speaks_python
from annotator.api.shown_instances import ShownInstance
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import USUAL_PROMPT

if TYPE_CHECKING:
    from annotator.usecases.models.attributions import AttributingReport


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
        rename:   what the project calls labels of the model
        prompt:   of models that choose by a prompt or write their answer, with {text} in it; None: the usual one
        label_words: of both, what a label is called there; longest_answer: how many pieces one that writes has at most
        allow_model_hub: a model that is not on this machine may be fetched from the Hugging Face hub
        progress: called with how many instances are done, and of how many
        """
        from annotator.usecases.models.attributions import AttributingOptions, LoadOptions, attribute  # noqa: PLC0415

        options = AttributingOptions(
            label, (seeds,) if isinstance(seeds, int) else tuple(seeds), params or {}, split, faithfulness, trains=train,
            renamed=rename or {}, is_anew=again, load=LoadOptions(
                device=device, asks_hub=allow_model_hub, prompt=prompt or USUAL_PROMPT, label_words=label_words or {},
                longest_answer=longest_answer,
            ), ratio=ratio,
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
