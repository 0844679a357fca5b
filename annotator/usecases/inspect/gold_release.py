"""Which release of its gold a project's numbers are made against, and whether gold has moved on since."""

from annotator.domain.numbers import counted
from annotator.domain.projects import GoldPolicy, Project
from annotator.language import speaking
from annotator.store import Store
from annotator.store.gold.releases import newest_release
from annotator.usecases.inspect.stale_numbers import last_change
from annotator.usecases.releases.differences import since


@speaking("en")  # numbers cite it: in files, and in what is kept for everybody
def gold_release(store: Store, project: Project, policy: GoldPolicy, *, is_of_people: bool = False) -> str | None:
    """The newest release, in words, as numbers under a policy cite it; None where nothing is frozen.

    is_of_people: only the annotations of some people are gold

    The gold is read and compared only where something happened since that may have changed it.
    """
    release = newest_release(store, project.id)
    if release is None:
        return None
    if is_of_people:
        return f"not that of {release.words}, since it is of the annotations of some people alone"
    if policy != release.rules.policy:
        return f"not that of {release.words}, whose policy is “{release.rules.policy}”"
    has_changed = last_change(store, project.id, after=release.event_id) > 0
    n = since(store, project, release).n if has_changed else 0
    if not n:
        return release.words
    return f"moved on since {release.words}: {counted(n, 'instance differs', 'instances differ')}"
