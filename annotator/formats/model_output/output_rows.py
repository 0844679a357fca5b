"""What readers of model output share: the run that a file speaks of, labels for class numbers, keys, scores that are numbers."""

import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from annotator.domain import models
from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output.own_line_fields import AnswerRow, OutputRow
from annotator.formats.rows.findings import Findings, shown
from annotator.formats.rows.json_files import Record, read_records
from annotator.formats.rows.lines import convert
from annotator.language import _, listed, unsaid
from annotator.text.characters import input_of_subwords, input_of_text

KEY_NAMES = ("id", "idx", "key", "instance_id", "annotation_id", "sent_id")
_CLASS = re.compile(r"(?:LABEL_)?([0-9]{1,9})")


@dataclass(slots=True)
class OutputFile:
    """One file that is being read: what is reported of it once, the numbers of its records, and what stood in it before."""

    source: str
    options: OutputOptions
    default_method: str
    _notes: list[Problem] = field(default_factory=list)
    _told: set[str] = field(default_factory=set)
    _n_repeats: dict[int, int] = field(default_factory=dict)  # how often a run said the same of a text
    _keys: dict[tuple[int, int], int] = field(default_factory=dict)
    _first_lines: dict[int, int] = field(default_factory=dict)
    _word_and_line: tuple[str, int] = ("line", 0)
    _seen_here: set[int] = field(default_factory=set)
    _has_refused: bool = False

    def notes(self) -> list[Problem]:
        """The problems of the file that have come up since this was called last."""
        notes, self._notes = self._notes, []
        return notes

    def tell_once(self, field_name: str, value: object, reason: str) -> None:
        """Warn of something that holds for many records; said once a file."""
        if reason not in self._told:
            self._told.add(reason)
            self._notes.append(Problem(self.source, None, field_name, shown(value), reason, is_warning=True))

    def require_model(self) -> None:
        """Raise InvalidValue where nobody names the model of a file that cannot."""
        if not self.options.model.strip():
            raise InvalidValue(self._no_model())

    def has_model(self, model: str | None, findings: Findings) -> bool:
        """Whether a record or somebody names the model; a finding says where nobody does."""
        if (model or self.options.model).strip():
            return True
        findings.refuse("model", model or "", self._no_model())
        return False

    def _no_model(self) -> str:
        return _("'{source}' doesn't name its model. Use --model.", source=self.source)

    def run(
        self, findings: Findings, *, model: str | None = None, method: str | None = None,
        parameters: Mapping[str, object] | None = None, seed: int | None = None, unit: models.Unit = "none",
        is_signed: bool | None = None,
    ) -> models.Run | None:  # fmt: skip
        """The run of a record: what it says itself, else what the options say; None, with a finding, without a model."""
        if not self.has_model(model, findings):
            return None
        if not (method or self.options.method):
            reason = _("No method named; using '{method}'. Set it with --method.", method=self.default_method)
            self.tell_once("method", "", reason)
        try:
            return models.Run(
                model or self.options.model,
                method or self.options.method or self.default_method,
                models.canonical_parameters(parameters or {}),
                self.options.seed if seed is None else seed,
                unit,
                is_signed,
            )
        except InvalidValue as error:
            findings.refuse("model", model or "", _("{error} Add it here or use --model.", error=error))
            return None

    def output(
        self, record: Record, run: models.Run, text: Hashable, findings: Findings,
        attributions: Sequence[models.SourceAttribution] = (), predictions: Sequence[models.Prediction] = (),
        *, is_numbered: bool = False,
    ) -> models.SourceOutput:  # fmt: skip
        """What a record says.

        text: what tells its input from others, where the record has no id; is_numbered: its id may be its number alone
        """
        values = record.values if isinstance(record.values, dict) else {}
        given = values.get("split")
        split = given if isinstance(given, str) and given else self.options.split
        key = self._key(values, findings)
        input_text = _input_of(text, attributions) if is_numbered or not key else None
        if input_text is not None and key:
            input_text = replace(input_text, has_key=True)
        if not key:
            key = self._number((text, run, *(attribution.label for attribution in attributions)), text)
        return models.SourceOutput(
            key, run, record.source, record.line, split, tuple(predictions), tuple(attributions), input=input_text
        )

    def _key(self, values: Mapping[str, object], findings: Findings) -> str:
        """The key that a record says itself; "" where it says none."""
        given = next((values[name] for name in KEY_NAMES if values.get(name) is not None), None)
        if isinstance(given, str | int) and not isinstance(given, bool) and given != "":
            return f"{self.options.key_prefix}{given}"
        if given is not None:
            findings.refuse("id", given, _("Must be text or an integer."))
        return ""

    def _number(self, content: Hashable, text: Hashable) -> str:
        """The number of a record's text, from 0, for where no instance has the text; "" behind a record that was refused.

        Records of one text that differ in run or label are of one instance; a text that comes again for the same run
        and label is the next instance with this text.
        """
        n_before = self._n_repeats.get(hash(content), 0)
        self._n_repeats[hash(content)] = n_before + 1
        name = (hash(text), n_before)
        if self._has_refused and name not in self._keys:
            return ""
        return f"{self.options.key_prefix}{self._keys.setdefault(name, len(self._keys))}"

    def label(self, value: str | int | None, field_name: str, findings: Findings) -> str:
        """A label: a class number is the project's label of that position, unless it is a label itself; "" for None."""
        if value is None:
            return ""
        text = str(value)
        labels = self.options.labels if self.options.task.result_kind == "label" else ()
        if not labels or text in labels or text in self.options.renamed:
            return text
        match = _CLASS.fullmatch(text)
        if not (match or isinstance(value, int)):
            return text
        number = int(match.group(1)) if match else -1
        if 0 <= number < len(labels):
            return labels[number]
        reason = _(
            "No class {value}: the project has {labels}, from 0.", labels=counted(len(labels), "label"), value=value
        )
        findings.refuse(field_name, value, reason)
        return text

    def class_label(self, value: str | int | None, field_name: str, findings: Findings) -> str:
        """`label` of a tool that numbers its model's classes: once, which number was taken for which label."""
        label = self.label(value, field_name, findings)
        if label in self.options.labels and str(value) != label:
            order = listed([f"{number} = {name}" for number, name in enumerate(self.options.labels)])
            self.tell_once(field_name, "", _("Read in the project's label order ({labels}).", labels=order))
        return label

    def begin(self, record: Record, number: int) -> None:
        """Go on to a record, which is called by its line where each line is one."""
        is_line = record.source == self.source
        self._word_and_line = (unsaid("line"), record.line) if is_line else (unsaid("record"), number)
        self._seen_here.clear()

    def note_refused(self) -> None:
        """A record could not be read: records without ids cannot be numbered on from there."""
        self._has_refused = True

    def refuse_twice(self, output: models.SourceOutput, findings: Findings) -> None:
        """Note scores of one instance, run, label and layer that stood before, and so reasons, and answers by themselves.

        A text that stands twice is looked at where its instance is known.
        """
        if output.input is not None and not output.input.has_key:
            return
        contents: list[tuple[str, tuple[object, ...]]] = [
            (unsaid("scores"), (a.label, a.layer)) for a in output.attributions
        ]
        contents += [(unsaid("a rationale"), (rationale.kind,)) for rationale in output.rationales]
        if not contents:
            contents = [
                (unsaid("a prediction"), (prediction.on, prediction.threshold)) for prediction in output.predictions
            ]
        word, line = self._word_and_line
        for what, name in contents:
            fingerprint = _fingerprint(output, what, name)
            first = self._first_lines.setdefault(fingerprint, line)
            if fingerprint in self._seen_here or first != line:
                reason = _(
                    "Duplicate {what}, also in {word} {first}. Keep one.", what=_(what), word=_(word), first=first
                )
                findings.refuse("id", output.key, reason)
            self._seen_here.add(fingerprint)

    def is_first(self, output: models.SourceOutput) -> bool:
        """Note an output of one line with one attribution; False where the same was said in another line before."""
        attribution, line = output.attributions[0], output.line or 0
        fingerprint = _fingerprint(output, "scores", (attribution.label, attribution.layer))
        return self._first_lines.setdefault(fingerprint, line) == line


def _input_of(text: Hashable, attributions: Sequence[models.SourceAttribution]) -> models.InputText:
    """The text of a record, or the subwords of its scores."""
    if isinstance(text, str):
        return input_of_text(text)
    subwords = [
        subword for attribution in attributions[:1] for part in attribution.parts for subword in part.subwords or ()
    ]
    return input_of_subwords(subwords)


def _fingerprint(output: models.SourceOutput, what: str, name: tuple[object, ...]) -> int:
    """A number for what an output says, by which it is known when it is said again."""
    return hash((what, name, output.split, output.key, output.run))


Take = Callable[[Record, OutputFile, Findings], Iterable[models.SourceOutput]]


def read_each(
    records: Iterable[Record | models.SourceOutput | Problem], file: OutputFile, take: Take
) -> Iterator[models.SourceOutput | Problem]:
    """What `take` makes of each record; a record with a problem that is no warning is not taken at all.

    A SourceOutput among the records has been checked, also whether it is the first, and is handed on.
    """
    for number, record in enumerate(records):
        if isinstance(record, models.SourceOutput):
            yield record
            continue
        if isinstance(record, Problem):
            file.note_refused()
            yield record
            continue
        file.begin(record, number)
        findings = record.findings()
        outputs = list(take(record, file, findings))
        for output in outputs:
            file.refuse_twice(output, findings)
        if findings.is_refused:
            file.note_refused()
        else:
            yield from outputs
        yield from findings.problems
        yield from file.notes()


def read_json(
    path: Path, options: OutputOptions, default_method: str, take: Take, remedy: str
) -> Iterator[models.SourceOutput | Problem]:
    """The records of a JSON file that does not name its model.

    Raises: NotFound or InvalidValue when the file cannot be read, or no model is named
    """
    file = OutputFile(path.name, options, default_method)
    records = read_records(path, remedy)
    first = next(records, None)  # the file itself comes before what is missing beside it
    file.require_model()
    yield from read_each(() if first is None else chain((first,), records), file, take)


def check_scores(scores: Sequence[float], findings: Findings, field_name: str = "scores") -> None:
    """Note scores that are no numbers, and warn where all are 0."""
    if not models.are_finite(scores):
        number = next(n for n, score in enumerate(scores) if not math.isfinite(score))
        findings.refuse(f"{field_name}[{number}]", str(scores[number]), _("Must be a finite number."))
        return
    if scores and not any(scores):
        findings.warn(field_name, len(scores), _("All scores are 0. Check the method."))


def check_lengths(name: str, length: int, other: str, other_length: int, findings: Findings) -> bool:
    """Whether two lists are of one length; a finding says where they are not."""
    if length != other_length:
        reason = _(
            "'{name}' has {entries}, '{other}' {other_length}; lengths must match.",
            name=name,
            entries=counted(length, "entry", "entries"),
            other=other,
            other_length=other_length,
        )
        findings.refuse(name, length, reason)
    return length == other_length


def subwords_part(tokens: Sequence[str], scores: Sequence[float]) -> models.ScoredPart:
    """Scores of subwords of the whole input."""
    return models.ScoredPart(tuple(scores), subwords=tuple(models.Subword(token) for token in tokens))


# Answers of models as our own JSON lines write them: a list of probabilities, {label: p}, a text, or fields of their own.


_MOST_OVER = 0.01  # of a sum of rounded probabilities
_ROUNDING = 1e-6


def read_answers(row: OutputRow, file: OutputFile, findings: Findings) -> tuple[models.Prediction, ...]:
    """What a row answers: in `prediction`, or in `label` (or `answer`) and `probabilities`; nothing is fine."""
    of_row = AnswerRow(row.label, row.answer, row.probabilities, row.on, row.threshold)
    has_own = of_row.label is not None or of_row.answer is not None or of_row.probabilities is not None
    if row.prediction is None:
        if not has_own and (of_row.on != "full" or of_row.threshold is not None):
            findings.refuse("on", of_row.on, _("'on' or 'threshold' needs a label or probabilities."))
        return (_answer(of_row, "", file, findings),) if has_own else ()
    if has_own:
        findings.refuse("prediction", row.prediction, _("Use 'prediction' or 'label', not both."))
        return ()
    answer = _from_any(row.prediction, findings)
    if answer is None:
        return ()
    if row.on != "full" or row.threshold is not None:
        answer.on, answer.threshold = row.on, row.threshold
    return (_answer(answer, "prediction.", file, findings),)


def _from_any(value: object, findings: Findings) -> AnswerRow | None:
    """The forms of `prediction`; numbers under names are probabilities."""
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return AnswerRow(label=value)
    if isinstance(value, list):
        return convert({"probabilities": value}, AnswerRow, findings, {"probabilities": "prediction"})
    if isinstance(value, dict) and any(
        name in value for name in AnswerRow.__struct_fields__ if not _is_number(value.get(name))
    ):
        return convert(value, AnswerRow, findings)
    if isinstance(value, dict) and value:
        return convert({"probabilities": value}, AnswerRow, findings, {"probabilities": "prediction"})
    reason = _(
        "Must be a label, answer, probabilities, {by_label} or {both}.",
        by_label="{label: p}",
        both="{label, probabilities}",
    )
    findings.refuse("prediction", value, reason)
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _answer(answer: AnswerRow, field_prefix: str, file: OutputFile, findings: Findings) -> models.Prediction:
    if answer.label is not None and answer.answer is not None and str(answer.label) != answer.answer:
        reason = _("The row also has the label '{label}'. Keep one.", label=answer.label)
        findings.refuse(f"{field_prefix}answer", answer.answer, reason)
    given = answer.answer if answer.label is None else answer.label
    result = None if given is None else file.label(given, f"{field_prefix}label", findings)
    threshold = answer.threshold
    if threshold is not None and not 0 <= threshold <= 1:
        findings.refuse(f"{field_prefix}threshold", threshold, _("Must be a share of tokens, 0 to 1."))
    probabilities = _probabilities(answer, f"{field_prefix}probabilities", file, findings)
    _warn_of_odd(
        result, probabilities, isinstance(answer.probabilities, list), f"{field_prefix}probabilities", findings
    )
    return models.Prediction(result, probabilities, answer.on, threshold)


def _warn_of_odd(
    result: str | None, probabilities: Mapping[str, float], is_list: bool, field_name: str, findings: Findings
) -> None:
    """Probabilities that belong to other labels than their numbers suggest, or that are none."""
    if sum(probabilities.values()) > 1 + _MOST_OVER:
        findings.warn(
            field_name, f"{sum(probabilities.values()):.3g}", _("They sum to more than 1. Are they probabilities?")
        )
    highest = max(probabilities, key=lambda label: probabilities[label], default=None)
    if highest is None or result is None or result not in probabilities:
        return
    if probabilities[highest] > probabilities[result] + _ROUNDING:
        reason = _("Highest probability, but another label is predicted.")
        if is_list:
            order = _("Read in the project's label order ({labels}).", labels=listed([*probabilities]))
            reason = f"{reason} {order}"
        findings.warn(field_name, highest, reason)


def _probabilities(answer: AnswerRow, field_name: str, file: OutputFile, findings: Findings) -> Mapping[str, float]:
    """Probabilities by label; a list is in the order of the project's labels."""
    given = answer.probabilities
    if given is None:
        return {}
    labels = file.options.labels
    if isinstance(given, list):
        if labels and len(labels) != len(given):
            findings.refuse(
                field_name,
                given,
                _(
                    "It has {probabilities}; the project has {labels}.",
                    probabilities=counted(len(given), "probability", "probabilities"),
                    labels=counted(len(labels), "label"),
                ),
            )
            return {}
        given = {str(number): p for number, p in enumerate(given)}
    probabilities: dict[str, float] = {}
    for name, p in given.items():
        label = file.label(name, field_name, findings)
        if label in probabilities:
            reason = _("Duplicate. Keep one.")
            findings.refuse(field_name, name, reason)
        if not (math.isfinite(p) and -_ROUNDING <= p <= 1 + _ROUNDING):
            reason = _("Probabilities must be in [0, 1]. Apply softmax to logits.")
            findings.refuse(f"{field_name}.{name}", p, reason)
        probabilities[label] = p
    return probabilities
