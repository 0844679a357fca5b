"""What annotators of a second pass are proposed: the gold sets of the first one, as they are at the moment."""

from annotator.domain.instances import Instance
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.proposed_sets import ProposedSet
from annotator.domain.texts import set_letter
from annotator.language import _
from annotator.store import Store
from annotator.store.instances import get_instance, project_of_instance
from annotator.store.project.evidence_passes import find_copy
from annotator.store.projects import get_project_by_id
from annotator.usecases.access import independence
from annotator.usecases.evidence.taking_over import has_same_text
from annotator.usecases.gold import gold_of_instance

FIRST_SETS = "first pass"  # what these sets are counted under


def first_pass_proposals(store: Store, user: User, project: Project, instance: Instance) -> list[ProposedSet]:
    """The sets, which are shown to the person from now on.

    None where the original has another text by now, or its sets are closed to the person, who has it in hand or may still be
    given it.
    """
    copy = find_copy(store, instance.id) if project.settings.are_first_sets_proposed else None
    if copy is None:
        return []
    source_id = project_of_instance(store, copy.original_id)
    original = get_instance(store, copy.original_id)
    gold = gold_of_instance(store, get_project_by_id(store, source_id), original)
    behind = independence.annotations_behind(gold)
    is_withheld = bool(independence.why_withheld(store, user, source_id, original.id, behind))
    if is_withheld or not has_same_text(original, instance):
        return []
    independence.show(store, user, source_id, original.id, behind)
    return [
        ProposedSet("carried", FIRST_SETS, rationale_set, _("first pass {letter}", letter=set_letter(number)))
        for number, rationale_set in enumerate(gold.sets)
    ]
