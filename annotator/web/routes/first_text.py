"""The text that a page opens with, written into its document: readable before any script is there, where the panel will show it.

Beside it stands the answer that the panel would ask for. It begins with that, draws its own text, and takes this one away
(panel/shared/dom.js, panel/annotate/early.js).
"""

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from operator import attrgetter
from typing import Literal

import msgspec
from starlette.requests import Request

from annotator.domain.instances import Instance, Segment
from annotator.domain.numbers import whole_number
from annotator.domain.people import User
from annotator.domain.reviews import SetScore
from annotator.domain.texts import RationaleSet
from annotator.errors import AnnotatorError
from annotator.usecases.access.accounts import Session
from annotator.usecases.access.rights import is_onlooker
from annotator.usecases.annotate.panel_messages import segment_title, show_next
from annotator.usecases.annotate.work import next_work
from annotator.usecases.databases import Store
from annotator.usecases.review.reviews import next_review
from annotator.web.routes.access import route_store

ZONE = "annotator_zone"
_MOST_MINUTES = 24 * 60
_IN_SIGHT = 12_000  # characters: more than any screen shows

# In a window of another kind than the one in which the panel stood there (as in panel/annotate/early.js) it is somewhere else.
# What is asked for the browser's storage or cookies would wait for another process.
_PLACED = """<script>
{
  const text = document.querySelector(".first-text");
  const kind = ["(prefers-color-scheme: dark)", "(max-width: 768px)", "(max-width: 1000px)", "(max-height: 600px)"]
    .map((query) => Number(matchMedia(query).matches)).join("");
  if (kind !== "KIND") text.removeAttribute("style");
  setTimeout(() => text.remove(), 15000);
}
</script>
"""
_BEGUN_BY: Mapping[str, Literal["annotator", "reviewer"]] = {"annotate": "annotator", "review": "reviewer"}
_WORDS = "annotator_words_"  # cookie of each page: kind of window, and where the text stood in it
_WORDS_FORM = re.compile(r"([01]{4})((?:_[0-9]{1,5}\.[0-9]{2}){5})")


@dataclass(frozen=True, slots=True)
class FirstText:
    """What is put into a document: the text as HTML, and the answer of the route `next` as JSON for a script."""

    html: str
    answer: str


def first_text(request: Request, page: str, session: Session) -> FirstText | None:
    """What a page opens with for whoever asks; None where the page itself has to say something, or is only looked up.

    A text that is shown is taken, as by the route `next`, so it is for the page's owner alone and not for what reads ahead.
    """
    query = request.query_params
    project = whole_number(query.get("project", ""))
    asks_ahead = "sec-purpose" in request.headers or "purpose" in request.headers
    if page not in _PAGES or request.method != "GET" or project is None or asks_ahead:
        return None
    try:
        with route_store(request) as store:
            return _PAGES[page](store, session.user, project, query, request.cookies)
    except AnnotatorError:
        return None  # which the page says in a sentence


def only_looks_in(request: Request, page: str, session: Session) -> bool:
    """Whether the page asks somebody first whether they want to begin, so that nothing may be taken for them before."""
    query, role = request.query_params, _BEGUN_BY.get(page)
    project = whole_number(query.get("project", ""))
    if role is None or project is None or "instance" in query or "annotation" in query:
        return False
    with route_store(request) as store:
        return is_onlooker(store, session.user, project, role)


def _of_annotate(
    store: Store, user: User, project_id: int, query: Mapping[str, str], cookies: Mapping[str, str]
) -> FirstText | None:
    day = _day_began(cookies.get(ZONE, ""), store.moment())
    if day is None:
        return None
    answer = next_work(store, user, project_id, whole_number(query.get("instance", "")), day_began=day)
    if answer.work is None:
        return None
    work = answer.work
    stood = cookies.get(f"{_WORDS}annotate", "")
    html = _shown(work.instance, work.assignment.draft.sets, stood, partial(segment_title, task=answer.project.task))
    return FirstText(html, _for_script(show_next(answer)))


def _of_review(
    store: Store, user: User, project_id: int, query: Mapping[str, str], cookies: Mapping[str, str]
) -> FirstText | None:
    answer = next_review(store, user, project_id, whole_number(query.get("annotation", "")))
    if answer.work is None:
        return None
    work = answer.work
    scores = [*work.review.scores.sets, *[SetScore()] * len(work.annotation.sets)]
    asked_sets = [
        rationale_set
        for number, rationale_set in enumerate(work.annotation.sets)
        if number not in work.carried_means and None in {scores[number].sufficiency, scores[number].compactness}
    ]
    stood = cookies.get(f"{_WORDS}review", "")
    html = _shown(work.instance, asked_sets[:1] or work.annotation.sets, stood, partial(segment_title, task=work.task))
    return FirstText(html.replace('class="', 'class="alone ', 1) if asked_sets else html, "null")


def _of_saliency(
    store: Store, user: User, _project_id: int, query: Mapping[str, str], cookies: Mapping[str, str]
) -> FirstText | None:
    """Without what was marked: whether somebody may see that is said by the answer alone."""
    from annotator.usecases.inspect.saliency import opening_instance  # noqa: PLC0415  (NumPy)
    from annotator.web.routes.saliency import question_of  # noqa: PLC0415

    instance = opening_instance(store, user, question_of(query), whole_number(query.get("instance", "")))
    if instance is None:
        return None
    html = _shown(instance, (), cookies.get(f"{_WORDS}saliency", ""), attrgetter("name"), order=lambda _: 0)
    return FirstText(html.replace('class="', 'class="heat ', 1), "null")


_Made = Callable[[Store, User, int, Mapping[str, str], Mapping[str, str]], FirstText | None]
_PAGES: Mapping[str, _Made] = {"annotate": _of_annotate, "review": _of_review, "saliency": _of_saliency}


def _day_began(zone: str, now: dt.datetime) -> str | None:
    """When today began for a browser that is so many minutes behind UTC; None where that is not known."""
    minutes = whole_number(zone.removeprefix("-"))
    if minutes is None or minutes > _MOST_MINUTES:
        return None
    behind = dt.timedelta(minutes=-minutes if zone.startswith("-") else minutes)
    here = now - behind
    began = here.replace(hour=0, minute=0, second=0, microsecond=0) + behind
    return began.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _for_script(answer: object) -> str:
    """JSON that ends no script, whatever the texts in it say."""
    return msgspec.json.encode(answer).decode().replace("<", "\\u003c")


def _place(segment: Segment) -> int:
    """As in panel/shared/tokens.js."""
    if segment.name == "choices":
        return 3
    if not segment.is_selectable:
        return 0
    return 1 if segment.name == "title" else 2


def _shown(
    instance: Instance,
    sets: Sequence[RationaleSet],
    stood: str,
    title: Callable[[Segment], str],
    order: Callable[[Segment], int] = _place,
) -> str:
    """The segments in the order in which the panel draws them, with what is marked in any set.

    stood: what the panel says of where it stood the last time
    title: what a segment is called where there are several
    """
    marked = {token for rationale_set in sets for span in rationale_set.spans for token in range(span.start, span.end)}
    first_tokens, n = [], 0
    for segment in instance.segments:
        first_tokens.append(n)
        n += segment.body.n_tokens
    numbered = sorted(zip(instance.segments, first_tokens, strict=True), key=lambda pair: order(pair[0]))
    room = _IN_SIGHT
    parts = []
    for segment, first in numbered:
        if segment.body.text and room > 0:
            head = title(segment) if len(instance.segments) > 1 else ""
            parts.append(_section(segment, head, [token - first for token in sorted(marked) if token >= first], room))
            room -= len(segment.body.text)
    kind, style = _style(stood)
    attributes = f'lang="{escape(instance.language)}"{style}'
    return f'<div class="first-text main" aria-hidden="true" {attributes}>{"".join(parts)}</div>{_PLACED.replace("KIND", kind)}'


def _style(stood: str) -> tuple[str, str]:
    """The kind of window, and the attribute that puts the text there; none where nothing that can be read was said."""
    match = _WORDS_FORM.fullmatch(stood)
    if match is None:
        return "", ""
    left, top, width, size, line = match[2].split("_")[1:]
    style = f"left:{left}px;top:{top}px;right:auto;width:{width}px;font-size:{size}px;line-height:{line}px"
    return match[1], f' style="{style}"'


def _section(segment: Segment, title: str, marked: Sequence[int], room: int) -> str:
    body = segment.body
    parts, at = [], 0
    for token in marked:
        if token >= body.n_tokens or body.ends[token] > room:
            break
        start, end = body.starts[token], body.ends[token]
        parts += [escape(body.text[at:start]), f"<mark>{escape(body.text[start:end])}</mark>"]
        at = end
    words = "".join(parts) + escape(body.text[at:room])
    head = f"<h3>{escape(title)}</h3>" if title else ""
    return f'<section{"" if segment.is_selectable else " class=quiet"}>{head}<p dir="auto">{words}</p></section>'
