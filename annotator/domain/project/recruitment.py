"""Recruitment links, by which workers of a platform come in without an account of their own; and their completion codes."""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from hmac import compare_digest
from secrets import choice
from typing import Literal
from urllib.parse import urlsplit

from annotator.domain.numbers import require_between
from annotator.errors import InvalidValue
from annotator.language import _, unsaid

LinkState = Literal["open", "paused", "closed"]
WorkerState = Literal["working", "finished", "left", "out of time"]
STATE_WORDS: dict[WorkerState, str] = {
    "working": unsaid("working"),
    "finished": unsaid("finished"),
    "left": unsaid("left"),
    "out of time": unsaid("out of time"),
}

CODE_HOLE = "{code}"
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # 32, so five bits each; neither O and 0 nor I and 1
_CODE_GROUPS, _GROUP = 7, 4  # 140 bits
_LONGEST_ADDRESS = 500
_LONGEST_INTRODUCTION = 5_000


_LIMITS = {  # of numbers, each with its name on screens
    "most_workers": (unsaid("Maximum workers"), 100_000),
    "quota": (unsaid("Texts per worker"), 10_000),
    "minutes": (unsaid("Minutes per visit"), 7 * 24 * 60),
    "at_once": (unsaid("Concurrent workers"), 10_000),
}


@dataclass(frozen=True, slots=True)
class LinkRules:
    """What a lead decides about a link.

    quota:          texts that each worker does
    minutes:        how long a visit may take
    at_once:        how many workers may be at work at the same time
    until:          after that moment nobody new comes in (UTC, ISO 8601); None: no such moment
    parameter:      of the link's address, in which the platform says who comes; "" where no platform does
    return_address: where a worker who has finished goes, https only, "{code}" standing for their code; "" for nowhere
    introduction:   what is read before one begins
    must_read:      nothing can be handed in before the guidelines were read
    """

    name: str
    most_workers: int
    quota: int
    minutes: int = 60
    at_once: int = 200
    until: str | None = None
    parameter: str = ""
    return_address: str = ""
    introduction: str = ""
    must_read: bool = False

    def __post_init__(self) -> None:
        if not 1 <= len(self.name.strip()) <= 100 or not self.name.isprintable():
            raise InvalidValue(_("Names are one line of 1–{n} visible characters.", n=100))
        for field_name, (label, most) in _LIMITS.items():
            require_between(_(label), getattr(self, field_name), 1, most)
        if self.parameter and not (self.parameter.isascii() and self.parameter.replace("_", "").isalnum()):
            raise InvalidValue(
                _(
                    "Invalid parameter '{parameter}'. Use letters, digits and _, e.g. PROLIFIC_PID.",
                    parameter=self.parameter[:40],
                )
            )
        if self.return_address:
            check_return_address(self.return_address)
        if len(self.introduction) > _LONGEST_INTRODUCTION:
            raise InvalidValue(
                _("{name} has at most {most} characters.", most=f"{_LONGEST_INTRODUCTION:,}", name=_("Introduction"))
            )


@dataclass(frozen=True, slots=True)
class RecruitmentLink:
    """A recruitment link as it is stored. token: the secret part of its address."""

    id: int
    project_id: int
    token: str
    state: LinkState
    rules: LinkRules
    created_by: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Worker:
    """Somebody who came in by a link. name: their pseudonym; done: texts they handed in or proposed to discard.

    is_stopped: they left because a lead ended their work
    """

    user_id: int
    name: str
    link_id: int
    code: str
    state: WorkerState
    began_at: str
    ends_at: str
    ended_at: str | None
    paid_at: str | None
    done: int
    is_stopped: bool


def check_return_address(address: str) -> None:
    """Raise InvalidValue for an address to which no worker is to be sent: the lead fixes it whole, but for the code.

    The code may stand after the host alone, so that it never decides to which host one goes.
    """
    host = _https_host(address)
    if not host or not address.isprintable() or " " in address or "\\" in address:
        raise InvalidValue(
            _(
                "Invalid return address '{address}'. Use the form "
                "https://app.prolific.com/submissions/complete?cc=ABC123.",
                address=address[:80],
            )
        )
    if len(address) > _LONGEST_ADDRESS:
        raise InvalidValue(_("{name} has at most {most} characters.", most=_LONGEST_ADDRESS, name=_("Return URL")))
    if CODE_HOLE in host or "{" in address.replace(CODE_HOLE, "") or address.count(CODE_HOLE) > 1:
        raise InvalidValue(_("Use {code} at most once, after the host."))


def _https_host(address: str) -> str:
    """The host of an address, with its port; "" where it is none, not of https, or names a person."""
    try:
        parts = urlsplit(address)
        is_https = parts.scheme == "https" and bool(parts.hostname) and parts.username is None
    except ValueError:  # half of an IPv6 address
        return ""
    return parts.netloc if is_https else ""


def return_link(address: str, code: str) -> str:
    """The return address of a worker.

    >>> return_link("https://example.org/done?c={code}", "AB-CD")
    'https://example.org/done?c=AB-CD'
    """
    return address.replace(CODE_HOLE, code)


def draw_code() -> str:
    """A completion code that nobody can guess, in groups that can be read out."""
    return "-".join("".join(choice(_LETTERS) for _n in range(_GROUP)) for _m in range(_CODE_GROUPS))


def draw_pseudonym() -> str:
    """How a worker is called from now on."""
    return "worker " + "".join(choice(_LETTERS) for _ in range(8))


def same_code(stored: str, typed: str) -> bool:
    """Whether somebody typed a code: letters of either case, and the hyphens may be missing. Takes as long either way.

    >>> same_code("ABCD-EF23", " abcdef23 "), same_code("ABCD-EF23", "ABCD-EF24")
    (True, False)
    """
    return compare_digest(_bare(stored), _bare(typed))


def _bare(code: str) -> bytes:
    return "".join(letter for letter in code.upper() if letter.isalnum()).encode()


# What work is paid at: a rate that the lead states, and what somebody has done in a stretch of time.


PayUnit = Literal["hour", "text", "token"]
PayBasis = Literal["submitted", "accepted"]
WorkRole = Literal["annotator", "reviewer"]

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
        for rate in (self.annotating, self.reviewing):
            if not (rate.is_finite() and 0 <= rate <= _HIGHEST):
                raise InvalidValue(
                    _(
                        "{name} is {value}; use {lowest} to {highest}.",
                        name=_("Rate"),
                        value=rate,
                        lowest=0,
                        highest=f"{_HIGHEST:,}",
                    )
                )
        if not 1 <= len(self.currency.strip()) <= _LONGEST_CURRENCY or not self.currency.isprintable():
            raise InvalidValue(
                _(
                    "Invalid currency “{currency}”, e.g. EUR (at most {most} characters).",
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
        raise InvalidValue(_("Invalid rate “{rate}”. Use a number like 12.50.", rate=text.strip()))
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
