"""The papers' data-set tables, on a small data set worked out by hand."""

import pytest

from annotator.domain.instances import GoldInstance, Instance, Segment
from annotator.domain.texts import RationaleSet, TokenizedText
from annotator.review.statistics import BenchmarkLanguage, DataSetTables, EraserSplit, TablesTally


def segment(
    name: str, n_tokens: int, *, word: str = "x", docid: str | None = None, is_selectable: bool = True
) -> Segment:
    """A text of one-letter words, a sentence every four."""
    starts = tuple(range(0, 2 * n_tokens, 2))
    body = TokenizedText(f"{word} " * n_tokens, starts, tuple(s + 1 for s in starts), tuple(range(0, n_tokens, 4)))
    return Segment(name, is_selectable, body, docid)


def instance(key: str, *segments: Segment, split: str = "train", language: str = "en", **more: object) -> Instance:
    return Instance(1, key, split, language, segments, "yes", **more)  # type: ignore[arg-type]


A = RationaleSet.of((0, 2), (3, 4))  # 3 tokens in 2 spans
B = RationaleSet.of((1, 3))  # 2 tokens, one of them in A
TWO_SPANS_OVER_ONE_ANOTHER = RationaleSet.of((0, 3), (2, 4))  # 4 tokens, in spans of 3 and 2


@pytest.fixture
def tables() -> DataSetTables:
    shared = segment("text", 8, docid="d1")
    question = segment("question", 4, word="q", is_selectable=False)
    rows = [
        (instance("1", shared, question), [A, B]),
        (instance("2", shared, segment("title", 0)), [TWO_SPANS_OVER_ONE_ANOTHER]),
        (instance("3", segment("text", 4), split="test", is_exhaustive=True), []),
        (instance("4", segment("text", 4), shared, split="test", parent_key="1"), None),
        (instance("5", segment("text", 4, word="y"), split="test", language="zh", parent_key="gone"), [B]),
    ]
    tally = TablesTally(is_exhaustive=False)
    for one, sets in rows:
        tally.add(one, None if sets is None else GoldInstance(one, tuple(sets), "yes"))
    return tally.result(n_labels=2)


def test_a_span_is_an_evidence_statement_and_a_set_a_group_of_them(tables: DataSetTables) -> None:
    found = tables.evidence
    assert (found.n_groups, found.n_statements) == (4, 6)
    assert (found.groups_per_instance, found.statements_per_instance) == (4 / 4, 6 / 4)
    assert found.tokens_per_group == (3 + 2 + 4 + 2) / 4
    assert found.tokens_per_statement == (2 + 1 + 2 + 3 + 2 + 2) / 6
    assert found.several_share == 1 / 4


def test_table_1_has_sizes_tokens_and_the_share_that_is_exhaustive(tables: DataSetTables) -> None:
    found = tables.eraser_table_1
    assert found.sizes == {"train": 2, "test": 3}
    assert found.exhaustive == {"train": 0.0, "test": 1 / 3}
    assert found.tokens_per_document == (8 + 4 + 4) / 3


def test_table_5_counts_a_shared_document_once_in_each_split(tables: DataSetTables) -> None:
    train, test = tables.eraser_table_5
    assert train == EraserSplit("train", 1, 2, (4 / 8 + 4 / 8) / 2, 5, (2 + 1 + 2 + 3 + 2) / 5)
    assert test == EraserSplit("test", 3, 3, (0 + 2 / 4) / 2, 1, 2.0)


def test_table_6_is_over_different_selectable_texts(tables: DataSetTables) -> None:
    found = tables.eraser_table_6
    assert (found.n_labels, found.n_instances, found.n_documents) == (2, 5, 3)
    assert (found.sentences_per_document, found.tokens_per_document) == ((2 + 1 + 1) / 3, (8 + 4 + 4) / 3)


def test_table_3_counts_pairs_whose_original_is_there(tables: DataSetTables) -> None:
    assert tables.benchmark_table_3 == (
        BenchmarkLanguage("en", 1, 3, (4 / 8 + 4 / 8 + 0) / 3, 3 / 3),
        BenchmarkLanguage("zh", 0, 1, 2 / 4, 1.0),
    )


def test_over_nothing_tables_are_empty_and_means_undefined() -> None:
    found = TablesTally(is_exhaustive=True).result(n_labels=None)
    assert (found.eraser_table_1.sizes, found.eraser_table_5, found.benchmark_table_3) == ({}, (), ())
    assert (found.eraser_table_6.tokens_per_document, found.eraser_table_6.n_labels) == (None, None)
    assert (found.evidence.tokens_per_group, found.evidence.several_share) == (None, None)


def test_the_projects_word_on_exhaustive_gold_holds_where_an_instance_says_nothing() -> None:
    tally = TablesTally(is_exhaustive=True)
    tally.add(instance("1", segment("text", 4)), None)
    tally.add(instance("2", segment("text", 4), is_exhaustive=False), None)
    assert tally.result(2).eraser_table_1.exhaustive == {"train": 0.5}
