"""What each column of the table of metrics tells, in a sentence for newcomers; the register has the formulas."""

_FIT = "How well the top k tokens agree with the gold set that they fit best."
_RANKED = "How far above the other tokens the gold tokens are ranked."
_AREA = "How far above the other tokens the gold tokens are ranked, as an area under precision and recall."
_FALLS = "How far the probability of the answer falls"
_SQUEEZED = "How far the scores, squeezed to 0 to 1, are from 1 on gold tokens and from 0 on others"
_WITHOUT, _ALONE = "when the rationale is taken out", "when only the rationale is left"

_SENTENCES = {
    "sets.best_f1": _FIT,
    "sets.best_iou": "How much the top k tokens overlap with the gold set that they fit best: common tokens / all their tokens.",
    "sets.whole_set": "How often the top k tokens hold at least one gold set completely.",
    "sets.recall": "What share of the gold sets the top k tokens hold completely.",
    "sets.coverage": "What share of the tokens of all gold sets is among the top k.",
    "benchmark.token_f1_paper": _FIT,
    "benchmark.token_f1_scripts": "How well the top k tokens agree with the gold set, or union of sets, that they fit best.",
    "benchmark.iou_f1_paper": "How often the top k tokens and the gold set that they fit best overlap by half or more.",
    "benchmark.iou_f1_evaluator": "As IOU-F1 (paper), but with the rounding of the published evaluator.",
    "benchmark.map": "How similar the ranking of the tokens stays when the text is changed slightly.",
    "benchmark.map_full_ranking": "As MAP, but over all tokens instead of the top k.",
    "benchmark.map_counting": "As MAP, but a word that occurs twice counts twice.",
    "benchmark.map_aligned": "As MAP, but a word and the synonym that replaced it count as the same.",
    "benchmark.new_p": "How often the answer stays with the rationale alone and changes without it.",
    "benchmark.answer_f1_english": "How many words the model's answer shares with the gold answer.",
    "benchmark.answer_f1_chinese": "How many characters the model's answer shares with the gold answer.",
    "benchmark.answer_em_english": "How often the model's answer is the gold answer.",
    "benchmark.answer_em_chinese": "How often the model's answer is the gold answer.",
    "editing.mrr": "How near to the top of the ranking the gold tokens stand.",
    "editing.average_precision": _RANKED,
    "editing.auprc": _AREA,
    "editing.auprc_as_published": "The number that a paper printed as AUPRC, which is computed in another way.",
    "editing.top_1": "How often the rationale is one token, and that token has the highest score.",
    "editing.top_1_lenient": "How often the token with the highest score is in the rationale.",
    "editing.top_3": "How often the whole rationale is among the three tokens with the highest scores.",
    "editing.exact_match": "How often the highest-scored tokens, as many as the rationale has, are exactly the rationale.",
    "editing.jaccard": "How much the rationale overlaps with as many of the highest-scored tokens.",
    "editing.jaccard_match": "How often the rationale overlaps by half or more with as many of the highest-scored tokens.",
    "editing.need_edit_f1": "How well the model finds the sentences that need an edit: it misses few, and calls few by mistake.",
    "eraser.auprc": _AREA,
    "eraser.average_precision": _RANKED,
    "eraser.roc_auc_score": "How often a gold token has a higher score than another token of the same text.",
    "eraser.accuracy": "How often the model's label is the gold label, over the texts that have gold, not all that have a label.",
    "eraser.macro_f1": "How well the model's labels agree with the gold labels, each label counting the same.",
    "eraser.comprehensiveness": f"{_FALLS} {_WITHOUT}.",
    "eraser.sufficiency": f"{_FALLS} {_ALONE}.",
    "eraser.comprehensiveness_aopc": f"{_FALLS}, on average, as more of the highest-scored tokens are taken out.",
    "eraser.sufficiency_aopc": f"{_FALLS}, on average, when only some of the highest-scored tokens are left.",
    "eraser.comprehensiveness_aopc_paper": "As Comprehensiveness, AOPC, but divided as the paper's equation says.",
    "eraser.sufficiency_aopc_paper": "As Sufficiency, AOPC, but divided as the paper's equation says.",
    "eraser.comprehensiveness_entropy": f"How the model's uncertainty changes {_WITHOUT}.",
    "eraser.sufficiency_entropy": f"How the model's uncertainty changes {_ALONE}.",
    "eraser.comprehensiveness_kl": f"How much the model's probabilities change {_WITHOUT}.",
    "eraser.sufficiency_kl": f"How much the model's probabilities change {_ALONE}.",
    "method.comprehensiveness": f"{_FALLS} {_WITHOUT}.",
    "method.sufficiency": f"{_FALLS} {_ALONE}.",
    "method.quality_full": "How good the model's answers are when it sees the whole text.",
    "method.quality_rationale": "How good the model's answers are when it sees only the rationale.",
    "method.quality_rest": f"How good the model's answers are {_WITHOUT}.",
    "ferret.auprc": _AREA,
    "ferret.token_f1": "How well a fixed number of the highest-scored tokens agrees with the gold.",
    "ferret.token_iou": "How much a fixed number of the highest-scored tokens overlaps with the gold.",
    "er_test.mse": f"{_SQUEEZED}: squared, and added up over a text.",
    "er_test.mse_mean": f"{_SQUEEZED}: squared, as the mean over a text's tokens.",
    "er_test.mae": f"{_SQUEEZED}: added up over a text.",
    "er_test.mae_mean": f"{_SQUEEZED}: as the mean over a text's tokens.",
    "er_test.bce": "How surprising the gold tokens are, if the scores are read as probabilities.",
    "er_test.huber": "How far the scores are from the gold, where large distances count less than squared.",
    "er_test.order": "How far gold tokens lie below the highest-scored other token; 0 where all lie above it.",
    "confidence.perfect": "How sure the model is of its right answers where the gold tokens are ranked first.",
    "confidence.other": "How sure the model is of its right answers where the gold tokens are not ranked first.",
    "confidence.difference": "How much surer of its right answers the model is where the gold tokens are ranked first.",
    "confidence.ratio": "How many times as sure of its right answers the model is where the gold tokens are ranked first.",
}
_UNITS = {
    "token": ("tokens", ""),
    "iou": ("spans", ", where spans that overlap by half or more count as found"),
    "exact": ("spans", ", where only spans that are exactly the same count as found"),
}
_PARTS = {
    "precision": "how much of it is gold",
    "recall": "how much of the gold it holds",
    "f1": "how well it agrees with the gold",
}
_MEANS = {"macro": "as the mean over texts", "micro": "over all texts together"}


def in_plain_words(name: str) -> str | None:
    """What a column tells; None of a metric that no table of a project has.

    >>> in_plain_words("eraser.token_recall_macro")
    'Of a selection of tokens: how much of the gold it holds, as the mean over texts.'
    >>> in_plain_words("eraser.exact_f1_micro").partition(", where ")[2]
    'only spans that are exactly the same count as found.'
    """
    if name in _SENTENCES:
        return _SENTENCES[name]
    match name.removeprefix("eraser.").split("_"):
        case [unit, part, over] if unit in _UNITS and part in _PARTS and over in _MEANS:
            what, when = _UNITS[unit]
            return f"Of a selection of {what}: {_PARTS[part]}, {_MEANS[over]}{when}."
    return None
