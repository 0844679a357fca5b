"""What the gold policies mean, in the same words wherever one is chosen."""

from annotator.domain.instances import POLICY_WORDS
from annotator.domain.projects import GOLD_POLICIES, GoldPolicy
from annotator.language import _
from annotator.usecases.inspect.metrics_table import policy_in_words


def meaning_of(policy: GoldPolicy) -> str:
    """What a policy makes gold of."""
    return _(POLICY_WORDS[policy])


def all_meanings() -> str:
    """A line for each policy, as Markdown."""
    lines = (_("{what}: {value}", what=policy_in_words(name), value=meaning_of(name)) for name in GOLD_POLICIES)
    return "\n".join(f"* {line}" for line in lines)
