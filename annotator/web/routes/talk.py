"""Talk from a screen with a text (docs/panel.md, "Talk"): of, begin, answer."""

import msgspec
from starlette.routing import Route

from annotator.domain.people import User
from annotator.domain.reviews import About
from annotator.usecases.annotate import talk
from annotator.usecases.annotate.talk import ShownTalk, show_talk
from annotator.usecases.databases import Store
from annotator.web.routes.messages import Number, Query, get_route, number, post_route


class BeginBody(msgspec.Struct):
    """A first comment, and what it is about."""

    project: Number
    instance: Number
    text: str
    about: About = "instance"
    annotation: Number | None = None
    position: Number | None = None
    to_lead: bool = False


class AnswerBody(msgspec.Struct):
    """One more comment in a thread."""

    thread: Number
    text: str


def _of(store: Store, user: User, query: Query) -> ShownTalk:
    project_id, instance_id = number(query, "project"), number(query, "instance")
    shown = _shown(store, user, project_id, instance_id)
    if "read" in query:  # it is opened, and not only counted
        talk.note_answers_read(store, user, project_id, instance_id)
    return shown


def _begin(store: Store, user: User, body: BeginBody) -> ShownTalk:
    subject = talk.Subject(body.about, body.annotation, body.position, "")
    talk.begin(store, user, body.project, body.instance, subject, body.text, to_lead=body.to_lead)
    return _shown(store, user, body.project, body.instance)


def _answer(store: Store, user: User, body: AnswerBody) -> ShownTalk:
    thread = talk.answer(store, user, body.thread, body.text)
    return _shown(store, user, thread.project_id, thread.instance_id)


def _shown(store: Store, user: User, project_id: int, instance_id: int) -> ShownTalk:
    return show_talk(talk.talk_of(store, user, project_id, instance_id), user)


routes: list[Route] = [
    get_route("talk/of", _of),
    post_route("talk/begin", _begin, BeginBody),
    post_route("talk/answer", _answer, AnswerBody),
]
