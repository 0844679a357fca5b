"""Which examples go together: the share with rationales, one pass over the others, the same from the same seed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from annotator.attribution.transformers_subwords import Encoded
from annotator.training.examples import Row, drawn_batches, tokens_of_pieces
from tests.models.conftest import one_text, pair


def row(number: int, *, has_sets: bool) -> Row:
    encoded = Encoded((number,), None, (0,), ((0, 1),), (), ("",), {}, None, 1, is_cut=False)
    return Row(str(number), encoded, 0, np.zeros((int(has_sets), 1), dtype=np.bool_))


def test_a_third_of_each_batch_has_rationales_and_an_epoch_is_one_pass_over_those_without() -> None:
    rows = [row(number, has_sets=number < 10) for number in range(50)]
    batches = drawn_batches(rows, 12, 3, seed=0, epoch=0)
    assert [sum(number < 10 for number in batch) for batch in batches] == [4] * len(batches)
    assert sorted(number for batch in batches for number in batch if number >= 10) == list(range(10, 50))
    used = [number for batch in batches for number in batch if number < 10]
    assert set(used) == set(range(10))  # five batches of four: each of the ten twice
    assert max(used.count(number) for number in range(10)) == 2


@pytest.mark.parametrize(("n_with", "one_in"), [(0, 3), (9, 3), (24, 3), (25, 3), (2, None), (24, None)])
def test_where_none_or_more_than_the_share_have_rationales_an_epoch_is_one_pass_over_all(
    n_with: int, one_in: int | None
) -> None:
    batches = drawn_batches([row(n, has_sets=n < n_with) for n in range(25)], 10, one_in, seed=1, epoch=2)
    assert [len(batch) for batch in batches] == [10, 10, 5]
    assert sorted(number for batch in batches for number in batch) == list(range(25))


def test_the_batches_of_an_epoch_follow_from_the_seed_and_differ_between_epochs() -> None:
    rows = [row(number, has_sets=number % 5 == 0) for number in range(30)]
    assert drawn_batches(rows, 8, 3, seed=4, epoch=1) == drawn_batches(rows, 8, 3, seed=4, epoch=1)
    assert drawn_batches(rows, 8, 3, seed=4, epoch=1) != drawn_batches(rows, 8, 3, seed=4, epoch=2)


@pytest.mark.parametrize("name", ["bert", "roberta", "unigram", "gpt2"])
def test_a_piece_belongs_to_the_tokens_that_it_touches(name: str, loaded: Callable[..., Any]) -> None:
    predictor = loaded(name)
    encoded = predictor.loaded.encoded(pair("the unbelievable film", "a dull plot"))
    by_token: dict[int, str] = {}
    for piece, (first, end) in zip(encoded.pieces, tokens_of_pieces(encoded), strict=True):
        assert first == end or not piece.is_special
        for token in range(first, end):
            text = encoded.bodies[piece.segment].text
            by_token[token] = by_token.get(token, "") + text[piece.start : piece.end].strip()
    assert by_token == dict(enumerate(["the", "unbelievable", "film", "a", "dull", "plot"]))


def test_a_text_alone_is_numbered_from_zero(loaded: Callable[..., Any]) -> None:
    encoded = loaded("bert").loaded.encoded(one_text("the film"))
    assert {t for first, end in tokens_of_pieces(encoded) for t in range(first, end)} == {0, 1}
