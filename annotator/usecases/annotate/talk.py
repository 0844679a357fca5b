"""Talk: comments about an instance, an annotation, a set or a decision, questions to the lead, and the panel's messages."""

from dataclasses import dataclass, replace

from msgspec import Struct

from annotator.domain.instances import Annotation
from annotator.domain.people import User, has_right, role_name
from annotator.domain.projects import Project
from annotator.domain.reviews import About, Comment, Thread, Voice
from annotator.domain.texts import set_letter
from annotator.errors import Conflict, InvalidValue, NotAllowed, NotFound
from annotator.language import _
from annotator.store import Store
from annotator.store.annotate import talk as stored_talk
from annotator.store.annotate.annotations import annotations_of
from annotator.store.events import require_open
from annotator.store.instances import InstanceRow, project_of_instance, row_of
from annotator.store.notices.outbox import mark_read_about
from annotator.store.people import get_user_by_id
from annotator.store.review.reviews import find_reviewed_annotation, reviews_of
from annotator.store.review.rounds import rounds_of_instances
from annotator.usecases.access.independence import is_at_work_on
from annotator.usecases.access.rights import require, require_of_project, require_role
from annotator.usecases.notices.notices import tell, tell_leads

# Who sees which comments: reviewers stay independent of one another, and the annotator of them, until the round is decided.


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


PAGE_SIZE = 10
LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class Subject:
    """Something of an instance that a person may talk about, in words."""

    about: About
    annotation_id: int | None
    position: int | None
    words: str


@dataclass(frozen=True, slots=True)
class Talk:
    """What a person sees of the talk about an instance: threads, each with what it is about; and what they may talk about."""

    threads: tuple[tuple[Thread, str], ...]
    subjects: tuple[Subject, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A thread that waits for the lead."""

    thread: Thread
    instance: InstanceRow
    words: str


def talk_of(store: Store, user: User, project_id: int, instance_id: int) -> Talk:
    """The threads of an instance that a person may read. Raises NotFound, NotAllowed for whoever has no part in it.

    A lead who is at work on the text reads what its annotator may, so that what is said of others' sets does not lead them.
    Only leads read the names of others than leads: an annotation's scores belong to no name, nor do its sets for reviewers.
    """
    participant = _Participant(store, user, project_id, instance_id)
    participant.leads = participant.leads and not is_at_work_on(store, user, instance_id)
    threads = stored_talk.threads_of(store, [instance_id]).get(instance_id, [])
    seen = [shown for thread in threads if (shown := participant.visible(thread)) is not None]
    return Talk(tuple((thread, participant.words(thread)) for thread in seen), tuple(participant.subjects()))


def reviewed_annotation(store: Store, user: User, instance_id: int) -> int | None:
    """Where a reviewer reads the talk about a text: the newest annotation of it that they scored or score."""
    return None if user.id is None else find_reviewed_annotation(store, instance_id, user.id)


def note_answers_read(store: Store, user: User, project_id: int, instance_id: int) -> None:
    """Somebody has the talk about a text before them: what they were told of answers there is no news any more."""
    if user.id is not None:
        with store.transaction():
            mark_read_about(store, project_id, "answer", instance_id, user.id)


def begin(
    store: Store, user: User, project_id: int, instance_id: int, subject: Subject, text: str, *, to_lead: bool
) -> int:
    """Begin a thread; to_lead: it is a question that waits for the lead. Answers the thread's number.

    What is sent again, since its answer was lost, begins no other one.
    """
    text = _checked(text)
    with store.transaction():
        require_open(store, project_id)
        participant = _Participant(store, user, project_id, instance_id)
        voice = participant.voice_on(subject.annotation_id)
        participant.check(subject)
        about = (subject.about, subject.annotation_id, subject.position)
        for thread in stored_talk.threads_of(store, [instance_id]).get(instance_id, []):
            if about == (thread.about, thread.annotation_id, thread.position) and _is_last(thread, user, text):
                return thread.id
        thread_id = stored_talk.add_thread(
            store, project_id, instance_id, subject.about, subject.annotation_id, subject.position, user,
            waits_for_lead=to_lead and voice != "lead",
        )  # fmt: skip
        stored_talk.add_comment(store, thread_id, user, voice, text)
        if to_lead and voice != "lead":
            tell_leads(store, user, project_id, "question", instance_id)
    return thread_id


def answer(store: Store, user: User, thread_id: int, text: str) -> Thread:
    """Write into a thread that one sees; a lead's answer settles the question. Answers the thread as it was before."""
    text = _checked(text)
    with store.transaction():
        thread = stored_talk.get_thread(store, thread_id)
        require_open(store, thread.project_id)
        participant = _Participant(store, user, thread.project_id, thread.instance_id)
        if participant.visible(thread) is None:
            raise NotFound(_("No {what} number {number}.", number=thread_id, what=_("thread")))
        if _is_last(thread, user, text):
            return thread
        stored_talk.add_comment(store, thread_id, user, participant.voice_in(thread), text)
        _tell_of_answer(store, user, stored_talk.get_thread(store, thread_id))
        # Once no question about a text waits, no lead is told any more that one does
        threads = stored_talk.threads_of(store, [thread.instance_id]).get(thread.instance_id, [])
        if thread.waits_for_lead and not any(other.waits_for_lead for other in threads):
            mark_read_about(store, thread.project_id, "question", thread.instance_id)
    return thread


def _is_last(thread: Thread, user: User, text: str) -> bool:
    """Whether the last comment of a thread is this one."""
    last = thread.comments[-1] if thread.comments else None
    return last is not None and user.id is not None and (last.user_id, last.text) == (user.id, text)


def _tell_of_answer(store: Store, author: User, thread: Thread) -> None:
    """Whoever began the thread, if they may read what was just written: reviewers, say, stay independent of one another."""
    if thread.begun_by is None:
        return
    try:
        participant = _Participant(store, get_user_by_id(store, thread.begun_by), thread.project_id, thread.instance_id)
    except (NotAllowed, NotFound):
        return  # they have no part in it any more
    visible = participant.visible(thread)
    if visible is not None and thread.comments[-1].id in {comment.id for comment in visible.comments}:
        part = participant.part or "lead"
        tell(store, author, [thread.begun_by], thread.project_id, "answer", thread.instance_id, part)


def questions(store: Store, actor: User, project: Project, page: int = 1) -> tuple[list[Question], int]:
    """One page of the questions that wait for the lead, oldest first; and how many there are."""
    require(store, actor, project.id, "manage project")
    waiting = stored_talk.list_questions(store, project.id, limit=PAGE_SIZE, offset=PAGE_SIZE * (page - 1))
    shown = []
    for thread in waiting:
        participant = _Participant(store, actor, project.id, thread.instance_id)
        shown.append(Question(thread, row_of(store, thread.instance_id), participant.words(thread)))
    return shown, stored_talk.count_questions(store, project.id)


def count_waiting(store: Store, project: Project) -> int:
    """How many questions wait for the project's lead."""
    return stored_talk.count_questions(store, project.id)


class _Participant:
    """A person before the annotations, rounds and reviewers of one instance."""

    def __init__(self, store: Store, user: User, project_id: int, instance_id: int) -> None:
        roles = require_role(store, user, project_id)
        require_of_project(project_of_instance(store, instance_id), project_id, instance_id, _("text"))
        self.user = user
        self.leads = has_right(user, roles, "manage project")
        self.annotations = {a.id: a for a in annotations_of(store, [instance_id])[instance_id]}
        self.rounds = {
            review_round.annotation_id: review_round
            for review_round in rounds_of_instances(store, [instance_id]).get(instance_id, [])
        }
        self.reviewers = {
            number: {review.user_id for review in reviews if review.state in {"leased", "submitted"}}
            for number, reviews in reviews_of(store, list(self.rounds)).items()
        }
        self.part = None if user.id is None else stored_talk.has_part_in(store, instance_id, user.id)
        if self.part is None and not self.leads:
            raise NotAllowed(_("Only its annotators, reviewers and leads can discuss this."))

    def visible(self, thread: Thread) -> Thread | None:
        """The thread as the person may see it."""
        if self.leads:
            return thread
        voice = self._part_of(thread.annotation_id)
        is_decided = thread.annotation_id is not None and self._is_decided(thread.annotation_id)
        seen = None if voice is None else visible_to(thread, self.user.id, voice, is_decided=is_decided)
        if seen is None:
            return None
        return replace(seen, comments=tuple(self._unnamed(comment) for comment in seen.comments))

    def _unnamed(self, comment: Comment) -> Comment:
        is_named = comment.spoken_as == "lead" or _is_of(comment, self.user.id)
        return comment if is_named else replace(comment, author="")

    def voice_on(self, annotation_id: int | None) -> Voice:
        """As what the person begins a thread; raises NotAllowed for a stranger to the annotation."""
        voice = self._part_of(annotation_id) or ("lead" if self.leads else None)
        if voice is None:
            raise NotAllowed(_("Only its annotators, reviewers and leads can discuss this."))
        return voice

    def voice_in(self, thread: Thread) -> Voice:
        """As what the person answers: a lead before a question that is not their own answers it as the lead."""
        if self.leads and thread.waits_for_lead and thread.begun_by != self.user.id:
            return "lead"
        return self.voice_on(thread.annotation_id)

    def check(self, subject: Subject) -> None:
        """Raise unless there is what somebody wants to talk about."""
        if (subject.about == "instance") != (subject.annotation_id is None):
            raise InvalidValue(_("Threads are about a text or an annotation."))
        if (subject.about == "set") != (subject.position is not None):
            raise InvalidValue(_("Only a thread about a set names a set."))
        if subject.annotation_id is None:
            return
        annotation = self._annotation(subject.annotation_id)
        if subject.position is not None and not 0 <= subject.position < len(annotation.sets):
            raise NotFound(_("The annotation has no set {letter}.", letter=set_letter(max(0, subject.position))))
        review_round = self.rounds.get(subject.annotation_id)
        if subject.about == "decision" and (review_round is None or review_round.outcome is None):
            raise Conflict(_("This round has no decision yet."))

    def subjects(self) -> list[Subject]:
        """What the person may talk about: the text, then each annotation that they have a part in, its sets, its decision."""
        subjects = [Subject("instance", None, None, _("this text"))]
        for annotation in self.annotations.values():
            if self._part_of(annotation.id) or self.leads:
                subjects += self._subjects_of(annotation)
        return subjects

    def words(self, thread: Thread) -> str:
        """What a thread is about."""
        if thread.annotation_id is None:
            return _("this text")
        return self._words(thread.about, self._annotation(thread.annotation_id), thread.position)

    def _subjects_of(self, annotation: Annotation) -> list[Subject]:
        subjects: list[tuple[About, int | None]] = [("annotation", None)]
        subjects += [("set", position) for position in range(len(annotation.sets))]
        if annotation.id in self.rounds and self._is_decided(annotation.id):
            subjects.append(("decision", None))
        return [Subject(about, annotation.id, p, self._words(about, annotation, p)) for about, p in subjects]

    def _words(self, about: About, annotation: Annotation, position: int | None) -> str:
        mine = annotation.user_id is not None and annotation.user_id == self.user.id
        annotator = annotation.annotator if self.leads else f"#{annotation.id}"
        whose = (
            _("round {number}", number=annotation.round_number)
            if mine
            else _("{annotator}, round {round}", annotator=annotator, round=annotation.round_number)
        )
        if about == "set" and position is not None:
            return _("set {letter} · {whose}", letter=set_letter(position), whose=whose)
        return (
            _("the decision · {whose}", whose=whose)
            if about == "decision"
            else _("the annotation · {whose}", whose=whose)
        )

    def _part_of(self, annotation_id: int | None) -> Voice | None:
        if annotation_id is None:
            return self.part
        if self.user.id is not None and self._annotation(annotation_id).user_id == self.user.id:
            return "annotator"
        return "reviewer" if self.user.id in self.reviewers.get(annotation_id, set()) else None

    def _annotation(self, annotation_id: int) -> Annotation:
        if annotation_id not in self.annotations:
            raise NotFound(_("No annotation number {number} of this text.", number=annotation_id))
        return self.annotations[annotation_id]

    def _is_decided(self, annotation_id: int) -> bool:
        review_round = self.rounds.get(annotation_id)
        return review_round is None or review_round.outcome is not None


def _checked(text: str) -> str:
    text = text.replace("\0", "")  # SQLite would count no further
    if not text.strip():
        raise InvalidValue(_("Write something first."))
    if len(text) > LONGEST:
        raise InvalidValue(_("Use at most {most} characters.", most=f"{LONGEST:,}"))
    return text.strip()


# What the panel's talk dialog shows (docs/panel.md, "Talk"): the field names are those of its messages.


class ShownComment(Struct, frozen=True):
    """One comment; mine: the person who asks wrote it."""

    id: int
    author: str
    voice: str
    mine: bool
    text: str
    at: str


class ShownThread(Struct, frozen=True):
    """Comments about one thing, which `about` says in words."""

    id: int
    about: str
    waits_for_lead: bool
    comments: tuple[ShownComment, ...]


class ShownSubject(Struct, frozen=True):
    """What the person may begin a thread about."""

    about: About
    annotation: int | None
    position: int | None
    words: str


class ShownTalk(Struct, frozen=True):
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
