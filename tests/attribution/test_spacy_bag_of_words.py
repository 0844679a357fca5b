"""The built-in model of before: what it was saved as is still read."""

from pathlib import Path

import numpy as np
import pytest
from spacy.tokens import Doc

from annotator.attribution.built_in_model import BagOfWords, Training
from annotator.attribution.removal_methods import Linear
from annotator.errors import ModelError
from tests.attribution_inputs import words
from tests.older_model import DIGEST, save_as_before, trained_as_before
from tests.older_model import LABELS as OLD_LABELS


def test_its_answers_and_scores_are_spacys_own(tmp_path: Path) -> None:
    """Which computes in 32 bits."""
    nlp = trained_as_before()
    save_as_before(tmp_path, nlp)
    model = BagOfWords.load(tmp_path, name="built-in")
    assert model.training == Training(0, {"negative": 2, "positive": 2}, DIGEST, (), "train")
    texts = ["a good food", "never seen before", "good good bad"]
    docs = [Doc(nlp.vocab, words=[f"text={word}" for word in text.split()]) for text in texts]
    expected = [[doc.cats[label] for label in OLD_LABELS] for doc in nlp.pipe(docs)]
    assert model.probabilities([words(text) for text in texts]) == pytest.approx(np.array(expected), abs=1e-6)
    explained = Linear(model).explain([words("good cat , good news")], ["positive"])[0]
    assert sum(explained.attributions[0].scores) + explained.facts["base"] == pytest.approx(explained.facts["logit"])
    assert explained.attributions[0].scores[0] > 0


def test_it_is_told_apart_from_those_of_today_and_saved_no_more(tmp_path: Path) -> None:
    save_as_before(tmp_path)
    assert BagOfWords.is_of_before(tmp_path)
    assert not BagOfWords.is_of_before(tmp_path / "nowhere")
    with pytest.raises(ModelError, match="older sort, which is read only. Train it again"):
        BagOfWords.load(tmp_path, name="built-in").save(tmp_path / "other")
