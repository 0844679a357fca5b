"""The record in words: what each kind of event says to somebody who reads it.

Every action that the program writes down has its sentence in `event_sentences`. An action of another version of the program,
which a file may bring, is told by its name and its values.
"""

from collections.abc import Iterable

from annotator.domain.measurements import FORGOT_WRONG_K
from annotator.domain.texts import set_letter
from annotator.language import _, unsaid
from annotator.review.gate import finding_line, scores_of_set, shown_score
from annotator.store.events import Event
from annotator.store.review.rounds import unpack_verdict
from annotator.usecases.lead.event_sentences import models, people, projects, work
from annotator.usecases.lead.event_sentences.parts import Detail, Sentences, token_words, value_words
from annotator.usecases.lead.event_sentences.projects import bulk_words
from annotator.usecases.lead.event_sentences.work import OF_ANNOTATIONS, decided_words
from annotator.usecases.review.rounds import GATE

__all__ = ["KINDS", "OF_ANNOTATIONS", "SENTENCES", "bulk_words", "event_actor", "event_lines", "event_words"]

SENTENCES: Sentences = {**work.SENTENCES, **projects.SENTENCES, **people.SENTENCES, **models.SENTENCES}

_DECIDE_ROUND = "decide round: "

# What the record can be narrowed to; actions of other versions of the program are of no kind.
KINDS: dict[str, frozenset[str]] = {
    unsaid("work on texts"): frozenset({*work.SENTENCES, *OF_ANNOTATIONS, _DECIDE_ROUND}),
    unsaid("rules, files and releases"): frozenset(projects.SENTENCES),
    unsaid("people, accounts and backups"): frozenset(people.SENTENCES),
    unsaid("models and tests"): frozenset(models.SENTENCES),
}

# A file may bring an event without the values that this program writes, or with others: it is told by what is there.
_INCOMPLETE = (KeyError, TypeError, AttributeError, ValueError, IndexError)


def event_words(event: Event, whose: str = "") -> str:
    """What somebody did, as the rest of a sentence that begins with their name.

    whose: the annotation that the event is about (“Annotator 1, round 2”), where it is known

    >>> event_words(Event(1, "", "Lead", "give role", "project", 1, {"user": "Ann", "role": "reviewer"}))
    'gave Ann the role reviewer'
    """
    try:
        return _words(event, event.detail, whose)
    except _INCOMPLETE:
        return _plain(event)


def _words(event: Event, detail: Detail, whose: str) -> str:
    if event.action.startswith(_DECIDE_ROUND):
        return decided_words(event.action.removeprefix(_DECIDE_ROUND), detail)
    if event.action in OF_ANNOTATIONS:
        return _(OF_ANNOTATIONS[event.action], whose=whose or _unnamed(detail))
    sentence = SENTENCES.get(event.action)
    return sentence(detail) if sentence else _plain(event)


def event_actor(event: Event) -> str:
    """Who did it; what the scores decided by themselves the gate did, and what a newer version had to mend its upgrade."""
    if event.action == FORGOT_WRONG_K:
        return _("the upgrade")
    return _("the thresholds") if event.actor == GATE and event.action.startswith(_DECIDE_ROUND) else event.actor


def event_lines(event: Event) -> tuple[str, ...]:
    """The numbers that belong to an event."""
    try:
        return _lines(event, event.detail)
    except _INCOMPLETE:
        return ()


def _lines(event: Event, detail: Detail) -> tuple[str, ...]:
    if event.action.startswith(_DECIDE_ROUND) and "findings" in detail:
        return tuple(finding_line(finding) for finding in unpack_verdict(detail).findings)
    if event.action == "review":
        return tuple(_score_lines(detail["scores"]))
    if event.action == "change score":
        return tuple(_change_line(change) for change in detail["changed"])
    if event.action == "adjudicate":
        return tuple(_version_lines(detail))
    return ()


def _score_lines(scores: Detail) -> Iterable[str]:
    for number, (sufficiency, compactness) in enumerate(scores["sets"]):
        if sufficiency is not None or compactness is not None:
            yield scores_of_set(number, sufficiency, compactness)
    yield _("comprehensiveness {score}", score=shown_score(scores["comprehensiveness"]))


def _change_line(change: Detail) -> str:
    values = {"score": _(change["score"]), "before": shown_score(change["before"])}
    values["after"] = shown_score(change["after"])
    if change["set"] is None:
        return _("{score}: {before} → {after}", **values)
    return _("{score} of set {letter}: {before} → {after}", **values, letter=set_letter(change["set"]))


def _version_lines(detail: Detail) -> Iterable[str]:
    for number, taken in enumerate(detail["taken"]):
        values = {"letter": set_letter(number), "tokens": token_words(detail["after"]["sets"][number])}
        if taken is None:
            yield _("set {letter}: tokens {tokens}, marked by the lead", **values)
        else:
            yield _(
                "set {letter}: tokens {tokens}, from {annotator}'s set {taken}, round {round}",
                **values,
                taken=set_letter(taken["set"]),
                annotator=taken["annotator"],
                round=taken["round"],
            )
    for number, spans in enumerate((detail.get("before") or {}).get("sets", ())):
        yield _("before, set {letter}: tokens {tokens}", letter=set_letter(number), tokens=token_words(spans))


def _unnamed(detail: Detail) -> str:
    return _("an annotation, round {round}", round=detail["round"]) if "round" in detail else _("an annotation")


def _plain(event: Event) -> str:
    values = [
        f"{name.replace('_', ' ')} {value_words(value)}" for name, value in event.detail.items() if value is not None
    ]
    return f"{event.action} ({'; '.join(values)})" if values else event.action
