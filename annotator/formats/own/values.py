"""What the store takes of names and times; a value that it would refuse is a problem of the file, with its line and field."""

from typing import Annotated

import msgspec

UserName = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
Time = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$",
        max_length=40,
    ),
]


def folded(name: str) -> bytes:
    """A person's name as the database compares it: ASCII letters without their case."""
    return name.encode().lower()
