"""Files of word vectors: GloVe's and word2vec's text, the words that they lack, and files that are no such thing."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.errors import InvalidValue
from annotator.training.trainable_models import NewModel, make
from annotator.training.word_vectors import read_vectors, vector_sentence
from tests.training.planted import LABELS

GLOVE = "the 1 0 0\nThe 9 9 9\nfilm 0 1 0\nGreat 0 0 1\nfilm 7 7 7\n. . . 0.5 0.5 0.5\n"
WORDS = frozenset({"the", "film", "great", "dull"})


def file(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "vectors.txt"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content", [GLOVE, "6 3\n" + GLOVE, "\ufeff" + GLOVE, GLOVE.replace("\n", " \r\n"), GLOVE.replace(" ", "\t")],
    ids=["glove", "word2vec", "byte order mark", "blanks and carriage returns at line ends", "tabs"],
)  # fmt: skip
def test_vectors_are_read_lower_cased_and_the_first_of_doubled_lines_counts(tmp_path: Path, content: str) -> None:
    vectors = read_vectors(file(tmp_path, content), WORDS)
    read = {word: vector.tolist() for word, vector in vectors.by_word.items()}
    assert (read["the"], read["film"], read["great"]) == ([1, 0, 0], [0, 1, 0], [0, 0, 1])
    assert "dull" not in read
    assert (vectors.n_lines, vectors.n_doubled) == (6, 1)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "has no word vectors"),
        ("\n\n", "has no word vectors"),
        ("3 2\nthe 1 0\nfilm 0 1\n", "has 2 of 3 word vectors. Download it again"),
        ("the 1 0 0\nfilm 0 1\n", "line 2: not a word and 3 numbers"),
        ("the 1 0\nfilm 0 1 0\n", "line 2: not a word and 2 numbers"),
        ("2 3\nthe 1 0\nfilm 0 1\n", "line 2: not a word and 3 numbers"),
        ("words\n", "line 1: not a word and its numbers"),
        ("the 1 0\nfilm zero 1\n", "line 2: 'zero 1' isn't all numbers"),
        ("the 1 0\nfilm nan 1\n", "line 2: a number isn't finite"),
        ("the 1 0\ncafé 1 0\n".encode("latin-1"), "line 2: not UTF-8"),
        (b"\x1f\x8b\x08\x00", "line 1: not UTF-8"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_such_thing_is_refused_with_its_line(tmp_path: Path, content: str | bytes, said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        read_vectors(file(tmp_path, content), WORDS)
    with pytest.raises(InvalidValue, match="Can't open"):
        read_vectors(tmp_path, WORDS)


def test_embeddings_begin_with_the_vectors_and_words_without_one_with_their_mean(torch: Any, tmp_path: Path) -> None:
    new = NewModel(LABELS, architecture="encoder-lstm", vectors=str(file(tmp_path, GLOVE)))
    trainable = make(new, ["The film was GREAT", "dull film"], seed=0)
    tokenizer, table = trainable.cutter.tokenizer, trainable.model.embeddings.weight.detach().numpy()
    ids = tokenizer("Great dull film, café")["input_ids"]
    assert tokenizer.convert_ids_to_tokens(ids) == ["[CLS]", "great", "dull", "film", "[UNK]", "[UNK]", "[SEP]"]
    mean = np.mean([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0.5]], axis=0)
    assert table[ids[1]].tolist() == [0, 0, 1]
    assert table[ids[2]] == pytest.approx(mean)
    assert table[ids[4]] == pytest.approx(mean)
    assert not table[tokenizer.pad_token_id].any()
    trainable.save(tmp_path / "m")
    facts = trainable.model.config.word_vectors
    assert (facts["dimensions"], facts["training words"], facts["training words without a vector"]) == (3, 5, 2)
    assert vector_sentence(facts) == (
        "2 of 5 training words have no vector in vectors.txt (its mean is used). 1 line repeats a word (the first counts)."
    )
    assert vector_sentence({}) == ""


def test_only_an_lstm_from_scratch_begins_with_word_vectors(tmp_path: Path) -> None:
    path = str(file(tmp_path, GLOVE))
    for new in (NewModel(LABELS, vectors=path), NewModel(LABELS, "bert", architecture="encoder-lstm", vectors=path)):
        with pytest.raises(InvalidValue, match="Word vectors are for encoder-lstm and lstm without a base"):
            make(new, [], seed=0)
