"""What the panel's talk dialog shows (docs/panel.md, "Talk"): the field names are those of its messages."""

from dataclasses import dataclass

from annotator.domain.people import User, role_name
from annotator.domain.reviews import About, Comment, Thread
from annotator.usecases.annotate.talk import Talk


@dataclass(frozen=True, slots=True)
class ShownComment:
    """One comment; mine: the person who asks wrote it."""

    id: int
    author: str
    voice: str
    mine: bool
    text: str
    at: str


@dataclass(frozen=True, slots=True)
class ShownThread:
    """Comments about one thing, which `about` says in words."""

    id: int
    about: str
    waits_for_lead: bool
    comments: tuple[ShownComment, ...]


@dataclass(frozen=True, slots=True)
class ShownSubject:
    """What the person may begin a thread about."""

    about: About
    annotation: int | None
    position: int | None
    words: str


@dataclass(frozen=True, slots=True)
class ShownTalk:
    """The talk about an instance as one person sees it."""

    threads: tuple[ShownThread, ...]
    subjects: tuple[ShownSubject, ...]


def show_talk(talk: Talk, viewer: User) -> ShownTalk:
    """The answer of every talk route."""
    return ShownTalk(
        tuple(_show_thread(thread, words, viewer) for thread, words in talk.threads),
        tuple(ShownSubject(s.about, s.annotation_id, s.position, s.words) for s in talk.subjects),
    )


def _show_thread(thread: Thread, words: str, viewer: User) -> ShownThread:
    comments = tuple(_show_comment(comment, viewer) for comment in thread.comments)
    return ShownThread(thread.id, words, thread.waits_for_lead, comments)


def _show_comment(comment: Comment, viewer: User) -> ShownComment:
    is_mine = comment.user_id is not None and comment.user_id == viewer.id
    return ShownComment(
        comment.id, comment.author, role_name(comment.spoken_as), is_mine, comment.text, comment.created_at
    )
