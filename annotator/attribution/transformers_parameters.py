"""The methods for transformers models: what each computes, its parameters with their defaults, and the papers' settings.

Nothing here loads a model, so that commands and screens can list it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from annotator.attribution.base import preset_parameters
from annotator.domain.models import Unit
from annotator.domain.numbers import whole_number
from annotator.errors import InvalidValue
from annotator.language import _, listed, unknown, unsaid
from annotator.text.subword_scores import HOWS

FOLLOWS_MODEL = "default"  # of a parameter whose default is known only with the model
BASELINE_SUBWORDS = ("mask", "pad", "eos", "bos", "unk")
EMBEDDINGS = "embeddings"  # the layer before all others
CONSTANT = "constant"  # of attention weights that nothing flows through

ModelKind = Literal["classification", "reading"]
Value = str | int


@dataclass(frozen=True, slots=True)
class Parameter:
    """One thing that changes a method's scores.

    choices: the words it may be; with `is_number` it may also be a whole number of at least `least`
    default: by kind of model, where that decides
    """

    name: str
    default: Value | Mapping[ModelKind, Value]
    choices: tuple[str, ...] = ()
    is_number: bool = False
    least: int = 0
    says: str = ""

    def default_for(self, kind: ModelKind) -> Value:
        return self.default[kind] if isinstance(self.default, Mapping) else self.default

    def read(self, given: object) -> Value:
        """The value as it is stored; raises InvalidValue naming what it may be.

        >>> Parameter("steps", 50, is_number=True, least=1).read("300")
        300
        """
        if isinstance(given, str) and given in self.choices:
            return given
        if self.is_number and not isinstance(given, bool):
            number = whole_number(given) if isinstance(given, str) else given
            if isinstance(number, int) and number >= self.least:
                return number
        raise InvalidValue(
            _("{name} can't be {given}. Allowed: {may_be}.", name=self.name, given=f"{given!r}", may_be=self.may_be)
        )

    @property
    def may_be(self) -> str:
        """What it may be, in words.

        >>> Parameter("layer", "last", ("last", "all"), is_number=True).may_be
        'last, all or an integer ≥ 0'
        """
        number = [_("an integer ≥ {least}", least=self.least)] if self.is_number else []
        choices = [", ".join(self.choices)] if self.choices else []
        return listed([*choices, *number], "or")


def _unit_of_output(parameters: Mapping[str, Value]) -> Unit:
    return "probability" if parameters["output"] == "probability" else "logit"


@dataclass(frozen=True, slots=True)
class Method:
    """A method: how it is called on a screen, what it computes, where that is from, and everything that changes it."""

    title: str
    definition: str
    source: str
    parameters: tuple[Parameter, ...]
    is_signed: Callable[[Mapping[str, Value]], bool] = lambda _given: True
    unit: Callable[[Mapping[str, Value]], Unit] = _unit_of_output


_MERGE = Parameter("merge", "sum", HOWS, says=unsaid("how subword scores are merged into word scores"))
_TOO_LONG = Parameter(
    "too_long", "refuse", ("refuse", "cut", "windows"), says=unsaid("how to treat texts over the model's limit")
)
_OUTPUT = Parameter("output", "logit", ("logit", "probability"), says=unsaid("value to explain"))
_LAYER = Parameter(
    "layer", "last", ("last", "all"), is_number=True, says=unsaid("from 0; all: one attribution per layer")
)
_STEPS = Parameter("steps", 50, is_number=True, least=1, says=unsaid("points on the path"))
_BASELINE = Parameter(
    "baseline",
    FOLLOWS_MODEL,
    ("zero", *BASELINE_SUBWORDS),
    says=unsaid(
        "replaces each non-special subword; zero: zero embeddings; default: first of mask, pad, eos, "
        "bos, unk, else zero"
    ),
)
_FROM = Parameter(
    "from",
    {"classification": FOLLOWS_MODEL, "reading": "question"},
    ("cls", "last", "target", "question"),
    says=unsaid(
        "attention from [CLS], the last subword (decoders), the target's first subword, or the "
        "question/query mean; default: target for target models, else cls, else last"
    ),
)


METHODS: dict[str, Method] = {
    "integrated-gradients": Method(
        "Integrated gradients",
        "(x − b) · the mean of dF/dx on the straight line from the baseline b to x, summed over embedding dimensions, "
        "by Gauss–Legendre quadrature (captum)",
        "Sundararajan et al. 2017",
        (_STEPS, _BASELINE, _OUTPUT, _MERGE, _TOO_LONG),
    ),
    "layer-integrated-gradients": Method(
        "Layer integrated gradients",
        "(h(x) − h(b)) · the mean of dF/dh on the straight line from h(b) to h(x), for what a layer h gives for each piece, "
        "summed over its dimensions (captum)",
        "Sundararajan et al. 2017; captum's LayerIntegratedGradients",
        (
            Parameter(
                "layer",
                EMBEDDINGS,
                (EMBEDDINGS, "last", "all"),
                is_number=True,
                says=unsaid("embeddings: as integrated gradients; number from 0: layer output; all: every layer"),
            ),
            _STEPS,
            _BASELINE,
            _OUTPUT,
            _MERGE,
            _TOO_LONG,
        ),
    ),
    "gradient-x-input": Method(
        "Gradient × input",
        "⟨dF/de, e⟩ for the embedding e of each piece",
        "Denil et al. 2014; Stevens and Su 2021",
        (
            Parameter(
                "magnitude",
                "none",
                ("none", "piece", "word"),
                says=unsaid("none: signed; piece: |score| per subword, then merged; word: |score| after merging"),
            ),
            _OUTPUT,
            _MERGE,
            _TOO_LONG,
        ),
        is_signed=lambda parameters: parameters["magnitude"] == "none",
    ),
    "attnlrp": Method(
        "AttnLRP",
        "the part of F that layer-wise relevance propagation gives to each piece, by its rules for transformers; biases and "
        "position embeddings keep theirs",
        "Achtibat et al. 2024; Arras et al. 2025 for the form of gradient × input",
        (
            Parameter(
                "attention",
                "softmax",
                ("softmax", CONSTANT),
                says=unsaid("softmax: relevance also flows through attention weights; constant (CP-LRP): it doesn't"),
            ),
            _OUTPUT,
            _MERGE,
            _TOO_LONG,
        ),
    ),
    "selection": Method(
        "Selection (own rationale)",
        "the probability that a rationaliser, pipeline or extractor keeps the piece, or its sentence; belongs to no label",
        "Lei et al. 2016; DeYoung et al. 2020, 5.1",
        (
            Parameter(
                "rationale", "soft", ("soft", "hard"), says=unsaid("hard: 1 for what it selects, 0 for the rest")
            ),
            Parameter("merge", "signed max", HOWS, says=unsaid("how subword scores are merged into word scores")),
            _TOO_LONG,
        ),
        is_signed=lambda _given: False,
        unit=lambda parameters: "none" if parameters["rationale"] == "hard" else "probability",
    ),
    "attention": Method(
        "Attention",
        "the attention weight on each piece in one layer, over all heads; attention is not an attribution to a label",
        "Wang et al. 2022, appendix B; Stevens and Su 2021, Equation 1",
        (
            _LAYER,
            Parameter("heads", "mean", ("mean", "sum", "max"), says=unsaid("how heads are merged")),
            _FROM,
            _MERGE,
            _TOO_LONG,
        ),
        is_signed=lambda _given: False,
        unit=lambda _given: "none",
    ),
    "state-products": Method(
        "State products (LSTM)",
        "(h_fc · h_i) / Σ_j (h_fc · h_j) over the pieces of a text: h_fc after the fully connected layer, h_i the LSTM's state; "
        "negative where product and sum differ in sign; belongs to no label",
        "Wang et al. 2022, appendix B.2; its released code for the softmax and for embeddings",
        (
            Parameter("weights", "sum", ("sum", "softmax"), says=unsaid("sum: each product's share (may be negative)")),
            Parameter("vectors", "states", ("states", "embeddings"), says=unsaid("multiplied with h_fc")),
            _MERGE,
            _TOO_LONG,
        ),
        is_signed=lambda parameters: parameters["weights"] == "sum",
        unit=lambda _given: "none",
    ),
    "attention-rollout": Method(
        "Attention rollout",
        "the product over the layers, up to the one asked for, of 0.5 · (mean over heads) + 0.5 · identity",
        "Abnar and Zuidema 2020",
        (_LAYER, _FROM, _MERGE, _TOO_LONG),
        is_signed=lambda _given: False,
        unit=lambda _given: "none",
    ),
}

# A preset fixes only what its paper says; the rest keeps its default.
PRESETS: dict[str, dict[str, dict[str, Value]]] = {
    "wang-2022": {  # appendix B
        "integrated-gradients": {"baseline": "zero", "steps": 300, "merge": "sum"},
        "attention": {"layer": "last", "heads": "mean", "merge": "sum"},
        "state-products": {"weights": "sum", "vectors": "states", "merge": "sum"},
    },
    "wang-2022-released": {"state-products": {"weights": "softmax", "vectors": "embeddings", "merge": "sum"}},
    "stevens-su-2021": {  # section 3; released code for heads
        "attention": {"layer": "last", "heads": "sum", "from": "cls", "merge": "sum"},
        "gradient-x-input": {"magnitude": "none", "merge": "sum"},
    },
    "ali-2022": {
        "attnlrp": {"attention": CONSTANT}
    },  # section 4, Equation 9: attention weights and divisors are constants
    "stevens-su-2021-magnitude": {  # the paper does not say whether of subwords or of words; read literally, of words
        "gradient-x-input": {"magnitude": "word", "merge": "sum"}
    },
}


def resolved(method: str, given: Mapping[str, object], kind: ModelKind) -> dict[str, Value]:
    """All parameters of a method: what is given, else what the preset says, else the default.

    given:  may name a preset as "preset"
    Raises: InvalidValue naming the methods, presets, parameters or values that there are
    """
    parameters = method_named(method).parameters
    return read_parameters(method, parameters, PRESETS, given, kind, [*(p.name for p in parameters), "preset"])


def read_parameters(
    method: str, parameters: Sequence[Parameter], presets: Mapping[str, Mapping[str, Mapping[str, Value]]],
    given: Mapping[str, object], kind: ModelKind, available: Sequence[str],
) -> dict[str, Value]:  # fmt: skip
    """What is given, else what the preset says, else the default. available: the names that a refusal lists."""
    known = {parameter.name: parameter for parameter in parameters}
    wanted = {
        **preset_parameters(presets, method, given.get("preset")),
        **{name: v for name, v in given.items() if name != "preset"},
    }
    unknown = sorted(wanted.keys() - known.keys())
    if unknown:
        raise InvalidValue(
            _(
                "{method} has no parameter {unknown}. Available: {known}.",
                method=method,
                unknown=", ".join(unknown),
                known=", ".join(available) or _("none"),
            )
        )
    return {name: p.read(wanted[name]) if name in wanted else p.default_for(kind) for name, p in known.items()}


def method_named(name: str) -> Method:
    """The method of that name; raises InvalidValue naming those there are."""
    try:
        return METHODS[name]
    except KeyError:
        raise InvalidValue(unknown(_("method"), name, ", ".join(METHODS))) from None
