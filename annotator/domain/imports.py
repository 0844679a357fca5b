"""What an import writes, and what it has to know of what is stored: the values between reading, planning and writing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotator.domain.instances import Annotation, AnnotationState, Draft
from annotator.domain.rationales import RationaleSet
from annotator.domain.sources import SourceInstance
from annotator.domain.texts import TokenizedText, TokenLayout
from annotator.errors import Problem

Place = tuple[str, str]  # key and split, as a row of a file names its instance


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document to be stored: `docid` when it has a name of its own, else it is known by what it holds.

    fingerprint: of its name, text, tokens and sentences
    """

    docid: str | None
    body: TokenizedText
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document that is in the database."""

    id: int
    n_tokens: int
    fingerprint: bytes


class NewSegment(NamedTuple):
    """A segment of an instance to be written. document: the fingerprint of what it shows."""

    name: str
    is_selectable: bool
    n_tokens: int
    document: bytes


@dataclass(frozen=True, slots=True)
class KnownTexts:
    """What the store knows of the texts of a batch.

    instance_ids: of rows that are stored
    bodies:       of stored instances, by number, language and segment
    named:        the documents that rows name
    named_bodies: the texts of those of them in which a row counts characters, or of which it says the tokens alone
    prints:       of what stored instances show, by number and segment, where rows say tokens alone
    """

    instance_ids: Mapping[Place, int]
    bodies: Mapping[tuple[int, str, str], TokenizedText]
    named: Mapping[str, StoredDocument]
    named_bodies: Mapping[str, TokenizedText]
    prints: Mapping[tuple[int, str], bytes]

    def shows(self, source: SourceInstance, segment: str, fingerprint: bytes) -> bool:
        """Whether the instance of a row shows a document now."""
        return self.prints.get((self.instance_ids.get(source.place, 0), segment)) == fingerprint

    def language_of(self, source: SourceInstance) -> str | None:
        """The language that the instance of a row has now."""
        number = self.instance_ids.get(source.place, 0)
        return next((language for instance_id, language, _ in self.bodies if instance_id == number), None)

    def body_of(self, source: SourceInstance, language: str, segment: str) -> TokenizedText | None:
        """The text that the instance of a row has now, in the language of the row."""
        return self.bodies.get((self.instance_ids.get(source.place, 0), language, segment))


@dataclass(frozen=True, slots=True)
class PreparedRow:
    """A row whose texts have tokens. bodies: the texts at hand, by segment; fingerprint: of all but the annotations.

    replaced: the documents that it names, whose tokens the instance has already with spaces of its own, which it keeps
    """

    source: SourceInstance
    language: str
    segments: tuple[NewSegment, ...]
    bodies: Mapping[str, TokenizedText]
    fingerprint: bytes
    replaced: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedRows:
    """The rows of a batch, in order (in place of one that cannot be taken what is wrong with it), and all their texts."""

    documents: tuple[NewDocument, ...]
    rows: tuple[PreparedRow | Problem, ...]


@dataclass(frozen=True, slots=True)
class NewAnnotation:
    """An annotation of the source's annotator, its spans as instance token indices."""

    annotator: str
    result: str | None
    sets: tuple[RationaleSet, ...]
    note: str
    round_number: int
    state: AnnotationState
    created_at: str | None = None
    by_user: bool = False


@dataclass(frozen=True, slots=True)
class NewInstance:
    """An instance with everything resolved: texts tokenised, spans in instance token indices; segments in numbering order.

    drafts: of each piece of work that the source brings, where the instance is new
    """

    source: SourceInstance
    language: str
    segments: tuple[NewSegment, ...]
    target: tuple[int, int] | None
    fingerprint: bytes
    open_slots: int
    state: str
    annotations: tuple[NewAnnotation, ...]
    drafts: tuple[Draft, ...] = ()

    @property
    def is_annotated_here(self) -> bool:
        """Whether people's own annotations are among those that it brings."""
        return any(annotation.by_user for annotation in self.annotations)


@dataclass(frozen=True, slots=True)
class KnownInstance:
    """What the store has under a key and split. fingerprint: of the row that it came from."""

    id: int
    fingerprint: bytes
    result: str | None
    n_annotations: int
    n_works: int


@dataclass(frozen=True, slots=True)
class KnownContent:
    """What an instance holds now. texts: name and document's fingerprint of each segment, in numbering order.

    fingerprint: of the row that it would be today; a lead may have changed its label since it was imported
    has_output:  whether a model said something of it
    """

    fingerprint: bytes
    texts: tuple[tuple[str, bytes], ...]
    has_output: bool


@dataclass(frozen=True, slots=True)
class KnownRows:
    """What the store knows of the rows of a batch. contents: of the instances whose row was another when it was imported."""

    instances: Mapping[Place, KnownInstance]
    contents: Mapping[int, KnownContent]
    annotations: Mapping[int, Sequence[Annotation]]


@dataclass(frozen=True, slots=True)
class KnownAdditions:
    """What the store knows of the instances that annotations are added to. bodies: texts in which a row counts characters."""

    instances: Mapping[Place, KnownInstance]
    layouts: Mapping[int, TokenLayout]
    bodies: Mapping[int, Mapping[str, TokenizedText]]
    annotations: Mapping[int, Sequence[Annotation]]


class KeyedInstance(NamedTuple):
    """An instance as rows of a file find it; its numbers of tokens are those of all segments, and of the selectable ones."""

    key: str
    split: str
    source_split: str
    id: int
    n_tokens: int
    n_selectable: int
