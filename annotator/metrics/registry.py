"""The register of metrics: all definitions by name, in one place that screens, commands and documents read."""

from collections.abc import Iterable
from functools import cache

from annotator.errors import NotFound
from annotator.metrics import (
    benchmark_consistency,
    benchmark_faithfulness,
    benchmark_plausibility,
    er_test_alignment,
    er_test_functional,
    eraser_faithfulness,
    eraser_soft,
    eraser_spans,
    ferret_plausibility,
    gold_as_method,
    normalised_aopc,
    sentence_editing,
    set_aware,
    set_families,
    soft_gold,
)
from annotator.metrics.definitions import Definition

DEFINITIONS: tuple[Definition, ...] = (
    *benchmark_consistency.DEFINITIONS,
    *benchmark_faithfulness.DEFINITIONS,
    *benchmark_plausibility.DEFINITIONS,
    *er_test_alignment.DEFINITIONS,
    *er_test_functional.DEFINITIONS,
    *eraser_faithfulness.DEFINITIONS,
    *eraser_soft.DEFINITIONS,
    *eraser_spans.DEFINITIONS,
    *ferret_plausibility.DEFINITIONS,
    *gold_as_method.DEFINITIONS,
    *normalised_aopc.DEFINITIONS,
    *sentence_editing.DEFINITIONS,
    *set_aware.DEFINITIONS,
    *set_families.DEFINITIONS,
    *soft_gold.DEFINITIONS,
)


def by_name(definitions: Iterable[Definition]) -> dict[str, Definition]:
    """Definitions by their names. Raises ValueError where one name stands for two things."""
    named: dict[str, Definition] = {}
    for definition in definitions:
        if named.setdefault(definition.name, definition) != definition:
            raise ValueError(f"two definitions of {definition.name}")
    return named


@cache
def _definitions() -> dict[str, Definition]:
    return by_name(DEFINITIONS)


def definition_of(name: str) -> Definition:
    """A metric by name; raises NotFound."""
    try:
        return _definitions()[name]
    except KeyError:
        raise NotFound(f"There is no metric '{name}'. docs/metrics.md lists those there are.") from None


def all_definitions() -> list[Definition]:
    """Every metric, by family and name."""
    return sorted(_definitions().values(), key=lambda definition: definition.name)
