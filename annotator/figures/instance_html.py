"""Instances as HTML: one with its gold sets and the maps of models over the whole text, or many as rows with links.

Gold is underlined, scores are behind the words. All text is escaped, there is no script and no style sheet; colours are laid
thinly over whatever ground a notebook has, so that its own text colour stays readable, light or dark.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.models import Attribution, Prediction, Run, StoredOutput
from annotator.domain.numbers import counted, written
from annotator.language import _

SUPPORTS, OPPOSES, WEIGHT = (224, 138, 30), (63, 143, 191), (143, 116, 207)
STRONGEST = 0.45  # of the ground's share: more, and light or dark text on it could not be read
_FAINTEST = 0.02
_MOST_MAPS = 12
_BOX = "line-height:1.9;max-width:60em;margin:.4em 0"
_QUIET = "opacity:.75;font-size:.85em;line-height:1.4"
_GOLD = "border-bottom:2px solid currentColor"


def instance_html(instance: Instance, gold: GoldInstance | None, outputs: Sequence[StoredOutput]) -> str:
    """The instance under its key, its gold, what models answer, and a map after another."""
    maps = _first_of_seeds(outputs)
    sets = [] if gold is None else [list(rationale_set.token_indices) for rationale_set in gold.sets]
    starts: dict[int, str] = {}
    for letter, rationale_set in zip(_letters(), [] if gold is None else gold.sets, strict=False):
        for span in rationale_set.spans:
            starts[span.start] = f"{starts.get(span.start, '')}{letter}"
    marks = _Marks({token for tokens in sets for token in tokens}, starts if len(sets) > 1 else {})
    parts = [_head(instance, gold), _text(instance, marks)]
    parts += [_quiet(line) for line in _answers(outputs)]
    for run, attribution, n_seeds in maps[:_MOST_MAPS]:
        parts.append(_quiet(_title(run, attribution, n_seeds)))
        parts.append(_text(instance, _Marks(marks.gold, {}, _shades(run, attribution), attribution.scores)))
    if len(maps) > _MOST_MAPS:
        parts.append(_quiet(f"and {counted(len(maps) - _MOST_MAPS, 'more heatmap')}: .attributions() has all of them"))
    # A notebook would take what stands between dollar signs for a formula.
    return f'<div class="tex2jax_ignore mathjax_ignore">{"".join(parts)}</div>'


@dataclass(frozen=True, slots=True)
class _Marks:
    """What stands at the tokens. starts: by token the letters of the sets of which a span begins there; shades: by token."""

    gold: set[int]
    starts: dict[int, str]
    shades: dict[int, str] = field(default_factory=dict)
    scores: Sequence[float] = ()


def _first_of_seeds(outputs: Sequence[StoredOutput]) -> list[tuple[Run, Attribution, int]]:
    """Each map once: of runs that differ in their seed alone that of the first, with how many seeds there are."""
    maps: dict[object, list[tuple[Run, Attribution]]] = {}
    for of in outputs:
        for attribution in of.output.attributions:
            same = (*of.run.group, attribution.layer, attribution.label)
            maps.setdefault(same, []).append((of.run, attribution))
    return [(*of_seeds[0], len(of_seeds)) for of_seeds in maps.values()]


def _letters() -> Iterator[str]:
    """A, B ... Z, AA, AB ..."""
    alphabet = [chr(code) for code in range(ord("A"), ord("Z") + 1)]
    yield from alphabet
    for first in alphabet:
        yield from (f"{first}{second}" for second in alphabet)


def _head(instance: Instance, gold: GoldInstance | None) -> str:
    parts = [f"<b>{escape(instance.key)}</b>"] if instance.key else []
    parts += [f"split {escape(instance.split)}"] if instance.split else []
    if gold is not None:
        result = "no gold label" if gold.result is None else f"gold: {escape(gold.result) or '(no answer)'}"
        parts += [result, counted(len(gold.sets), "rationale set")]
    return f"<div>{' · '.join(parts)}</div>" if parts else ""


def _quiet(text: str) -> str:
    return f'<div style="{_QUIET}">{escape(text)}</div>'


def _answers(outputs: Iterable[StoredOutput]) -> Iterator[str]:
    """What models answer to the full input, a line each."""
    for of in outputs:
        for prediction in of.output.predictions:
            if prediction.on == "full":
                yield f"{_name(of.run)} answers {_answer(prediction)}"


def _answer(prediction: Prediction) -> str:
    probabilities = sorted(prediction.probabilities.items(), key=lambda pair: -pair[1])
    shares = ", ".join(f"{label} {written(p)}" for label, p in probabilities)
    label = prediction.label or "(no answer)"
    return f"“{label}”{f' ({shares})' if shares else ''}"


def _name(run: Run) -> str:
    parts = [run.model, run.method, *([] if run.seed is None else [f"seed {run.seed}"])]
    return " · ".join(part for part in parts if part)


def _title(run: Run, attribution: Attribution, n_seeds: int) -> str:
    """Which map it is, and what its strongest shade stands for."""
    parts = [
        _name(run) + (f" (of {n_seeds:,} seeds)" if n_seeds > 1 else ""),
        *([] if attribution.layer is None else [f"layer {attribution.layer}"]),
    ]
    parts += [f"for “{attribution.label}”"] if attribution.label else []
    strongest = _strongest(attribution)
    if strongest:
        hues = "orange for, blue against" if _is_signed(run, attribution) else "purple"
        parts.append(f"{hues}; the strongest shade is {written(strongest)}")
    return " · ".join(parts)


def _strongest(attribution: Attribution) -> float:
    return max((abs(score) for score in attribution.scores if math.isfinite(score)), default=0.0)


def _is_signed(run: Run, attribution: Attribution) -> bool:
    return run.is_signed if run.is_signed is not None else any(score < 0 for score in attribution.scores)


def _shades(run: Run, attribution: Attribution) -> dict[int, str]:
    """The ground of each token that has a score which can be seen."""
    strongest, is_signed = _strongest(attribution), _is_signed(run, attribution)
    shades = {}
    for token, score in enumerate(attribution.scores):
        share = STRONGEST * abs(score) / strongest if strongest and math.isfinite(score) else 0.0
        if share >= _FAINTEST:
            hue = (SUPPORTS if score > 0 else OPPOSES) if is_signed else WEIGHT
            shades[token] = f"rgba({','.join(map(str, hue))},{share:.2f})"
    return shades


def _text(instance: Instance, marks: _Marks) -> str:
    """All segments, the text between tokens as it is."""
    paragraphs = []
    for segment, placed in zip(instance.segments, instance.layout.segments, strict=True):
        gaps, end = segment.body.gaps()
        tokens = (
            escape(gap) + _token(escape(token), placed.first_token + at, marks)
            for at, (gap, token) in enumerate(zip(gaps, segment.body.tokens(), strict=True))
        )
        name = f'<span style="{_QUIET}">{escape(segment.name)}: </span>' if len(instance.segments) > 1 else ""
        paragraphs.append(
            f'<div dir="auto" style="white-space:pre-wrap;{_BOX}">{name}{"".join(tokens)}{escape(end)}</div>'
        )
    return "".join(paragraphs)


def _token(escaped: str, token: int, marks: _Marks) -> str:
    score = marks.scores[token] if token < len(marks.scores) else None
    styles = [f"background:{marks.shades[token]}"] if token in marks.shades else []
    styles += [_GOLD] if token in marks.gold else []
    letters = f"<sup>{marks.starts[token]}</sup>" if token in marks.starts else ""
    if not styles and score is None:
        return f"{letters}{escaped}"
    title = "" if score is None else f' title="{written(score) if math.isfinite(score) else "not seen by the model"}"'
    style = f' style="{";".join(styles)}"' if styles else ""
    return f"{letters}<span{style}{title}>{escaped}</span>"


# Instances as rows of an HTML table, each with a link that opens it.


_STYLE = """
.instance-list { overflow-x: auto; }
.instance-list table { border-collapse: collapse; font-size: .875rem; width: 100%; margin: 0; }
.instance-list th, .instance-list td { border: 0; border-bottom: 1px solid light-dark(#dbe1e7, #303842);
  padding: .3rem .6rem .3rem 0; text-align: left; font-weight: 400; }
.instance-list thead th { font-size: .75rem; color: light-dark(#52606d, #9fb0c0); }
.instance-list td.number { font-variant-numeric: tabular-nums; }
.instance-list a { color: light-dark(#2f6299, #8dbbe6); overflow-wrap: anywhere; }
"""


@dataclass(frozen=True, slots=True)
class LinkedRow:
    """An instance: where it opens (an address of ours), its key, and its other cells as text."""

    address: str
    key: str
    cells: Sequence[str]


def instance_list_html(rows: Sequence[LinkedRow], heads: Sequence[str], *, label: str) -> str:
    """The rows, a link in the first column of each; every text is escaped. heads: of the other columns."""
    above = "".join(f'<th scope="col">{escape(head)}</th>' for head in (_("instance"), *heads))
    body = "".join(_row(row) for row in rows)
    return (
        f'<style>{_STYLE}</style><div class="instance-list"><table aria-label="{escape(label)}">'
        f"<thead><tr>{above}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(row: LinkedRow) -> str:
    cells = "".join(f'<td class="number">{escape(cell)}</td>' for cell in row.cells)
    link = f'<a href="{escape(row.address)}" target="_blank" rel="noopener">{escape(row.key)}</a>'
    return f'<tr><th scope="row">{link}</th>{cells}</tr>'
