"""The format `self-explanations`: what language models answered to the prompts of `annotator prompts`, a line an answer.

A line has the instance (`custom_id` as in the prompts, or `key` and `split`), and the answer: as text (`answer`, `text`, ...), as
a body of OpenAI's chat completions, or as a line of an OpenAI batch's output file.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from annotator.domain.models import Prediction, SourceOutput, SourceRationale
from annotator.domain.self_explanations import is_prompt_name, read_request_name, run_of
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import OutputOptions
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.lines import Row, read_rows
from annotator.language import _, together
from annotator.text.model_answers import FAILED, STRANGE, Unusable, read_answer, text_of_response

_KEYS = ("custom_id", "key", "id", "instance_id")
_TEXTS = ("answer", "text", "output", "completion", "response", "content")
_UNKNOWN_PROMPT = "unknown"


@dataclass(frozen=True, slots=True)
class _Question:
    key: str
    split: str | None
    prompt: str


@dataclass(slots=True)
class _File:
    """A file that is being read, and in which line each instance's answer of a model stood."""

    options: OutputOptions
    lines: dict[tuple[str, _Question], int] = field(default_factory=dict)


def read(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    """The answers of a file. One that cannot be used is a warning, since a model that fails at times is no mistake of the file.

    Raises: NotFound or InvalidValue when the file cannot be read
    """
    file = _File(options)
    for row in read_rows(path, path.name):
        yield from [row] if isinstance(row, Problem) else _row(row, file)


def _row(row: Row, file: _File) -> Iterator[SourceOutput | Problem]:
    findings = Findings(row.source, row.line)
    question = _question(row.values, file.options, findings)
    body = _body(row.values)
    model = _model(row.values, body, file.options, findings)
    if question is not None and model:
        first = file.lines.setdefault((model, question), row.line)
        if first != row.line:
            findings.refuse("key", question.key, _("Duplicate of line {line}. Keep one.", line=first))
        if not findings.is_refused:
            output = _output(row, question, model, body, file.options, findings)
            if output is not None:
                yield output
    yield from findings.problems


def _question(values: Mapping[str, object], options: OutputOptions, findings: Findings) -> _Question | None:
    name = next((name for name in _KEYS if values.get(name) not in (None, "")), None)
    given = None if name is None else values[name]
    if name is None or isinstance(given, bool) or not isinstance(given, str | int):
        findings.refuse("key", given, _("No instance named. Add 'custom_id' or 'key'."))
        return None
    split, prompt = values.get("split"), values.get("prompt_version", _UNKNOWN_PROMPT)
    if not isinstance(prompt, str | int) or not is_prompt_name(str(prompt)):
        findings.refuse("prompt_version", prompt, _("Unknown prompt version. Copy it from the prompts file."))
        return None
    named = read_request_name(str(given))
    if named is not None:
        return _Question(f"{options.key_prefix}{named[0]}", named[1], named[2])
    return _Question(
        f"{options.key_prefix}{given}", split if isinstance(split, str) and split else options.split, str(prompt)
    )


def _body(values: Mapping[str, object]) -> Mapping[str, object]:
    """What the server answered: the line itself, or what it holds as its response."""
    response = values.get("response")
    if not isinstance(response, Mapping):
        return values
    inner = response.get("body")
    return inner if isinstance(inner, Mapping) else response


def _model(values: Mapping[str, object], body: Mapping[str, object], options: OutputOptions, findings: Findings) -> str:
    """The model as the options name it, else the line, else what the server answered."""
    given = options.model.strip() or values.get("model") or body.get("model")
    if not isinstance(given, str) or not given.strip():
        findings.refuse("model", "" if given is None else given, _("No model named. Use --model."))
        return ""
    return given.strip()


def _output(
    row: Row, question: _Question, model: str, body: Mapping[str, object], options: OutputOptions, findings: Findings
) -> SourceOutput | None:
    labels = (*options.labels, *sorted(options.renamed)) if options.task.result_kind == "label" else ()
    text = text_of_response(body)
    if text is None:
        text = next((value for name in _TEXTS if isinstance(value := row.values.get(name), str)), None)
    answer = _failed(row.values, body) if text is None else read_answer(text, labels)
    if isinstance(answer, Unusable):
        findings.warn(answer.what, answer.value, together(answer.reason, _remedy(answer, options)))
        return None
    try:
        run = run_of(model, question.prompt, options.seed)
    except InvalidValue as error:
        findings.refuse("model", model, str(error))
        return None
    return SourceOutput(
        question.key, run, row.source, row.line, question.split, (Prediction(answer.result),),
        rationales=(SourceRationale("hard", quotes=answer.quotes, sets=answer.sets),),
    )  # fmt: skip


def _failed(values: Mapping[str, object], body: Mapping[str, object]) -> Unusable:
    """What a line without an answer says instead."""
    error = values.get("error") or body.get("error")
    message = error.get("message") if isinstance(error, Mapping) else error
    if isinstance(message, str) and message:
        return Unusable(FAILED, message[:200], _("The request failed."))
    return Unusable(FAILED, "", _("The line has no response."))


def _remedy(answer: Unusable, options: OutputOptions) -> str:
    if answer.what == STRANGE:
        return _("Skipped unless mapped to one of {names} with --rename.", names=listed(options.labels))
    return _("Skipped.")
