"""The methods for any predictor, with their parameters and the papers' settings; and the door to those of transformers models."""

from collections.abc import Mapping
from typing import cast

from annotator.attribution.base import Explainer, Predictor, Writes
from annotator.attribution.lime import Lime, Perturbed
from annotator.attribution.removal_methods import SEEDS, Linear, Occlusion, RandomScores, ShapPartition
from annotator.attribution.transformers_parameters import METHODS as TRANSFORMERS_METHODS
from annotator.attribution.transformers_parameters import Method, Parameter, Value, read_parameters
from annotator.errors import InvalidValue
from annotator.language import _, unsaid

_OUTPUT = Parameter(
    "output", "default", ("logit", "probability"), says=unsaid("value to explain; the logit if available")
)
_REMOVAL = Parameter(
    "removal", "default", ("delete", "cover"), says=unsaid("cover: the model's mask token (default if available)")
)


METHODS: dict[str, Method] = {
    "occlusion": Method(
        unsaid("Occlusion"),
        "f(x) − f(x without the token), for each token by itself",
        "Zeiler and Fergus 2014; Li et al. 2016",
        (_OUTPUT, _REMOVAL),
    ),
    "lime": Method(
        unsaid("LIME at positions"),
        "coefficients of a weighted ridge regression of f on which tokens stay, over drawn samples",
        "Ribeiro et al. 2016, with token positions in the place of word types",
        (
            Parameter("samples", 500, is_number=True, least=2, says=unsaid("perturbed inputs per text")),
            Parameter(
                "features",
                "all",
                ("all",),
                is_number=True,
                least=1,
                says=unsaid("tokens that get a score; others get 0"),
            ),
            Parameter(
                "kernel_width", 25, is_number=True, least=1, says=unsaid("lower: weight samples near the text more")
            ),
            Parameter("penalty", "0.001", ("0.001", "0.01", "0.1", "1"), says=unsaid("ridge penalty; lime uses 1")),
            Parameter("perturbed", "all", ("all", "side"), says=unsaid("side: perturb one side of a pair at a time")),
            _OUTPUT,
            _REMOVAL,
        ),
    ),
    "shap-partition": Method(
        "SHAP partition",
        "Owen values: what a token adds to f in the mean over what else stands there, the text being halved again and again",
        "Owen 1977; Lundberg and Lee 2017, as in the program shap, over tokens in the place of pieces",
        (
            Parameter(
                "evaluations",
                500,
                is_number=True,
                least=2,
                says=unsaid("maximum queries per text; about 2/3 · n² (n tokens) halve every part"),
            ),
            _OUTPUT,
            _REMOVAL,
        ),
    ),
    "linear": Method(
        unsaid("Exact weights (linear)"),
        "the token's own weight; with the base, all scores together are the logit. For the built-in model alone",
        "the model's definition",
        (),
        unit=lambda _given: "logit",
    ),
    "random": Method(
        unsaid("Random"),
        "a uniform score in [0, 1); the mean of ten seeds",
        "the project's definition",
        (),
        is_signed=lambda _given: False,
        unit=lambda _given: "none",
    ),
}

# A preset fixes only what its paper says; the rest keeps its default.
PRESETS: dict[str, dict[str, dict[str, Value]]] = {
    "wang-2022": {  # appendix B; the program lime explains a probability, with a penalty of 1
        "lime": {"samples": 5000, "features": 10, "penalty": "1", "perturbed": "side", "output": "probability"}
    }
}

_SEEDS: Mapping[str, tuple[int, ...]] = {"lime": (0,), "random": SEEDS}


def seeds_of(method: str, seeds: tuple[int, ...]) -> tuple[int | None, ...]:
    """The seeds with which a method is run; (None,) for one that draws nothing.

    Raises: InvalidValue for seeds that would change nothing
    """
    if method in _SEEDS:
        return tuple(dict.fromkeys(seeds)) or _SEEDS[method]
    if seeds:
        raise InvalidValue(_("{method} isn't random. Remove --seed.", method=method))
    return (None,)


def make_explainer(
    predictor: Predictor, method: str, parameters: Mapping[str, object], seed: int | None = None
) -> Explainer:
    """A method for a predictor. parameters: see METHODS; "preset" names one of PRESETS, whose settings the others override.

    Raises: InvalidValue naming the methods, parameters or values that there are; ModelError where the model cannot have it
    """
    if isinstance(predictor, Writes):
        return predictor.writing(method, parameters)
    if method in TRANSFORMERS_METHODS:
        from annotator.attribution.transformers_models import explainer  # noqa: PLC0415

        return explainer(predictor, method, parameters, seed)
    if method not in METHODS:
        raise InvalidValue(
            _(
                "Unknown method '{method}'. Any model: {methods}; transformers models also: {transformers_methods}.",
                method=method,
                methods=", ".join(METHODS),
                transformers_methods=", ".join(TRANSFORMERS_METHODS),
            )
        )
    return _made(predictor, method, resolved(method, parameters), seed or 0)


def _made(predictor: Predictor, method: str, values: Mapping[str, Value], seed: int) -> Explainer:
    match method:
        case "random":
            return RandomScores(seed=seed)
        case "linear":
            return Linear(predictor)
        case "occlusion":
            return Occlusion(predictor, output=values["output"], removal=values["removal"])
        case "shap-partition":
            return ShapPartition(
                predictor, evaluations=int(values["evaluations"]), output=values["output"], removal=values["removal"]
            )
    features = values["features"]
    return Lime(
        predictor,
        seed=seed,
        samples=int(values["samples"]),
        features=None if features == "all" else int(features),
        kernel_width=int(values["kernel_width"]),
        penalty=float(values["penalty"]),
        perturbed=cast("Perturbed", values["perturbed"]),
        output=values["output"],
        removal=values["removal"],
    )


def resolved(method: str, given: Mapping[str, object]) -> dict[str, Value]:
    """All parameters of one of METHODS: what is given, else what the preset says, else the default.

    >>> resolved("lime", {"preset": "wang-2022", "samples": "100"})["samples"]
    100
    """
    parameters = METHODS[method].parameters
    return read_parameters(method, parameters, PRESETS, given, "classification", [p.name for p in parameters])
