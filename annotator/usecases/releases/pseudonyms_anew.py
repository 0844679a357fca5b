"""Other pseudonyms in releases for somebody who gets another name: the old one leads back to who knows name and secret."""

from collections.abc import Mapping
from dataclasses import replace

from annotator.domain.annotator_facts import with_annotators_called
from annotator.domain.gold import SetOrigin
from annotator.domain.instances import GoldInstance
from annotator.formats.own.releases import pack, unpack
from annotator.store import Store
from annotator.store.gold.releases import every_release, parts_of, replace_part
from annotator.usecases.transfer.pseudonyms import Pseudonyms


def call_otherwise_in_releases(store: Store, called: Mapping[str, str]) -> None:
    """In every release of every project; digests stay, since who marked something is not in them."""
    for release in every_release(store):
        pseudonym = Pseudonyms(release.secret)
        anew = {pseudonym(old): pseudonym(new) for old, new in called.items()}
        for position, part in enumerate(parts_of(store, release.id)):
            before = unpack(part)
            after = [_called(item, anew) for item in before]
            if after != before:
                replace_part(store, release.id, position, pack(release.number, after))


def _called(item: GoldInstance, anew: Mapping[str, str]) -> GoldInstance:
    metadata = with_annotators_called(item.instance.metadata, lambda who: anew.get(who, who))
    instance = item.instance if metadata == item.instance.metadata else replace(item.instance, metadata=metadata)
    return replace(item, instance=instance, origins=tuple(_of_set(origins, anew) for origins in item.origins))


def _of_set(origins: tuple[SetOrigin, ...], anew: Mapping[str, str]) -> tuple[SetOrigin, ...]:
    renamed = (replace(origin, annotator=anew.get(origin.annotator, origin.annotator)) for origin in origins)
    return tuple(sorted(renamed, key=lambda origin: origin.annotator))
