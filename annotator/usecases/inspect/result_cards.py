"""Cards of results: numbers of a project's models with digests of all that they follow from, and whether they come out again."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from hashlib import sha256
from typing import Any

import msgspec

from annotator import __version__
from annotator.domain.instances import Instance, Opinion
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.proposed_sets import result_words
from annotator.errors import Conflict, InvalidValue
from annotator.language import _
from annotator.scoring.gold import GoldRow
from annotator.scoring.runs import ScoringOptions
from annotator.scoring.signatures import asked
from annotator.scoring.table import MetricTable, metric_table
from annotator.store import Store
from annotator.store.instances import get_instances
from annotator.store.measurements import last_event_id
from annotator.store.models import StoredRun, iterate_outputs
from annotator.usecases.gold_table import grouped_gold
from annotator.usecases.inspect.metric_formats import metric_lines, signature_of
from annotator.usecases.inspect.project_scores import evaluate_with_instances, runs_asked

FORMAT = 1
TOLERANCE = 1e-9  # of a number; counts have none
_LISTED = 20
_AT_ONCE = 500
_LINE = ("model", "method", "parameters", "seeds", "kind", "layer", "metric", "part")  # what a number is named by


@dataclass(frozen=True, slots=True)
class ScoredText:
    """An instance with gold. label: in clear, so that a difference has a name; text, sets: digests of 16 hexadecimal digits."""

    split: str
    key: str
    label: str | None
    text: str
    sets: str


@dataclass(frozen=True, slots=True)
class CardNumber:
    """A number. of: by the names of a line of the CSV; value: as Python writes it, "" where it is undefined."""

    of: Mapping[str, str]
    value: str
    n: int | None
    n_left_out: int | None
    signature: str


@dataclass(frozen=True, slots=True)
class ResultCard:
    """What `annotator evaluate project --card` writes.

    asked: the options of the evaluation; predictions: by run a digest of everything that it holds of the instances
    """

    format: int
    version: str
    project: str
    task: str
    gold_policy: str
    asked: Mapping[str, Any]
    texts: tuple[ScoredText, ...]
    predictions: Mapping[str, str]
    numbers: tuple[CardNumber, ...]
    tolerance: float = TOLERANCE


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What came of it.

    differences: of the first thing that differs, () where nothing does; n_more: how many are not listed
    n_numbers: how many were compared; largest: difference among them; notes: what differs and changed no number
    """

    n_texts: int
    n_numbers: int = 0
    largest: float = 0.0
    differences: tuple[str, ...] = ()
    n_more: int = 0
    notes: tuple[str, ...] = ()


def result_card(
    store: Store, actor: User, project: Project, options: ScoringOptions, *, model: str | None = None,
    method: str | None = None,
) -> ResultCard:  # fmt: skip
    """The card of an evaluation.

    Raises: NotFound as `evaluate_project`; Conflict where something happened meanwhile
    """
    options = replace(options, gold_policy=options.gold_policy or project.settings.gold_policy)
    policy = options.policy_of(project)
    before = last_event_id(store, project.id)
    made = evaluate_with_instances(store, actor, project, model=model, method=method, options=options)
    with store.snapshot():
        gold = grouped_gold(store, project, policy, options.split, options.grouping, options.ratio).gold
        texts = tuple(sorted(_texts(store, gold.rows), key=lambda text: (text.split, text.key)))
        keys = {row.id: [row.split, row.key] for row in gold.rows}
        runs = runs_asked(store, project, model, method)
        predictions = {_title(run): _digest_of_run(store, run, keys) for run in runs}
        if last_event_id(store, project.id) != before:
            raise Conflict(_("'{name}' changed meanwhile. Try again.", name=project.name))
    given = asdict(options) | {"model": model, "method": method}
    numbers = tuple(_numbers(metric_table(*made), options.explained))
    return ResultCard(FORMAT, __version__, project.name, project.task.name, policy, given, texts, predictions, numbers)


def written_card(card: ResultCard) -> bytes:
    """As JSON, line by line, so that two cards can be compared by any program."""
    return msgspec.json.format(msgspec.json.encode(card)) + b"\n"


def read_card(content: bytes) -> ResultCard:
    """Raises: InvalidValue for what is no card, or one of a newer version."""
    try:
        head = msgspec.json.decode(content)
        if isinstance(head, dict) and isinstance(head.get("format"), int) and head["format"] > FORMAT:
            raise InvalidValue(
                _(
                    "The card was made by a newer version ({version}). Update this one.",
                    version=head.get("version", "?"),
                )
            )
        return msgspec.json.decode(content, type=ResultCard)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise InvalidValue(
            _("Not a results card: {error}. Use one that evaluate project wrote.", error=error)
        ) from error


def reproduce(store: Store, actor: User, project: Project, card: ResultCard) -> Reproduction:
    """Compute a card's numbers anew, and compare texts, gold, predictions, definitions, numbers: up to the first that differs.

    Raises: InvalidValue for options of a card that this version does not have, NotFound as `evaluate_project`
    """
    given = dict(card.asked)
    model, method = given.pop("model", None), given.pop("method", None)
    try:
        options = msgspec.convert(given, ScoringOptions)
    except msgspec.ValidationError as error:
        raise InvalidValue(_("Unknown options on the card: {error}.", error=error)) from error
    here = result_card(store, actor, project, options, model=model, method=method)
    notes = () if here.version == card.version else (_("Made with version {version}.", version=card.version),)
    for compared in (_of_texts, _of_gold, _of_predictions, _of_definitions):
        differences = list(compared(card, here))
        if differences:
            return _ended(len(card.texts), differences, notes)
    differences, largest = _of_numbers(card, here)
    if differences:
        return _ended(len(card.texts), differences, notes)
    return Reproduction(len(card.texts), len(card.numbers), largest, notes=notes)


def _ended(n_texts: int, differences: Sequence[str], notes: tuple[str, ...]) -> Reproduction:
    shown = tuple(differences[:_LISTED])
    return Reproduction(n_texts, differences=shown, n_more=len(differences) - len(shown), notes=notes)


# Digests: of canonical JSON without floats, so that the same content has the same one everywhere.


def digest(content: object) -> str:
    """16 hexadecimal digits of SHA-256.

    >>> digest({"key": "k1", "label": "positive", "sets": [[0, 1], [4]]})
    '56289353a2f1954b'
    """
    written = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _texts(store: Store, rows: Sequence[GoldRow]) -> Iterator[ScoredText]:
    for first in range(0, len(rows), _AT_ONCE):
        part = rows[first : first + _AT_ONCE]
        instances = get_instances(store, [row.id for row in part])
        for row in part:
            sets: list[object] = [
                list(indices) for indices in row.sets
            ]  # in their order, on which greedy unions depend
            if row.opinions:
                sets = [sets, sorted((_said(opinion) for opinion in row.opinions), key=digest)]
            yield ScoredText(row.split, row.key, row.result, digest(_content(instances[row.id])), digest(sets))


def _said(opinion: Opinion) -> object:
    """Without the name, which another project may have changed."""
    sets = None if opinion.sets is None else [list(of.token_indices) for of in opinion.sets]
    return [opinion.label, sets, opinion.is_of_person]


def _content(instance: Instance) -> object:
    bodies = ((segment.name, segment.body) for segment in instance.segments)
    return [[name, body.text, list(zip(body.starts, body.ends, strict=True))] for name, body in bodies]


def _digest_of_run(store: Store, stored: StoredRun, keys: Mapping[int, object]) -> str:
    of_instances = {
        digest(keys[output.instance_id]): digest(
            [_plain(getattr(output, name)) for name in ("predictions", "attributions", "rationales")]
        )
        for output in iterate_outputs(store, stored.id)
        if output.instance_id in keys
    }
    return digest(of_instances)


def _plain(value: object) -> object:
    """With floats as hexadecimal text, which every machine writes alike."""
    if isinstance(value, float):
        return value.hex()
    if is_dataclass(value) and not isinstance(value, type):
        return {of.name: _plain(getattr(value, of.name)) for of in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(of) for name, of in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(of) for of in value]
    return value if value is None or isinstance(value, str | int) else str(value)


def _title(stored: StoredRun) -> str:
    run = stored.run
    seed = "" if run.seed is None else f"seed {run.seed}"
    return " · ".join(filter(None, (run.model, run.method, "" if run.parameters == "{}" else run.parameters, seed)))


def _numbers(table: MetricTable, explained: str) -> Iterator[CardNumber]:
    common = asked(table, explained=explained)
    for line in metric_lines(table):
        of = {name: str(line[name]) for name in _LINE if line.get(name) not in (None, "")}
        value = line.get("value")
        n, n_left_out = (line.get(name) for name in ("n", "n_left_out"))
        yield CardNumber(
            of,
            "" if value is None else repr(float(str(value))),
            _count(n),
            _count(n_left_out),
            signature_of(line, common),
        )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) else None


# Comparisons: each tells in sentences what differs, by the names of texts, runs and numbers.


def _of_texts(card: ResultCard, here: ResultCard) -> Iterator[str]:
    before, now = _by_name(card.texts), _by_name(here.texts)
    for name in before.keys() - now.keys():
        yield _("{text} has no gold here any more.", text=name)
    for name in now.keys() - before.keys():
        yield _("{text} has gold here, but not on the card.", text=name)
    yield from sorted(
        _("The text or tokens of {text} differ.", text=name)
        for name in before.keys() & now.keys()
        if before[name].text != now[name].text
    )


def _of_gold(card: ResultCard, here: ResultCard) -> Iterator[str]:
    now = _by_name(here.texts)
    for name, text in _by_name(card.texts).items():
        if text.label != now[name].label:
            yield _(
                "The gold label of {text} was {before}, and is {after}.",
                text=name, before=result_words(text.label), after=result_words(now[name].label)
            )  # fmt: skip
        if text.sets != now[name].sets:
            yield _("The rationale sets of {text} differ.", text=name)


def _of_predictions(card: ResultCard, here: ResultCard) -> Iterator[str]:
    for name in sorted(card.predictions.keys() | here.predictions.keys()):
        if name not in here.predictions:
            yield _("No run {run} here.", run=name)
        elif name not in card.predictions:
            yield _("Run {run} is not on the card.", run=name)
        elif card.predictions[name] != here.predictions[name]:
            yield _("Run {run} differs.", run=name)


def _of_definitions(card: ResultCard, here: ResultCard) -> Iterator[str]:
    now = {_place(number): number.signature for number in here.numbers}
    for number in card.numbers:
        before, after = (_without_version(of) for of in (number.signature, now.get(_place(number), "")))
        if after and before != after:
            yield _("The signature was {before}, and is {after}.", before=before, after=after)


def _of_numbers(card: ResultCard, here: ResultCard) -> tuple[list[str], float]:
    now = {_place(number): number for number in here.numbers}
    differences, largest = [], 0.0
    for number in card.numbers:
        other = now.get(_place(number))
        if other is None:
            differences.append(_("{number} is missing here.", number=_place(number)))
            continue
        if number.value and other.value:
            largest = max(largest, abs(float(number.value) - float(other.value)))
        is_close = _is_close(number.value, other.value, card.tolerance)
        if not is_close or (number.n, number.n_left_out) != (other.n, other.n_left_out):
            differences.append(
                _(
                    "{number} was {before}, and is {after}.",
                    number=_place(number),
                    before=_told(number),
                    after=_told(other),
                )
            )
    return differences, largest


def _is_close(before: str, after: str, tolerance: float) -> bool:
    if not before or not after:
        return before == after
    return abs(float(before) - float(after)) <= tolerance


def _told(number: CardNumber) -> str:
    return f"{number.value or '–'} (n {'–' if number.n is None else number.n})"


def _place(number: CardNumber) -> str:
    return " · ".join(number.of.values())


def _without_version(signature: str) -> str:
    return signature.rpartition("|v:")[0]


def _by_name(texts: Iterable[ScoredText]) -> dict[str, ScoredText]:
    return {f"{text.split}/{text.key}" if text.split else text.key: text for text in texts}
