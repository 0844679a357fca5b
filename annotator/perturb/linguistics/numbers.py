"""Numbers in digits, and other numbers of about the same size.

The numbers of a test are whole ones of at most nine digits, and a saved seed must draw the same again. Those of a suggestion
are also written with decimals and with commas between thousands, stay years where they are years, and never fall below 2, for
a singular stands after 1. So each has its pattern and its way of drawing.
"""

import re
from random import Random

READ_AS_WORDS = frozenset({"2", "4"})  # also written for "to" and "for"
WHOLE_NUMBER = re.compile(r"(?<![\w.,])\d{1,9}(?![\w]|[.,]\d)")
# No part of a longer sign: 3.2.1, 10:30, 1-0, b2, #4, @5.
AMOUNT = re.compile(r"(?<![A-Za-z0-9_.,:/@#-])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?![A-Za-z0-9_:/-]|[.,]\d)")

_LONGEST = 40  # characters; what is longer is no amount that somebody reads


def draw_whole_number(number: int, random: Random) -> int:
    """Another whole number above 0, at most a fifth away (at least 1 away)."""
    reach = max(1, number // 5)
    candidates = [number + random.randint(1, reach), number - random.randint(1, reach)]
    return random.choice([candidate for candidate in candidates if candidate > 0])


def is_readable_amount(amount: "re.Match[str]") -> bool:
    """Whether a match of AMOUNT is one that may be changed: no code such as 007, nor 0 and 1, whose nouns are others."""
    number = amount.group()
    is_code = number[0] == "0" and amount[2] is None
    return number.isascii() and len(number) <= _LONGEST and number not in READ_AS_WORDS | {"0", "1"} and not is_code


def draw_amount(number: str, random: Random) -> str:
    """A number written alike, at most a fifth away (a year: at most nine years), never the same and never below 2."""
    n_decimals = len(number.partition(".")[2])
    value = int(number.replace(",", "").replace(".", ""))
    least = 0 if n_decimals else 2
    is_year = number.isdigit() and len(number) == 4 and 1900 <= value < 2100
    reach = 9 if is_year else max(1, round(value / 5))
    direction = random.choice([sign for sign in (-1, 1) if value + sign >= least])
    furthest = reach if direction > 0 else min(reach, value - least)
    digits = str(value + direction * random.randint(1, furthest)).rjust(n_decimals + 1, "0")
    whole, decimals = (digits[:-n_decimals], "." + digits[-n_decimals:]) if n_decimals else (digits, "")
    return (f"{int(whole):,}" if "," in number else whole) + decimals
