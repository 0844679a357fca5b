"""Writing the benchmark's input and gold records (Wang et al. 2022), for the PaddleNLP scripts or TrustAI's evaluator."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.tasks import Task
from annotator.domain.texts import union_of_tokens
from annotator.errors import ExportRefused
from annotator.formats.base import WriteOptions
from annotator.formats.benchmark.records import Record, Shape, guess_language, shape_of_task
from annotator.formats.rows.files import Refused, SortedLines, new_folder
from annotator.language import _

_FILE_NAMES: dict[Shape, str] = {"single": "senti", "pair": "similarity", "reading": "mrc"}
_WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")

Values = dict[str, Any]


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write a folder: input records, and under golden/ the gold in the layout of the PaddleNLP scripts.

    Raises: ExportRefused for a folder that holds something, instances without result, and several sets of a pair or a
            reading (that layout holds one) unless the gold policy is union
    """
    _write(path, gold, options, _PaddleGold(options))


def write_trustai(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write a folder: input records, and under golden/ the gold in the layout of TrustAI's evaluator.

    Raises: ExportRefused for a folder that holds something, and instances without result
    """
    _write(path, gold, options, _TrustGold(options))


def _write(
    path: Path, gold: Iterable[GoldInstance], options: WriteOptions, dialect: "_PaddleGold | _TrustGold"
) -> None:
    with new_folder(path) as folder, ExitStack() as stack:
        writer = _BenchmarkWriter(options, dialect, stack.enter_context(SortedLines()))
        for item in gold:
            writer.add(item)
        writer.finish(folder, stack)


class _Pending(msgspec.Struct):
    """A record that waits for its id and those of its perturbed partners."""

    split: str
    key: str
    language: str
    is_perturbed: bool
    input: Values
    gold: Values
    adv_type: str | None = None


Place = tuple[str, str]  # split, key


@dataclass(slots=True)
class _BenchmarkWriter:
    options: WriteOptions
    dialect: "_PaddleGold | _TrustGold"
    lines: SortedLines
    _numbers: dict[Place, int] = field(default_factory=dict)  # in the order in which they came
    _partners: dict[Place, list[Place]] = field(default_factory=dict)  # original: perturbed
    _no_result: Refused = field(default_factory=lambda: Refused(_("have no result. Set it, or export one split")))

    def add(self, gold: GoldInstance) -> None:
        """Take an instance in; it is written when all ids are known."""
        instance = gold.instance
        split_and_key = (instance.split, instance.key)
        if gold.result is None:
            self._no_result.add(instance.key)
            return
        if split_and_key in self._numbers:
            raise ExportRefused(_("Duplicate ID '{key}' in split '{split}'.", split=instance.split, key=instance.key))
        self._numbers[split_and_key] = len(self._numbers) + 1
        if instance.parent_key is not None:
            self._partners.setdefault((instance.split, instance.parent_key), []).append(split_and_key)
        is_perturbed = instance.parent_key is not None
        pending = _Pending(
            split=instance.split,
            key=instance.key,
            language=instance.language,
            is_perturbed=is_perturbed,
            input=input_values(instance, shape_of_task(self.options.project.task)),
            gold={**_labels(gold.result, self.options), **self.dialect.values(gold)},
            adv_type=instance.perturbation_kind,
        )
        self.lines.add(f"{int(is_perturbed)}{self._numbers[split_and_key]:012d}", msgspec.json.encode(pending))

    def finish(self, folder: Path, stack: ExitStack) -> None:
        """Write all records, originals first."""
        self._no_result.raise_if_any()
        if not self._numbers:
            raise ExportRefused(_("No gold yet. Choose another split."))
        ids = record_ids(list(self._numbers))
        files: dict[str, tuple[BinaryIO, BinaryIO]] = {}
        for line in self.lines:
            pending = msgspec.json.decode(line, type=_Pending)
            if pending.language not in files:
                files[pending.language] = self._open(folder, pending.language, stack)
            for file, values in zip(files[pending.language], self._records(pending, ids), strict=True):
                file.write(msgspec.json.encode(values) + b"\n")

    def _open(self, folder: Path, language: str, stack: ExitStack) -> tuple[BinaryIO, BinaryIO]:
        shape = shape_of_task(self.options.project.task)
        code = "ch" if language.startswith("zh") else re.sub(r"[^A-Za-z0-9-]", "_", language)
        name = f"{_FILE_NAMES[shape]}_{code}"
        (folder / "golden").mkdir(exist_ok=True)
        return (
            stack.enter_context((folder / f"{name}.jsonl").open("ab")),
            stack.enter_context((folder / "golden" / f"{name}.tsv").open("ab")),
        )

    def _records(self, pending: _Pending, ids: Mapping[Place, int]) -> tuple[Values, Values]:
        split_and_key = (pending.split, pending.key)
        number = ids[split_and_key]
        partners = [ids[partner] for partner in self._partners.get(split_and_key, ())]
        links: Values = {"sample_type": "disturb"} if pending.is_perturbed else {"sample_type": "ori"}
        if partners or not pending.is_perturbed:
            links["rel_ids"] = partners
        ours = {"split": pending.split} if pending.split else {}
        if str(number) != pending.key:
            ours["key"] = pending.key
        kind = {"adv_type": pending.adv_type} if pending.is_perturbed and pending.adv_type else {}
        shown_input = {"id": number, **pending.input, **links, **ours}
        if guess_language(msgspec.convert(shown_input, Record), None) != pending.language:
            shown_input["language"] = pending.language
        return shown_input, {"sent_id": number, **pending.gold, **links, **kind, **ours}


def record_ids(keys_by_split: Sequence[Place]) -> dict[Place, int]:
    """Keys that are whole numbers stay, if all are and no two are equal; else records are numbered from 1 as they come."""
    keys = [key for _, key in keys_by_split]
    if len(set(keys)) == len(keys) and all(_WHOLE_NUMBER.fullmatch(key) for key in keys):
        return {(split, key): int(key) for split, key in keys_by_split}
    return {split_and_key: number for number, split_and_key in enumerate(keys_by_split, 1)}


def input_values(instance: Instance, shape: Shape) -> Values:
    """What models and annotators see: texts and their tokens."""
    bodies = [segment.body for segment in instance.segments if segment.is_selectable]
    if shape == "single":
        return {"context": bodies[0].text, "sent_token": bodies[0].tokens()}
    if shape == "pair":
        names = ("query", "title") if instance.language.startswith("zh") else ("sentence1", "sentence2")
        texts = dict(zip(names, (body.text for body in bodies), strict=True))
        return {**texts, "text_q_seg": bodies[0].tokens(), "text_t_seg": bodies[1].tokens()}
    question = next((segment.body.text for segment in instance.segments if not segment.is_selectable), "")
    return {
        "title": bodies[1].text if len(bodies) > 1 else "",
        "context": bodies[0].text,
        "question": question,
        "sent_token": [token for body in bodies for token in body.tokens()],
    }


def _labels(result: str, options: WriteOptions) -> Values:
    """sent_label: the answer's text, else the label's position among the project's labels, and then its text beside."""
    number = label_number(result, options.project)
    is_named = isinstance(number, int) and str(number) != result
    return {"sent_label": number, "label": result} if is_named else {"sent_label": number}


def label_number(result: str, project: Project) -> int | str:
    """A result as the benchmark's files call it: a label by its number, an answer or what is no label by its text."""
    if project.task.result_kind == "answer":
        return result
    if _WHOLE_NUMBER.fullmatch(result):
        return int(result)
    return project.labels.index(result) if result in project.labels else result


def borders_of_sides(instance: Instance, task: Task) -> list[tuple[int, int]]:
    """First and end token of each side: a pair's two segments, else all selectable tokens."""
    layout = instance.layout
    if shape_of_task(task) != "pair":
        return [(0, layout.n_selectable)]
    return [(segment.first_token, segment.end_token) for segment in layout.segments if segment.is_selectable]


def _sides(gold: GoldInstance, options: WriteOptions) -> list[list[list[int]]]:
    """Side -> set -> token index of the side; a reading's one side is passage and title in one numbering."""
    layout = gold.instance.layout
    borders = borders_of_sides(gold.instance, options.project.task)
    sides: list[list[list[int]]] = [[] for _ in borders]
    for one_set in _sets(gold, options):
        if one_set and one_set[-1] >= layout.n_selectable:
            raise ExportRefused(
                _(
                    "Instance '{key}': segment of token {number} has no benchmark tokens.",
                    key=gold.instance.key,
                    number=one_set[-1],
                )
            )
        for side, (start, end) in zip(sides, borders, strict=True):
            side.append([index - start for index in one_set if start <= index < end])
    return sides


def _sets(gold: GoldInstance, options: WriteOptions) -> list[list[int]]:
    if options.gold_policy == "union" and len(gold.sets) > 1:
        return [sorted(union_of_tokens(gold.sets))]
    return [list(one_set.token_indices) for one_set in gold.sets]


@dataclass(frozen=True, slots=True)
class _PaddleGold:
    """The layout of the PaddleNLP scripts: several sets for one text, one flat set for a pair or a reading."""

    options: WriteOptions

    def values(self, gold: GoldInstance) -> Values:
        shape = shape_of_task(self.options.project.task)
        sides = _sides(gold, self.options)
        if shape == "single":
            return {"sent_token": gold.instance.segments[0].body.tokens(), "rationales": sides[0]}
        if len(sides[0]) > 1:
            raise ExportRefused(
                _(
                    "Instance '{key}' has {rationale_sets}; PaddleNLP allows one. Use --gold-policy union.",
                    key=gold.instance.key,
                    rationale_sets=counted(len(sides[0]), "rationale set"),
                )
            )
        flat = [side[0] if side else [] for side in sides]
        if shape == "pair":
            return {"rationale_q_idx": flat[0], "rationale_t_idx": flat[1]}
        return {"rationales": flat[0]}


@dataclass(frozen=True, slots=True)
class _TrustGold:
    """The layout of TrustAI's evaluator: side -> set -> token."""

    options: WriteOptions

    def values(self, gold: GoldInstance) -> Values:
        shape = shape_of_task(self.options.project.task)
        sides = _sides(gold, self.options)
        bodies = [segment.body for segment in gold.instance.segments if segment.is_selectable]
        of_sides: Sequence[list[str]] = (
            [body.tokens() for body in bodies] if shape == "pair" else [[t for body in bodies for t in body.tokens()]]
        )
        texts = [body.text for body in bodies]
        return {
            "sent_text": texts if shape == "pair" else "".join(texts),
            "sent_token": of_sides if shape == "pair" else of_sides[0],
            "sent_type": "pair" if shape == "pair" else "single",
            "rationale_tokens": [
                [[tokens[index] for index in one_set] for one_set in side]
                for tokens, side in zip(of_sides, sides, strict=True)
            ],
            "rationale_ids": sides,
        }
