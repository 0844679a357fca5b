"""Who sees which comments: reviewers stay independent of one another, and the annotator of them, until the round is decided."""

from dataclasses import replace

from annotator.domain.reviews import Comment, Thread, Voice


def visible_to(thread: Thread, viewer: int | None, voice: Voice, *, is_decided: bool) -> Thread | None:
    """A thread as a person may see it, or None.

    viewer:     the person's id; voice: what they are to the thread (a lead sees everything)
    is_decided: whether the round of the annotation that it is about is decided; a thread about the instance belongs to no round
    What a reviewer begins before the decision is between them and the lead. A thread about the instance is between whoever
    began it and the lead, since annotators work independently; what the lead begins, all who work on the instance see,
    each without the others' answers.
    """
    if voice == "lead":
        return thread
    if thread.about != "instance" and is_decided:
        return thread
    begins = thread.comments[0] if thread.comments else None
    if begins is not None and not _may_read_thread(thread, begins, viewer):
        return None
    heard: set[Voice] = {"lead"} if thread.about == "instance" else {"lead", "annotator"}
    return replace(thread, comments=tuple(c for c in thread.comments if _is_of(c, viewer) or c.spoken_as in heard))


def _may_read_thread(thread: Thread, begins: Comment, viewer: int | None) -> bool:
    if _is_of(begins, viewer) or begins.spoken_as == "lead":
        return True
    return thread.about != "instance" and begins.spoken_as == "annotator"


def _is_of(comment: Comment, person: int | None) -> bool:
    return person is not None and comment.user_id == person
