"""How people are called in an exported file: by pseudonyms, unless names are asked for."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from secrets import token_bytes

from annotator.domain.instances import Annotation, GoldInstance, Instance, SetOrigin
from annotator.domain.sources import with_annotators_called, with_authors_called

_LETTERS = str.maketrans("0123456789", "ghijklmnop")  # one of digits alone would look like a count within a text
_N_BYTES = 6  # among 10,000 people two get the same pseudonym once in five million exports


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """Calls people “annotator jfpagchhdiek”, by a hash of their name under a secret that nobody keeps.

    What stands together in an instance is put into the order of the pseudonyms: who holds the file that it came from could
    else tell by its order who is who.
    """

    secret: bytes

    @classmethod
    def draw(cls) -> "Pseudonyms":
        """New ones, for one export."""
        return cls(token_bytes(32))

    def __call__(self, name: str) -> str:
        digest = blake2b(name.encode(), key=self.secret, digest_size=_N_BYTES).hexdigest()
        return f"annotator {digest.translate(_LETTERS)}"

    def in_gold(self, items: Iterable[GoldInstance]) -> Iterator[GoldInstance]:
        """Gold in which nobody is named."""
        for item in items:
            origins = tuple(map(self._origins, item.origins))
            yield replace(item, instance=self._in_metadata(item.instance), origins=origins)

    def in_annotations(
        self, pairs: Iterable[tuple[Instance, Sequence[Annotation]]]
    ) -> Iterator[tuple[Instance, list[Annotation]]]:
        """Annotations, of which nobody's name is told; of one person the oldest first."""
        for instance, annotations in pairs:
            unnamed = [replace(annotation, annotator=self(annotation.annotator)) for annotation in annotations]
            yield self._in_metadata(instance), sorted(unnamed, key=lambda annotation: annotation.annotator)

    def _origins(self, origins: Sequence[SetOrigin]) -> tuple[SetOrigin, ...]:
        unnamed = [replace(origin, annotator=self(origin.annotator)) for origin in origins]
        return tuple(sorted(unnamed, key=lambda origin: origin.annotator))

    def _in_metadata(self, instance: Instance) -> Instance:
        metadata = with_annotators_called(instance.metadata, self)
        if instance.perturbation_kind is not None:
            metadata = with_authors_called(metadata, self)
        return instance if metadata == instance.metadata else replace(instance, metadata=metadata)
