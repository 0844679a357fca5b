"""The documents of an ERASER data set, from docs/ or docs.jsonl, read when an instance needs them."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec

from annotator.domain.sources import SourceDocument, SourceText
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue, Problem
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.lines import LineError, Row, convert, line_at, parse_object, read_rows
from annotator.language import _
from annotator.text.alignment import eraser_docs_folder, eraser_docs_jsonl

_KEPT_CHARACTERS = 32 * 2**20


class Documents(Protocol):
    """Where an ERASER data set keeps its documents."""

    name: str

    def has(self, docid: str) -> bool:
        """Whether there is a document of that name."""

    def load(self, docid: str, findings: Findings) -> TokenizedText | None:
        """A document with its tokens; None, with a finding, when it cannot be read."""

    def survey(self) -> Iterator[Problem]:
        """Look through what is there, before the first instance."""


class _DocumentRow(msgspec.Struct):
    docid: str
    document: str


def find_documents(folder: Path) -> Documents:
    """The documents in a data folder.

    Raises: InvalidValue when there are none, or two sorts
    """
    in_folder, in_file = folder / "docs", folder / "docs.jsonl"
    if in_folder.is_dir() and in_file.is_file():
        raise InvalidValue(_("'{folder}' has both docs/ and docs.jsonl. Remove one.", folder=folder))
    if in_folder.is_dir():
        return _FolderDocuments(in_folder)
    if in_file.is_file():
        return _FileDocuments(in_file)
    raise InvalidValue(_("No {names} in '{path}'. Choose another folder.", path=folder, names="docs/, docs.jsonl"))


@dataclass(slots=True)
class _FolderDocuments:
    """docs/: one file a document; its name is the docid."""

    folder: Path
    name: str = "docs"

    def has(self, docid: str) -> bool:
        return self._path(docid) is not None

    def load(self, docid: str, findings: Findings) -> TokenizedText | None:
        path = self._path(docid)
        if path is None:
            return None
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as fault:
            reason = _("'{path}' isn't UTF-8 (byte {start}). Save it as UTF-8.", start=fault.start + 1, path=docid)
            findings.refuse("docid", docid, reason)
            return None
        except OSError as error:
            findings.refuse("docid", docid, _("Can't open '{path}': {reason}.", path=docid, reason=error.strerror))
            return None
        return _checked(docid, text, eraser_docs_folder, findings)

    def survey(self) -> Iterator[Problem]:
        return iter(())

    def _path(self, docid: str) -> Path | None:
        """The document's file; None for a name that is none or leads out of the folder."""
        if not docid or "\0" in docid:
            return None
        try:
            path = (self.folder / docid).resolve()
            return path if path.is_relative_to(self.folder.resolve()) and path.is_file() else None
        except (OSError, ValueError):
            return None


@dataclass(slots=True)
class _FileDocuments:
    """docs.jsonl: one document a line. Only where each begins is kept, by hash: e-SNLI has 1,140,000."""

    path: Path
    name: str = "docs.jsonl"
    _offsets: dict[int, int] = field(default_factory=dict)

    def survey(self) -> Iterator[Problem]:
        for row in read_rows(self.path, self.name):
            if isinstance(row, Problem):
                yield row
                continue
            findings = row.findings()
            self._place(row, findings)
            yield from findings.problems

    def _place(self, row: Row, findings: Findings) -> None:
        document = convert(row.values, _DocumentRow, findings)
        if document is None:
            return
        if hash(document.docid) in self._offsets:
            reason = _("Duplicate. Keep one.")
            findings.refuse("docid", document.docid, reason)
            return
        self._offsets[hash(document.docid)] = row.offset

    def has(self, docid: str) -> bool:
        return hash(docid) in self._offsets

    def load(self, docid: str, findings: Findings) -> TokenizedText | None:
        offset = self._offsets.get(hash(docid))
        if offset is None:
            return None
        try:
            row = msgspec.convert(parse_object(line_at(self.path, offset)), _DocumentRow)
        except (LineError, msgspec.ValidationError) as error:
            findings.refuse("docid", docid, _("Unreadable: {reason}.", reason=error))
            return None
        return _checked(docid, row.document, eraser_docs_jsonl, findings) if row.docid == docid else None


def _checked(docid: str, text: str, tokenize: "Tokenize", findings: Findings) -> TokenizedText | None:
    if "\0" in text:
        findings.refuse("docid", docid, _("NUL character in document '{docid}'. Remove it.", docid=docid))
        return None
    body = tokenize(text)
    if not body.n_tokens or not text.strip():
        findings.refuse("docid", docid, _("Document '{docid}' is empty.", docid=docid))
        return None
    return body


class Tokenize(Protocol):
    """A loader's way from a document's text to its tokens."""

    def __call__(self, text: str) -> TokenizedText:
        """The text with its tokens."""


@dataclass(frozen=True, slots=True)
class DocumentTokens:
    """A document's tokens as one text, parted by NUL (which no document holds): a tenth of what their offsets take."""

    joined: str
    n_tokens: int

    def text(self, start: int, end: int) -> str:
        """Some tokens, joined by blanks."""
        return " ".join(self.joined.split("\0", end)[start:end])


@dataclass(slots=True)
class DocumentShelf:
    """Hands out each document once, and keeps tokens at hand for the evidences that point into them."""

    documents: Documents
    language: str | None
    key_prefix: str
    _given: set[int] = field(default_factory=set)  # hashes of docids
    _kept: "OrderedDict[str, DocumentTokens]" = field(default_factory=OrderedDict)
    _n_kept_characters: int = 0

    def resolve(self, docid: str, findings: Findings) -> str | None:
        """The document's own name: as given, or with the one extension that the file has and the name lacks."""
        if hash(docid) in self._given or self.documents.has(docid):
            return docid
        longer = f"{docid}.txt"
        if self.documents.has(longer):
            findings.warn("docid", docid, _("The document is '{name}'. Add the extension.", name=longer))
            return longer
        reason = _("No document '{docid}' in {name}.", docid=docid, name=self.documents.name)
        findings.refuse("docid", docid, reason)
        return None

    def fetch(self, docid: str, findings: Findings) -> tuple[DocumentTokens | None, SourceDocument | None]:
        """A document's tokens, and the document itself when it is asked for the first time."""
        tokens = self._kept.get(docid)
        if tokens is not None:
            self._kept.move_to_end(docid)
            return tokens, None
        body = self.documents.load(docid, findings)
        if body is None:
            return None, None
        tokens = DocumentTokens("\0".join(body.tokens()), body.n_tokens)
        self._keep(docid, tokens)
        if hash(docid) in self._given:
            return tokens, None
        self._given.add(hash(docid))
        text = SourceText(body.text, body, is_text_of_tokens=True)
        return tokens, SourceDocument(self.key_prefix + docid, text, self.language, self.documents.name)

    def _keep(self, docid: str, tokens: DocumentTokens) -> None:
        self._kept[docid] = tokens
        self._n_kept_characters += len(tokens.joined)
        while self._n_kept_characters > _KEPT_CHARACTERS and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._n_kept_characters -= len(dropped.joined)
