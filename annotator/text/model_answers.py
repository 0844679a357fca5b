"""What a language model writes when it is asked for JSON, read tolerantly: it is text, whatever it says."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.numbers import counted
from annotator.domain.reviews import Scores, SetScore
from annotator.errors import InvalidValue
from annotator.language import _

LONGEST_ANSWER = 200_000
_LONGEST_RESULT = 2_000
_MOST_QUOTES = 200
_LONGEST_QUOTE = 20_000
_MOST_TRIES = 200  # braces at which an object may begin
_RESULT_NAMES = ("label", "answer", "prediction", "class")
_SET_NAMES = ("sets", "rationale_sets")
_MOST_SETS = 20
_QUOTE_NAMES = ("quotes", "quote", "evidence", "rationales", "rationale")
_DECODER = json.JSONDecoder()
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")
_AROUND = " \t\r\n\"'`*.“”‘’"

UNREAD, STRANGE, FAILED = "answer", "label", "response"  # what is wrong with an answer that is left out


@dataclass(frozen=True, slots=True)
class ExplainedAnswer:
    """A model's answer in the project's words, and its reasons in its own; sets: of the quotes, where it gave sets."""

    result: str
    quotes: tuple[str, ...]
    sets: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why an answer is left out: what is wrong (UNREAD, STRANGE, FAILED), the value that is meant, and a sentence."""

    what: str
    value: str
    reason: str


def read_answer(text: str, labels: Sequence[str]) -> ExplainedAnswer | Unusable:
    """A result and quotes, or sets of quotes, from what a model wrote: the last JSON object that has both.

    labels: those that the answer may be, in whatever case; none where it is an answer text
    """
    text = _UNWRITABLE.sub("\ufffd", text)
    if len(text) > LONGEST_ANSWER:
        return Unusable(
            UNREAD,
            text[:200],
            _(
                "The response has {characters}; the limit is {most}.",
                characters=counted(len(text), "character"),
                most=f"{LONGEST_ANSWER:,}",
            ),
        )
    answers = [(result, reasons) for values in _objects(text) if (result := _result(values)) is not None
               and (reasons := _reasons(values)) is not None]  # fmt: skip
    if not answers:
        reason = _("No JSON object with label (or answer) and quotes.")
        return Unusable(UNREAD, text[:200], reason)
    result, (quotes, sets) = answers[-1]
    if labels:
        label = _known_label(result, labels)
        if label is None:
            return Unusable(STRANGE, result[:200], _("The predicted label isn't in the project."))
        result = label
    return ExplainedAnswer(result[:_LONGEST_RESULT], quotes, sets)


def read_label(text: str, labels: Sequence[str]) -> str | None:
    """The label that a model chose: that of the last JSON object that has one, else what it wrote; None where it is none."""
    results = [result for values in _objects(text[:LONGEST_ANSWER]) if (result := _result(values)) is not None]
    return _known_label(results[-1] if results else text, labels)


def read_scores(text: str, n_sets: int) -> Scores | None:
    """A reviewer's scores of so many sets: those of the last JSON object that has all of them; None where none has."""
    for values in reversed(list(_objects(text[:LONGEST_ANSWER]))):
        sets = values.get("sets")
        if isinstance(sets, list) and len(sets) == n_sets and all(isinstance(of_set, Mapping) for of_set in sets):
            try:
                scores = [SetScore(_step(of.get("sufficiency")), _step(of.get("compactness"))) for of in sets]
                return Scores(tuple(scores), _step(values.get("comprehensiveness")))
            except InvalidValue:
                continue
    return None


def _step(value: object) -> int:
    """A step of a scale; raises InvalidValue for what is no whole number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidValue(str(value)[:80])
    return value


def text_of_response(body: object) -> str | None:
    """The text of an answer in the form of OpenAI's chat completions; None where there is none."""
    choices = body.get("choices") if isinstance(body, Mapping) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, Mapping):
        return None
    message = first.get("message")
    content = message.get("content") if isinstance(message, Mapping) else first.get("text")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str)) or None
    return content if isinstance(content, str) else None


def _objects(text: str) -> Iterator[Mapping[str, object]]:
    """The JSON objects in a text, outermost ones, from left to right."""
    index = text.find("{")
    for _n in range(_MOST_TRIES):
        if index < 0:
            return
        try:
            values, end = _DECODER.raw_decode(text, index)
        except (ValueError, RecursionError):
            end = index + 1
        else:
            if isinstance(values, dict):
                yield {name.strip().casefold(): value for name, value in values.items()}
        index = text.find("{", end)


def _result(values: Mapping[str, object]) -> str | None:
    """The label or answer of an object; numbers and truth values are called as JSON writes them."""
    given = next((values[name] for name in _RESULT_NAMES if name in values), None)
    if isinstance(given, str):
        return _UNWRITABLE.sub("\ufffd", given).strip()
    return json.dumps(given) if isinstance(given, int | float) else None


def _reasons(values: Mapping[str, object]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] | None:
    """The quotes of an object, each once, and the sets that they were given in; None where it has neither."""
    given = next((values[name] for name in _SET_NAMES if name in values), None)
    if not isinstance(given, list):
        quotes = _quotes(next((values[name] for name in _QUOTE_NAMES if name in values), None))
        return None if quotes is None else (quotes, ())
    of_sets = [_quotes(_in_set(item)) for item in given[:_MOST_SETS]]
    sets = tuple(quotes for quotes in of_sets if quotes)
    return tuple(dict.fromkeys(quote for quotes in sets for quote in quotes)), sets


def _in_set(item: object) -> object:
    """A set by itself, or in an object of its own."""
    if isinstance(item, Mapping):
        return next((value for name, value in item.items() if name.strip().casefold() in _QUOTE_NAMES), None)
    return item


def _quotes(given: object) -> tuple[str, ...] | None:
    """Quotes, each once; None for what is no list of them."""
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, list):
        return None
    texts = (_quote(item) for item in given[:_MOST_QUOTES])
    return tuple(dict.fromkeys(text for text in texts if text))


def _quote(item: object) -> str:
    """A quote by itself, or in an object of its own; what is neither is shown as it stands."""
    if isinstance(item, Mapping):
        item = next((item[name] for name in ("quote", "text") if name in item), "")
    text = item if isinstance(item, str) else json.dumps(item)
    return _UNWRITABLE.sub("\ufffd", text)[:_LONGEST_QUOTE].strip()


def _known_label(given: str, labels: Sequence[str]) -> str | None:
    """The label that is meant: as it is, else the only one that differs in case and in marks around it alone."""
    if given in labels:
        return given
    folded = given.strip(_AROUND).casefold()
    fitting = [label for label in labels if label.strip(_AROUND).casefold() == folded]
    return fitting[0] if len(fitting) == 1 else None
