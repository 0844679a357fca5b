"""The register of metrics: all definitions by name, in one place that screens, commands and documents read."""

from collections.abc import Iterable, Sequence
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
    *benchmark_consistency.DEFINITIONS, *benchmark_faithfulness.DEFINITIONS, *benchmark_plausibility.DEFINITIONS,
    *er_test_alignment.DEFINITIONS, *er_test_functional.DEFINITIONS, *eraser_faithfulness.DEFINITIONS,
    *eraser_soft.DEFINITIONS, *eraser_spans.DEFINITIONS, *ferret_plausibility.DEFINITIONS, *gold_as_method.DEFINITIONS,
    *normalised_aopc.DEFINITIONS, *sentence_editing.DEFINITIONS, *set_aware.DEFINITIONS, *set_families.DEFINITIONS,
    *soft_gold.DEFINITIONS,
)  # fmt: skip

# Metrics that tell one thing, each in its own variant; of a line tables show one before anybody chose, the first that there is.
IDEAS: tuple[tuple[str, ...], ...] = (
    (
        "sets.best_f1", "sets.best_iou", "eraser.token_f1_macro", "eraser.token_f1_micro", "benchmark.token_f1_paper",
        "benchmark.token_f1_scripts", "benchmark.iou_f1_paper", "benchmark.iou_f1_evaluator", "editing.jaccard",
        "editing.jaccard_match", "editing.exact_match", "ferret.token_f1", "ferret.token_iou",
    ),
    ("sets.whole_set", "sets.recall", "sets.coverage"),
    ("eraser.iou_f1_macro", "eraser.iou_f1_micro", "eraser.exact_f1_macro", "eraser.exact_f1_micro"),
    *(
        (f"eraser.iou_{part}_macro", f"eraser.iou_{part}_micro", f"eraser.exact_{part}_macro", f"eraser.exact_{part}_micro")
        for part in ("precision", "recall")
    ),
    *((f"eraser.token_{part}_macro", f"eraser.token_{part}_micro") for part in ("precision", "recall")),
    (
        "eraser.average_precision", "editing.average_precision", "eraser.auprc", "editing.auprc", "ferret.auprc",
        "editing.auprc_as_published",
    ),
    ("editing.top_1", "editing.top_1_lenient", "editing.top_3"),
    *(
        (f"method.{side}", f"eraser.{side}_aopc", f"eraser.{side}_aopc_paper")
        for side in ("comprehensiveness", "sufficiency")
    ),
    ("benchmark.map", "benchmark.map_aligned", "benchmark.map_counting", "benchmark.map_full_ranking"),
    ("confidence.difference", "confidence.ratio", "confidence.perfect", "confidence.other"),
    ("er_test.mae_mean", "er_test.mse_mean", "er_test.mae", "er_test.mse", "er_test.huber", "er_test.bce"),
    ("eraser.accuracy", "eraser.macro_f1"),
    ("benchmark.answer_f1_english", "benchmark.answer_em_english"),
    ("benchmark.answer_f1_chinese", "benchmark.answer_em_chinese"),
    ("soft.label_jensen_shannon", "soft.label_manhattan", "soft.label_wasserstein", "soft.label_cross_entropy"),
    ("person.accuracy", "person.error_rate"),
)  # fmt: skip
_IDEA_OF = {name: idea[0] for idea in IDEAS for name in idea}


def idea_of(name: str) -> str:
    """What a metric tells, as the name of that idea's first variant; its own name where it has no variants.

    >>> idea_of("ferret.auprc"), idea_of("editing.mrr")
    ('eraser.average_precision', 'editing.mrr')
    """
    return _IDEA_OF.get(name, name)


def one_of_each(names: Sequence[str]) -> list[str]:
    """The names in their order, of each idea one alone: the variant that its line in IDEAS has first.

    >>> one_of_each(["editing.auprc", "editing.mrr", "eraser.auprc"])
    ['editing.mrr', 'eraser.auprc']
    """
    first = {idea[0]: next((name for name in idea if name in names), None) for idea in IDEAS}
    return [name for name in names if first.get(idea_of(name), name) == name]


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
