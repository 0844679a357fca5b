"""Sets proposed to whoever is about to annotate: the original's gold in a changed version, and the words of word lists.

They count for nothing until the person accepts them. They are worked out when a text is shown, and not when it is leased, so
that they are those of the moment, and handing in waits for no comparison of texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotator.domain.instances import Assignment, Draft, Instance, result_mode_for
from annotator.domain.people import User
from annotator.domain.projects import Project, kinds_of, may_have_help, titles_of_kinds
from annotator.domain.proposed_sets import IgnoredWords, ProposedSet, ProposedState, VersionChange
from annotator.domain.suites import WordList
from annotator.domain.texts import RationaleSet, Span, set_letter
from annotator.language import _
from annotator.perturb.passage import is_for, spans_of_list
from annotator.perturb.versions import carry_sets, compare
from annotator.store import Store
from annotator.store.annotate import proposals as proposed_store
from annotator.store.instances import find_instance_ids, get_instance
from annotator.store.models import quoted_sets_of_instance, sufficient_sets_of_instance
from annotator.store.projects import get_project_by_id
from annotator.store.suites import list_word_lists
from annotator.usecases.access import independence
from annotator.usecases.annotate.leases import own_work
from annotator.usecases.evidence.exhaustive_gold import first_pass_proposals
from annotator.usecases.gold import gold_of_instance

# Which instance a changed version was made from.


def find_original(store: Store, project_id: int, instance: Instance) -> Instance | None:
    """The original of a changed version, of the same split if there is one; None where the project has none."""
    if instance.parent_key is None:
        return None
    ids = find_instance_ids(store, project_id, instance.parent_key, instance.split)
    ids = ids or find_instance_ids(store, project_id, instance.parent_key)
    return get_instance(store, ids[0]) if ids else None


@dataclass(frozen=True, slots=True)
class Proposals:
    """What is proposed for an instance.

    notes:  about sets of the original that are not
    change: what the instance is beside the original whose sets these are; None where there are none, and for whoever is to give
            the result and must not read it here
    """

    sets: tuple[ProposedSet, ...] = ()
    ignored: IgnoredWords | None = None
    notes: tuple[str, ...] = ()
    change: VersionChange | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """What is proposed for a piece of work; numbers: of its sets, in order, by which they are answered."""

    numbers: tuple[int, ...]
    proposals: Proposals


def may_propose(project: Project, assignment: Assignment, instance: Instance) -> bool:
    """Whether anything can be proposed for a piece of work: it is open, no correction, and the project proposes something."""
    settings = project.settings
    is_open = assignment.follows_id is None and assignment.state in {"leased", "returned"}
    is_first = is_open and may_have_help(project, assignment.arm)
    carries = settings.are_carried_sets_proposed and instance.parent_key is not None
    named = bool(settings.proposed_word_lists or settings.proposed_model)
    proposes = carries or settings.are_first_sets_proposed or named
    return is_first and settings.result_mode != "labels_only" and proposes


def propose(store: Store, user: User, assignment_id: int) -> Offer:
    """What is proposed now for a person's own open work; what was decided before keeps its number and its answer."""
    assignment = own_work(store, user, assignment_id)
    project = get_project_by_id(store, assignment.project_id)
    instance = get_instance(store, assignment.instance_id)
    if not may_propose(project, assignment, instance):
        return Offer((), Proposals())
    project = _as_open_to(store, user, project, instance)
    first = first_pass_proposals(store, user, project, instance)
    proposals = proposals_for(store, project, instance, _chosen_lists(store, project), first)
    with store.transaction():
        own_work(store, user, assignment_id)
        numbers = proposed_store.offer_sets(store, assignment_id, proposals.sets)
        if proposals.ignored is not None:
            proposed_store.note_ignored_words(store, assignment_id, proposals.ignored)
    return Offer(tuple(numbers), proposals)


def _as_open_to(store: Store, user: User, project: Project, instance: Instance) -> Project:
    """The rules for a person: nothing is carried from an original whose sets are closed to them; else these are shown to them."""
    original = _original_of(store, project, instance) if project.settings.are_carried_sets_proposed else None
    if original is None:
        return project
    behind = independence.annotations_behind(gold_of_instance(store, project, original))
    if user.is_worker or independence.why_withheld(store, user, project.id, original.id, behind):
        return replace(project, settings=replace(project.settings, are_carried_sets_proposed=False))
    independence.show(store, user, project.id, original.id, behind)
    return project


def proposals_for(
    store: Store, project: Project, instance: Instance, lists: Sequence[WordList], first: Sequence[ProposedSet] = ()
) -> Proposals:
    """What is proposed for an instance by its original and by word lists; of sets with the same tokens the first alone.

    first: what comes before these
    """
    carried, notes = carried_proposals(store, project, instance)
    chosen = [word_list for word_list in lists if is_for(word_list, instance)]
    ignored = ignored_words([word_list for word_list in chosen if word_list.role == "ignore"], instance)
    candidates = [
        *first,
        *carried,
        *lexicon_proposals([word_list for word_list in chosen if word_list.role == "keep"], instance, project),
        *model_proposals(store, instance, project),
    ]
    if ignored is not None:
        candidates += _complements(ignored, instance, project)
    distinct = {proposed.rationale_set.token_indices: proposed for proposed in reversed(candidates)}
    different = [proposed for proposed in candidates if distinct[proposed.rationale_set.token_indices] is proposed]
    change = _change_of(store, project, instance) if carried or notes else None
    return Proposals(tuple(different), ignored, notes, change)


def carried_proposals(store: Store, project: Project, instance: Instance) -> tuple[list[ProposedSet], tuple[str, ...]]:
    """The gold sets of a changed version's original in its own tokens, and what is to be said of those that are not there."""
    original = _original_of(store, project, instance) if project.settings.are_carried_sets_proposed else None
    if original is None:
        return [], ()
    # A kind that came with a file may be unknown here: then it is one of the project's own.
    known = {kind.name: kind for kind in kinds_of(project)}
    kind = known.get(instance.perturbation_kind or "")
    keeps_rationale = kind is not None and kind.keeps_rationale
    gold = gold_of_instance(store, project, original)
    carried = carry_sets(gold.sets, compare(original.segments, instance.segments), fills_gaps=not keeps_rationale)
    carried_sets = []
    for origin, rationale_set in zip(carried.origins, carried.sets, strict=True):
        placed = _without_target(rationale_set, instance)
        if placed is not None:
            notes = tuple(n.sentence() for n in carried.notes if n.kind == "smaller" and n.set_index == origin)
            title = _("original {letter}", letter=set_letter(origin))
            carried_sets.append(ProposedSet("carried", instance.perturbation_kind or "", placed, title, notes))
    return carried_sets, tuple(note.sentence() for note in carried.notes if note.kind != "smaller")


def lexicon_proposals(lists: Sequence[WordList], instance: Instance, project: Project) -> list[ProposedSet]:
    """The words of each keep list as one set (one a segment where sets may not cross segments)."""
    return [
        ProposedSet("lexicon", word_list.name, rationale_set, f"“{word_list.name}”")
        for word_list in lists
        for rationale_set in _placed(spans_of_list(word_list, instance), instance, project)
    ]


def model_proposals(store: Store, instance: Instance, project: Project) -> list[ProposedSet]:
    """The own sets of the model of the project's choice: those that were found first to be enough, or that it gave in quotes."""
    model = project.settings.proposed_model
    if not model:
        return []
    families = [
        sets.own.tokens
        for name, _parameters, sets in sufficient_sets_of_instance(store, instance.id)
        if name == model and sets.search != "given" and not sets.reason
    ]
    families += [sets for name, _label, sets in quoted_sets_of_instance(store, instance.id) if name == model]
    return [
        ProposedSet("model", model, rationale_set, f"{model} {number}")
        for number, tokens in enumerate(families[0] if families else (), 1)
        for rationale_set in _placed(_by_segment(set(tokens), instance).spans, instance, project)
    ]


def ignored_words(lists: Sequence[WordList], instance: Instance) -> IgnoredWords | None:
    """The words of all ignore lists together; None where the text holds none."""
    spans_by_list = [(word_list.name, spans_of_list(word_list, instance)) for word_list in lists]
    spans = sorted({span for _name, of_one in spans_by_list for span in of_one})
    merged = _without_target(_by_segment({t for s in spans for t in range(s.start, s.end)}, instance), instance)
    return None if merged is None else IgnoredWords(tuple(name for name, of_one in spans_by_list if of_one), merged)


def close(store: Store, assignment_id: int, draft: Draft) -> None:
    """The last word on what was proposed, when the work is handed in.

    An accepted set that was handed in with other tokens is edited (some of them are still in a set); one of which nothing is
    left is rejected.
    """
    handed_in = {rationale_set.token_indices for rationale_set in draft.sets}
    states: dict[int, ProposedState] = {}
    for number, proposed in proposed_store.accepted_sets(store, assignment_id).items():
        tokens = set(proposed.token_indices)
        if proposed.token_indices in handed_in:
            states[number] = "accepted"
        else:
            states[number] = "edited" if any(tokens & set(token_indices) for token_indices in handed_in) else "rejected"
    proposed_store.set_states(store, assignment_id, states)


def _change_of(store: Store, project: Project, instance: Instance) -> VersionChange | None:
    original = _original_of(store, project, instance)
    if original is None or result_mode_for(project, instance) in {"give", "labels_only"}:
        return None
    name = instance.perturbation_kind or ""
    known = titles_of_kinds(project)
    before = gold_of_instance(store, project, original).result
    return VersionChange(known.get(name, name) or _("Perturbed version"), before, instance.result)


def _original_of(store: Store, project: Project, instance: Instance) -> Instance | None:
    """The original that can be compared with a changed version.

    Only one that is complete: its gold would else be shown to people who are to find it.
    """
    original = find_original(store, project.id, instance)
    if original is None:
        return None
    names = [[(s.name, s.is_selectable) for s in either.segments] for either in (original, instance)]
    return original if original.state == "complete" and names[0] == names[1] else None


def _chosen_lists(store: Store, project: Project) -> list[WordList]:
    """The word lists that the project's settings name; one that is gone proposes nothing."""
    names = project.settings.proposed_word_lists
    return [word_list for word_list in list_word_lists(store, project.id) if word_list.name in names] if names else []


def _placed(spans: Sequence[Span], instance: Instance, project: Project) -> list[RationaleSet]:
    """One set of the spans, or one a segment where sets may not cross them; the target left out."""
    groups = [tuple(spans)]
    if not project.settings.sets_may_cross_segments:
        of_segment = [[s for s in spans if p.first_token <= s.start < p.end_token] for p in instance.layout.segments]
        groups = [tuple(group) for group in of_segment]
    placed = [_without_target(RationaleSet(group), instance) for group in groups]
    return [rationale_set for rationale_set in placed if rationale_set is not None]


def _complements(ignored: IgnoredWords, instance: Instance, project: Project) -> list[ProposedSet]:
    """Everything but the ignored words, proposed only on request."""
    left_out = set(ignored.tokens.token_indices)
    rest = set(range(instance.layout.n_selectable)) - left_out
    names = " + ".join(ignored.names)
    return [
        ProposedSet("complement", names, rationale_set, _("all but “{names}”", names=names))
        for rationale_set in _placed(_by_segment(rest, instance).spans, instance, project)
    ]


def _by_segment(tokens: set[int], instance: Instance) -> RationaleSet:
    """A set of tokens; its spans end where a segment ends."""
    spans: list[Span] = []
    for segment in instance.layout.segments:
        inside = {token for token in tokens if segment.first_token <= token < segment.end_token}
        spans += RationaleSet.of_tokens(inside).spans
    return RationaleSet(tuple(spans))


def _without_target(rationale_set: RationaleSet, instance: Instance) -> RationaleSet | None:
    """The set without the tokens of the target, which cannot be marked; None where nothing is left."""
    start, end = instance.target or (0, 0)
    spans: list[Span] = []
    for span in rationale_set.spans:
        parts = ((span.start, min(span.end, start)), (max(span.start, end), span.end))
        if start == end or span.end <= start or end <= span.start:
            parts = ((span.start, span.end), (0, 0))
        spans += [Span(first, last) for first, last in parts if first < last]
    return RationaleSet(tuple(spans)) if spans else None
