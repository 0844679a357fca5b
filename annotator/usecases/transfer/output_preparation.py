"""From rows of model output to their instances, with the scores laid on the tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from annotator.domain.imports import KeyedInstance
from annotator.domain.instances import Instance, Places
from annotator.domain.models import Attribution, MachineRationale, Output, Run, SourceAttribution, SourceOutput, Written
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, Problem
from annotator.store import Store
from annotator.store.instances import get_instances, instances_of_keys, places_of
from annotator.store.models import RunFinder, known_outputs
from annotator.text.search import quotes_on_tokens
from annotator.text.subword_scores import How, attribution_on_tokens, rationale_on_tokens, scores_on_same_tokens
from annotator.usecases.transfer.output_plan import ByRun, LaidRow, fault_of, match_instance, refusal
from annotator.usecases.transfer.text_index import TextIndex, TextMatch


class Matched(NamedTuple):
    """A row and its instance. are_edges_open: the punctuation at the ends of their texts may differ."""

    row: SourceOutput
    instance: KeyedInstance
    are_edges_open: bool = False


def gather_instances(
    store: Store, project: Project, rows: Sequence[SourceOutput], by_text: TextIndex
) -> tuple[list[Matched], list[Problem]]:
    """Each row with its instance; and the rows that have none. by_text: finds those of rows without keys."""
    known = instances_of_keys(store, project.id, list({row.key for row in rows}))
    matched: list[Matched] = []
    problems: list[Problem] = []
    for row in rows:
        instances = _instances_of(row, known.get(row.key, ()), by_text)
        if isinstance(instances, Problem):
            problems.append(instances)
        else:
            matched += [Matched(row, instance, instances.are_edges_open) for instance in instances.instances]
    return matched, problems


def _instances_of(row: SourceOutput, known: Sequence[KeyedInstance], by_text: TextIndex) -> TextMatch | Problem:
    """The instances of a row: by its text where it has no key, or by its text's number where the model saw a beginning."""
    match = None if row.input is None else by_text.match(row, row.input)
    if match is not None:
        return match
    instance = match_instance(row, known)
    if row.input is not None and (isinstance(instance, Problem) or not by_text.begins(instance, row.input)):
        return by_text.unknown(row, row.input)
    return instance if isinstance(instance, Problem) else TextMatch([instance])


def gather_outputs(runs: RunFinder, by_run: ByRun) -> dict[Run, Mapping[int, Output]]:
    """What some runs say already of the instances that a batch speaks of."""
    numbers = {run: runs.find(run) for run in by_run}
    return {
        run: known_outputs(runs.store, number, dict.fromkeys([output.instance_id for _, output in by_run[run]]))
        for run, number in numbers.items()
        if number is not None
    }


def lay_rows(
    store: Store, project: Project, matched: Sequence[Matched], how: How
) -> tuple[list[LaidRow], list[Problem]]:
    """The rows that can be taken, on their instances' tokens; and those that cannot.

    how: the scores of one token's subwords are joined
    """
    tokens = _Tokens(store, matched)
    laid_rows: list[LaidRow] = []
    problems: list[Problem] = []
    for row, instance, are_edges_open in matched:
        if fault := fault_of(row, project):
            problems.append(fault)
            continue
        try:
            laid_rows.append(LaidRow(row, _on_tokens(row, instance, tokens, how, are_edges_open)))
        except InvalidValue as error:
            problems.append(refusal(row, "scores", row.key, str(error)))
    return laid_rows, problems


def _on_tokens(row: SourceOutput, instance: KeyedInstance, tokens: "_Tokens", how: How, are_edges_open: bool) -> Output:
    attributions = [_laid(source, instance, tokens, how, are_edges_open) for source in row.attributions]
    rationales = tokens.rationales(row, instance.id) if row.rationales else ()
    return Output(instance.id, row.predictions, tuple(attributions), rationales)


def _laid(
    source: SourceAttribution, instance: KeyedInstance, tokens: "_Tokens", how: How, are_edges_open: bool
) -> Attribution:
    """An attribution on its instance's tokens; of an answer that was written also each of its subwords.

    Where the source's scores are of subwords of the text, the means are taken over what came of these: joining is no sum.
    """
    as_it_is = scores_on_same_tokens(source, instance.n_tokens, instance.n_selectable)
    attribution = as_it_is or tokens.scores(source, instance.id, how, are_edges_open)
    if source.written is None:
        return attribution
    steps = tuple(_laid(step, instance, tokens, how, are_edges_open).scores for step in source.written.steps)
    written = Written(source.written.subwords, steps, source.written.earlier, source.written.facts)
    if all(part.subwords is None for part in source.parts):
        return replace(attribution, written=written)
    means = tuple(sum(of_token) / len(steps) for of_token in zip(*steps, strict=True))
    return replace(attribution, scores=means, written=written)


class _Tokens:
    """Lays what takes more to know of its instance than its size; that is read for all rows when the first asks for it."""

    def __init__(self, store: Store, matched: Sequence[Matched]) -> None:
        self._store = store
        self._matched = matched

    def scores(self, source: SourceAttribution, instance_id: int, how: How, are_edges_open: bool) -> Attribution:
        return attribution_on_tokens(
            source, self._places[instance_id], lambda: self._texts[instance_id], how, are_edges_open=are_edges_open
        )

    def rationales(self, row: SourceOutput, instance_id: int) -> tuple[MachineRationale, ...]:
        return tuple(
            rationale_on_tokens(source, self._places[instance_id])
            if source.quotes is None
            else quotes_on_tokens(source.quotes, self._texts[instance_id], source.sets)
            for source in row.rationales
        )

    @cached_property
    def _places(self) -> dict[int, Places]:
        """How each instance numbers its tokens."""
        return places_of(self._store, sorted({instance.id for _, instance, _ in self._matched}))

    @cached_property
    def _texts(self) -> dict[int, Instance]:
        """The instances of which subwords or quotes have to be found in the texts."""
        return get_instances(
            self._store, sorted({instance.id for row, instance, _ in self._matched if _is_by_text(row)})
        )


def _is_by_text(row: SourceOutput) -> bool:
    parts = (part for attribution in row.attributions for part in attribution.parts)
    return any(part.subwords is not None for part in parts) or any(r.quotes is not None for r in row.rationales)
