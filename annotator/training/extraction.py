"""Input × gradient with a graph through it, so that a loss of the attribution reaches the model's weights."""

from importlib import import_module
from typing import Any

Tensor = Any  # torch is not imported here: whoever makes one has it


def embeddings_of(model: Any, ids: Tensor) -> Tensor:
    """float[batch, length, dimensions]: the word embeddings of pieces, with a gradient also where they are frozen.

    They are taken before position and LayerNorm, which would make the attribution 0.
    """
    embedded = model.get_input_embeddings()(ids)
    return embedded if embedded.requires_grad else embedded.detach().requires_grad_()


def input_x_gradient(explained: Tensor, embeddings: Tensor, *, has_graph: bool) -> Tensor:
    """float[batch, length]: Σ over dimensions of the embedding times the gradient of what is explained.

    explained: float[batch], such as the logit of each instance's label
    has_graph: whether the gradient itself has one (double backward; attention must be "eager"); without it a loss reaches the
               weights through the embedding alone
    """
    torch = import_module("torch")
    (gradient,) = torch.autograd.grad(explained.sum(), embeddings, create_graph=has_graph, retain_graph=True)
    return (gradient * embeddings).sum(dim=2)
