"""Talk: threads of comments about an instance, an annotation of it, a set of that, or the decision on it."""

from dataclasses import dataclass
from typing import Literal

About = Literal["instance", "annotation", "set", "decision"]
Voice = Literal["annotator", "reviewer", "lead"]


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment; `spoken_as` is what its author was to the thread when they wrote it."""

    id: int
    author: str
    user_id: int | None
    spoken_as: Voice
    text: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Thread:
    """Comments about one thing, oldest first.

    position:       the set, where the thread is about one
    waits_for_lead: a question that no lead has answered yet
    """

    id: int
    project_id: int
    instance_id: int
    annotation_id: int | None
    about: About
    position: int | None
    begun_by: int | None
    waits_for_lead: bool
    comments: tuple[Comment, ...] = ()
