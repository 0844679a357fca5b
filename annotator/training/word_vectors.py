"""Word vectors from a file, in the text format of GloVe or word2vec, and the tokenizer of whole words that goes with them.

A line is a word and its numbers; word2vec's first line, how many words and numbers there are, may stand before them. Words are
lower-cased, Chinese characters stand one by one. Kept are the words of the training texts, and the first ones of the file.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.attribution.transformers_sources import needed
from annotator.errors import InvalidValue
from annotator.language import _, several

_BEYOND = (
    50_000  # lines of the file that are kept whatever the training texts have: the most frequent words stand first
)
ROLES = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}

Vector = npt.NDArray[np.float32]


@dataclass(slots=True)
class WordVectors:
    """What was kept of a file.

    by_word:   each word lower-cased; of a word that stands there in several cases, the lower-cased one, else the first
    n_doubled: lines of a word that stood there already, in the same case; the first one counts
    """

    by_word: dict[str, Vector] = field(default_factory=dict)
    n_lines: int = 0
    n_doubled: int = 0

    @property
    def mean(self) -> Vector:
        """The vector of every word that the file does not have."""
        mean: Vector = np.mean(list(self.by_word.values()), axis=0, dtype=np.float32)
        return mean


def read_vectors(path: Path, words: frozenset[str]) -> WordVectors:
    """The vectors of these words, and of the first ones of a file.

    Raises: InvalidValue naming the line: of another width, with what is no number, not UTF-8; and for a file without vectors,
            or with fewer than its first line says
    """
    vectors, width, expected = WordVectors(), 0, 0
    written: set[str] = set()  # as they are written
    for number, line in _lines(path):
        if number == 1 and (header := _header(line)):
            expected, width = header
            continue
        width = width or line.count(" ")
        word, numbers = _split(path, number, line, width)
        vectors.n_lines += 1
        if word in written:
            vectors.n_doubled += 1
            continue
        written.add(word)
        lowered = word.lower()
        if lowered not in words and vectors.n_lines > _BEYOND:
            continue
        if lowered not in vectors.by_word or word == lowered:
            vectors.by_word[lowered] = _numbers(path, number, numbers)
    if not vectors.n_lines or vectors.n_lines < expected:
        raise InvalidValue(
            _(
                "{file} has {n} of {expected} word vectors. Download it again.",
                file=path,
                n=vectors.n_lines,
                expected=expected,
            )
            if expected
            else _("{file} has no word vectors. Use a text file of GloVe or word2vec.", file=path)
        )
    return vectors


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that hold something, with their numbers."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                text = _decoded(path, number, line).rstrip()
                if text:
                    yield number, text.replace("\t", " ")
    except OSError as error:
        raise InvalidValue(_("Can't open '{path}': {reason}.", path=path, reason=error.strerror or error)) from error


def _decoded(path: Path, number: int, line: bytes) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise InvalidValue(
            _("{file}, line {line}: not UTF-8. Use a text file of GloVe or word2vec.", file=path, line=number)
        ) from error


def _header(line: str) -> tuple[int, int] | None:
    parts = line.split(" ")
    is_header = len(parts) == 2 and all(part.isdecimal() for part in parts)
    return (int(parts[0]), int(parts[1])) if is_header else None


def _split(path: Path, number: int, line: str, width: int) -> tuple[str, str]:
    """The word, which may hold blanks (GloVe 840B has such), and its numbers."""
    parts = line.rsplit(" ", width)
    if len(parts) != width + 1 or not width or _is_number(parts[0].rsplit(" ", 1)[-1], of=parts[0]):
        raise InvalidValue(
            _("{file}, line {line}: not a word and {width} numbers.", file=path, line=number, width=width or "its")
        )
    return parts[0], line[len(parts[0]) + 1 :]


def _is_number(text: str, *, of: str) -> bool:
    """Whether the last part of a word that holds blanks is one more number."""
    try:
        return text != of and np.isfinite(float(text)).item() is True
    except ValueError:
        return False


def _numbers(path: Path, number: int, numbers: str) -> Vector:
    try:
        vector: Vector = np.array(numbers.split(" "), dtype=np.float32)
    except ValueError as error:
        values = {"file": path, "line": number, "shown": repr(numbers[:30])}
        raise InvalidValue(_("{file}, line {line}: {shown} isn't all numbers.", **values)) from error
    if not np.isfinite(vector).all():
        raise InvalidValue(_("{file}, line {line}: a number isn't finite.", file=path, line=number))
    return vector


def word_tokenizer(transformers: Any, texts: Iterable[str], path: Path) -> tuple[Any, Vector, Mapping[str, object]]:
    """A tokenizer of whole words, the vector of each, and what became of the file.

    Words of the texts that the file does not have each get its mean vector, to learn from there; so do all words that are met
    later, together.
    """
    tokenizers = needed("tokenizers")
    normalizer = tokenizers.normalizers.BertNormalizer(strip_accents=False)
    before = tokenizers.pre_tokenizers.BertPreTokenizer()
    words = {word for text in texts for word, _span in before.pre_tokenize_str(normalizer.normalize_str(text))}
    vectors = read_vectors(path, frozenset(words))
    missing = words - vectors.by_word.keys()
    vocabulary = [*ROLES.values(), *sorted(missing), *vectors.by_word]
    tokenizer = tokenizer_of(transformers, tokenizers.models.WordLevel, vocabulary, normalizer, before)
    mean = vectors.mean
    table = np.stack([vectors.by_word.get(word, mean) for word in vocabulary])
    facts = {
        "file": path.name, "dimensions": len(mean), "vectors": vectors.n_lines, "doubled": vectors.n_doubled,
        "training words": len(words), "training words without a vector": len(missing),
    }  # fmt: skip
    return tokenizer, table, facts


def tokenizer_of(transformers: Any, kind: Any, vocabulary: Sequence[str], normalizer: Any, pre_tokenizer: Any) -> Any:
    """A tokenizer with BERT's special subwords, which begin the vocabulary. kind: one of tokenizers.models."""
    tokenizers = needed("tokenizers")
    cutter = tokenizers.Tokenizer(kind({word: n for n, word in enumerate(vocabulary)}, unk_token=ROLES["unk_token"]))
    cutter.normalizer, cutter.pre_tokenizer = normalizer, pre_tokenizer
    cutter.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=cutter, **ROLES, model_input_names=["input_ids", "token_type_ids", "attention_mask"]
    )


def vector_sentence(facts: Mapping[str, Any]) -> str:
    """What became of a file of word vectors; "" where there was none. facts: as in the card."""
    if not facts:
        return ""
    doubled = several(
        "{n} line repeats a word (the first counts).", "{n} lines repeat a word (the first counts).", facts["doubled"]
    )
    covered = _(
        "{missing} of {n_words} training words have no vector in {file} (its mean is used).",
        missing=f"{facts['training words without a vector']:,}", n_words=f"{facts['training words']:,}", file=facts["file"],
    )  # fmt: skip
    return f"{covered} {doubled}" if facts["doubled"] else covered
