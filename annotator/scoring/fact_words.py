"""What methods say of their own scores, in words: the value, what it is, and what to do where it is not as it should be.

The Saliency page says the same below a map (annotator/web/panel/saliency/numbers.js).
"""

from annotator.domain.numbers import percent, written

OF_LAYER = " of layer "  # between a fact's name and the layer's number, where there are several
_MOST_SHARE = 0.05  # of F(x) − F(baseline); where scores miss more of it, the integral was cut too coarsely
_LIMIT = f"{100 * _MOST_SHARE:.0f} %"
_SHARES = frozenset({"convergence_share", "special_share", "earlier_share", "prompt_share"})
_WORDS = {
    "r2": "how well LIME's linear model fits the model's answers to its samples; 1 is best",
    "spread": "the standard deviation over the seeds, mean over the tokens, in the unit of the scores; lower is better",
    "convergence": "how far all scores together are from what they explain; 0 is best",
    "convergence_share": "how far all scores together are from F(x) − F(baseline), as a share of it",
    "special_share": "the share of all |score| that lies on [CLS], [SEP] and their like, which belong to no word",
    "prompt_share": "the share of all |score|, of words, prompt, special and earlier pieces, that lies on the prompt around "
    "the text",
    "shared_tokens": "how many tokens of a text got a part of their score in equal shares with their neighbours, since the model "
    "was asked no further (--set evaluations=N)",
    "earlier_share": "the share of all |score|, of words, prompt, special and earlier pieces, that lies on pieces of the answer "
    "that were written before",
    "unseen_tokens": "how many tokens of a text the model did not see, because the text is too long for it",
}


def fact_summary(name: str, value: float) -> str:
    """A line for the mean of a fact; of one that is not known here only the value.

    >>> print(fact_summary("r2", 0.87))
    r2: 0.870 (mean over what was computed now): how well LIME's linear model fits the model's answers to its samples; 1 is best.
    >>> print(fact_summary("depth", 3.0))
    depth: 3.00 (mean over what was computed now).
    """
    fact = name.partition(OF_LAYER)[0]
    shown = percent(value) if fact in _SHARES else written(value)
    words = f": {_WORDS[fact]}" if fact in _WORDS else ""
    return f"{name}: {shown} (mean over what was computed now){words}.{_verdict(fact, value)}"


def _verdict(name: str, value: float) -> str:
    if name != "convergence_share":
        return ""
    if value <= _MOST_SHARE:
        return f" Up to {_LIMIT} is close enough."
    return f" Above {_LIMIT}, take more steps (--steps) or another baseline (--baseline)."
