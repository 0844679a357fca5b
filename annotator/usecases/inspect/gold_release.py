"""Which release of its gold a project's numbers are made against, and whether gold has moved on since."""

import re
from collections.abc import Iterator

from annotator.domain.numbers import counted
from annotator.domain.project.releases import CITED
from annotator.domain.projects import Project, ScoredPolicy
from annotator.language import _, speaking, unsaid
from annotator.store import Store
from annotator.store.gold.releases import newest_release
from annotator.usecases.inspect.stale_numbers import last_change
from annotator.usecases.releases.differences import since

_OF_PEOPLE = unsaid("not that of {release}, since it is of some people alone")
_OF_POLICY = unsaid("not that of {release}, whose policy is “{policy}”")
_MOVED_ON = unsaid("moved on since {release}: {instances}")


@speaking("en")  # numbers cite it: in files, and in what is kept for everybody
def gold_release(store: Store, project: Project, policy: ScoredPolicy, *, is_of_people: bool = False) -> str | None:
    """The newest release, in words, as numbers under a policy cite it; None where nothing is frozen.

    is_of_people: only the annotations of some people are gold

    The gold is read and compared only where something happened since that may have changed it.
    """
    release = newest_release(store, project.id)
    if release is None:
        return None
    if is_of_people:
        return _(_OF_PEOPLE, release=release.words)
    if policy != release.rules.policy:
        return _(_OF_POLICY, release=release.words, policy=release.rules.policy)
    has_changed = last_change(store, project.id, after=release.event_id) > 0
    n = since(store, project, release).n if has_changed else 0
    if not n:
        return release.words
    return _(_MOVED_ON, release=release.words, instances=counted(n, "instance differs", "instances differ"))


def cited_in_words(cited: str) -> str:
    """What numbers cite, to whom looks at them: a release's name stays as it is.

    >>> with speaking("zh"): cited_in_words("moved on since release 1 “v1” (2026-11-23): 3 instances differ")
    '在发布版 1“v1”（2026-11-23）之后有变化：3 个实例不同'
    """
    for template in (_OF_PEOPLE, _OF_POLICY, _MOVED_ON, CITED):
        # The values of a sentence that was made of a template; None of another sentence
        match = re.fullmatch("".join(_pattern_parts(template)), cited)
        values = match and match.groupdict()
        if values is not None:
            return _(template, **{name: _value_in_words(name, value) for name, value in values.items()})
    return cited


def _value_in_words(name: str, value: str) -> str:
    if name == "release":
        return cited_in_words(value)
    if name == "instances":
        return counted(int(value.partition(" ")[0].replace(",", "")), "instance differs", "instances differ")
    return _(value) if name == "policy" else value


def _pattern_parts(template: str) -> Iterator[str]:
    for text, name in re.findall(r"([^{]*)(?:\{(\w+)\})?", template):
        yield re.escape(text) + (f"(?P<{name}>.+)" if name else "")
