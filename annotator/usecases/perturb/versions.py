"""Writing changed versions of an original: the change, its word lists, what the sets become, handing it in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotator.domain.instances import GoldInstance, Instance, Segment
from annotator.domain.people import User, has_right
from annotator.domain.perturbations import UNCOUNTED, ChangedText, DraftTurn, Perturbation, get_kind
from annotator.domain.projects import Project, kinds_of
from annotator.domain.suites import FORMS
from annotator.errors import Conflict, InvalidValue, NotAllowed, NotFound
from annotator.language import _, unsaid
from annotator.perturb.passage import ProjectWords
from annotator.perturb.suggested_texts import Suggestion, suggest
from annotator.perturb.versions import check_length
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.instances import get_instance, project_of_instance
from annotator.store.perturb import originals as drafts_store
from annotator.store.perturb import originals as originals_store
from annotator.store.perturb import perturbations as perturbations_store
from annotator.store.project.label_replacement import label_of_now
from annotator.store.projects import get_project_by_id
from annotator.store.suites import list_word_lists
from annotator.text.characters import subtags
from annotator.text.token_diff import tokenise_like
from annotator.usecases.access import independence
from annotator.usecases.access.rights import require, require_person
from annotator.usecases.gold import gold_of_instance
from annotator.usecases.perturb.checks import settle_checks
from annotator.usecases.perturb.version_draft import (
    Assessment,
    assess,
    checked_gold,
    is_unchanged,
    make_ready,
    make_ready_for,
    packed_sets,
)

# The word lists of a project that suggestions for changed versions come from (docs/perturb.md).


def project_words(store: Store, project: Project, language: str) -> ProjectWords:
    """The lists named synonyms, related, antonyms, names and places, where they are of the language.

    In the first three the forms of a word ("big | large | huge") stand for one another.
    """
    code = subtags(language)[0]
    lists = {
        word_list.name: word_list.words
        for word_list in list_word_lists(store, project.id)
        if subtags(word_list.language)[0] == code
    }
    return ProjectWords(
        synonyms=_each_other(lists.get("synonyms", ())),
        related=_each_other(lists.get("related", ())),
        antonyms=_each_other(lists.get("antonyms", ())),
        names=lists.get("names", ()),
        places=lists.get("places", ()),
    )


def _each_other(words: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Each form with the other forms of its words."""
    others_by_form: dict[str, dict[str, None]] = {}
    for word in words:
        forms = word.split(FORMS)
        for form in forms:
            others_by_form.setdefault(form, {}).update(dict.fromkeys(other for other in forms if other != form))
    return {form: tuple(others) for form, others in others_by_form.items() if others}


@dataclass(frozen=True, slots=True)
class Original:
    """What somebody who writes a changed version has before them.

    draft:  what they were writing; others: what was written of this original already, the withdrawn left out
    """

    project: Project
    gold: GoldInstance
    draft: ChangedText | None
    others: tuple[Perturbation, ...]


def next_original(store: Store, actor: User, project_id: int, after: int = 0) -> int | None:
    """The next original of which there is no changed version yet, from the first again at the end; None if there is none."""
    is_lead = _is_lead(store, actor, project_id)
    original_id = originals_store.next_original(store, project_id, actor, after=after, is_lead=is_lead)
    return original_id if original_id is not None or after == 0 else next_original(store, actor, project_id)


def open_original(store: Store, actor: User, instance_id: int) -> Original:
    """An original with its gold, and what the person was writing.

    Raises: Conflict for an instance that is a changed version itself, is discarded, or is still being annotated (its gold
            would be shown to those who are to find it; a lead may all the same, unless they have it in hand themselves)
    """
    project, instance = _original(store, actor, instance_id)
    gold = gold_of_instance(store, project, instance)
    independence.show(store, actor, project.id, instance_id, independence.annotations_behind(gold))
    others = [
        perturbation
        for perturbation in perturbations_store.perturbations_of(store, instance_id)
        if perturbation.state != "withdrawn"
    ]
    return Original(project, gold, drafts_store.find_draft(store, actor, instance_id), tuple(others))


def assess_version(
    store: Store, actor: User, instance_id: int, changed: ChangedText, turn: DraftTurn = UNCOUNTED
) -> Assessment:
    """What a changed text comes to; it is kept as the person's draft at the same time."""
    project, instance = _original(store, actor, instance_id)
    changed = replace(changed, result=label_of_now(store, project, changed.result))
    assessment = assess(store, project, instance, changed)
    independence.show(store, actor, project.id, instance_id, independence.annotations_behind(assessment.gold))
    with store.transaction():
        drafts_store.save_draft(store, actor, instance_id, changed, turn)
    return assessment


def discard_draft(store: Store, actor: User, instance_id: int) -> None:
    """What the person was writing of an original is given up, whatever has become of the original."""
    require(store, actor, project_of_instance(store, instance_id), "annotate")
    with store.transaction():
        drafts_store.drop_draft(store, actor, instance_id)


def suggestions_for(
    store: Store, actor: User, instance_id: int, segment: str, text: str, kind: str, seed: int
) -> tuple[Suggestion, ...]:
    """Edits of the text of a segment, as it is now, that suit a kind; the same seed gives the same."""
    project, instance = _original(store, actor, instance_id)
    get_kind(kind, kinds_of(project))
    check_length(segment, text)
    body = tokenise_like(_segment(instance, segment).body, text, instance.language)
    words = project_words(store, project, instance.language)
    is_classified = project.task.result_kind == "label" and len(project.task.segments) == 1
    return suggest(body, instance.language, kind, seed, words, is_classified=is_classified)


def hand_in(
    store: Store, actor: User, instance_id: int, changed: ChangedText, *, may_be_empty: bool = False,
    keeps_draft: bool = False,
) -> Perturbation:  # fmt: skip
    """A new perturbation, which waits for its checkers; the one that waits already where the same is sent again.

    keeps_draft:  it was written elsewhere, so that what the person is writing of the original stays
    may_be_empty: the person knows that nothing of the selectable text, or of any rationale, is left
    Raises: InvalidValue for what cannot be handed in; InvalidAnnotation, a warning, where nothing is left
    """
    make_ready(get_instance(store, instance_id).language)
    with store.transaction():
        project, instance = _original(store, actor, instance_id)
        changed = replace(changed, result=label_of_now(store, project, changed.result))
        if not keeps_draft:
            drafts_store.drop_draft(store, actor, instance_id)
        for other in perturbations_store.perturbations_of(
            store, instance_id
        ):  # its answer may have been lost on the way
            if (other.author, other.state) == (actor.id, "waiting") and is_unchanged(changed, other.current.changed):
                return other
        gold = checked_gold(store, project, instance, changed, None, may_be_empty=may_be_empty)
        number = perturbations_store.add_perturbation(store, project.id, instance_id, actor, changed, packed_sets(gold))
        add_event(
            store, actor.name, "write perturbation", "instance", instance_id, project_id=project.id,
            perturbation=number, kind=changed.kind,
        )  # fmt: skip
        return settle_checks(store, actor, project, number)


def revise(
    store: Store, actor: User, perturbation_id: int, changed: ChangedText, *, may_be_empty: bool = False
) -> Perturbation:
    """The author's next version of what came back, or of what waits without a word from a checker yet."""
    make_ready_for(store, perturbation_id)
    with store.transaction():
        perturbation = _own(store, actor, perturbation_id)
        project, instance = _original(store, actor, perturbation.original_id)
        changed = replace(changed, result=label_of_now(store, project, changed.result))
        if not perturbation.may_be_revised_by(actor.id):
            raise Conflict(_("This is {state} and can't be changed.", state=_(_STATES[perturbation.state])))
        if is_unchanged(changed, perturbation.current.changed):
            raise InvalidValue(_("Change something, or reply in the note."))
        gold = checked_gold(store, project, instance, changed, perturbation, may_be_empty=may_be_empty)
        perturbations_store.add_version(store, perturbation, actor, changed, packed_sets(gold), "")
        add_event(
            store, actor.name, "revise perturbation", "instance", instance.id, project_id=project.id,
            perturbation=perturbation.id, version=perturbation.current.number + 1,
        )  # fmt: skip
        return settle_checks(store, actor, project, perturbation.id)


def withdraw(store: Store, actor: User, perturbation_id: int) -> None:
    """The author, or a lead, takes back what is not approved yet; it stays stored."""
    with store.transaction():
        perturbation = perturbations_store.get_perturbation(store, perturbation_id)
        if not _is_lead(store, actor, perturbation.project_id):
            perturbation = _own(store, actor, perturbation_id)
        if perturbation.state not in {"waiting", "returned"}:
            raise Conflict(_("This is {state} and can't be changed.", state=_(_STATES[perturbation.state])))
        perturbations_store.set_state(store, perturbation.id, "withdrawn")
        add_event(
            store, actor.name, "withdraw perturbation", "instance", perturbation.original_id,
            project_id=perturbation.project_id, perturbation=perturbation.id,
        )  # fmt: skip


_STATES = {
    "waiting": unsaid("being checked"),
    "returned": unsaid("returned to its author"),
    "approved": unsaid("approved"),
    "withdrawn": unsaid("withdrawn"),
}


def _original(store: Store, actor: User, instance_id: int) -> tuple[Project, Instance]:
    project = get_project_by_id(store, project_of_instance(store, instance_id))
    require(store, actor, project.id, "annotate")
    require_person(actor)
    instance = get_instance(store, instance_id)
    if instance.parent_key is not None:
        raise Conflict(
            _(
                "'{key}' is a perturbed version. Perturb the original '{parent_key}'.",
                key=instance.key,
                parent_key=instance.parent_key,
            )
        )
    if instance.state == "discarded":
        raise Conflict(_("'{key}' was discarded.", key=instance.key))
    if instance.state != "complete" and not _is_lead(store, actor, project.id):
        raise Conflict(_("'{key}' isn't finished yet. Come back later.", key=instance.key))
    return project, instance


def _is_lead(store: Store, actor: User, project_id: int) -> bool:
    return has_right(actor, require(store, actor, project_id, "annotate"), "manage project")


def _own(store: Store, actor: User, perturbation_id: int) -> Perturbation:
    perturbation = perturbations_store.get_perturbation(store, perturbation_id)
    require(store, actor, perturbation.project_id, "annotate")
    if perturbation.author != actor.id:
        raise NotAllowed(_("Only its author can change this."))
    return perturbation


def _segment(instance: Instance, name: str) -> Segment:
    wanted = next((segment for segment in instance.segments if segment.name == name), None)
    if wanted is None:
        raise NotFound(_("The original has no segment '{name}'.", name=name))
    return wanted
