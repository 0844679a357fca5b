"""The texts of token ids, for files that hold ids alone: vocab.txt, vocab.json or tokenizer.json of a tokeniser."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from annotator.errors import InvalidValue
from annotator.formats.rows.json_items import read_content
from annotator.language import _


def read_vocabulary(path: Path) -> Mapping[int, str]:
    """The text of each id: a token a line (the first is id 0), or JSON, {token: id}, {id: token} or a tokenizer.json.

    Raises: NotFound or InvalidValue when the file cannot be read as one of these
    """
    content = read_content(path)
    if path.suffix.lower() == ".json" or content.lstrip().startswith(b"{"):
        return _from_json(path, content)
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise InvalidValue(
            _("'{path}' is not UTF-8 at byte {start}; save it as UTF-8.", path=path, start=error.start + 1)
        ) from None
    return {number: line.removesuffix("\r") for number, line in enumerate(lines)}


def _from_json(path: Path, content: bytes) -> Mapping[int, str]:
    try:
        values = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
        if "model" in values:
            return _from_tokenizer(values)
        first = next(iter(values.values()), None)
        if first is not None and bytes(first).startswith(b'"'):
            return {int(number): text for number, text in msgspec.json.decode(content, type=dict[str, str]).items()}
        return {number: text for text, number in msgspec.json.decode(content, type=dict[str, int]).items()}
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError) as error:
        reason = _(
            "It must hold a token a line, or JSON such as {example}: {error}.", example="{token: id}", error=error
        )
        raise InvalidValue(_("'{path}' is not a vocabulary. {reason}", path=path, reason=reason)) from None


class _Added(msgspec.Struct):
    id: int
    content: str


class _Model(msgspec.Struct):
    vocab: dict[str, int] | list[tuple[str, float]]  # of WordPiece and BPE, of Unigram


def _from_tokenizer(values: Mapping[str, msgspec.Raw]) -> Mapping[int, str]:
    vocab = msgspec.json.decode(values["model"], type=_Model).vocab
    if isinstance(vocab, dict):
        text_by_number = {number: text for text, number in vocab.items()}
    else:
        text_by_number = {number: text for number, (text, _) in enumerate(vocab)}
    added = msgspec.json.decode(values["added_tokens"], type=list[_Added]) if "added_tokens" in values else []
    return text_by_number | {added_token.id: added_token.content for added_token in added}
