"""Notices: that something happened which concerns a person, without anything of a text."""

from dataclasses import dataclass
from typing import Literal

NoticeKind = Literal["returned", "version returned", "answer", "question", "decision", "stuck", "role"]


@dataclass(frozen=True, slots=True)
class NoticeGroup:
    """Notices of one kind to one person in one project, told in one line.

    detail:      what the sentence needs besides: the role, the decision, what the person is to the text
    newest_id:   the last of them; key, instance_id: of a single one about an instance
    """

    project_id: int
    project_name: str
    kind: NoticeKind
    detail: str
    n: int
    newest_id: int
    newest_at: str
    is_read: bool
    instance_id: int | None = None
    key: str = ""


ChannelKind = Literal["mail", "webhook"]
MessagePurpose = Literal["notices", "address"]
MessageState = Literal["waiting", "sending", "sent", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class Message:
    """What leaves the server: a mail to one person, or one call of the webhook about one project.

    purpose: their notices, or the code that confirms an address
    state:   failed: given up; unknown: it may have arrived, and is never sent again
    """

    id: int
    channel: ChannelKind
    purpose: MessagePurpose
    user_id: int | None
    project_id: int | None
    state: MessageState
    n_tries: int
    problem: str
    created_at: str


@dataclass(frozen=True, slots=True)
class MailAddress:
    """Where somebody wants their mail. code_hash: of the code that was sent there and confirms it."""

    user_id: int
    address: str
    confirmed_at: str | None
    code_hash: bytes | None
    code_until: str | None
    n_tries: int
