"""Kinds of perturbation and what is said of them."""

import pytest

from annotator.domain.perturbations import KINDS


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_description_leaves_the_label_to_the_sentence_that_stands_after_it(kind) -> None:
    for words in ("usually", "Result", "the label"):
        assert words not in kind.description
