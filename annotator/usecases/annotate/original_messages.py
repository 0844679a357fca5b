"""The original of a changed version as its annotator sees it: the text and what was changed, nothing that anybody marked."""

from dataclasses import dataclass

from annotator.domain.people import User
from annotator.domain.texts import TokenizedText
from annotator.errors import NotFound
from annotator.language import _
from annotator.store import Store
from annotator.store.instances import get_instance
from annotator.store.projects import get_project_by_id
from annotator.text.characters import direction
from annotator.usecases.annotate.leases import own_work
from annotator.usecases.annotate.originals import find_original
from annotator.usecases.annotate.panel_messages import segment_title
from annotator.usecases.perturb.version_messages import Piece, pieces_of


@dataclass(frozen=True, slots=True)
class ShownComparison:
    """A segment of the version; pieces: (kind of run, text of the original, text of the version), in order."""

    title: str
    is_changed: bool
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class ShownOriginal:
    """The original beside its changed version. It has no key, result, kind of change or sets: these could tell the label."""

    language: str
    direction: str
    segments: tuple[ShownComparison, ...]


def show_original(store: Store, user: User, assignment_id: int) -> ShownOriginal:
    """What the original of a person's own work said, and what was changed.

    Whether the person may see what others marked in it does not matter: no mark, label or name is among it.
    """
    assignment = own_work(store, user, assignment_id)
    instance = get_instance(store, assignment.instance_id)
    original = find_original(store, assignment.project_id, instance)
    if instance.parent_key is None:
        raise NotFound(_("This text is not a changed version of another one."))
    if original is None:
        raise NotFound(_("The original of this changed version is not in the project."))
    if original.state == "discarded":
        raise NotFound(_("The original of this changed version was discarded, so it is not shown."))
    task = get_project_by_id(store, assignment.project_id).task
    before = {segment.name: segment.body for segment in original.segments}
    shown = (
        _compare(segment_title(segment, task), before.get(segment.name), segment.body) for segment in instance.segments
    )
    return ShownOriginal(instance.language, direction(instance.language), tuple(shown))


def _compare(title: str, before: TokenizedText | None, after: TokenizedText) -> ShownComparison:
    if before is None:
        return ShownComparison(title, True, (("inserted", "", after.text),))
    if before.text == after.text:
        return ShownComparison(title, False, (("kept", before.text, after.text),))
    return ShownComparison(title, True, tuple(pieces_of(before, after)))
