"""AttnLRP (Achtibat et al., ICML 2024), layer-wise relevance propagation through transformers, in the form of gradient × input.

Where relevance is shared in proportion to what is added up (ε-rule, Equation 8, with ε = 0), R = x · g for the gradient g, so
that linear operations need no change. Biases and position embeddings take their part of the sum by the same rule, and no
subword gets it. The other rules change what flows back, and never the model's answer (in this form: Arras et al. 2025):

* identity (Equation 9), of an activation y = f(x): g · y / x in the place of g · f'(x), so that R(x) = R(y)
* uniform (Propositions 3.2 and 3.3), of a product of n things that follow from the input: g / n to each
* softmax (Proposition 3.1): its gradient, as in the Taylor decomposition at x; what that leaves over is a bias
* normalisation (Proposition 3.4): what is divided by, such as a standard deviation, is a constant

torch's functions are met where they are called, whatever the model's family. What is not met or has no rule shows in the graph of
the gradient, and is refused.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from typing import Any

from annotator.attribution.transformers_networks import Loaded
from annotator.attribution.transformers_subwords import Tensor
from annotator.errors import ModelError
from annotator.language import _

_ACTIVATION_NAMES = (
    "relu relu6 leaky_relu gelu silu mish tanh sigmoid elu selu celu softplus softsign logsigmoid hardtanh hardswish "
    "hardsigmoid erf pow square abs clamp"
)
_ELEMENTWISE = frozenset(_ACTIVATION_NAMES.split())
_DIVISORS = frozenset({"rsqrt", "sqrt", "std", "var", "norm", "vector_norm", "linalg_vector_norm"})
_DIVISIONS = frozenset({"div", "divide", "true_divide"})
_PRODUCTS = frozenset({"mul", "multiply", "matmul", "bmm", "mm", "mv", "dot", "einsum"})
_ACTIVATIONS = "transformers.activations"  # of its modules some are written as sums and products
_NEAR_ZERO = 1e-9

# Nodes of the graph, without "Backward" and digits: linear, a choice, or left there by the rules above.
_NODE_NAMES = (
    "Add Sub Rsub Neg Mul Div Sum Mean Cumsum Mm Addmm Bmm Mv Dot Convolution IndexAdd IndexPut IndexPutImpl CopySlices "
    "Softmax SafeSoftmax LogSoftmax ScaledDotProductFlashAttentionForCpu ScaledDotProductEfficientAttention "
    "ScaledDotProductFlashAttention ScaledDotProductCudnnAttention Max Min Amax Amin Where MaskedFill IndexSelect Gather "
    "Scatter Repeat RepeatInterleave Flip Roll ConstantPadNd Triu Tril ReshapeAlias View UnsafeView Reshape Transpose "
    "Permute Squeeze Unsqueeze Expand Cat Stack Split SplitWithSizes Narrow Slice Index Select Alias Clone ToCopy "
    "Unbind T AsStrided AccumulateGrad"
)
_HAVE_RULES = frozenset(_NODE_NAMES.split())


@contextmanager
def relevance_rules(loaded: Loaded, *, is_attention_constant: bool) -> Iterator[None]:
    """Let gradients through the model follow the rules.

    is_attention_constant: nothing flows through attention weights, as in CP-LRP (Ali et al. 2022)
    """
    activations = [module for module in loaded.model.modules() if type(module).__module__ == _ACTIVATIONS]
    for module in activations:
        module.forward = partial(_identity, module.forward)
    try:
        with _rules()(partial(_called, loaded, is_attention_constant)):
            yield
    finally:
        for module in activations:
            del module.forward


def check_graph(loaded: Loaded, explained: Tensor) -> None:
    """Raise ModelError where something without a rule stands between the embeddings and what is explained."""
    waiting, seen = [explained.grad_fn], set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        kind = node.name().rpartition("::")[2].rstrip("0123456789").removesuffix("Backward")
        if kind not in _HAVE_RULES:
            raise _without_rule(loaded, kind)
        waiting += [of_input for of_input, _other in node.next_functions]


def _without_rule(loaded: Loaded, operation: str) -> ModelError:
    return ModelError(
        _(
            "AttnLRP has no rule for {operation} in '{name}' ({kind}). Use integrated-gradients.",
            operation=operation,
            name=loaded.name,
            kind=type(loaded.model).__name__,
        )
    )


@cache
def _rules() -> Any:
    """A mode of torch in which all its functions go through one of ours."""
    mode: Any = import_module("torch.overrides").TorchFunctionMode

    class Rules(mode):  # type: ignore[misc]  # torch is not typed here
        def __init__(self, call: Callable[..., Any]) -> None:
            super().__init__()
            self.call = call

        def __torch_function__(
            self, function: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
        ) -> Any:
            del types
            return self.call(function, *args, **(kwargs or {}))

    return Rules


def _called(loaded: Loaded, is_attention_constant: bool, function: Any, *args: Any, **options: Any) -> Any:
    """What a function of torch gives, with the rule in the place of its gradient."""
    name = getattr(function, "__name__", "").rstrip("_")
    if name in _ELEMENTWISE:
        return _identity(function, *args, **options)
    if name in _DIVISORS or (name == "softmax" and is_attention_constant):
        return function(*args, **options).detach()
    if name in {"layer_norm", "rms_norm"}:
        return _normalized(function, name == "layer_norm", *args, **options)
    if name == "scaled_dot_product_attention":
        return _attended(loaded, is_attention_constant, function, *args, **options)
    if name in _DIVISIONS and _depend(args[1:]):
        raise _without_rule(loaded, name)
    given = function(*args, **options)
    if name in _PRODUCTS and (n_factors := _depend([*args, *options.values()])) > 1:
        _share(given, n_factors)
    return given


def _identity(function: Any, x: Tensor, *args: Any, **options: Any) -> Tensor:
    if not _depend([x]):
        return function(x, *args, **options)
    at = x.detach()
    y = function(at.clone(), *args, **options)  # a copy, as some write into what they get
    return y + (x - at) * (y / (at + _NEAR_ZERO * (1 - 2 * (at < 0).to(at.dtype))))


def _normalized(
    function: Any,
    is_centred: bool,
    x: Tensor,
    shape: Sequence[int],
    weight: Tensor = None,
    bias: Tensor = None,
    eps: float | None = None,
) -> Tensor:
    at, dimensions = x.detach(), tuple(range(-len(shape), 0))
    further = {} if eps is None else {"eps": eps}
    y = function(at, shape, weight=weight, **({"bias": bias} if is_centred else {}), **further)
    change = x - at  # 0, with the gradient of x
    if is_centred:
        at, change = (of - of.mean(dim=dimensions, keepdim=True) for of in (at, change))
    least = eps if eps is not None else 1e-5 if is_centred else import_module("torch").finfo(at.dtype).eps
    divided = change * (at.square().mean(dim=dimensions, keepdim=True) + least).rsqrt()
    return y + (divided if weight is None else divided * weight)


def _attended(
    loaded: Loaded, is_constant: bool, function: Any, query: Tensor, key: Tensor, value: Tensor, *args: Any, **more: Any
) -> Tensor:
    """Attention in one call: half of what it gives is of the values, and a quarter each of queries and keys."""
    if is_constant:
        return function(query.detach(), key.detach(), value, *args, **more)
    if _depend([query, key, value]) < 3:
        raise _without_rule(loaded, function.__name__)
    views = [of.view_as(of) for of in (query, key, value)]
    for view, n in zip(views, (4, 4, 2), strict=True):
        _share(view, n)
    return function(*views, *args, **more)


def _share(given: Tensor, n: int) -> None:
    """Divide the gradient that comes to it."""
    if given.requires_grad:
        given.register_hook(lambda gradient: gradient / n)


def _depend(values: Iterable[Any]) -> int:
    """How many of them follow from the embeddings; weights need no gradient."""
    return sum(
        _depend(of) if isinstance(of, list | tuple) else bool(getattr(of, "requires_grad", False)) for of in values
    )
