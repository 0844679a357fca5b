"""Freezing a project's gold as a release, and reading what was frozen."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from annotator.domain.instances import GoldInstance
from annotator.domain.people import User
from annotator.domain.project.releases import LONGEST_NAME, GoldTally, Release, ReleaseRules
from annotator.domain.projects import GoldPolicy, Project
from annotator.errors import Conflict, InvalidValue
from annotator.formats.own.releases import pack, unpack
from annotator.language import _, parted, several, together
from annotator.store import Store, gold_choices
from annotator.store.annotate.instance_queue import unfinished_gold
from annotator.store.events import add_event
from annotator.store.gold import releases as release_store
from annotator.store.measurements import last_event_id
from annotator.text.characters import normal
from annotator.usecases.access.rights import require
from annotator.usecases.gold import gold_instances, labelled_gold, left_out_words
from annotator.usecases.transfer.pseudonyms import Pseudonyms

_AT_ONCE = 500


def freeze_gold(
    store: Store, actor: User, project: Project, name: str, *, licence: str | None = None, citation: str | None = None
) -> Release:
    """Make the gold of a project, as it is now under its policy, its next release.

    licence, citation: as the release is to be given away; None: the project's
    Raises: InvalidValue for a name that is taken, without a licence, and where there is no gold; Conflict when another
            release was made meanwhile
    """
    require(store, actor, project.id, "manage project")
    rules = ReleaseRules.of(
        project,
        (project.licence if licence is None else licence).strip(),
        (project.citation if citation is None else citation).strip(),
    )
    name = normal(name)
    if faults := [*_name_faults(store, project.id, name), *_licence_faults(rules.licence)]:
        raise InvalidValue(together(*faults))
    unnamed, left_out = Pseudonyms.draw(), Counter[str]()
    with store.snapshot():
        event_id = last_event_id(store, project.id)
        number = _next_number(store, project.id)
        tally = GoldTally(is_exhaustive=rules.is_exhaustive)
        gold = tally.counted(unnamed.in_gold(gold_to_freeze(store, project, rules.policy, left_out)))
        parts = []
        while batch := list(islice(gold, _AT_ONCE)):
            parts.append(pack(number, batch))
    if not parts:
        raise InvalidValue(
            _(
                "No instance of '{project}' has gold under the policy “{policy}”, so there is nothing to freeze. Gold comes "
                "from accepted annotations; where the rules ask for labels alone, also from the labels that texts came with.",
                project=project.name,
                policy=rules.policy,
            )
        )
    release = Release(
        0,
        project.id,
        number,
        name,
        replace(rules, n_left_out=left_out.total()),
        tally.result,
        actor.name,
        actor.id,
        store.now(),
        event_id,
        unnamed.secret,
    )
    return _stored(store, actor, release, parts)


def gold_to_freeze(
    store: Store, project: Project, policy: GoldPolicy, left_out: Counter[str] | None = None
) -> Iterator[GoldInstance]:
    """The gold of now. A project that asks for labels alone, and has no accepted ones, has those that its texts came with.

    left_out: as of `gold_instances`
    """
    gold = gold_instances(store, project, policy, left_out=left_out)
    first = next(gold, None)
    if first is not None:
        yield first
        yield from gold
    elif project.settings.result_mode == "labels_only":
        yield from labelled_gold(store, project, policy)


def unfinished_words(store: Store, actor: User, project: Project) -> str:
    """What a lead reads before gold is frozen: how much of it is not complete, and whose sets are not in it; "" for none."""
    require(store, actor, project.id, "see all annotations")
    policy = project.settings.gold_policy
    not_chosen = gold_choices.not_chosen(store, project.id) if policy == "chosen" else {}
    return together(_incomplete(store, project), left_out_words(not_chosen, policy, has_names=True))


def _incomplete(store: Store, project: Project) -> str:
    unfinished = unfinished_gold(store, project.id)
    if not unfinished.n:
        return ""
    wanted = project.settings.annotators_per_instance
    reasons = parted(
        [
            *([_say_fewer(unfinished.n_fewer, wanted)] if unfinished.n_fewer else []),
            *([_say_under_review(unfinished.n_under_review)] if unfinished.n_under_review else []),
        ]
    )
    if not reasons:
        return several(
            "{n} text with gold is not complete. Its gold is frozen as it is now.",
            "{n} texts with gold are not complete. Their gold is frozen as it is now.",
            unfinished.n,
        )
    return several(
        "{n} text with gold is not complete: {reasons}. Its gold is frozen as it is now.",
        "{n} texts with gold are not complete: {reasons}. Their gold is frozen as it is now.",
        unfinished.n,
        reasons=reasons,
    )


def _say_fewer(n: int, wanted: int) -> str:
    return several(
        "{n} has fewer annotators than the rules ask for ({wanted})",
        "{n} have fewer annotators than the rules ask for ({wanted})",
        n,
        wanted=wanted,
    )


def _say_under_review(n: int) -> str:
    return several("{n} is still in review", "{n} are still in review", n)


def _stored(store: Store, actor: User, release: Release, parts: Iterable[bytes]) -> Release:
    """Written at once; another release that was made meanwhile has taken the number, and the content names it."""
    with store.transaction():
        if faults := _name_faults(store, release.project_id, release.name):
            raise InvalidValue(together(*faults))
        if _next_number(store, release.project_id) != release.number:
            raise Conflict(
                _(
                    "Somebody else made release {number} at the same moment. Look at it, and freeze again if it is still "
                    "needed.",
                    number=release.number,
                )
            )
        release_id = release_store.add_release(store, release)
        for part in parts:
            release_store.add_part(store, release_id, part)
        add_event(
            store, actor.name, "freeze gold", "project", release.project_id, project_id=release.project_id,
            release=release.number, name=release.name, instances=release.gold.n_instances, digest=release.gold.digest,
        )  # fmt: skip
    return replace(release, id=release_id)


def releases_of_project(store: Store, actor: User, project: Project) -> list[Release]:
    """The releases of a project, the first one first."""
    require(store, actor, project.id, "export")
    return release_store.releases_of(store, project.id)


def release_of_project(store: Store, actor: User, project: Project, number: int) -> Release:
    """A release by its number; raises NotFound naming those there are."""
    require(store, actor, project.id, "export")
    return release_store.get_release(store, project.id, number)


def frozen_gold(store: Store, release: Release) -> Iterator[GoldInstance]:
    """The gold of a release, in the order in which it was frozen; each instance has its place there as its number.

    An instance whose text is gone, because whoever wrote it was erased, has its place and is left out.
    """
    n = 0
    for part in release_store.parts_of(store, release.id):
        for item in unpack(part):
            n += 1
            if any(segment.body.n_tokens for segment in item.instance.segments):
                yield replace(item, instance=replace(item.instance, id=n))


def _next_number(store: Store, project_id: int) -> int:
    newest = release_store.newest_release(store, project_id)
    return 1 if newest is None else newest.number + 1


def _name_faults(store: Store, project_id: int, name: str) -> list[str]:
    if not name:
        return [_("A release needs a name, such as “camera ready”.")]
    if len(name) > LONGEST_NAME or not name.isprintable():
        return [_("The name of a release is one line of 1 to {most} visible characters.", most=LONGEST_NAME)]
    taken = release_store.find_release(store, project_id, name)
    if taken is None:
        return []
    number, name = taken.number, taken.name
    return [_("Release {number} is called “{name}” already. Choose another name.", number=number, name=name)]


def _licence_faults(licence: str) -> list[str]:
    if licence:
        return []
    return [
        _(
            "A release needs a licence, such as CC BY 4.0: without one nobody may use it. Name one for the release, or for "
            "the project under Rules."
        )
    ]
