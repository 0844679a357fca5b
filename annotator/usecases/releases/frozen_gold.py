"""Freezing a project's gold as a release, reading it, and taking a person's name or sets out of it."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import get_args

from annotator.domain.instances import GoldInstance, Instance, SetOrigin
from annotator.domain.numbers import counted
from annotator.domain.people import SOMEONE_ERASED, User
from annotator.domain.project.releases import LONGEST_NAME, GoldTally, Release, ReleaseRules
from annotator.domain.projects import GoldPolicy, Project
from annotator.domain.reviews import Property
from annotator.domain.sources import with_annotators_called, with_authors_called, without_annotator, without_note
from annotator.domain.texts import TokenizedText
from annotator.errors import Conflict, InvalidValue, NotFound
from annotator.formats.own.releases import pack, unpack
from annotator.language import _, parted, several, speaking, together
from annotator.store import Store, gold_choices
from annotator.store.annotate.instance_queue import unfinished_gold
from annotator.store.events import add_event
from annotator.store.gold import releases as release_store
from annotator.store.gold.releases import add_erased, every_release, parts_of, releases_of, replace_part
from annotator.store.instances import size_of
from annotator.store.measurements import last_event_id
from annotator.text.characters import normal
from annotator.usecases.access.rights import require
from annotator.usecases.gold import agreement_of, gold_instances, labelled_gold, left_out_words
from annotator.usecases.transfer.export import Pseudonyms

_AT_ONCE = 500


def freeze_gold(
    store: Store, actor: User, project: Project, name: str, *, licence: str | None = None, citation: str | None = None
) -> Release:
    """Make the gold of a project, as it is now under its policy, its next release.

    licence, citation: as the release is to be given away; None: the project's; without a citation there is a default one
    Raises: InvalidValue for a name that is taken, without a licence, and where there is no gold; Conflict when another
            release was made meanwhile
    """
    require(store, actor, project.id, "manage project")
    rules = ReleaseRules.of(
        project,
        (project.licence if licence is None else licence).strip(),
        (citation or "").strip() or default_citation(store, project),
    )
    name = normal(name)
    no_licence = [] if rules.licence else [_("Add a licence, e.g. CC BY 4.0.")]
    if faults := [*_name_faults(store, project.id, name), *no_licence]:
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
                "No instance of '{project}' has gold under policy “{policy}”. Accept annotations first.",
                project=project.name,
                policy=rules.policy,
            )
        )
    rules = replace(rules, n_left_out=left_out.total(), process=_process(store, actor, project, len(tally.rows)))
    release = Release(
        0, project.id, number, name, rules, tally.result, actor.name, actor.id,
        store.now(), event_id, unnamed.secret,
    )  # fmt: skip
    return _stored(store, actor, release, parts)


def default_citation(store: Store, project: Project) -> str:
    """How the next release is cited: as the project says, else by name, number and day."""
    title = " ".join(project.name.split())
    by_name = f"{title} (release {_next_number(store, project.id)}) [Data set]. {store.now()[: len('2026-01-31')]}."
    return project.citation.strip() or by_name


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


def _process(store: Store, actor: User, project: Project, n_gold: int) -> tuple[str, ...]:
    """How the gold of now was made, for people elsewhere: of how many texts, by how many people, how far they agree."""
    rules, agreed = project.settings, agreement_of(store, actor, project)
    at_least = ", ".join(f"{name} {getattr(rules, f'{name}_threshold')}" for name in get_args(Property))
    label, token = agreed.labels.krippendorff_alpha, agreed.tokens.krippendorff_alpha
    with speaking("en"):
        lines = [
            f"Gold of {n_gold:,} of the project's {counted(size_of(store, project.id).n_instances, 'text')}.",
            f"{counted(rules.annotators_per_instance, 'annotator')} a text; "
            + (
                f"{counted(rules.reviewers_per_annotation, 'reviewer')} an annotation, accepted from mean scores of "
                f"{at_least}, within {counted(rules.max_rounds, 'round')}."
                if rules.reviewers_per_annotation
                else "not reviewed."
            ),
            _incomplete(store, project),
            "" if label is None else f"Krippendorff's alpha of labels: {label:.3f}, n {agreed.labels.n_instances:,}.",
            ""
            if token is None
            else f"Krippendorff's alpha of marked tokens: {token:.3f}, n {agreed.tokens.n_instances:,}.",
        ]
    return tuple(filter(None, lines))


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
    frozen = several(
        "{n} text with gold is incomplete; it is frozen as is.",
        "{n} texts with gold are incomplete; they are frozen as is.",
        unfinished.n,
    )
    return together(frozen, _("{sentence}.", sentence=reasons) if reasons else "")


def _say_fewer(n: int, wanted: int) -> str:
    return several(
        "{n} has fewer annotators than required ({wanted})",
        "{n} have fewer annotators than required ({wanted})",
        n,
        wanted=wanted,
    )


def _say_under_review(n: int) -> str:
    return several("{n} is in review or returned", "{n} are in review or returned", n)


def _stored(store: Store, actor: User, release: Release, parts: Iterable[bytes]) -> Release:
    """Written at once; another release that was made meanwhile has taken the number, and the content names it."""
    with store.transaction():
        if faults := _name_faults(store, release.project_id, release.name):
            raise InvalidValue(together(*faults))
        if _next_number(store, release.project_id) != release.number:
            raise Conflict(
                _("Someone just made release {number}. Check it; freeze again if needed.", number=release.number)
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

    An instance whose text or gold is gone, because whoever made it was erased, has its place and is left out.
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
        return [_("A release needs a name, e.g. “camera ready”.")]
    if len(name) > LONGEST_NAME or not name.isprintable():
        return [_("Names are one line of 1–{n} visible characters.", n=LONGEST_NAME)]
    taken = release_store.find_release(store, project_id, name)
    return [] if taken is None else [_("'{name}' already exists. Choose another name.", name=taken.name)]


# Other pseudonyms in releases for somebody who gets another name: the old one leads back to who knows name and secret.


def call_otherwise_in_releases(store: Store, called: Mapping[str, str], notes: Collection[str]) -> None:
    """In every release of every project; digests stay, since who marked something is not in them.

    notes: words of theirs, which go from the changed versions that they wrote
    """
    for release in every_release(store):
        pseudonym = Pseudonyms(release.secret)
        # Releases of before name those who wrote changed versions as they are called.
        anew = {**called, **{pseudonym(old): pseudonym(new) for old, new in called.items()}}
        for position, part in enumerate(parts_of(store, release.id)):
            before = unpack(part)
            after = [_called(item, anew, notes) for item in before]
            if after != before:
                replace_part(store, release.id, position, pack(release.number, after))


def _called(item: GoldInstance, anew: Mapping[str, str], notes: Collection[str]) -> GoldInstance:
    metadata = with_annotators_called(item.instance.metadata, lambda who: anew.get(who, who))
    if item.instance.perturbation_kind is not None:
        metadata = without_note(with_authors_called(metadata, lambda who: anew.get(who, who)), notes)
    instance = item.instance if metadata == item.instance.metadata else replace(item.instance, metadata=metadata)
    return replace(item, instance=instance, origins=tuple(_of_set(origins, anew) for origins in item.origins))


def _of_set(origins: tuple[SetOrigin, ...], anew: Mapping[str, str]) -> tuple[SetOrigin, ...]:
    renamed = (replace(origin, annotator=anew.get(origin.annotator, origin.annotator)) for origin in origins)
    return tuple(sorted(renamed, key=lambda origin: origin.annotator))


# Taking a person's sets out of the releases of a project, because the person asks for it.


def erase_from_releases(store: Store, actor: User, project: Project, name: str) -> int:
    """Take what a person made out of every release; answers how many sets are gone.

    A set that others made too stays, without that person; so does one that was made of several people's tokens. Numbers and
    digests stay those of the day when the release was made, and the release tells how many sets are gone, not whose.
    Raises: NotFound where the person made nothing in any release
    """
    with store.transaction():
        require(store, actor, project.id, "manage project")
        counts = [_erased(store, release, Erased.of(release, [name])) for release in releases_of(store, project.id)]
        if not any(has_any for has_any, _ in counts):
            raise NotFound(_("No release of '{name}' contains '{name_2}'.", name=project.name, name_2=name))
        n = sum(of_release for _, of_release in counts)
        add_event(store, actor.name, "erase from releases", "project", project.id, project_id=project.id, sets=n)
    return n


def erase_in_releases(
    store: Store, project_id: int, names: Sequence[str], texts: Collection[tuple[str, str]]
) -> dict[str, int]:
    """Take a person out of all releases of a project, in the transaction and with the rights of the caller.

    texts: key and split of the changed versions that they wrote, whose words go as well: their keys stay, so that the release
           is known to have had them. Answers how many sets are gone, by the release in words, where it had anything of theirs.
    """
    gone = {}
    for release in releases_of(store, project_id):
        has_any, n = _erased(store, release, Erased.of(release, names, texts))
        if has_any:
            gone[release.words] = n
    return gone


def count_in_releases(
    store: Store, project_id: int, names: Sequence[str], texts: Collection[tuple[str, str]]
) -> dict[str, int]:
    """How many sets would be gone, by the release in words, where it has anything of theirs; nothing is changed."""
    counts = {}
    for release in releases_of(store, project_id):
        erased = Erased.of(release, names, texts)
        parts = [
            (before := unpack(part), [erased.left_of(item) for item in before]) for part in parts_of(store, release.id)
        ]
        if any(before != after for before, after in parts):
            counts[release.words] = sum(_n_sets(before) - _n_sets(after) for before, after in parts)
    return counts


@dataclass(frozen=True, slots=True)
class Erased:
    """Who is taken out of a release, by pseudonym, and which texts go with them."""

    names: tuple[str, ...]
    pseudonyms: frozenset[str]
    texts: frozenset[tuple[str, str]]

    @staticmethod
    def of(release: Release, names: Sequence[str], texts: Collection[tuple[str, str]] = ()) -> "Erased":
        return Erased(tuple(names), frozenset(map(Pseudonyms(release.secret), names)), frozenset(texts))

    def left_of(self, item: GoldInstance) -> GoldInstance:
        """What stays of an instance: its key alone where its text is theirs, or all its sets.

        Gold without sets would say that nothing in the text is a reason.
        """
        instance = item.instance
        origins = [tuple(o for o in of_set if o.annotator not in self.pseudonyms) for of_set in item.origins]
        kept_sets = [n for n, of_set in enumerate(item.origins) if origins[n] or not of_set]
        if (instance.key, instance.split) in self.texts or (item.origins and not kept_sets):
            segments = tuple(replace(segment, body=_NO_TEXT, docid=None) for segment in instance.segments)
            emptied = replace(instance, segments=segments, result=None, target=None, metadata={})
            return GoldInstance(emptied, (), None, ())
        return replace(
            item,
            instance=replace(instance, metadata=self._facts_left(instance)),
            sets=tuple(item.sets[n] for n in kept_sets) if item.origins else item.sets,
            origins=tuple(origins[n] for n in kept_sets),
        )

    def _facts_left(self, instance: Instance) -> Mapping[str, object]:
        metadata = instance.metadata
        for pseudonym in self.pseudonyms:
            metadata = without_annotator(metadata, pseudonym)
        # Releases of before name those who corrected changed versions as they are called.
        gone = self.pseudonyms | set(self.names)
        is_version = instance.perturbation_kind is not None
        return (
            with_authors_called(metadata, lambda who: SOMEONE_ERASED if who in gone else who)
            if is_version
            else metadata
        )


_NO_TEXT = TokenizedText("", (), (), ())


def _erased(store: Store, release: Release, erased: Erased) -> tuple[bool, int]:
    """Whether a release had anything of a person, and how many sets are gone now."""
    has_any, n = False, 0
    for position, part in enumerate(parts_of(store, release.id)):
        before = unpack(part)
        after = [erased.left_of(item) for item in before]
        if after != before:
            has_any = True
            n += _n_sets(before) - _n_sets(after)
            replace_part(store, release.id, position, pack(release.number, after))
    add_erased(store, release.id, n)
    return has_any, n


def _n_sets(items: Sequence[GoldInstance]) -> int:
    return sum(len(item.sets) for item in items)
