"""Heat over a text as a report draws it, by the rules of the Saliency screen: which look each word has, and the legend."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from annotator.domain.numbers import written

STEPS = 10
MOST_LANES = 6
N_LOOKS = 9  # of gold sets; their colours and styles are those of the panel's palette
_STYLES = ("solid", "dashed", "dotted", "double", "wavy", "solid", "dashed", "dotted", "double")


@dataclass(frozen=True, slots=True)
class Word:
    """A token with what stands before it; look: its classes, "" for none."""

    before: str
    text: str
    look: str


@dataclass(frozen=True, slots=True)
class CutText:
    """A segment's text cut at its tokens; before: what stands before each, rest: what follows the last."""

    name: str
    first: int
    is_selectable: bool
    tokens: Sequence[str]
    before: Sequence[str]
    rest: str


@dataclass(frozen=True, slots=True)
class HeatSegment:
    """A segment with the look of each word; name: "" where there is only one."""

    name: str
    is_selectable: bool
    words: Sequence[Word]
    rest: str


@dataclass(frozen=True, slots=True)
class Scale:
    """The ends of the colours, as they are written."""

    low: str
    high: str
    is_signed: bool


@dataclass(frozen=True, slots=True)
class HeatMap:
    """What a run says of a text. scale: None where there are no scores; numbers: title and value."""

    title: str
    meaning: str
    answer: str
    is_right: bool | None
    segments: Sequence[HeatSegment]
    scale: Scale | None
    legend: str
    numbers: Sequence[tuple[str, str]] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Painting:
    """What is drawn over a text. scale: the number at the ends; boxed: the top k, or what is selected."""

    scores: Sequence[float] | None = None
    is_signed: bool = True
    scale: float = 0.0
    boxed: Collection[int] = ()
    gold: Sequence[Sequence[int]] = field(default=())


def painted(texts: Sequence[CutText], painting: Painting) -> list[HeatSegment]:
    """A text with its heat, its boxes and its gold sets."""
    sets_of_token = _sets_of_tokens(painting.gold)
    return [
        HeatSegment(
            text.name if len(texts) > 1 else "",
            text.is_selectable,
            [
                Word(before, token, _look(token_index, painting, sets_of_token))
                for token_index, (before, token) in enumerate(zip(text.before, text.tokens, strict=True), text.first)
            ],
            text.rest,
        )
        for text in texts
    ]


def step_of(score: float, scale: float, *, is_signed: bool) -> str:
    """The class of a score on a scale; "" for zero and for what has none.

    >>> step_of(0.5, 1.0, is_signed=True), step_of(-1.0, 1.0, is_signed=True), step_of(0.01, 1.0, is_signed=False)
    ('s5', 'o10', 'w1')
    >>> step_of(0.0, 1.0, is_signed=True), step_of(float("nan"), 1.0, is_signed=True)
    ('', '')
    """
    if math.isnan(score) or not scale:
        return ""
    step = min(STEPS, math.ceil(abs(score) / scale * STEPS - 1e-9))
    end = "w" if not is_signed else "o" if score < 0 else "s"
    return f"{end}{step}" if step > 0 else ""


def scale_of(scores: Sequence[float]) -> float:
    """The largest size of a score, so that both sides of zero have the same colours; 0 without any."""
    return max((abs(score) for score in scores if math.isfinite(score)), default=0.0)


def written_scale(scale: float, *, is_signed: bool) -> Scale:
    """The numbers at both ends."""
    return Scale(written(-scale if is_signed else 0.0), written(scale), is_signed)


def meaning_in_head(label: str, *, is_signed: bool) -> str:
    """Which label scores are about, in the words of the Saliency screen.

    >>> meaning_in_head("positive", is_signed=True), meaning_in_head("", is_signed=False)
    ('for “positive”', 'weight; belongs to no label')
    """
    if is_signed:
        return f"for “{label}”" if label else "label not named"
    return f"weight for “{label}”, unsigned" if label else "weight; belongs to no label"


def meaning_in_legend(label: str, *, is_signed: bool) -> str:
    """What the colours say."""
    if is_signed:
        return f"− opposes, + supports “{label}”" if label else "− opposes, + supports an unnamed label"
    return meaning_in_head(label, is_signed=False)


def _sets_of_tokens(gold: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    sets_of_token: dict[int, list[int]] = {}
    for number, tokens in enumerate(gold):
        for token in tokens:
            sets_of_token.setdefault(token, []).append(number)
    return sets_of_token


def _look(token: int, painting: Painting, sets_of_token: dict[int, list[int]]) -> str:
    scores = painting.scores
    classes = []
    if scores is not None and token < len(scores):
        step = step_of(scores[token], painting.scale, is_signed=painting.is_signed)
        classes.append("unseen" if math.isnan(scores[token]) else step)
    if token in sets_of_token:
        classes.append("g" + "-".join(map(str, sets_of_token[token])))
    if token in painting.boxed:
        classes.append("top")
    return " ".join(filter(None, classes))


def gold_rules(combinations: Collection[str], lanes: int) -> Iterator[str]:
    """A rule for each combination of sets that is met, such as "g0-2": an underline a set, each in a lane of its own."""
    for name in sorted(combinations):
        sets = [int(number) for number in name.removeprefix("g").split("-")]
        images = ",".join(_line(number % N_LOOKS) for number in sets)
        places = ",".join(f"0 calc(100% - {1 + (lanes - 1 - number % lanes) * 4}px)" for number in sets)
        yield (
            f".heat .{name}{{background-image:{images};background-size:{','.join(['100% 3px'] * len(sets))};"
            f"background-position:{places};background-repeat:repeat-x}}"
        )


def _line(look: int) -> str:
    colour = f"var(--set{look})"
    return {
        "solid": f"linear-gradient({colour} 0 3px,transparent 3px)",
        "dashed": f"repeating-linear-gradient(90deg,{colour} 0 6px,transparent 6px 9px)",
        "dotted": f"repeating-linear-gradient(90deg,{colour} 0 3px,transparent 3px 5px)",
        "double": f"linear-gradient({colour} 0 1px,transparent 1px 2px,{colour} 2px 3px)",
        "wavy": f"repeating-linear-gradient(115deg,{colour} 0 3px,transparent 3px 6px)",
    }[_STYLES[look]]
