"""What a model predicts for the texts of a suite and for contrast sets, as JSONL (docs/formats.md).

    {"test": str, "case": str or int, "position": int, "label": str or int, "probabilities": {label: float}}
    {"id": str or int, "label": str or int, "probabilities": {label: float}}

Either may have a `seed` and a `model`. Other fields are left alone. Rows of one seed, or else of one file, are a run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from annotator.domain.numbers import counted
from annotator.domain.suites import Case, CaseAnswer, has_probabilities, watched_label
from annotator.errors import InvalidValue, Problem
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.lines import Row, convert, read_rows
from annotator.formats.suites.cases import Suite
from annotator.language import _, unsaid

TextKey = tuple[str, str, int]  # test, case, position
_WHAT_FOR = unsaid("A row needs test, case and position, or an instance id.")


@dataclass(frozen=True, slots=True)
class Prediction(CaseAnswer):
    """A predicted label, with the probability of each label where the file has them, and where it stands."""

    source: str
    line: int


@dataclass(slots=True)
class Run:
    """The predictions of one seed, or of one file whose rows say none (has_seed)."""

    name: str
    of_texts: dict[TextKey, Prediction] = field(default_factory=dict)
    of_instances: dict[str, Prediction] = field(default_factory=dict)
    has_seed: bool = True


@dataclass(slots=True)
class Runs:
    """The runs of one model, in the order of their first rows. model: its name, where the rows say one."""

    runs: list[Run]
    problems: list[Problem]
    model: str | None = None

    def for_suite(self) -> list[Run]:
        """The runs that predict something for a suite."""
        return [run for run in self.runs if run.of_texts]

    def for_contrasts(self) -> list[Run]:
        """The runs that predict something for instances."""
        return [run for run in self.runs if run.of_instances]


class _Row(msgspec.Struct):
    label: str | int
    probabilities: dict[str, float] | None = None
    test: str | None = None
    case: str | int | None = None
    position: int | None = None
    id: str | int | None = None
    seed: str | int | None = None
    model: str | None = None


def read_runs(paths: Sequence[Path]) -> Runs:
    """The predictions of one model, in one or several files.

    Raises: NotFound or InvalidValue when a file is not there or holds nothing, and for rows of several models
    """
    reader = _Reader()
    for number, path in enumerate(paths):
        n_rows = 0
        for row in read_rows(path, path.name):
            n_rows += 1
            if isinstance(row, Problem):
                reader.problems.append(row)
            else:
                reader.add(number, row)
        if not n_rows:
            raise InvalidValue(_("No usable rows in '{path}' (see docs/formats.md).", path=path))
    if len(reader.models) > 1:
        raise InvalidValue(
            _(
                "{n} models: {models}. Score one, compare another with --base-predictions.",
                n=len(reader.models),
                models=listed(sorted(reader.models)),
            )
        )
    return Runs(list(reader.runs.values()), reader.problems, next(iter(reader.models), None))


@dataclass(slots=True)
class _Reader:
    runs: dict[tuple[str, str | int], Run] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    models: set[str] = field(default_factory=set)

    def add(self, file_number: int, row: Row) -> None:
        """Take a row, or note what is wrong with it."""
        findings = row.findings()
        read = convert(row.values, _Row, findings)
        if read is not None:
            _check(read, findings)
            if not findings.is_refused:
                self._take(file_number, row, read, findings)
        self.problems.extend(findings.problems)

    def _take(self, file_number: int, row: Row, read: _Row, findings: Findings) -> None:
        if read.model is not None:
            self.models.add(read.model)
        run_key = ("file", file_number) if read.seed is None else ("seed", str(read.seed))
        run = self.runs.get(run_key)
        if run is None:
            name = row.source if read.seed is None else str(read.seed)
            is_taken = any(known.name == name for known in self.runs.values())
            run = self.runs[run_key] = Run(
                f"{name} ({file_number + 1})" if is_taken else name, has_seed=read.seed is not None
            )
        prediction = Prediction(str(read.label), read.probabilities, row.source, row.line)
        if read.id is not None:
            known = run.of_instances.setdefault(str(read.id), prediction)
            field_name = "id"
        else:
            key = (read.test or "", str(read.case), read.position or 0)
            known = run.of_texts.setdefault(key, prediction)
            field_name = "position"
        if known is not prediction:
            reason = _("Duplicate of {source}, line {line}. Keep one.", source=known.source, line=known.line)
            findings.refuse(field_name, row.values.get(field_name), reason)


def _check(row: _Row, findings: Findings) -> None:
    of_text = {"test": row.test, "case": row.case, "position": row.position}
    given = [name for name, value in of_text.items() if value is not None]
    if row.id is not None and given:
        findings.refuse(
            "id", row.id, _("The row also has '{field}'. {what_for}", field=given[0], what_for=_(_WHAT_FOR))
        )
    elif row.id is None:
        for name in of_text.keys() - given:
            findings.refuse(name, "", _("Field '{field}' is missing. {what_for}", field=name, what_for=_(_WHAT_FOR)))
    if row.position is not None and row.position < 0:
        findings.refuse("position", row.position, _("Must be an integer from 0."))
    for label, p in (row.probabilities or {}).items():
        if not 0 <= p <= 1:
            findings.refuse(f"probabilities.{label}", p, _("Probabilities must be in [0, 1]. Apply softmax to logits."))
    if row.probabilities is not None and str(row.label) not in row.probabilities:
        reason = _(
            "No probability for the predicted label '{label}' (only {labels}).",
            label=row.label,
            labels=listed(list(row.probabilities)),
        )
        findings.refuse("probabilities", row.probabilities, reason)


def problems_of_run(suite: Suite, run: Run) -> Iterator[Problem]:
    """Texts without a prediction, predictions for texts that a case does not have, and probabilities that are needed."""
    n_texts = {(case.test, case.case): len(case.texts) for case in suite.cases}
    for (test, case_id, position), prediction in run.of_texts.items():
        n = n_texts.get((test, case_id), position + 1)
        if position >= n:
            reason = _("The case has {texts}: positions 0 to {last}.", texts=counted(n, "text"), last=n - 1)
            yield Problem(prediction.source, prediction.line, "position", str(position), reason)
    source = next(iter(run.of_texts.values())).source
    for case in suite.cases:
        keys = [(case.test, case.case, position) for position in range(len(case.texts))]
        missing = [key for key in keys if key not in run.of_texts]
        for key in missing:
            reason = _("No prediction by '{run}' for this text.", run=run.name)
            yield Problem(source, None, "test, case, position", ", ".join(map(str, key)), reason)
        if not missing:
            yield from _problems_of_answer(case, [run.of_texts[key] for key in keys])


def _problems_of_answer(case: Case, answer: Sequence[Prediction]) -> Iterator[Problem]:
    """Probabilities that a case cannot be judged without."""
    needs_probabilities = case.type == "DIR" or (case.type == "INV" and has_probabilities(answer))
    if not needs_probabilities:
        return
    watched = watched_label(case, answer)
    for prediction in answer:
        if prediction.p(watched) is None:
            known = listed(list(prediction.probabilities or {})) or _("none")
            reason = _(
                "{type} cases compare the probability of '{label}'; the row has {labels}.",
                type=case.type,
                label=watched,
                labels=known,
            )
            yield Problem(prediction.source, prediction.line, "probabilities", "", reason)
