"""Writing a folder that Hugging Face `datasets` loads: the gold, and beside it annotations and models' own sets."""

import json
import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from annotator.domain.instances import Annotation, GoldInstance, Instance
from annotator.domain.own_sources import SourceSufficientSets
from annotator.domain.sources import facts_of_annotators
from annotator.errors import ExportRefused
from annotator.formats.base import WriteOptions
from annotator.formats.parquet.dataset_card import AnnotationFacts, Facts, card
from annotator.formats.parquet.writer import RowGroups, made_by, row_of, schema_of, segment_rows, set_rows, text_columns
from annotator.formats.rows.files import NO_GOLD, Refused, new_folder
from annotator.language import _, listed, unsaid

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
_SPLIT = re.compile(r"\w+(\.\w+)*")  # what `datasets` takes as the name of a split


def write_datasets(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write a folder: data/<split>.parquet for each split, annotations/ and model_sets/ likewise, and README.md, the card.

    Where no instance has a split, all are written as `train`. Without annotations, or sets, there is no folder for them.
    Raises: ExportRefused for a folder that holds something, no instance, instances without a split beside others with
            one, and names of splits that `datasets` does not take
    """
    lacking = _("are in no split; {remedy}", remedy=options.split_remedy)
    with new_folder(path) as folder:
        with ExitStack() as stack:
            of_gold = _SplitFiles(folder / "data", schema_of(options), stack, Refused(lacking))
            keys: set[tuple[str, str]] = set()
            facts = _write_gold(of_gold, gold, options, keys)
            of_people = _SplitFiles(folder / "annotations", annotation_schema(options), stack, Refused(lacking))
            counted = _write_annotations(of_people, options)
            of_models = _SplitFiles(folder / "model_sets", model_set_schema(options), stack, Refused(lacking))
            n_sets = _write_model_sets(of_models, options, keys)
        of_gold.finish()
        if not facts:
            raise ExportRefused(_(NO_GOLD))
        of_people.finish()
        of_models.finish()
        text = card(options, _named(facts), _named(counted), _named(n_sets))
        (folder / "README.md").write_text(text, encoding="utf-8", newline="\n")


def _named(by_split: Mapping[str, T]) -> dict[str, T]:
    return {split or "train": of_split for split, of_split in by_split.items()}


def _write_gold(
    files: "_SplitFiles", gold: Iterable[GoldInstance], options: WriteOptions, keys: set[tuple[str, str]]
) -> dict[str, Facts]:
    """keys: takes the key and split of each instance."""
    facts: dict[str, Facts] = {}
    for item in gold:
        keys.add((item.instance.key, item.instance.split))
        if files.add(item.instance, row_of(item, options), item.instance.layout.n_tokens):
            of_split = facts.setdefault(item.instance.split, Facts())
            of_split.count(item, is_exhaustive=options.project.settings.is_exhaustive)
    return facts


def _write_annotations(files: "_SplitFiles", options: WriteOptions) -> dict[str, AnnotationFacts]:
    facts: dict[str, AnnotationFacts] = {}
    for instance, annotations in options.annotations:
        for annotation in annotations:
            if files.add(instance, annotation_row(instance, annotation, options), instance.layout.n_tokens):
                facts.setdefault(instance.split, AnnotationFacts()).count(instance, annotation)
    return facts


def _write_model_sets(files: "_SplitFiles", options: WriteOptions, keys: Container[tuple[str, str]]) -> Counter[str]:
    """Of the instances that are in the gold; answers how many sets of either side each split has."""
    n_sets: Counter[str] = Counter()
    for source in options.model_sets:
        for row in source.rows() if (source.key, source.split) in keys else ():
            n_sets[source.split] += files.add(source, row, len(row))
    return n_sets


def model_set_schema(options: WriteOptions) -> "pa.Schema":
    """The columns' types of models' own sets."""
    import pyarrow as pa  # noqa: PLC0415

    texts, number, is_so = pa.string(), pa.float64(), pa.bool_()
    columns = [
        *((name, texts) for name in ("key", "split", "model", "params", "label")),
        *((name, number) for name in ("p_full", "p_empty", "threshold")),
        ("side", texts),
        ("tokens", pa.list_(pa.int32())),
        *((name, number) for name in ("p", "p_rest")),
        *((name, is_so) for name in ("sufficient", "compact", "comprehensive", "late")),
    ]
    return pa.schema(columns, metadata=made_by(options))


def annotation_row(instance: Instance, annotation: Annotation, options: WriteOptions) -> dict[str, Any]:
    """The row of an annotation; labels by their number among the project's."""
    kind, facts = options.project.task.result_kind, facts_of_annotators(instance.metadata)
    return {
        "key": instance.key,
        "split": instance.split,
        "language": instance.language,
        "annotator": annotation.annotator,
        "round": annotation.round_number,
        "state": annotation.state,
        kind: _result(annotation.result, instance, options),
        f"instance_{kind}": _result(instance.result, instance, options),
        "segments": segment_rows(instance),
        **set_rows(instance, annotation.sets),
        "rationale_help": [rationale_set.origin for rationale_set in annotation.sets],
        "facts": msgspec.json.encode(facts.get(annotation.annotator, {}), order="deterministic").decode(),
    }


def _result(result: str | None, instance: Instance, options: WriteOptions) -> str | int | None:
    labels = _labels(options)
    if not labels or result is None:
        return result
    if result not in labels:
        raise ExportRefused(
            _(
                "Instance '{key}': label '{label}' isn't one of {labels}.",
                key=instance.key,
                label=result,
                labels=listed([f"'{label}'" for label in labels]),
            )
        )
    return labels.index(result)


def _labels(options: WriteOptions) -> tuple[str, ...]:
    """What results are counted by; () of answers."""
    return options.project.labels if options.project.task.result_kind == "label" else ()


def annotation_schema(options: WriteOptions) -> "pa.Schema":
    """The columns' types; that two of them are a ClassLabel stands where `datasets` looks for it."""
    import pyarrow as pa  # noqa: PLC0415

    labels, kind = _labels(options), options.project.task.result_kind
    result = pa.int64() if labels else pa.string()
    columns = [
        *((name, pa.string()) for name in ("key", "split", "language", "annotator")),
        ("round", pa.int32()),
        ("state", pa.string()),
        (kind, result),
        (f"instance_{kind}", result),
        *text_columns(),
        ("rationale_help", pa.list_(pa.string())),
        ("facts", pa.string()),
    ]
    classes = {name: {"names": list(labels), "_type": "ClassLabel"} for name in (kind, f"instance_{kind}") if labels}
    hugging_face = {"huggingface": json.dumps({"info": {"features": classes}}, ensure_ascii=False)} if classes else {}
    return pa.schema(columns, metadata=made_by(options) | hugging_face)


@dataclass(slots=True)
class _SplitFiles:
    """A Parquet file for each split, in a folder that is there with the first of them."""

    folder: Path
    schema: "pa.Schema"
    stack: ExitStack
    _no_split: Refused
    _groups: dict[str, RowGroups] = field(default_factory=dict)
    _odd_split: Refused = field(
        default_factory=lambda: Refused(
            unsaid("are in a split `datasets` can't name (letters, digits, _, inner dots; not `all`); rename it")
        )
    )

    def add(self, instance: Instance | SourceSufficientSets, row: dict[str, Any], n_tokens: int) -> bool:
        """Write a row of an instance to the file of its split; False where the split has no name for a file."""
        if instance.split and (not _SPLIT.fullmatch(instance.split) or instance.split.lower() == "all"):
            self._odd_split.add(instance.key)
            return False
        if not instance.split:
            self._no_split.add(instance.key)  # only refused when others have one
        if instance.split not in self._groups:
            self.folder.mkdir(exist_ok=True)
            file = self.stack.enter_context(self._path(instance.split).open("wb"))
            self._groups[instance.split] = self.stack.enter_context(RowGroups.open(file, self.schema))
        self._groups[instance.split].add(row, n_tokens)
        return True

    def finish(self) -> None:
        """Name the file of what is in no split, once all are closed; raise when something could not be written."""
        self._odd_split.raise_if_any()
        if len(self._groups) > 1:
            self._no_split.raise_if_any()
        if "" in self._groups:
            self._path("").rename(self._path("train"))

    def _path(self, split: str) -> Path:
        return self.folder / (f"{split}.parquet" if split else "no-split")
