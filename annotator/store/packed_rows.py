"""How token offsets and rationale sets are written into a row."""

import json
import sys
from array import array
from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

import msgspec

from annotator.domain.imports import NewDocument
from annotator.domain.texts import HelpOrigin, RationaleSet, Span, TokenizedText

_N = TypeVar("_N", int, float)
_SPANS = msgspec.json.Decoder(list[tuple[int, int]])


def pack_numbers(numbers: Sequence[int]) -> bytes:
    """Numbers as unsigned 32-bit little-endian."""
    return _in_file_order(array("I", numbers)).tobytes()


def unpack_numbers(packed: bytes) -> tuple[int, ...]:
    """The inverse of pack_numbers."""
    return tuple(_in_file_order(array("I", packed)))


def pack_floats(numbers: Sequence[float]) -> bytes:
    """Numbers as 64-bit floats, little-endian."""
    return _in_file_order(array("d", numbers)).tobytes()


def unpack_floats(packed: bytes) -> tuple[float, ...]:
    """The inverse of pack_floats."""
    return tuple(_in_file_order(array("d", packed)))


def _in_file_order(numbers: "array[_N]") -> "array[_N]":
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def pack_offsets(body: TokenizedText) -> bytes:
    """All token starts, then all token ends."""
    return pack_numbers(body.starts + body.ends)


def unpack_text(text: str, token_offsets: bytes, sentence_starts: bytes) -> TokenizedText:
    """A text as it was stored."""
    numbers = unpack_numbers(token_offsets)
    n_tokens = len(numbers) // 2
    return TokenizedText(text, numbers[:n_tokens], numbers[n_tokens:], unpack_numbers(sentence_starts))


def pack_sets(sets: Sequence[RationaleSet]) -> list[str]:
    """Each set's spans as JSON pairs."""
    return [json.dumps([[span.start, span.end] for span in s.spans], separators=(",", ":")) for s in sets]


def unpack_set(spans: str, origin: HelpOrigin | None = None) -> RationaleSet:
    """The inverse of pack_sets for one set."""
    return RationaleSet(tuple(Span(start, end) for start, end in _SPANS.decode(spans)), origin)


def fingerprint(*parts: bytes | str) -> bytes:
    """A 16-byte digest of the parts and their borders."""
    digest = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


def new_document(docid: str | None, body: TokenizedText) -> NewDocument:
    """A document with its fingerprint, as it is to be stored."""
    digest = fingerprint(docid or "", body.text, pack_offsets(body), pack_numbers(body.sentence_starts))
    return NewDocument(docid, body, digest)
