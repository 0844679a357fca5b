"""Other pseudonyms in releases for somebody who gets another name: the old one leads back to who knows name and secret."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from annotator.domain.instances import GoldInstance, SetOrigin
from annotator.domain.sources import with_annotators_called, with_authors_called, without_note
from annotator.formats.own.releases import pack, unpack
from annotator.store import Store
from annotator.store.gold.releases import every_release, parts_of, replace_part
from annotator.usecases.transfer.pseudonyms import Pseudonyms


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
