"""Input × gradient with a graph through it, so that a loss of the attribution reaches the model's weights."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from annotator.domain.numbers import counted
from annotator.errors import ModelError

Tensor = Any  # torch is not imported here: whoever makes one has it


class Embeddings:
    """The embeddings that a model used of its text, once for each time it was asked."""

    def __init__(self) -> None:
        self._used: list[Tensor] = []

    def take(self, _module: object, _arguments: object, output: Tensor) -> Tensor:
        """What a forward hook does: remember the output, which needs a gradient also where the embeddings are frozen."""
        used = output if output.requires_grad else output.detach().requires_grad_()
        self._used.append(used)
        return used

    @property
    def used(self) -> Tensor:
        """float[batch, length, dimensions].

        Raises: ModelError where the model did not use them exactly once: its attribution would be a part of it
        """
        if len(self._used) != 1:
            raise ModelError(
                f"The model uses the embeddings of its text {counted(len(self._used), 'time')}; alignment is possible only "
                "for models that use them once."
            )
        return self._used[0]


@contextmanager
def embeddings_of(model: Any) -> Iterator[Embeddings]:
    """The word embeddings of what the model is asked within: before position and LayerNorm, which would make it 0."""
    taken = Embeddings()
    hook = model.get_input_embeddings().register_forward_hook(taken.take)
    try:
        yield taken
    finally:
        hook.remove()


def input_x_gradient(explained: Tensor, embeddings: Tensor, *, has_graph: bool) -> Tensor:
    """float[batch, length]: Σ over dimensions of the embedding times the gradient of what is explained.

    explained: float[batch], such as the logit of each instance's label
    has_graph: whether the gradient itself has one (double backward; attention must be "eager"); without it a loss reaches the
               weights through the embedding alone
    """
    torch = import_module("torch")
    (gradient,) = torch.autograd.grad(explained.sum(), embeddings, create_graph=has_graph, retain_graph=True)
    return (gradient * embeddings).sum(dim=2)
