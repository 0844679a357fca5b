"""What a metric says of itself: name, title, bounds, direction, when it is undefined, source; and a sentence for newcomers."""

import re
from dataclasses import dataclass
from typing import Literal

# What each column of the table of metrics tells, in a sentence for newcomers; the register has the formulas.


_FIT = "Agreement of the top k with the best gold set."
_RANKED = "How far gold tokens rank above others."
_FALLS = "Drop in the predicted label's probability"
_SQUEEZED = "Error of the scores (squashed to 0–1) against gold (1 or 0)"
_WITHOUT, _ALONE = "without the rationale", "with only the rationale"

_SENTENCES = {
    "sets.best_f1": _FIT,
    "sets.best_iou": "Overlap (IoU) of the top k with the best gold set.",
    "sets.whole_set": "How often the top k contain a complete gold set.",
    "sets.recall": "Share of gold sets fully contained in the top k.",
    "sets.coverage": "Share of all gold-set tokens among the top k.",
    "benchmark.token_f1_paper": _FIT,
    "benchmark.token_f1_scripts": "Agreement of the top k with the best gold set or union.",
    "benchmark.iou_f1_paper": "How often the top k overlap the best gold set by half or more.",
    "benchmark.iou_f1_evaluator": "IOU-F1 (paper) with the published evaluator's rounding.",
    "benchmark.map": "Similarity of token rankings before and after slight perturbation.",
    "benchmark.map_full_ranking": "MAP over all tokens instead of the top k.",
    "benchmark.map_counting": "MAP with repeated words counted each time.",
    "benchmark.map_aligned": "MAP with synonym replacements treated as equal.",
    "benchmark.new_p": "How often the prediction holds with only the rationale but changes without it.",
    "benchmark.answer_f1_english": "Word overlap of the answer with gold.",
    "benchmark.answer_f1_chinese": "Character overlap of the answer with gold.",
    "benchmark.answer_em_english": "Share of answers equal to gold.",
    "benchmark.answer_em_chinese": "Share of answers equal to gold.",
    "editing.mrr": "How near the top gold tokens rank.",
    "editing.average_precision": _RANKED,
    "editing.auprc": _RANKED,
    "editing.auprc_as_published": "A paper's “AUPRC” column, computed differently.",
    "editing.top_1": "How often the highest-scored token is the whole rationale.",
    "editing.top_1_lenient": "How often the highest-scored token is in the rationale.",
    "editing.top_3": "How often the top three tokens contain the whole rationale.",
    "editing.exact_match": "How often the top k equal the rationale (k its size).",
    "editing.jaccard": "Overlap of the rationale with the top k (k its size).",
    "editing.jaccard_match": "How often rationale and top k (k its size) overlap by half or more.",
    "editing.need_edit_f1": "How well sentences needing an edit are found.",
    "eraser.auprc": _RANKED,
    "eraser.average_precision": _RANKED,
    "eraser.roc_auc_score": "How often a gold token outscores another.",
    "eraser.accuracy": "Share of texts predicted correctly.",
    "eraser.macro_f1": "Agreement of predicted and gold labels, weighted equally.",
    "eraser.comprehensiveness": f"{_FALLS} {_WITHOUT}.",
    "eraser.sufficiency": f"{_FALLS} {_ALONE}.",
    "eraser.comprehensiveness_aopc": f"{_FALLS}, averaged over shares of top-scored tokens removed.",
    "eraser.sufficiency_aopc": f"{_FALLS}, averaged over shares of top-scored tokens kept.",
    "eraser.comprehensiveness_aopc_paper": "Comprehensiveness, AOPC with the paper's divisor.",
    "eraser.sufficiency_aopc_paper": "Sufficiency, AOPC with the paper's divisor.",
    "eraser.comprehensiveness_entropy": f"Change in the model's uncertainty {_WITHOUT}.",
    "eraser.sufficiency_entropy": f"Change in the model's uncertainty {_ALONE}.",
    "eraser.comprehensiveness_kl": f"Change in the model's probabilities {_WITHOUT}.",
    "eraser.sufficiency_kl": f"Change in the model's probabilities {_ALONE}.",
    "naopc.comprehensiveness": "Comprehensiveness between the worst (0) and best (1) order of tokens for the model.",
    "naopc.sufficiency": "Sufficiency between the best (0) and worst (1) order of tokens for the model.",
    "method.comprehensiveness": f"{_FALLS} {_WITHOUT}.",
    "method.sufficiency": f"{_FALLS} {_ALONE}.",
    "method.quality_full": "Prediction quality on the whole text.",
    "method.quality_rationale": "Prediction quality with only the rationale.",
    "method.quality_rest": f"Prediction quality {_WITHOUT}.",
    "ferret.auprc": _RANKED,
    "ferret.token_f1": "Agreement of a fixed number of top-scored tokens with gold.",
    "ferret.token_iou": "Overlap of a fixed number of top-scored tokens with gold.",
    "er_test.mse": f"{_SQUEEZED}: squared, summed per text.",
    "er_test.mse_mean": f"{_SQUEEZED}: squared, mean over tokens.",
    "er_test.mae": f"{_SQUEEZED}: absolute, summed per text.",
    "er_test.mae_mean": f"{_SQUEEZED}: absolute, mean over tokens.",
    "er_test.bce": "Surprisal of the gold tokens, with scores read as probabilities.",
    "er_test.huber": "Distance from scores to gold; large errors count linearly.",
    "er_test.order": "How far gold tokens score below the best other token.",
    "soft.token_f1": "Agreement of selected tokens with their shares of marks.",
    "soft.token_f1_ceiling": "Best possible soft token F1 on this gold.",
    "soft.token_manhattan": "Mean distance of the selection (1 or 0) from each token's share of marks.",
    "soft.label_manhattan": "Distance of the predicted probabilities from people's label shares.",
    "soft.label_wasserstein": "How far probability must move along ordered labels to match people's shares.",
    "soft.label_cross_entropy": "Surprise of the model at people's label shares.",
    "soft.label_jensen_shannon": "Divergence of the predicted probabilities from people's label shares.",
    "person.token_f1": "Agreement of selected tokens with each person's own sets.",
    "person.token_f1_lowest": "Agreement of selected tokens with the sets of the person it fits least.",
    "person.accuracy": "Share of each person's labels predicted.",
    "person.accuracy_lowest": "Share of labels predicted of the person it fits least.",
    "person.error_rate": "Share of all people's labels not predicted.",
    "confidence.perfect": "Confidence in correct predictions when gold ranks first.",
    "confidence.other": "Confidence in correct predictions when gold doesn't rank first.",
    "confidence.difference": "Extra confidence in correct predictions when gold ranks first.",
    "confidence.ratio": "Confidence ratio of correct predictions: gold ranked first / not.",
}
_UNITS = {"token": "Selected tokens", "iou": "Selected spans (IoU ≥ 0.5)", "exact": "Selected spans (exact matches)"}
_PARTS = {"precision": "share that is gold", "recall": "share of the gold found", "f1": "agreement with gold"}
_MEANS = {"macro": "averaged over texts", "micro": "over all texts"}


def in_plain_words(name: str) -> str | None:
    """What a column tells; None of a metric that no table of a project has.

    >>> in_plain_words("eraser.token_recall_macro")
    'Selected tokens: share of the gold found, averaged over texts.'
    >>> in_plain_words("eraser.exact_f1_micro")
    'Selected spans (exact matches): agreement with gold, over all texts.'
    """
    if name in _SENTENCES:
        return _SENTENCES[name]
    match name.removeprefix("eraser.").split("_"):
        case [unit, part, over] if unit in _UNITS and part in _PARTS and over in _MEANS:
            return f"{_UNITS[unit]}: {_PARTS[part]}, {_MEANS[over]}."
    return None


Direction = Literal["higher is better", "lower is better", "neither"]
# An abbreviation such as MAP, and a paper or script that is only named.
_AS_THEY_ARE = re.compile(
    r"[^a-z]*(?:[a-z][^a-z]+)*[a-z]?|(?!.*\b(?:with|the)\b).*(?:\b(?:19|20)\d\d\b|\.py\b).*"
)  # MAP; a paper


@dataclass(frozen=True, slots=True)
class Definition:
    """One metric.

    name:       unique, as commands and files write it: family and measure, such as "eraser.token_f1"
    title:      as a screen writes it
    definition: what is computed, in a sentence or a formula
    lowest, highest: the bounds; None where there is none
    undefined:  when there is no value, and what is done then
    source:     paper and section, or the program whose number it is
    version:    raised whenever the same input comes to another value; signatures name it
    """

    name: str
    title: str
    definition: str
    direction: Direction
    lowest: float | None
    highest: float | None
    undefined: str
    source: str
    version: int = 1

    @property
    def words(self) -> tuple[str, ...]:
        """What screens say of it, in English and by clauses, which many metrics share: the catalogues gather these.

        Returns () where no screen says anything of it. Papers, scripts and abbreviations are called the same in all languages.
        """
        plain = self.in_plain_words
        if plain is None:
            return ()
        texts = f"{self.definition}; {self.undefined}; {self.source}"
        clauses = (*self.title.split(", "), *plain.split(": "), *texts.split("; "))
        return tuple(clause for clause in clauses if not _AS_THEY_ARE.fullmatch(clause))

    @property
    def in_plain_words(self) -> str | None:
        """What it tells, in a sentence for newcomers; None of a metric that no table of a project has."""
        return in_plain_words(self.name)


def from_0_to_1(
    name: str, title: str, definition: str, undefined: str, source: str, version: int = 1, *,
    direction: Direction = "higher is better",
) -> Definition:  # fmt: skip
    """A metric with these bounds."""
    return Definition(name, title, definition, direction, 0.0, 1.0, undefined, source, version)
