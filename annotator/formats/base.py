"""What all formats share: how a reader and a writer are called."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotator.domain.instances import Annotation, GoldInstance, Instance
from annotator.domain.models import SourceOutput
from annotator.domain.own_sources import SourceSufficientSets
from annotator.domain.projects import Project, ScoredPolicy
from annotator.domain.sources import SourceItem, SourceText
from annotator.domain.tasks import Task
from annotator.errors import Problem
from annotator.language import _

KeyOf = Callable[[str, Mapping[str, SourceText | str], str | None, int | None], str]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a reader needs to know: the project's task and labels, and what the file may not say itself.

    renamed: labels of the file that whoever imports it calls otherwise, so that the project need not have them
    one_set_per_edit: where rationales follow from edits, each deletion is a set of its own, else all are one set.
    columns: of plain rows, the column that holds a field of ours, where whoever imports it chose one.
    left_columns: columns of plain rows that are not read; needed_columns: those that have to be there.
    metadata_columns: columns that look like marks and become metadata all the same.
    sheet: of a spreadsheet, the one that is read.
    key_of: gives plain rows without a key one, by split, texts, annotator and line.
    entities: each labelled span of a text is the target of an instance of its own, under its label.
    """

    task: Task
    labels: tuple[str, ...] = ()
    language: str | None = None
    split: str | None = None
    key_prefix: str = ""
    one_set_per_edit: bool = False
    renamed: frozenset[str] = frozenset()
    columns: Mapping[str, str] = field(default_factory=dict)
    left_columns: frozenset[str] = frozenset()
    needed_columns: tuple[str, ...] = ()
    metadata_columns: frozenset[str] = frozenset()
    key_of: KeyOf | None = None
    sheet: str | None = None
    entities: bool = False


Reader = Callable[[Path, ReadOptions], Iterator[SourceItem]]


VOCABULARY_NAMES = ("vocab.txt", "vocab.json", "tokenizer.json")  # of a tokeniser


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """What a reader of model output needs to know: the task, and what the file may not say itself.

    labels: the project's, by which a class number is turned into its label
    renamed: labels of the file that whoever imports it calls otherwise, which are left as they are
    vocabulary: a file with the text of each token id, one a line or a JSON object, for formats that hold ids alone
    prompt: what stands around the project's text, {text}, in what the model read, for inseq
    """

    task: Task
    labels: tuple[str, ...] = ()
    model: str = ""
    method: str = ""
    seed: int | None = None
    split: str | None = None
    key_prefix: str = ""
    vocabulary: Path | None = None
    renamed: frozenset[str] = frozenset()
    prompt: str = ""


OutputReader = Callable[[Path, OutputOptions], Iterator[SourceOutput | Problem]]


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What a writer needs to know beside the instances.

    n_versions:  changed versions of originals that the project has, with gold or without
    annotations: what each person marked, for formats that hold it beside the gold
    model_sets:  models' own sets, likewise
    is_frozen:   of a release, which keeps the splits that it had
    """

    project: Project
    gold_policy: ScoredPolicy
    n_versions: int = 0
    annotations: Iterable[tuple[Instance, Sequence[Annotation]]] = ()
    model_sets: Iterable[SourceSufficientSets] = ()
    is_frozen: bool = False

    @property
    def split_remedy(self) -> str:
        """What helps where instances lack a split."""
        anew = _("a release keeps its splits, so assign splits (`annotator split`) and freeze a new one")
        return anew if self.is_frozen else _("assign splits (`annotator split`)")


# Answers how many instances it wrote, where it leaves some of them out; None where it writes all.
Writer = Callable[[Path, Iterable[GoldInstance], WriteOptions], int | None]
