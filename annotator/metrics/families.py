"""All families of metrics, with their definitions together."""

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
    sentence_editing,
    set_aware,
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
    *sentence_editing.DEFINITIONS,
    *set_aware.DEFINITIONS,
)
