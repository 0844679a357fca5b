"""What work is paid at: a rate that the lead states, and what somebody has done in a stretch of time."""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal, get_args

from annotator.errors import InvalidValue
from annotator.language import _

PayUnit = Literal["hour", "text", "token"]
PayBasis = Literal["submitted", "accepted"]
WorkRole = Literal["annotator", "reviewer"]
PAY_UNITS: tuple[PayUnit, ...] = get_args(PayUnit)
PAY_BASES: tuple[PayBasis, ...] = get_args(PayBasis)

_HIGHEST = Decimal(1_000_000)
_LONGEST_CURRENCY = 20
_CENT = Decimal("0.01")
_MS_PER_HOUR = 3_600_000
_RATE = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class PayRate:
    """So much for an hour, a text or a token.

    annotating, reviewing: for a unit of either work
    counts: which texts of annotators, and tokens of them, are paid; hours are paid whatever became of the work
    Raises: InvalidValue naming what cannot be
    """

    unit: PayUnit
    annotating: Decimal
    reviewing: Decimal
    currency: str
    counts: PayBasis = "submitted"

    def __post_init__(self) -> None:
        for name, rate in (("annotating", self.annotating), ("reviewing", self.reviewing)):
            if not (rate.is_finite() and 0 <= rate <= _HIGHEST):
                raise InvalidValue(
                    _(
                        "The rate for {name} is {rate}; it must lie between 0 and {highest}.",
                        name=name,
                        rate=rate,
                        highest=f"{_HIGHEST:,}",
                    )
                )
        if not 1 <= len(self.currency.strip()) <= _LONGEST_CURRENCY or not self.currency.isprintable():
            raise InvalidValue(
                _(
                    "The currency “{currency}” cannot be; write a word of 1 to {most} characters, such as EUR.",
                    currency=self.currency[:_LONGEST_CURRENCY],
                    most=_LONGEST_CURRENCY,
                )
            )


def parse_rate(text: str) -> Decimal:
    """A rate as somebody writes it, with a point or a comma; nothing is 0.

    Raises: InvalidValue for anything else
    >>> parse_rate("12,50"), parse_rate(" 0.08 "), parse_rate("")
    (Decimal('12.50'), Decimal('0.08'), Decimal('0'))
    """
    number = text.strip().replace(",", ".")
    if number and not _RATE.fullmatch(number):
        raise InvalidValue(
            _("The rate “{rate}” is no number. Write one such as 12.50, without the currency.", rate=text.strip())
        )
    return Decimal(number or 0)


@dataclass(frozen=True, slots=True)
class PaidWork:
    """What one person did in one role.

    n_submitted, n_accepted: texts of annotators: each counts once for a person, when it was submitted, or accepted, first
    n_corrected:             corrections of returned work, which are paid by the hour alone
    n_untimed:               pieces of work whose time is not known, so that it is not in active_ms
    """

    person: str
    role: WorkRole
    n_submitted: int = 0
    n_accepted: int = 0
    n_corrected: int = 0
    n_reviewed: int = 0
    tokens_submitted: int = 0
    tokens_accepted: int = 0
    tokens_reviewed: int = 0
    active_ms: int = 0
    n_untimed: int = 0

    @property
    def hours(self) -> float:
        """Working time, pauses left out."""
        return self.active_ms / _MS_PER_HOUR

    def n_paid(self, rate: PayRate) -> Decimal:
        """How many units of a rate it is."""
        if rate.unit == "hour":
            return Decimal(self.active_ms) / _MS_PER_HOUR
        if self.role == "reviewer":
            return Decimal(self.n_reviewed if rate.unit == "text" else self.tokens_reviewed)
        if rate.counts == "accepted":
            return Decimal(self.n_accepted if rate.unit == "text" else self.tokens_accepted)
        return Decimal(self.n_submitted if rate.unit == "text" else self.tokens_submitted)

    def amount(self, rate: PayRate) -> Decimal:
        """What is to be paid, to the hundredth, halves upwards.

        >>> PaidWork("ada", "annotator", active_ms=5_400_000).amount(PayRate("hour", Decimal("12.35"), Decimal(0), "EUR"))
        Decimal('18.53')
        """
        per_unit = rate.annotating if self.role == "annotator" else rate.reviewing
        return (self.n_paid(rate) * per_unit).quantize(_CENT, ROUND_HALF_UP)
