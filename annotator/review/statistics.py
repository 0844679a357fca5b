"""The size of a data set and of its rationales, as the papers' tables give them."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.numbers import mean
from annotator.domain.tasks import ResultKind
from annotator.domain.texts import union_of_tokens


@dataclass(frozen=True, slots=True)
class RationaleStatistics:
    """What a project's gold looks like. A mean over nothing is None.

    rlr:            mean over instances of tokens in the union of the sets / selectable tokens (Wang et al. 2022, Table 3);
                    instances without a selectable token are left out and counted in n_rlr_undefined
    rlr_by_segment: the same for each selectable segment by itself (pairs are given per side)
    rlr_per_set:    mean over sets of tokens of the set / selectable tokens, a variant
    rsn:            mean number of sets of an instance
    results:        instances by label; where results are answers, by whether there is one
    """

    n_gold: int = 0
    n_sets: int = 0
    n_spans: int = 0
    n_rlr_undefined: int = 0
    rlr: float | None = None
    rlr_by_segment: dict[str, float] = field(default_factory=dict)
    rlr_per_set: float | None = None
    rsn: float | None = None
    results: dict[str, int] = field(default_factory=dict)
    splits: dict[str, int] = field(default_factory=dict)
    languages: dict[str, int] = field(default_factory=dict)


def describe_gold(gold: Iterable[GoldInstance], result_kind: ResultKind = "label") -> RationaleStatistics:
    """Statistics over instances with gold."""
    shares: list[float] = []
    set_shares: list[float] = []
    by_segment: dict[str, list[float]] = defaultdict(list)
    results, splits, languages = Counter[str](), Counter[str](), Counter[str]()
    n_gold = n_sets = n_spans = 0
    for item in gold:
        n_gold += 1
        n_sets += len(item.sets)
        n_spans += sum(len(s.spans) for s in item.sets)
        results[_result_class(item.result, result_kind)] += 1
        splits[item.instance.split] += 1
        languages[item.instance.language] += 1
        layout, union = item.instance.layout, union_of_tokens(item.sets)
        if layout.n_selectable:
            shares.append(len(union) / layout.n_selectable)
            set_shares += [len(s.token_indices) / layout.n_selectable for s in item.sets]
        for segment in layout.segments:
            if segment.is_selectable and segment.n_tokens:
                inside = sum(segment.first_token <= token < segment.end_token for token in union)
                by_segment[segment.name].append(inside / segment.n_tokens)
    return RationaleStatistics(
        n_gold=n_gold, n_sets=n_sets, n_spans=n_spans, n_rlr_undefined=n_gold - len(shares), rlr=mean(shares),
        rlr_by_segment={name: sum(values) / len(values) for name, values in by_segment.items()},
        rlr_per_set=mean(set_shares), rsn=n_sets / n_gold if n_gold else None, results=dict(results),
        splits=dict(splits), languages=dict(languages),
    )  # fmt: skip


def _result_class(result: str | None, kind: ResultKind) -> str:
    if result is None:
        return "–"
    if kind == "label":
        return result
    return "answered" if result else "no answer"


@dataclass(frozen=True, slots=True)
class EvidenceStatistics:
    """Evidence of the gold, in ERASER's words: a rationale set is an evidence group, each of its spans an evidence statement.

    *_per_instance: means over instances with gold; tokens_per_*: means over groups (the union of their spans) and statements
    several_share:  of the instances with gold, the share that has more than one group
    """

    n_groups: int
    n_statements: int
    groups_per_instance: float | None
    statements_per_instance: float | None
    tokens_per_group: float | None
    tokens_per_statement: float | None
    several_share: float | None


@dataclass(frozen=True, slots=True)
class EraserOverview:
    """A data set as in DeYoung et al. 2020, Table 1.

    sizes:               instances by split
    tokens_per_document: mean over the different documents ("Tokens")
    exhaustive:          by split, the share of instances whose gold marks all evidence ("Comp."): the paper's tick is 1, its
                         two marks for a part of the test set are shares between
    """

    sizes: dict[str, int]
    tokens_per_document: float | None
    exhaustive: dict[str, float]


@dataclass(frozen=True, slots=True)
class EraserSplit:
    """A split as in DeYoung et al. 2020, Table 5, one row.

    rationale_share:      mean over instances with gold of marked tokens / selectable tokens, the RLR. The paper says only "the
                          percentage of each relevant document that is considered a rationale"; how it treats instances with
                          several documents could not be verified
    n_statements:         spans of the gold; tokens_per_statement: their mean length ("Evidence Lengths"; that the unit is
                          tokens fits the paper's numbers, but is not said)
    """

    split: str
    n_documents: int
    n_instances: int
    rationale_share: float | None
    n_statements: int
    tokens_per_statement: float | None


@dataclass(frozen=True, slots=True)
class EraserGeneral:
    """A data set as in DeYoung et al. 2020, Table 6. n_labels: the project's; None where results are answers."""

    n_labels: int | None
    n_instances: int
    n_documents: int
    sentences_per_document: float | None
    tokens_per_document: float | None


@dataclass(frozen=True, slots=True)
class BenchmarkLanguage:
    """A language as in Wang et al. 2022, Table 3, one column.

    n_pairs:  perturbed instances whose original is there too
    rlr, rsn: means over all n_gold instances with gold, originals and perturbed ones (which of them the paper takes, and
              how it counts several sets, is not said: ours is the union)
    """

    language: str
    n_pairs: int
    n_gold: int
    rlr: float | None
    rsn: float | None


@dataclass(frozen=True, slots=True)
class DataSetTables:
    """The papers' tables of a data set, over the instances that are not discarded.

    Documents are the different selectable texts that are not empty: of one name, or of one wording where they have none.
    """

    evidence: EvidenceStatistics
    eraser_table_1: EraserOverview
    eraser_table_5: tuple[EraserSplit, ...]
    eraser_table_6: EraserGeneral
    benchmark_table_3: tuple[BenchmarkLanguage, ...]


class TablesTally:
    """Takes in a data set instance by instance. is_exhaustive: for instances that do not say it themselves."""

    def __init__(self, *, is_exhaustive: bool) -> None:
        self._is_exhaustive = is_exhaustive
        self._sizes, self._exhaustive = Counter[str](), Counter[str]()
        self._documents = _Documents()
        self._by_split: dict[str, _GoldSums] = defaultdict(_GoldSums)
        self._by_language: dict[str, _GoldSums] = defaultdict(_GoldSums)
        self._keys: set[str] = set()
        self._perturbed: list[tuple[str, str]] = []  # language, key of the original

    def add(self, instance: Instance, gold: GoldInstance | None) -> None:
        """Take in an instance, with its gold if it has any."""
        exhaustive = self._is_exhaustive if instance.is_exhaustive is None else instance.is_exhaustive
        self._sizes[instance.split] += 1
        self._exhaustive[instance.split] += exhaustive
        self._documents.add(instance)
        self._keys.add(instance.key)
        if instance.parent_key is not None:
            self._perturbed.append((instance.language, instance.parent_key))
        if gold is not None:
            self._by_split[instance.split].add(gold)
            self._by_language[instance.language].add(gold)

    def result(self, n_labels: int | None) -> DataSetTables:
        """The tables over what was taken in so far."""
        documents = self._documents
        tokens_per_document = _ratio(documents.n_tokens, documents.n)
        return DataSetTables(
            evidence=self._evidence(),
            eraser_table_1=EraserOverview(
                dict(self._sizes),
                tokens_per_document,
                {split: self._exhaustive[split] / n for split, n in self._sizes.items()},
            ),
            eraser_table_5=tuple(self._split(split) for split in self._sizes),
            eraser_table_6=EraserGeneral(
                n_labels,
                self._sizes.total(),
                documents.n,
                _ratio(documents.n_sentences, documents.n),
                tokens_per_document,
            ),
            benchmark_table_3=self._languages(),
        )

    def _evidence(self) -> EvidenceStatistics:
        sums = list(self._by_split.values())
        n_gold, n_groups = sum(s.n_gold for s in sums), sum(s.n_groups for s in sums)
        n_statements = sum(s.n_statements for s in sums)
        return EvidenceStatistics(
            n_groups=n_groups,
            n_statements=n_statements,
            groups_per_instance=_ratio(n_groups, n_gold),
            statements_per_instance=_ratio(n_statements, n_gold),
            tokens_per_group=_ratio(sum(s.n_group_tokens for s in sums), n_groups),
            tokens_per_statement=_ratio(sum(s.n_statement_tokens for s in sums), n_statements),
            several_share=_ratio(sum(s.n_several for s in sums), n_gold),
        )

    def _split(self, split: str) -> EraserSplit:
        sums = self._by_split.get(split, _GoldSums())
        return EraserSplit(
            split=split,
            n_documents=self._documents.n_in(split),
            n_instances=self._sizes[split],
            rationale_share=mean(sums.shares),
            n_statements=sums.n_statements,
            tokens_per_statement=_ratio(sums.n_statement_tokens, sums.n_statements),
        )

    def _languages(self) -> tuple[BenchmarkLanguage, ...]:
        pairs = Counter(language for language, parent_key in self._perturbed if parent_key in self._keys)
        languages = []
        for language in sorted({*pairs, *self._by_language}):
            sums = self._by_language.get(language, _GoldSums())
            rsn = _ratio(sums.n_groups, sums.n_gold)
            languages.append(BenchmarkLanguage(language, pairs[language], sums.n_gold, mean(sums.shares), rsn))
        return tuple(languages)


@dataclass(slots=True)
class _GoldSums:
    """Sums over gold. shares: of each instance with selectable tokens, the part that is marked."""

    n_gold: int = 0
    n_groups: int = 0
    n_statements: int = 0
    n_group_tokens: int = 0
    n_statement_tokens: int = 0
    n_several: int = 0
    shares: list[float] = field(default_factory=list)

    def add(self, gold: GoldInstance) -> None:
        spans = [span for one_set in gold.sets for span in one_set.spans]
        self.n_gold += 1
        self.n_groups += len(gold.sets)
        self.n_statements += len(spans)
        self.n_group_tokens += sum(len(one_set.token_indices) for one_set in gold.sets)
        self.n_statement_tokens += sum(span.end - span.start for span in spans)
        self.n_several += len(gold.sets) > 1
        n_selectable = gold.instance.layout.n_selectable
        if n_selectable:
            self.shares.append(len(union_of_tokens(gold.sets)) / n_selectable)


class _Documents:
    """The different selectable texts, each counted once over all and once for each split; keeps a number for each text."""

    def __init__(self) -> None:
        self.n = self.n_tokens = self.n_sentences = 0
        self._seen: dict[int, set[str]] = {}
        self._n_in_split = Counter[str]()

    def add(self, instance: Instance) -> None:
        for segment in instance.segments:
            if segment.is_selectable and segment.body.n_tokens:
                name = hash((segment.docid, segment.body.text if segment.docid is None else None))
                if name not in self._seen:
                    self.n += 1
                    self.n_tokens += segment.body.n_tokens
                    self.n_sentences += len(segment.body.sentence_starts)
                splits = self._seen.setdefault(name, set())
                self._n_in_split[instance.split] += instance.split not in splits
                splits.add(instance.split)

    def n_in(self, split: str) -> int:
        """How many texts stand in instances of a split."""
        return self._n_in_split[split]


def _ratio(part: float, whole: int) -> float | None:
    return part / whole if whole else None
