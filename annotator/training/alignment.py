"""How far a model's attributions are from people's rationales, as a loss with gradients (Joshi et al. 2022, ER-TEST).

The paper defines each criterion for one instance, a sum over its tokens; the code that was released with it computes another
number over a whole batch. Both are here under their own names, since the paper's figures may come from either.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any, Literal, get_args

from annotator.errors import InvalidValue
from annotator.language import _, unknown

Tensor = Any  # torch is not imported here: whoever makes one has it
Criterion = Literal["mse", "mae", "huber", "bce", "order", "kl"]
Form = Literal["paper", "released"]
OfSeveral = Literal["lowest", "union"]
Over = Literal["sum", "mean"]
Extractor = Literal["gradient-x-input", "attention", "integrated-gradients", "extractor"]

USUAL_BY: Extractor = "gradient-x-input"
USUAL_STEPS = 4  # of integrated gradients
_LEAST_SHARE = 1e-4  # what the released code raises each share of the softmax to, before its logarithm


@dataclass(frozen=True, slots=True)
class AlignmentOptions:
    """What attributions are held against, and how.

    form:       "paper": for each instance, over the subwords of its words; "released": over the batch, special subwords too
    strength:   λ, the weight beside the task's loss
    scale:      γ, what attributions are multiplied by before the sigmoid; not of an extractor, which learns its own
    of_several: of an instance with several sets, the set with the lowest loss or their union; the released form joins them
    over:       the paper's sum over tokens, or their mean, so that λ does not depend on the length
    delta:      where the paper's Huber becomes linear; the paper gives no number
    has_graph:  False: the gradient inside the attribution is a constant, as with captum 0.4.0, which the released code uses
    by:         the method whose attributions are aligned; "extractor": a head beside the classifier's
    steps:      of integrated gradients: points on the path
    Raises: InvalidValue for what there is not
    """

    criterion: Criterion
    form: Form = "paper"
    strength: float = 1.0
    scale: float = 100.0
    of_several: OfSeveral = "lowest"
    over: Over = "sum"
    delta: float = 1.0
    has_graph: bool = True
    by: Extractor = USUAL_BY
    steps: int = USUAL_STEPS

    def __post_init__(self) -> None:
        if self.criterion not in get_args(Criterion):
            raise InvalidValue(unknown(_("criterion"), self.criterion, ", ".join(get_args(Criterion))))
        if self.criterion == "kl" and self.form == "paper":
            raise InvalidValue(_("The paper has no 'kl'. Choose the form 'released'."))
        for name, value in (("strength", self.strength), ("scale", self.scale), ("delta", self.delta)):
            if not 0 < value < float("inf"):
                raise InvalidValue(_("Alignment {name} is {value}; use more than 0.", name=name, value=value))
        if self.by not in get_args(Extractor):
            raise InvalidValue(unknown(_("method"), self.by, ", ".join(get_args(Extractor))))
        if self.steps < 1:
            raise InvalidValue(_("Alignment {name} is {value}; use more than 0.", name="steps", value=self.steps))
        if not self.has_graph and not self.is_by_gradient:
            raise InvalidValue(_("--no-graph is for gradients. Remove it, or --align-by {by}.", by=self.by))

    @property
    def is_by_gradient(self) -> bool:
        return self.by in {"gradient-x-input", "integrated-gradients"}

    def as_plan(self) -> dict[str, object]:
        """As plain values without what is as it always was, so that plans from before stay the same."""
        usual = {"by": USUAL_BY, "steps": USUAL_STEPS}
        return {name: value for name, value in asdict(self).items() if name not in usual or value != usual[name]}


@dataclass(frozen=True, slots=True)
class AlignmentBatch:
    """Attributions of a batch beside its rationales, subword by subword; shorter instances are filled up.

    attributions: float[batch, length], of the target class
    gold:         bool[batch, sets, length]: the subwords of each set
    is_set:       bool[batch, sets]: which sets there are; an instance without any is not judged
    words:        bool[batch, length]: the subwords of what people can mark
    real:         bool[batch, length]: everything that is no filling, special subwords too
    """

    attributions: Tensor
    gold: Tensor
    is_set: Tensor
    words: Tensor
    real: Tensor


@dataclass(frozen=True, slots=True)
class Alignment:
    """loss: a number with a graph, 0 where nothing was judged; n_undefined: instances with rationales that have no loss."""

    loss: Tensor
    n_judged: int
    n_undefined: int


def align(batch: AlignmentBatch, options: AlignmentOptions) -> Alignment:
    """The loss of a batch without its strength λ.

    In the paper's form the mean over the instances that are judged. BCE is undefined for an instance without any token in its
    rationale, Order for one whose words are all in it; they are left out and counted.

    Raises: InvalidValue for the released BCE and KL of a batch where no token is in a rationale, as its code does
    """
    if options.form == "released":
        n_judged = int(batch.is_set.any(dim=1).sum())
        return Alignment(_released(batch, options) if n_judged else batch.attributions.sum() * 0, n_judged, 0)
    losses, is_defined = instance_losses(batch, options)
    n_judged = int(is_defined.sum())
    loss = losses[is_defined].mean() if n_judged else batch.attributions.sum() * 0
    return Alignment(loss, n_judged, int(batch.is_set.any(dim=1).sum()) - n_judged)


def count_judged(batch: AlignmentBatch, options: AlignmentOptions) -> int:
    """How many instances of a batch the paper's form has a loss for, whatever their attributions are."""
    return int(instance_losses(batch, options)[1].sum())


# The paper's form ----------------------------------------------------------------------------------------------------


def instance_losses(batch: AlignmentBatch, options: AlignmentOptions) -> tuple[Tensor, Tensor]:
    """float[batch] and bool[batch]: each instance's loss, and whether it has one (ER-TEST, Equations 1 to 5)."""
    torch = import_module("torch")
    gold, is_set = batch.gold & batch.words[:, None, :], batch.is_set
    if options.of_several == "union":
        gold, is_set = (gold & is_set[:, :, None]).any(dim=1, keepdim=True), is_set.any(dim=1, keepdim=True)
    scaled = (options.scale * batch.attributions)[:, None, :].expand(gold.shape)
    words = batch.words[:, None, :].expand(gold.shape)
    losses, is_defined = _PAPER[options.criterion](scaled, gold, words, options)
    is_defined = is_defined & is_set
    lowest = torch.where(is_defined, losses, torch.inf).amin(dim=1)
    has_any = is_defined.any(dim=1)
    return torch.where(has_any, lowest, torch.zeros_like(lowest)), has_any


# (γ × attribution, gold, words: [batch, sets, length], options) -> loss float[batch, sets], whether it is defined
_OfSets = Callable[[Tensor, Tensor, Tensor, AlignmentOptions], tuple[Tensor, Tensor]]


def _mse(scaled: Tensor, gold: Tensor, words: Tensor, options: AlignmentOptions) -> tuple[Tensor, Tensor]:
    """Σ (p − y)²."""
    errors = (scaled.sigmoid() - gold.to(scaled.dtype)) * words
    return _over(errors.square().sum(dim=2), words, options), words.any(dim=2)


def _mae(scaled: Tensor, gold: Tensor, words: Tensor, options: AlignmentOptions) -> tuple[Tensor, Tensor]:
    """Σ |p − y|."""
    errors = (scaled.sigmoid() - gold.to(scaled.dtype)) * words
    return _over(errors.abs().sum(dim=2), words, options), words.any(dim=2)


def _huber(scaled: Tensor, gold: Tensor, words: Tensor, options: AlignmentOptions) -> tuple[Tensor, Tensor]:
    """½ Σ (p − y)² while Σ |p − y| is below δ, then δ (Σ |p − y| − ½ δ)."""
    torch = import_module("torch")
    errors = (scaled.sigmoid() - gold.to(scaled.dtype)) * words
    total, squares, delta = errors.abs().sum(dim=2), errors.square().sum(dim=2), options.delta
    losses = torch.where(total < delta, squares / 2, delta * (total - delta / 2))
    return _over(losses, words, options), words.any(dim=2)


def _bce(scaled: Tensor, gold: Tensor, words: Tensor, options: AlignmentOptions) -> tuple[Tensor, Tensor]:
    """−Σ log p over the rationale alone: the paper has no term for the other tokens, so that marking all is best."""
    del words
    losses = -(import_module("torch").nn.functional.logsigmoid(scaled) * gold).sum(dim=2)
    return _over(losses, gold, options), gold.any(dim=2)


def _order(scaled: Tensor, gold: Tensor, words: Tensor, options: AlignmentOptions) -> tuple[Tensor, Tensor]:
    """Σ over the rationale of min(p / max p of the other words − 1, 0)²; 0 where the rationale outranks everything else."""
    others = words & ~gold
    return _over(_order_of(scaled, gold, others), gold, options), others.any(dim=2)


def _order_of(scaled: Tensor, gold: Tensor, others: Tensor) -> Tensor:
    """float[batch, sets]. In logarithms, since p is 0 in any precision where γ is large; 0 where there are no others."""
    torch = import_module("torch")
    logarithms = torch.nn.functional.logsigmoid(scaled)
    # a finite filling, and none of it in the result: infinities would make the gradient NaN
    highest = torch.where(others, logarithms, torch.full_like(logarithms, -1e30)).amax(dim=2, keepdim=True)
    below = torch.expm1((logarithms - highest).clamp(max=0))
    return (below.square() * gold).sum(dim=2) * others.any(dim=2)


def _over(losses: Tensor, counted: Tensor, options: AlignmentOptions) -> Tensor:
    """The sums, or divided by how many subwords were added up."""
    return losses if options.over == "sum" else losses / counted.sum(dim=2).clamp(min=1)


_PAPER: dict[Criterion, _OfSets] = {"mse": _mse, "mae": _mae, "huber": _huber, "bce": _bce, "order": _order}


# The released form ---------------------------------------------------------------------------------------------------


def _released(batch: AlignmentBatch, options: AlignmentOptions) -> Tensor:
    """The loss of the released code: one number for all subwords of the batch that are no filling and have a rationale."""
    torch = import_module("torch")
    scaled = options.scale * batch.attributions * batch.real  # 0 on filling, as there
    gold = (batch.gold & batch.is_set[:, :, None]).any(dim=1) & batch.real
    judged = batch.real & batch.is_set.any(dim=1, keepdim=True)
    if (
        options.criterion == "order"
    ):  # its maximum runs over filling and special subwords too, its mean over all instances
        return _order_of(scaled[:, None], gold[:, None], ~gold[:, None])[:, 0].mean()
    if options.criterion == "kl":
        return _released_kl(scaled, gold, judged)
    n, y = judged.sum(), gold.to(scaled.dtype)
    if options.criterion == "bce":
        n_positive = gold.sum()
        if not n_positive:
            raise InvalidValue(_("No token of this batch is in a rationale: released BCE is undefined."))
        weight = (n - n_positive) / n_positive
        logsigmoid = torch.nn.functional.logsigmoid
        losses = -(weight * y * logsigmoid(scaled) + (1 - y) * logsigmoid(-scaled))
    else:
        errors = scaled.sigmoid() - y
        # |p − y| < 1, so that its smooth L1 with δ = 1 is half of the squared error
        losses = {"mse": errors.square(), "mae": errors.abs(), "huber": errors.square() / 2}[options.criterion]
    return (losses * judged).sum() / n


def _released_kl(scaled: Tensor, gold: Tensor, judged: Tensor) -> Tensor:
    """Σ q log(q / r) of q, equal shares on the rationale, and r, the softmax of the scores; the mean over instances."""
    torch = import_module("torch")
    has_rationale = judged.any(dim=1)
    y, rows = gold[has_rationale].to(scaled.dtype), scaled[has_rationale]
    if not bool(y.any(dim=1).all()):
        raise InvalidValue(_("An empty rationale in this batch: KL is undefined."))
    filled = torch.where(judged[has_rationale], rows, torch.full_like(rows, -1e30))
    shares = filled.softmax(dim=1).clamp(min=_LEAST_SHARE)
    wanted = y / y.sum(dim=1, keepdim=True)
    differences = (
        wanted.clamp(min=torch.finfo(wanted.dtype).tiny).log() - shares.log()
    )  # finite, also where nothing is wanted
    return (wanted * differences).sum(dim=1).mean()
