"""What an import writes, and what it has to know of what is stored: the values between reading, planning and writing; columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotator.domain.instances import Annotation, AnnotationState, Draft
from annotator.domain.sources import SourceInstance, SourceText
from annotator.domain.texts import RationaleSet, TokenizedText, TokenLayout
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
    """A segment of an instance to be written.

    document: the fingerprint of what it shows; document_id: its number, where the row names a stored one
    """

    name: str
    is_selectable: bool
    n_tokens: int
    document: bytes
    document_id: int | None = None


class ShownText(NamedTuple):
    """A text that a stored instance shows. is_named: it is a document with a name of its own."""

    body: TokenizedText
    is_named: bool


@dataclass(frozen=True, slots=True)
class ShownTexts:
    """What a stored instance shows, by segment, and its language."""

    language: str
    by_segment: Mapping[str, ShownText]


@dataclass(frozen=True, slots=True)
class KnownTexts:
    """What the store knows of the texts of a batch.

    shown:        by the instances of those rows that are stored
    named:        the documents that rows name
    named_bodies: the texts of those of them in which a row counts characters, or of which it says the tokens alone
    """

    shown: Mapping[Place, ShownTexts]
    named: Mapping[str, StoredDocument]
    named_bodies: Mapping[str, TokenizedText]


@dataclass(frozen=True, slots=True)
class PreparedRow:
    """A row whose texts have tokens. bodies: the texts at hand, by segment; fingerprint: of all but the annotations.

    replaced: the documents that it names, whose tokens the instance has already with spaces of its own, which it keeps
    n_respaced: of how many texts that it brings itself that is so
    """

    source: SourceInstance
    language: str
    segments: tuple[NewSegment, ...]
    bodies: Mapping[str, TokenizedText]
    fingerprint: bytes
    replaced: tuple[str, ...] = ()
    n_respaced: int = 0

    def split_here(self) -> list[TokenizedText]:
        """The texts whose tokens the file does not give."""
        given = self.source.segments
        return [
            body for name, body in self.bodies.items() if isinstance(t := given[name], SourceText) and t.tokens is None
        ]


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
    guidelines: int | None = None


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
class InstanceChange:
    """What is written of a row whose instance is stored.

    content: the row that overwrites it, None where it stays as it is; forgets_output: of models, on the old tokens
    result:  for an instance that has none; added, replaced (by their numbers): annotations of sources
    """

    instance_id: int
    content: NewInstance | None = None
    forgets_output: bool = False
    result: str | None = None
    added: tuple[NewAnnotation, ...] = ()
    replaced: tuple[tuple[int, NewAnnotation], ...] = ()

    @property
    def is_update(self) -> bool:
        """Whether the instance is another afterwards, as the report counts it."""
        return bool(self.content or self.added or self.replaced)


@dataclass(frozen=True, slots=True)
class InstancePlan:
    """What is to be written of a batch, and what is to be told of it.

    documents: texts of what is written, which may be stored already; rows: those that are well formed
    problems:  what is wrong with rows, and warnings
    unshown:   documents that rows name which are refused, or whose instances keep their own spacing of the same tokens
    """

    documents: tuple[NewDocument, ...] = ()
    rows: tuple[NewInstance, ...] = ()
    new: tuple[NewInstance, ...] = ()
    changes: tuple[InstanceChange, ...] = ()
    problems: tuple[Problem, ...] = ()
    n_character_spans: int = 0
    widened: tuple[str, ...] = ()
    unshown: frozenset[str] = frozenset()
    n_own_spacing: int = 0

    @property
    def labels(self) -> frozenset[str]:
        """The results of the new instances and of their annotations."""
        given = (r for i in self.new for r in (i.source.result, *(a.result for a in i.annotations)))
        return frozenset(result for result in given if result is not None)

    @property
    def n_updated(self) -> int:
        """How many stored instances are others afterwards."""
        return sum(change.is_update for change in self.changes)


@dataclass(frozen=True, slots=True)
class DocumentPlan:
    """The documents to be stored, and what is wrong with the others."""

    new: tuple[NewDocument, ...]
    problems: tuple[Problem, ...]


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


# What the columns of a file may be chosen for, before it is read.


# What columns with a model's answers are called.
PREDICTED = ("prediction", "predicted", "predicted_label", "pred", "pred_label", "y_pred")


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """What a field of ours may be read from.

    name:   as it is written with --column; words: for a sentence
    column: the one that is taken, by its name or because it was chosen before; None where there is none
    likely: those that look like it; the only one is a guess, several have to be asked about
    is_doubted: whether the column that would be taken looks like something else
    """

    name: str
    words: str
    column: str | None
    likely: tuple[str, ...]
    is_needed: bool
    is_doubted: bool = False

    @property
    def guess(self) -> str | None:
        """The column that is taken, or the only one that looks like it."""
        if self.is_doubted:
            return None
        return self.column or (self.likely[0] if len(self.likely) == 1 else None)


@dataclass(frozen=True, slots=True)
class ColumnChoices:
    """The columns of a file, and what they may be chosen for.

    left: those that are not read; marks: those that look like marks, of which metadata are kept as that
    """

    columns: tuple[str, ...]
    choices: tuple[ColumnChoice, ...]
    left: tuple[str, ...]
    marks: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()

    @property
    def are_open(self) -> bool:
        """Whether somebody has to look: something needed is missing, or something is only guessed."""
        return any(choice.column is None and (choice.is_needed or choice.likely) for choice in self.choices)
