"""Tokens that stay whole: one piece wherever they stand, with an embedding of their own, in the saved folder too."""

from pathlib import Path
from typing import Any

import pytest

from annotator.attribution.transformers_models import explainer, load
from annotator.attribution.transformers_subwords import encode
from annotator.errors import InvalidValue
from annotator.training.examples import Example, rows_of
from annotator.training.trainable_models import NewModel, Trainable, make
from tests.models.conftest import one_text

SPECIAL = ("_MATH_", "_MATHDISP_", "_REF_")
TEXT = "for the _MATH_-th value H_MATH_ _MATHDISP_ we see _REF_-_REF_"
LABELS = ("no", "need edit")
SHAPE = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}


def new(base: Path | None) -> Trainable:
    of_base = None if base is None else str(base)
    return make(
        NewModel(LABELS, base=of_base, special=SPECIAL, shape=SHAPE, n_pieces=300), ["for the value h we see th"], 0
    )


def whole_ones(trainable_or_loaded: Any, text: str) -> list[str]:
    encoded = encode(trainable_or_loaded.cutter, one_text(text))
    return [text[p.start : p.end] for p in encoded.pieces if p.text in SPECIAL and p.start is not None]


@pytest.mark.parametrize("base", [None, "bert", "roberta"])
def test_a_special_token_is_one_piece_also_within_a_word_and_in_the_saved_folder(
    torch: Any, folders: dict[str, Path], tmp_path: Path, base: str | None
) -> None:
    trainable = new(None if base is None else folders[base])
    expected = ["_MATH_", "_MATH_", "_MATHDISP_", "_REF_", "_REF_"]
    assert whole_ones(trainable, TEXT) == expected
    trainable.save(tmp_path / "saved")
    saved: Any = load(str(tmp_path / "saved"), device="cpu")
    assert whole_ones(saved.loaded, TEXT) == expected
    ids = saved.loaded.tokenizer.convert_tokens_to_ids(list(SPECIAL))
    embeddings = saved.loaded.embedding(torch.tensor(ids))
    assert not bool((embeddings[0] == embeddings[1]).all())
    assert bool((embeddings == trainable.model.get_input_embeddings()(torch.tensor(ids))).all())


def test_its_score_is_that_of_the_token_it_is_and_a_rationale_of_that_token_is_its_piece(torch: Any) -> None:
    trainable = new(None)
    text = "for the _MATH_ value"
    (row,) = rows_of(trainable.cutter, [Example(1, "one", one_text(text), "no", (frozenset({2}),))], LABELS)
    assert [row.encoded.pieces[n].text for n in row.gold[0].nonzero()[0]] == ["_MATH_"]


def test_scores_lie_on_special_tokens_like_on_any_other(torch: Any, tmp_path: Path) -> None:
    new(None).save(tmp_path / "saved")
    saved: Any = load(str(tmp_path / "saved"), device="cpu")
    (found,) = explainer(saved, "gradient-x-input", {}).explain([one_text("for the _MATH_ value")], ["no"])
    attribution = found.attributions[0]
    (of_piece,) = [score for piece, score in attribution.pieces if piece.text == "_MATH_"]
    assert attribution.scores[2] == pytest.approx(of_piece)
    assert of_piece != 0


@pytest.mark.parametrize("token", ["", "two words", " _MATH_"])
def test_what_is_no_one_word_is_refused(torch: Any, token: str) -> None:
    with pytest.raises(InvalidValue, match="is empty or has a blank in it"):
        make(NewModel(LABELS, special=(token,), shape=SHAPE), ["for the value"], 0)


def test_nothing_is_printed_of_how_embeddings_are_drawn(torch: Any, capfd: pytest.CaptureFixture[str]) -> None:
    new(None)
    assert capfd.readouterr().err == ""
