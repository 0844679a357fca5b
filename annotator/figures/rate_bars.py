"""A failure rate as a bar with its interval, and below it in small print what else there is to say; words wrap."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

RATE_STYLE = """
.rate { --quiet: light-dark(#52606d, #9fb0c0); line-height: 1.25; margin-bottom: .4rem; }
.rate .track { position: relative; height: 8px; margin: 2px 0 3px; background: light-dark(#e6eaef, #262e37); border-radius: 2px; }
.rate .track i { position: absolute; inset: 0 auto 0 0; background: #1f83c4; border-radius: 2px; }
.rate .track b { position: absolute; top: 3px; height: 2px; min-width: 2px; background: light-dark(#16202a, #e7ecf1); }
.rate .track b::before, .rate .track b::after { content: ""; position: absolute; top: -3px; width: 2px; height: 8px;
  background: inherit; }
.rate .track b::before { left: 0; } .rate .track b::after { right: 0; }
.rate small { display: block; font-size: .75rem; color: var(--quiet); font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere; }
"""


@dataclass(frozen=True, slots=True)
class RateBar:
    """A share with its bounds, or None; lines: below the bar."""

    share: float | None
    low: float | None
    high: float | None
    lines: Sequence[str]


def rate_bar_html(bar: RateBar) -> str:
    """The bar from 0 to 100 %; without a share only the lines, which are escaped."""
    track = "" if bar.share is None else f'<div class="track" aria-hidden="true">{_marks(bar)}</div>'
    below = "".join(f"<small>{escape(line)}</small>" for line in bar.lines if line)
    return f'<div class="rate">{track}{below}</div>'


def _marks(bar: RateBar) -> str:
    filled = f'<i style="width:{100 * (bar.share or 0):.1f}%"></i>'
    if bar.low is None or bar.high is None:
        return filled
    return f'{filled}<b style="left:{100 * bar.low:.1f}%;width:{100 * (bar.high - bar.low):.1f}%"></b>'
