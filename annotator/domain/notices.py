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
