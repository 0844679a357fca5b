"""The timeline of one instance and of its changed versions: every round, score, comment, decision, in plain sentences.

The record of events says most of it. What came with a file has no events here, so annotations, reviews, rounds and proposals that
no event tells of are told from their own tables; comments always are.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotator.domain.instances import Annotation, Instance
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project, titles_of_kinds
from annotator.domain.reviews import Review, Round, Thread
from annotator.domain.sources import SourceShown
from annotator.domain.texts import set_letter
from annotator.formats.rows.gold_csv import written_csv
from annotator.language import _, listed, unsaid
from annotator.review.gate import decider, decision_lines, score_line
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.annotate.proposals import Proposal, proposals_of_instances
from annotator.store.annotate.talk import threads_of
from annotator.store.annotate.visibility import shown_of_instances
from annotator.store.events import Event, events_of_instance
from annotator.store.instances import get_instances, project_of_instance
from annotator.store.perturb import originals as originals_store
from annotator.store.perturb import perturbations as perturbations_store
from annotator.store.project.bulk_actions import actions_on
from annotator.store.review.reviews import reviews_of
from annotator.store.review.rounds import rounds_of_instances
from annotator.usecases.access import independence
from annotator.usecases.access.rights import redacted, require, require_of_project
from annotator.usecases.annotate.proposals import find_original
from annotator.usecases.lead.event_sentences.parts import with_value
from annotator.usecases.lead.event_sentences.projects import bulk_words
from annotator.usecases.lead.event_sentences.work import OF_ANNOTATIONS, decided_words
from annotator.usecases.lead.event_words import event_actor, event_lines, event_words

_Detail = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Moment:
    """One line of a timeline: when, who, what, and the arithmetic or the words that belong to it."""

    at: str
    who: str
    what: str
    lines: tuple[str, ...] = ()


def timeline(store: Store, actor: User, project: Project, instance_id: int) -> list[Moment]:
    """Everything that happened to an instance, oldest first; for those who see all annotations."""
    require(store, actor, project.id, "see all annotations")
    require_of_project(project_of_instance(store, instance_id), project.id, instance_id, _("text"))
    with store.snapshot():
        report = _Report(store, instance_id)
        report.events = redacted(
            store, actor, project.id, report.events, names_authors=project.settings.checkers_see_author
        )
    independence.show(store, actor, project.id, instance_id, list(report.annotations))
    # In the order in which one follows from the other, which decides between those of one moment.
    moments = [*report.of_annotations(), *report.of_events(), *report.of_reviews(), *report.of_rounds(), *report.of_proposals(),
               *report.of_comments(), *report.of_changes(), *report.of_looks()]  # fmt: skip
    return sorted(moments, key=lambda moment: moment.at)


def timeline_as_csv(moments: Iterable[Moment]) -> str:
    """A timeline as a file for a spreadsheet."""
    rows = ((m.at, m.who, m.what, "\n".join(m.lines)) for m in moments)
    return written_csv(("when", "who", "what", "more"), rows)


class _Report:
    """What is stored of an instance, told once: what an event tells, the tables do not tell again."""

    def __init__(self, store: Store, instance_id: int) -> None:
        self.events = events_of_instance(store, instance_id)
        self.annotations = {a.id: a for a in annotations_of(store, [instance_id])[instance_id]}
        self.rounds: list[Round] = rounds_of_instances(store, [instance_id]).get(instance_id, [])
        by_annotation = reviews_of(store, list(self.annotations))
        self.reviews: list[Review] = [
            r for reviews in by_annotation.values() for r in reviews if r.state == "submitted"
        ]
        self.proposals: list[Proposal] = proposals_of_instances(store, [instance_id]).get(instance_id, [])
        self.threads: list[Thread] = threads_of(store, [instance_id]).get(instance_id, [])
        shown = shown_of_instances(store, [instance_id]).get(instance_id, ())
        reviewers = {r.reviewer for reviews in by_annotation.values() for r in reviews}
        self.changes = actions_on(store, instance_id)
        self.looks: list[SourceShown] = [look for look in shown if look.user not in reviewers]

    def of_changes(self) -> list[Moment]:
        """What was done to many texts, this one among them; their event is the project's."""
        moments = []
        for action in self.changes:
            moments.append(Moment(action.made_at, action.made_by, bulk_words(action), (_("including this text"),)))
            if action.undone_by is not None and action.undone_at is not None:
                what = _("undid “{name} {deed}” where unchanged since", name=action.made_by, deed=bulk_words(action))
                moments.append(Moment(action.undone_at, action.undone_by, what))
        return moments

    def of_events(self) -> list[Moment]:
        return [self._of_event(event) for event in self.events]

    def _of_event(self, event: Event) -> Moment:
        words = event_words(event, self._whose(event.detail))
        return Moment(event.at, event_actor(event), words, (*event_lines(event), *self._said_with(event)))

    def _said_with(self, event: Event) -> tuple[str, ...]:
        """What belongs to an event but stands in another table: a reviewer's comments, and that a submission contests."""
        if event.action == "review" and event is self._last_review(event):
            number = event.detail.get("annotation")
            same = [r for r in self.reviews if (r.reviewer, r.annotation_id) == (event.actor, number)]
            return tuple(line for review in same for line in _comments(review))
        contested = [p for p in self.proposals if p.kind == "contest" and self._tells_contest(event, p)]
        return tuple(with_value(_("this contests the label"), p.comment and f"“{p.comment}”") for p in contested[:1])

    def _tells_contest(self, event: Event, proposal: Proposal) -> bool:
        return (event.action, event.actor, event.detail.get("result")) == (
            "submit", proposal.proposed_by, proposal.reason,
        )  # fmt: skip

    def _last_review(self, event: Event) -> Event:
        """Of several times that somebody handed in scores of an annotation, the last."""
        number = event.detail.get("annotation")
        return [
            e for e in self.events
            if (e.action, e.actor, e.detail.get("annotation")) == ("review", event.actor, number)
        ][-1]  # fmt: skip

    def _whose(self, detail: _Detail) -> str:
        annotation = self.annotations.get(detail.get("annotation", 0))
        return "" if annotation is None else _annotation_words(annotation)

    def of_annotations(self) -> list[Moment]:
        """Those that came with a file, and what people handed in before this database."""
        handed_in = {(e.actor, e.detail.get("round")) for e in self.events if e.action == "submit"}
        versions = {e.detail.get("annotation") for e in self.events if e.action == "adjudicate"}
        return [
            Moment(
                a.created_at or "",
                a.annotator,
                _(
                    "made an annotation, round {round}, now {state}: {contents}",
                    round=a.round_number,
                    state=_(a.state),
                    contents=_sets(a),
                ),
            )
            for a in self.annotations.values()
            if (a.annotator, a.round_number) not in handed_in and a.id not in versions
        ]

    def of_reviews(self) -> list[Moment]:
        """Scores that no event tells of."""
        in_events = {(e.actor, e.detail.get("round")) for e in self.events if e.action == "review"}
        moments = []
        for review in self.reviews:
            annotation = self.annotations[review.annotation_id]
            if (review.reviewer, annotation.round_number) not in in_events:
                what = _(OF_ANNOTATIONS["review"], whose=_annotation_words(annotation))
                moments.append(Moment(review.submitted_at or "", review.reviewer, what, (score_line(review),)))
        return moments

    def of_rounds(self) -> list[Moment]:
        in_events = {
            (e.detail.get("annotator"), e.detail.get("round"))
            for e in self.events
            if e.action.startswith("decide round: ")
        }
        moments = []
        for review_round in self.rounds:
            annotator = self.annotations[review_round.annotation_id].annotator
            if review_round.outcome is not None and (annotator, review_round.number) not in in_events:
                detail = {"round": review_round.number, "annotator": annotator, "reason": review_round.reason}
                what = decided_words(review_round.outcome, detail)
                moments.append(
                    Moment(review_round.decided_at or "", decider(review_round), what, decision_lines(review_round)[1:])
                )
        return moments

    def of_proposals(self) -> list[Moment]:
        proposed = {(e.actor, e.detail.get("reason")) for e in self.events if e.action == "propose discard"}
        decided_reasons = {e.detail.get("reason") for e in self.events if e.action in _DECISIONS}
        moments = []
        for p in self.proposals:
            comment_lines = (f"“{p.comment}”",) if p.comment else ()
            values = {"name": p.proposed_by, "label": p.reason, "reason": _(p.reason)}
            if p.kind == "contest" and not any(self._tells_contest(event, p) for event in self.events):
                moments.append(
                    Moment(
                        p.created_at,
                        p.proposed_by,
                        _("contested the label: it should be “{label}”", **values),
                        comment_lines,
                    )
                )
            elif p.kind == "discard" and (p.proposed_by, p.reason) not in proposed:
                moments.append(
                    Moment(p.created_at, p.proposed_by, _("proposed to discard: {reason}", **values), comment_lines)
                )
            if p.decided_at and p.decided_by == p.proposed_by:
                moments.append(Moment(p.decided_at, p.proposed_by, _("withdrew the proposal")))
            elif p.decided_at and p.reason not in decided_reasons:
                moments.append(Moment(p.decided_at, p.decided_by or "", _(_PROPOSALS[p.state], **values)))
        return moments

    def of_comments(self) -> list[Moment]:
        return [
            Moment(comment.created_at, comment.author, self._about(thread), (f"“{comment.text}”",))
            for thread in self.threads
            for comment in thread.comments
        ]

    def of_looks(self) -> list[Moment]:
        """Who saw what others marked without reviewing it."""
        return [Moment(shown.at, shown.user, _("looked at others' marks")) for shown in self.looks]

    def _about(self, thread: Thread) -> str:
        annotation = self.annotations.get(thread.annotation_id or 0)
        if annotation is None:
            return _("commented on the text")
        whose = _annotation_words(annotation)
        if thread.about == "set" and thread.position is not None:
            return _("commented on set {letter} of {whose}", letter=set_letter(thread.position), whose=whose)
        if thread.about == "decision":
            return _("commented on the decision on {whose}", whose=whose)
        return _("commented on {whose}", whose=whose)


_PROPOSALS = {
    "confirmed": unsaid("confirmed the proposal of {name}"),
    "rejected": unsaid("rejected the proposal of {name}"),
}
_DECISIONS = ("decide: discard", "decide: keep", "decide: relabel")


def _sets(annotation: Annotation) -> str:
    result = annotation.result if annotation.result is not None else _("no result")
    return listed([result, counted(len(annotation.sets), "set")])


def _comments(review: Review) -> tuple[str, ...]:
    sets = [
        _("set {letter}: “{comment}”", letter=set_letter(n), comment=of_set.comment)
        for n, of_set in enumerate(review.scores.sets)
        if of_set.comment
    ]
    whole = review.scores.comment
    return (*sets, _("overall: “{comment}”", comment=whole)) if whole else tuple(sets)


def _annotation_words(annotation: Annotation) -> str:
    return _("{annotator}, round {round}", annotator=annotation.annotator, round=annotation.round_number)


# The original of a changed version, and the changed versions of an original, as a lead follows them.


_STATES = {"waiting": unsaid("being checked"), "returned": unsaid("returned to its author")}


@dataclass(frozen=True, slots=True)
class Relative:
    """A changed version of a text, or its original.

    kind:            of the changed version, which of the two it may be
    instance_id:     None for a version that is no instance yet; perturbation_id: None for what came with a file
    """

    key: str
    kind: str
    result: str | None
    state: str
    instance_id: int | None
    perturbation_id: int | None = None


def original_of(store: Store, actor: User, project: Project, instance: Instance) -> Relative | None:
    """What a changed version was made from; None for one that is an original itself.

    Where the project does not have it, its key alone is told.
    """
    require(store, actor, project.id, "see all annotations")
    if instance.parent_key is None:
        return None
    kind = titles_of_kinds(project).get(instance.perturbation_kind or "", instance.perturbation_kind or "")
    original = find_original(store, project.id, instance)
    if original is None:
        return Relative(instance.parent_key, kind, None, _("not in this project"), None)
    return Relative(original.key, kind, original.result, original.state, original.id)


def versions_of(store: Store, actor: User, project: Project, instance: Instance) -> list[Relative]:
    """The changed versions of an original: those that are on their way, then those that are instances; no withdrawn ones."""
    require(store, actor, project.id, "see all annotations")
    titles = titles_of_kinds(project)
    written = perturbations_store.perturbations_of(store, instance.id)
    on_their_way = [
        Relative("", titles.get(of.kind, of.kind), of.result, _(_STATES[perturbation.state]), None, perturbation.id)
        for perturbation in written
        if perturbation.state in _STATES
        for of in [perturbation.current.changed]
    ]
    children = get_instances(store, originals_store.children_of(store, instance.id)).values()
    made = {perturbation.instance_id: perturbation.id for perturbation in written}
    accepted = [
        Relative(
            child.key, titles.get(kind := child.perturbation_kind or "", kind), child.result,
            listed([_("approved") if child.id in made else _("imported"), _(child.state)]), child.id, made.get(child.id),
        )
        for child in children
    ]  # fmt: skip
    return [*on_their_way, *accepted]
