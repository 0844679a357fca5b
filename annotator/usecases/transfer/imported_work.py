"""What files brought of other people's annotations."""

from annotator.domain.instances import Accepted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.annotate.annotations import accepted_of, imported_counts
from annotator.usecases.access.rights import require


def imported_annotations(store: Store, actor: User, project: Project) -> dict[str, int]:
    """How many annotations came with files, by the name of their annotator."""
    require(store, actor, project.id, "manage project")
    return imported_counts(store, project.id)


def accepted_annotations(store: Store, actor: User, project: Project) -> Accepted:
    """On how many texts one or several accepted annotations are there."""
    require(store, actor, project.id, "export")
    return accepted_of(store, project.id)
