"""All families of metrics, loaded together so that their definitions are in the register."""

# ruff: noqa: F401

import annotator.metrics.benchmark_consistency
import annotator.metrics.benchmark_faithfulness
import annotator.metrics.benchmark_plausibility
import annotator.metrics.er_test_alignment
import annotator.metrics.er_test_functional
import annotator.metrics.eraser_faithfulness
import annotator.metrics.eraser_soft
import annotator.metrics.eraser_spans
import annotator.metrics.ferret_plausibility
import annotator.metrics.gold_as_method
import annotator.metrics.sentence_editing
import annotator.metrics.set_aware
