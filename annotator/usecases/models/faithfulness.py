"""Faithfulness runs: what a model answers to a rationale (a method's own, or a share) alone and to the rest; normalised too."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from annotator.attribution.base import Input, with_target
from annotator.attribution.removal_methods import reading_of
from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.models import Attribution, MachineRationale, Output, Prediction, facts_from
from annotator.domain.models import Input as InputKind
from annotator.domain.numbers import counted
from annotator.domain.tasks import Task
from annotator.errors import ModelError
from annotator.language import _
from annotator.metrics.against_sets import Sides, order_of, top_of_sides
from annotator.metrics.normalised_aopc import (
    AOPC_FACTS,
    MOST_EXACT,
    WIDTH,
    Bounds,
    Known,
    MeasuredAopc,
    Search,
    answers_of,
    aopc_of_order,
    beam_bounds,
    gap_of,
    left_of_order,
    most_calls,
    search_all,
    search_bounds,
)
from annotator.metrics.ragged import Flags, Floats, Integers, Ragged
from annotator.scoring.gold import GoldTable, gold_row
from annotator.usecases.models.project_model import ProjectModel

THRESHOLDS = (0.01, 0.05, 0.1, 0.2, 0.5)  # ERASER's shares of tokens (DeYoung et al. 2020, section 4.2)

_REDUCED: tuple[InputKind, InputKind] = ("rationale", "rest")


@dataclass(frozen=True, slots=True)
class Reduced:
    """What is asked of an instance: the selected tokens, and whether they are the method's own or a share of all.

    threshold: None for the method's own rationale
    """

    instance: Instance
    tokens: tuple[int, ...]
    threshold: float | None


class Selection:
    """How many tokens are selected: k by the project's gold, and the shares.

    k = ceil(ratio × tokens of the side), the ratio being the mean RLR of the gold, or the stated one without gold; likewise a
    share of each side. Sides are as in scoring: the two of a pair, else the whole.
    """

    def __init__(self, gold: GoldTable, task: Task, ratio: float | None = None) -> None:
        self._gold = gold
        self._task = task
        self._ratio = ratio
        self.has_ratio = any(gold.ratios) or ratio is not None

    def without_gold(self) -> "Selection":
        """The same of attributions, without what `of_gold` needs."""
        return Selection(replace(self._gold, rows=()).with_ratios(self._gold.ratios), self._task, self._ratio)

    def of_attribution(
        self, instance: Instance, attribution: Attribution, selected: tuple[int, ...] | None = None
    ) -> list[Reduced]:
        """The top k of the scores and the top of each share; tokens that the model did not see are never selected.

        selected: the tokens that the model selected by itself, in the place of the top k
        """
        row = gold_row(GoldInstance(instance, (), None), self._task, keep_tokens=False, is_exhaustive=False)
        scores = Ragged.of([attribution.scores[: row.n_tokens]], np.float64)
        order = order_of(scores)
        lengths = np.array([[n for _, n in row.sides]], dtype=np.int64)
        ratios_by_threshold: list[tuple[float | None, tuple[float, ...]]] = [
            (t, (t,) * lengths.shape[1]) for t in THRESHOLDS
        ]
        if self.has_ratio and selected is None:
            by_ratio = self._gold.ratios if self._ratio is None else (self._ratio,) * lengths.shape[1]
            ratios_by_threshold.insert(0, (None, by_ratio))
        of_scores = [
            Reduced(instance, tuple(sorted(top_of_sides(order, Sides(lengths, ratios)).values.tolist())), threshold)
            for threshold, ratios in ratios_by_threshold
        ]
        return of_scores if selected is None else [Reduced(instance, selected, None), *of_scores]

    def of_gold(self, instance: Instance) -> list[Reduced]:
        """The union of the instance's gold sets; nothing where it has none."""
        index = self._gold.places.get(instance.id)
        sets = () if index is None else self._gold.rows[index].sets
        union = sorted({token for tokens in sets for token in tokens})
        return [Reduced(instance, tuple(union), None)] if sets else []


def missing(inputs: Sequence[Reduced], stored: Output) -> list[Reduced]:
    """What has not been answered yet; the method's own rationale is asked about again where it has changed."""
    known = {(p.on, p.threshold) for p in stored.predictions}
    stored_rationale = next((rationale for rationale in stored.rationales if rationale.kind == "hard"), None)
    return [
        reduced
        for reduced in inputs
        if any((on, reduced.threshold) not in known for on in _REDUCED)
        or (reduced.threshold is None and stored_rationale != rationale_of(reduced))
    ]


def answered(model: ProjectModel, reduced_inputs: Sequence[Reduced]) -> dict[int, Output]:
    """The answers by instance, with the method's own rationale as it was asked about. Equal inputs are asked about once."""
    places: dict[tuple[int, bytes], int] = {}
    inputs: list[Input] = []
    for reduced, _part, mask in _masks(reduced_inputs):
        key = (reduced.instance.id, mask.tobytes())
        if key not in places:
            places[key] = len(inputs)
            whole = Input.of(reduced.instance)
            inputs.append(whole.kept(with_target(model.predictor, whole, mask)))
    answers = model.answers(inputs) if inputs else []
    predictions: dict[int, list[Prediction]] = {}
    for reduced, on, mask in _masks(reduced_inputs):
        answer = answers[places[reduced.instance.id, mask.tobytes()]]
        prediction = Prediction(answer.result, answer.probabilities, on, reduced.threshold)
        predictions.setdefault(reduced.instance.id, []).append(prediction)
    rationales = {
        reduced.instance.id: (rationale_of(reduced),) for reduced in reduced_inputs if reduced.threshold is None
    }
    return {i: Output(i, tuple(of_one), rationales=rationales.get(i, ())) for i, of_one in predictions.items()}


def _masks(reduced_inputs: Sequence[Reduced]) -> Iterator[tuple[Reduced, InputKind, Flags]]:
    for reduced in reduced_inputs:
        mask = np.zeros(reduced.instance.layout.n_selectable, dtype=np.bool_)
        mask[list(reduced.tokens)] = True
        yield reduced, "rationale", mask
        yield reduced, "rest", ~mask


def rationale_of(reduced: Reduced) -> MachineRationale:
    """The selected tokens as spans, none of which crosses from one segment into another."""
    starts = {segment.first_token for segment in reduced.instance.layout.segments}
    spans: list[tuple[int, int]] = []
    for token in reduced.tokens:
        if spans and spans[-1][1] == token and token not in starts:
            spans[-1] = (spans[-1][0], token + 1)
        else:
            spans.append((token, token + 1))
    return MachineRationale("hard", tuple(spans))


# Normalised faithfulness of attributions: which subsets of texts a model is asked about, together for a batch of instances.


MOST_TOKENS = 50
_N_GAPS = 20  # texts whose bounds are looked for with a beam twice as wide, too
_AT_ONCE = 512  # reduced texts that are in memory together
_CALLS_IN_A_BATCH = 10_000  # after so many, what was computed is stored


@dataclass(frozen=True, slots=True)
class Normalising:
    """How bounds are looked for.

    most_tokens: of a text; longer ones are left out. width: of the beam above 12 tokens
    with_gap:    the instances whose bounds are compared with those of a beam twice as wide
    """

    most_tokens: int = MOST_TOKENS
    width: int = WIDTH
    with_gap: frozenset[int] = frozenset()

    def calls_of(self, n_tokens: int, n_seeds: int = 1) -> int:
        """How many reduced texts a model is asked about at most; none of a text that is left out."""
        return 0 if n_tokens > self.most_tokens else most_calls(n_tokens, self.width) + 2 * n_tokens * n_seeds

    def weight_of(self, n_tokens: int) -> float:
        """Which share of the work that is stored together a text is."""
        return self.calls_of(n_tokens) / _CALLS_IN_A_BATCH


@dataclass(slots=True)
class NormalisingCounts:
    """What was done: attributions with bounds, subsets asked about, attributions left out, and gaps by instance."""

    n_normalised: int = 0
    n_calls: int = 0
    n_too_long: int = 0
    n_without_order: int = 0
    gaps: dict[int, float] = field(default_factory=dict)


def plan_normalising(
    batches: Iterable[Sequence[Instance]], most_tokens: int, width: int, n_seeds: int
) -> tuple[Normalising, str]:
    """Which texts tell the gap, evenly spread over those that a beam is used for; and what is asked at most, in a sentence."""
    lengths = {instance.id: instance.layout.n_selectable for batch in batches for instance in batch}
    beam = [i for i, n in lengths.items() if MOST_EXACT < n <= most_tokens]
    steps = np.linspace(0, len(beam) - 1, min(len(beam), _N_GAPS)).round().astype(int).tolist() if beam else []
    normalising = Normalising(most_tokens, width, frozenset(beam[step] for step in steps))
    n_calls = sum(normalising.calls_of(n, n_seeds) for n in lengths.values())
    n_calls += sum(most_calls(lengths[i], 2 * width) for i in normalising.with_gap)
    n_long = sum(n > most_tokens for n in lengths.values())
    left_out = (
        f"; {counted(n_long, 'text')} of more than {most_tokens} tokens left out (--most-tokens)" if n_long else ""
    )
    return normalising, (
        f"Normalising asks the model about at most {counted(n_calls, 'reduced text')} of "
        f"{counted(len(lengths) - n_long, 'text')}{left_out}."
    )


@dataclass(slots=True)
class _Text:
    """A text with the explained and the predicted class; known: the probabilities of its subsets that were asked about."""

    instance: Instance
    label: str
    predicted: str
    tokens: Integers  # those that the model saw, by number
    known: Known = field(default_factory=dict)
    bounds: Bounds | None = None
    n_calls: int = 0
    gap: float | None = None


class Normaliser:
    """Adds normalised faithfulness to attributions of one model."""

    def __init__(self, model: ProjectModel, normalising: Normalising) -> None:
        self._model = model
        self.normalising = normalising
        self._reading = reading_of(model.predictor)
        self._texts: dict[tuple[int, str, bytes], _Text] = {}

    def begin(self) -> None:
        """A batch of other instances: what is known of the last ones is not needed again."""
        self._texts.clear()

    def add(
        self,
        chosen: Sequence[tuple[Instance, Attribution, str]],
        others: Iterable[Mapping[int, Output]],
        counts: NormalisingCounts,
    ) -> Iterator[tuple[int, Attribution]]:
        """The attributions with their facts, by instance; none of those that have them or are left out.

        chosen: with the predicted class, which is explained where an attribution is of no class
        others: the output of the model's other runs that read texts in the same way, from which bounds are taken over
        """
        todo = [(*self._text(*of_one), of_one[1]) for of_one in chosen if self.is_missing(of_one[1])]
        short = [of_one for of_one in todo if len(of_one[0].tokens) <= self.normalising.most_tokens]
        wanted = [(text, order, a) for text, order, a in short if len(order) and text.label in self._model.labels]
        counts.n_too_long += len(todo) - len(short)
        counts.n_without_order += len(short) - len(wanted)
        self._take_over([text for text, _, _ in wanted], others)
        before = self._n_known()
        self._find_bounds([text for text, _, _ in wanted])
        measured = self._measured([(text, order) for text, order, _ in wanted])
        counts.n_calls += self._n_known() - before
        counts.n_normalised += len(wanted)
        for (text, _order, a), aopc in zip(wanted, measured, strict=True):
            counts.gaps |= {} if aopc.gap is None else {text.instance.id: aopc.gap}
            other = {name: value for name, value in a.facts if name not in AOPC_FACTS}
            yield text.instance.id, replace(a, facts=facts_from(other | aopc.facts()))

    def _n_known(self) -> int:
        return sum(len(text.known) for text in self._texts.values())

    def is_missing(self, attribution: Attribution) -> bool:
        """Whether it has no facts, or those of another beam."""
        stored = MeasuredAopc.of_facts(dict(attribution.facts))
        return stored is None or stored.bounds.width not in {0, self.normalising.width}

    def _text(self, instance: Instance, attribution: Attribution, predicted: str) -> tuple[_Text, Integers]:
        """The text, and the order of its seen tokens by falling score; no order where all scores are equal."""
        scores = np.array(attribution.scores[: instance.layout.n_selectable], dtype=np.float64)
        tokens = np.flatnonzero(~np.isnan(scores))
        label = attribution.label or predicted
        key = instance.id, label, tokens.tobytes()
        text = self._texts.setdefault(key, _Text(instance, label, predicted, tokens))
        seen = scores[tokens]
        has_order = len(seen) == 1 or (len(seen) > 1 and seen.min() < seen.max())
        return text, order_of(Ragged.of([seen if has_order else []], np.float64)).values

    def reads_alike(self, parameters: str) -> bool:
        """Whether a run of the model with these parameters reads texts as this one does."""
        stored = json.loads(parameters)
        return all(stored.get(name) == value for name, value in self._reading.items())

    def _take_over(self, texts: Sequence[_Text], others: Iterable[Mapping[int, Output]]) -> None:
        """Bounds that another run of the model has found."""
        for outputs in others:
            unknown = {text.instance.id: text for text in texts if text.bounds is None}
            for i in unknown.keys() & outputs.keys():
                for attribution in outputs[i].attributions:
                    self._take(unknown[i], attribution)

    def _take(self, text: _Text, attribution: Attribution) -> None:
        stored = MeasuredAopc.of_facts(dict(attribution.facts))
        if stored is None or self.is_missing(attribution) or (attribution.label or text.predicted) != text.label:
            return
        scores = np.array(attribution.scores[: text.instance.layout.n_selectable], dtype=np.float64)
        if np.array_equal(np.flatnonzero(~np.isnan(scores)), text.tokens):
            text.bounds, text.n_calls, text.gap = stored.bounds, stored.n_calls, stored.gap

    def _find_bounds(self, texts: Sequence[_Text]) -> None:
        """Of the texts that have none; of those that tell the gap with a wider beam, too."""
        unbound = list({id(text): text for text in texts if text.bounds is None}.values())
        width = self.normalising.width
        bounds = self._searched(unbound, lambda n: search_bounds(n, width))
        for text, of_text in zip(unbound, bounds, strict=True):
            text.bounds, text.n_calls = of_text, len(text.known)
        telling = [text for text in unbound if text.instance.id in self.normalising.with_gap]
        narrow = [(text, text.bounds) for text in telling if text.bounds is not None and text.bounds.width]
        wide = self._searched([text for text, _ in narrow], lambda n: beam_bounds(n, 2 * width))
        for (text, of_text), of_wide in zip(narrow, wide, strict=True):
            text.gap = gap_of(of_text, of_wide)

    def _searched(self, texts: Sequence[_Text], search: Callable[[int], Search]) -> list[Bounds]:
        searches = [search(len(text.tokens)) for text in texts]
        return search_all(searches, [text.known for text in texts], self._asked(texts))

    def _measured(self, orders: Sequence[tuple[_Text, Integers]]) -> list[MeasuredAopc]:
        """The areas of each order, and of the reversed one, with the bounds."""
        texts = [text for text, _ in orders]
        masks = {number: _masks_of(order) for number, (_, order) in enumerate(orders)}
        answers = answers_of(masks, [text.known for text in texts], self._asked(texts))
        measured = []
        for number, text in enumerate(texts):
            p_full, falling, rising = np.split(answers[number], (1, 1 + len(text.tokens)))
            areas = [aopc_of_order(float(p_full[0]), p) for p in (falling, rising)]
            bounds = text.bounds or Bounds(min(areas), max(areas))
            measured.append(MeasuredAopc(areas[0], areas[1], bounds, len(text.tokens), text.n_calls, text.gap))
        return measured

    def _asked(self, texts: Sequence[_Text]) -> Callable[[Sequence[tuple[int, Flags]]], Floats]:
        """Asks the model about subsets of texts: the probability of each text's class."""
        inputs = [Input.of(text.instance) for text in texts]
        columns = [self._model.labels.index(text.label) for text in texts]

        sizes = [given.n_selectable for given in inputs]

        def reduced(number: int, left: Flags) -> Input:
            mask = left
            if len(left) < sizes[number]:
                mask = np.zeros(sizes[number], dtype=np.bool_)
                mask[texts[number].tokens[left]] = True
            return inputs[number].kept(with_target(self._model.predictor, inputs[number], mask))

        def ask(subsets: Sequence[tuple[int, Flags]]) -> Floats:
            p = np.empty(len(subsets))
            for first in range(0, len(subsets), _AT_ONCE):
                some = subsets[first : first + _AT_ONCE]
                answers = self._model.probabilities([reduced(number, left) for number, left in some])
                p[first : first + len(some)] = answers[np.arange(len(some)), [columns[number] for number, _ in some]]
            if not np.isfinite(p).all():
                raise ModelError(_("'{name}' gives probabilities that aren't numbers.", name=self._model.name))
            return p

        return ask


def _masks_of(order: Integers) -> Flags:
    """All tokens, and what is left when more and more of the order are gone: from its beginning, and from its end."""
    n = len(order)
    return np.concatenate([np.ones((1, n), dtype=np.bool_), left_of_order(order, n), left_of_order(order[::-1], n)])
