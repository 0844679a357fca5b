"""What a mail and a call of the webhook say: kinds, counts, keys and links, and nothing of any text."""

from collections.abc import Iterable, Sequence

import msgspec

from annotator.domain.numbers import counted
from annotator.domain.people import NoticeGroup
from annotator.usecases.notices.words import sentence

_LONGEST_NAME = 200
KEYS_AT_MOST = 20
_LINES_AT_MOST = 100

_MAIL = """{name},

this is new for you in the annotator:

{lines}

Look at it here: {link}

You get this because you asked for it; you can stop it on the page Start.
"""
_CODE = """{name},

somebody, you we hope, asked for the annotator's notices to be sent to this address. The code is

    {code}

Enter it on the page Start within a day: {link}

If it was not you, do nothing, and nothing more is sent here.
"""


def mail_subject(groups: Sequence[NoticeGroup]) -> str:
    """Nothing that people named stands in a header."""
    return f"Annotator: {counted(sum(group.n for group in groups), 'notice')}"


def mail_body(name: str, groups: Sequence[NoticeGroup], link: str) -> str:
    """The sum of the day."""
    lines = [f"- {one_line(group.project_name)}: {one_line(sentence(group))}" for group in groups]
    more = [f"- and {len(lines) - _LINES_AT_MOST:,} more"] if len(lines) > _LINES_AT_MOST else []
    return _MAIL.format(name=one_line(name), lines="\n".join([*lines[:_LINES_AT_MOST], *more]), link=link)


def code_body(name: str, code: str, link: str) -> str:
    """What confirms an address."""
    return _CODE.format(name=one_line(name), code=code, link=link)


def call_body(
    project_id: int, project_name: str, counts: Iterable[tuple[str, int, list[str]]], link: str, sent_at: str
) -> bytes:
    """What the webhook is told, as JSON."""
    notices = [{"kind": kind, "count": n, "keys": [one_line(key) for key in keys]} for kind, n, keys in counts]
    return msgspec.json.encode(
        {
            "sent_at": sent_at,
            "project": {"id": project_id, "name": one_line(project_name)},
            "notices": notices,
            "link": link,
        }
    )


def one_line(text: str) -> str:
    r"""What people and files named, without line breaks and other control characters.

    >>> one_line("P\r\nBcc: all@lab.example")
    'P Bcc: all@lab.example'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_LONGEST_NAME]
