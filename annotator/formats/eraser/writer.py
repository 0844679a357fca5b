"""Writing the format `eraser`: exactly its keys, with docs.jsonl; the reference's loader gives the same offsets."""

import json
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from annotator.domain.instances import GoldInstance, Instance, Segment
from annotator.domain.tasks import Task
from annotator.domain.texts import Span, TokenizedText
from annotator.errors import ExportRefused
from annotator.formats.base import WriteOptions
from annotator.formats.eraser.reader import SPLITS
from annotator.formats.rows.files import Refused, SortedLines, new_folder
from annotator.language import _


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write a data folder: train, val and test.jsonl as far as there are instances, and docs.jsonl.

    Raises: ExportRefused for a folder that holds something, instances without result or split, tokens that ERASER
            cannot hold, and documents of one name with different texts
    """
    with new_folder(path) as folder, ExitStack() as stack:
        documents = stack.enter_context((folder / "docs.jsonl").open("wb"))
        lacking = _("aren't in {splits}; {remedy}", splits=", ".join(SPLITS), remedy=options.split_remedy)
        writer = _EraserWriter(options, documents, stack, Refused(lacking))
        for item in gold:
            writer.add(item)
        writer.finish(folder)


@dataclass(slots=True)
class _EraserWriter:
    options: WriteOptions
    documents: BinaryIO
    stack: ExitStack
    _no_split: Refused
    _lines: dict[str, SortedLines] = field(default_factory=dict)
    _texts: dict[int, int] = field(default_factory=dict)  # hash of a docid: hash of the document
    _keys: set[int] = field(default_factory=set)
    _no_result: Refused = field(default_factory=lambda: Refused(_("have no result. Set it, or export one split")))

    def add(self, gold: GoldInstance) -> None:
        """Write an instance's documents and keep its annotation."""
        instance = gold.instance
        if gold.result is None:
            self._no_result.add(instance.key)
        elif instance.split not in SPLITS:
            self._no_split.add(instance.key)
        else:
            self._check_key(instance)
            docids = docids_of(self.options.project.task, instance)
            for segment in _documents_of(instance):
                self._write_document(instance.key, segment, docids[segment.name])
            if instance.split not in self._lines:
                self._lines[instance.split] = self.stack.enter_context(SortedLines())
            self._lines[instance.split].add(instance.key, _json(self._annotation(gold, docids)))

    def finish(self, folder: Path) -> None:
        """Write the split files; raise when something could not be written."""
        self._no_result.raise_if_any()
        self._no_split.raise_if_any()
        if not self._lines:
            raise ExportRefused(_("No gold yet. Choose another split."))
        for split, lines in self._lines.items():
            with (folder / f"{split}.jsonl").open("wb") as file:
                file.writelines(lines)

    def _check_key(self, instance: Instance) -> None:
        key_hash = hash((instance.split, instance.key))
        if key_hash in self._keys:
            raise ExportRefused(_("Duplicate ID '{key}' in split '{split}'.", split=instance.split, key=instance.key))
        self._keys.add(key_hash)

    def _write_document(self, key: str, segment: Segment, docid: str) -> None:
        text = "\n".join(
            " ".join(_token(segment, number, key) for number in range(start, end))
            for start, end in segment.body.sentences()
        )
        if not text:
            raise ExportRefused(_("Instance '{key}': segment '{name}' has no tokens.", key=key, name=segment.name))
        is_new = hash(docid) not in self._texts
        if self._texts.setdefault(hash(docid), hash(text)) != hash(text):
            raise ExportRefused(
                _(
                    "Instance '{key}': two texts for document '{docid}'. Export one split (--split).",
                    key=key,
                    docid=docid,
                )
            )
        if is_new:
            self.documents.write(_json({"docid": docid, "document": text}) + b"\n")

    def _annotation(self, gold: GoldInstance, docids: dict[str, str]) -> dict[str, object]:
        instance = gold.instance
        query_type = instance.metadata.get("query_type")
        return {
            "annotation_id": instance.key,
            "classification": gold.result,
            "docids": list(dict.fromkeys(docids.values())),
            "evidences": [[_evidence(instance, span, docids) for span in one_set.spans] for one_set in gold.sets],
            "query": self._query(instance),
            "query_type": query_type if isinstance(query_type, str) else None,
        }

    def _query(self, instance: Instance) -> str:
        task = self.options.project.task
        if task.query_segment is not None:
            return next((s.body.text for s in instance.segments if s.name == task.query_segment), "")
        return task.query_for(self.options.project.labels) or self.options.project.shown_question


def docids_of(task: Task, instance: Instance) -> dict[str, str]:
    """Each segment's document: its own name, else the key, or <key>_<segment> where there may be several."""
    selectable = [spec for spec in task.segments if spec.is_selectable]
    segments = _documents_of(instance)
    is_alone = len(selectable) == 1 and len(segments) == 1
    return {s.name: s.docid or (instance.key if is_alone else f"{instance.key}_{s.name}") for s in segments}


def _documents_of(instance: Instance) -> list[Segment]:
    """The segments that are documents: the selectable ones; an empty optional one is left out."""
    selectable = [s for s in instance.segments if s.is_selectable]
    return [s for s in selectable if s.body.n_tokens] or selectable[:1]


def _token(segment: Segment, number: int, key: str) -> str:
    token = segment.body.token(number)
    if token.split() != [token]:
        raise ExportRefused(
            _(
                "Instance '{key}': token {number} of '{name}' is empty or has blanks; use another format.",
                key=key,
                number=number,
                name=segment.name,
            )
        )
    return token


def _evidence(instance: Instance, span: Span, docids: dict[str, str]) -> dict[str, object]:
    segment = instance.layout.segment_at(span.start)
    if segment.name not in docids or span.end > segment.end_token:
        raise ExportRefused(
            _(
                "Instance '{key}': tokens {start} to {end} span several documents.",
                key=instance.key,
                start=span.start,
                end=span.end - 1,
            )
        )
    start, end = span.start - segment.first_token, span.end - segment.first_token
    body: TokenizedText = instance.segment(segment.name).body
    return {
        "docid": docids[segment.name],
        "end_sentence": body.sentence_of(end - 1) + 1,
        "end_token": end,
        "start_sentence": body.sentence_of(start),
        "start_token": start,
        "text": " ".join(body.token(number) for number in range(start, end)),
    }


def _json(value: object) -> bytes:
    """One line as the reference writes it: keys sorted, ASCII alone."""
    return json.dumps(value, sort_keys=True).encode("ascii")
