"""The layers of a model: which there are, and whether what one of them gives can be taken for what the text gives."""

from typing import Any

from annotator.attribution.transformers_encoding import Encoded
from annotator.attribution.transformers_loaded import Loaded
from annotator.attribution.transformers_parameters import EMBEDDINGS, Value
from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, ModelError
from annotator.language import _


def layers_for(loaded: Loaded, layer: Value) -> list[tuple[int | None, Any]]:
    """The modules that a parameter names, each with its number from 0; the embeddings have none.

    Raises: InvalidValue for a number that the model does not have, ModelError for a model whose layers are not found
    """
    if layer == EMBEDDINGS:
        return [(None, loaded.model.get_input_embeddings())]
    modules = _layers(loaded)
    if layer == "all":
        return list(enumerate(modules))
    number = len(modules) - 1 if layer == "last" else int(layer)
    if number >= len(modules):
        raise InvalidValue(
            _(
                "The model '{name}' has no layer {number}: its layers are 0 to {n_layers}.",
                name=loaded.name,
                number=number,
                n_layers=len(modules) - 1,
            )
        )
    return [(number, modules[number])]


def _layers(loaded: Loaded) -> list[Any]:
    """The first list of as many modules as the configuration has layers."""
    wanted = getattr(loaded.model.config, "num_hidden_layers", None)
    for _other, module in loaded.model.named_modules():
        if type(module).__name__ == "ModuleList" and len(module) == wanted:
            return list(module)
    raise ModelError(
        _(
            "In the model '{name}' ({about}) no list of its layers is found, since they share weights or stand otherwise. "
            "Choose layer={embeddings}, or another method.",
            name=loaded.name,
            about=loaded.about["model"],
            embeddings=EMBEDDINGS,
        )
    )


def check_used_once(loaded: Loaded, module: Any, encoded: Encoded) -> None:
    """Raise ModelError where a text goes through a layer in several parts, of which none is the whole text.

    That is so of texts in several windows, of labels of several words, and of layers that stand for several.
    """
    n_used = 0

    def count(_module: object, _given: object, answer: Any) -> None:
        nonlocal n_used
        n_used += len(answer[0] if isinstance(answer, tuple) else answer)

    hook = module.register_forward_hook(count)
    try:
        loaded.ask(loaded.batch([encoded]))
    finally:
        hook.remove()
    if n_used != 1:
        raise ModelError(
            _(
                "{shown} goes through a layer of the model '{name}' {times}, in windows or once for each label; the gradients "
                "of a layer are computed only where that is once. Choose integrated-gradients.",
                shown=encoded.shown,
                name=loaded.name,
                times=counted(n_used, "time"),
            ),
            reason="that go through a layer of the model several times",
        )
