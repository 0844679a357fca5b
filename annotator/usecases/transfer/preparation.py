"""Tokens for what a file brings: each text tokenised, or with the tokens that it has in the store. Nothing is read here."""

import json
from collections.abc import Mapping, Sequence

from annotator.domain.imports import KnownTexts, NewDocument, NewSegment, PreparedRow, PreparedRows
from annotator.domain.projects import Project
from annotator.domain.sources import SourceDocument, SourceInstance, SourceText
from annotator.domain.texts import TokenizedText
from annotator.errors import AnnotatorError, Problem
from annotator.store.packed_rows import fingerprint, new_document
from annotator.text.tokenisation import tokenise


def prepare_rows(batch: Sequence[SourceInstance], known: KnownTexts, project: Project, language: str) -> PreparedRows:
    """The rows of a batch with the tokens of their texts.

    language: of texts whose row names none
    """
    documents: list[NewDocument] = []
    rows: list[PreparedRow | Problem] = []
    for source in batch:
        of_row = _language_of(source, known) or language
        with_tokens = _own_documents(source, known, of_row)
        if isinstance(with_tokens, Problem):
            rows.append(with_tokens)
        else:
            documents += with_tokens.values()
            rows.append(_prepared(source, with_tokens, known, project, of_row))
    return PreparedRows(tuple(documents), tuple(rows))


def prepare_documents(
    batch: Sequence[SourceDocument], known: Mapping[str, TokenizedText], language: str
) -> list[NewDocument | Problem]:
    """Documents with names of their own, with their tokens, or what is wrong with them.

    known:    the stored documents' texts by name
    language: of documents that name none
    """
    prepared: list[NewDocument | Problem] = []
    for source in batch:
        body = _tokenised(_with_known_tokens(source.body, known.get(source.docid)), source.language or language)
        prepared.append(
            _problem(source, "document", source.docid, body)
            if isinstance(body, str)
            else new_document(source.docid, body)
        )
    return prepared


def fingerprint_of(source: SourceInstance, language: str, texts: Sequence[tuple[str, bytes]]) -> bytes:
    """What makes two rows of one key the same row: everything but the annotations. texts: (segment, document's print)."""
    target = source.target and (source.target.segment, source.target.start, source.target.end, source.target.unit)
    fields = (language, source.result, source.parent_key, source.perturbation_kind, source.is_exhaustive, target)
    content = json.dumps((*fields, dict(source.metadata)), sort_keys=True, ensure_ascii=False)
    return fingerprint(content, *(piece for text in texts for piece in text))


def _language_of(source: SourceInstance, known: KnownTexts) -> str | None:
    """What a row names; tokens alone, which need no language to be found, keep that of the instance."""
    if source.language is None and source.names_texts_of_tokens:
        return known.language_of(source)
    return source.language


def _own_documents(source: SourceInstance, known: KnownTexts, language: str) -> dict[str, NewDocument] | Problem:
    """The texts that a row brings itself, or that its instance keeps, by segment; or what is wrong with one of them."""
    documents: dict[str, NewDocument] = {}
    for name, text in source.segments.items():
        if isinstance(text, SourceText):
            body = _tokenised(_with_known_tokens(text, known.body_of(source, language, name)), language)
            if isinstance(body, str):
                return _problem(source, "text", source.key, body)
            documents[name] = new_document(None, body)
        elif (shown := _with_own_spacing(source, name, text, language, known)) is not None:
            documents[name] = shown
    return documents


def _prepared(
    source: SourceInstance, documents: Mapping[str, NewDocument], known: KnownTexts, project: Project, language: str
) -> PreparedRow | Problem:
    segments = []
    bodies = {name: document.body for name, document in documents.items()}
    for name in project.task.in_numbering_order(list(source.segments)):
        spec = project.task.spec_of(name)
        is_selectable = spec is not None and spec.is_selectable
        text = source.segments[name]
        if name in documents or not isinstance(text, str):
            segments.append(NewSegment(name, is_selectable, documents[name].body.n_tokens, documents[name].fingerprint))
        elif (document := known.named.get(text)) is not None:
            segments.append(NewSegment(name, is_selectable, document.n_tokens, document.fingerprint))
            if text in known.named_bodies:
                bodies[name] = known.named_bodies[text]
        else:
            return _problem(source, name, text, "There is no document of this name in the file or in the project.")
    digest = fingerprint_of(source, language, [(segment.name, segment.document) for segment in segments])
    replaced = [text for name, text in source.segments.items() if isinstance(text, str) and name in documents]
    return PreparedRow(source, language, tuple(segments), bodies, digest, tuple(replaced))


def _with_own_spacing(
    source: SourceInstance, segment: str, docid: str, language: str, known: KnownTexts
) -> NewDocument | None:
    """The text without a name that an instance shows, where a document of which the file says the tokens alone has the same."""
    stored, named = known.body_of(source, language, segment), known.named_bodies.get(docid)
    if not source.names_texts_of_tokens or stored is None or named is None:
        return None
    shown = new_document(None, stored)
    is_same = known.shows(source, segment, shown.fingerprint) and named.tokens() == stored.tokens()
    return shown if is_same else None


def _with_known_tokens(text: SourceText, stored: TokenizedText | None) -> SourceText:
    """A text without tokens gets those of the stored one, so that a newer tokeniser makes no other row of it.

    Tokens alone get the stored text, where that has the same ones, so that its spaces make no other row of it either.
    """
    if stored is None:
        return text
    if text.tokens is None:
        return SourceText(text.text, stored) if stored.text == text.text else text
    is_same = text.is_text_of_tokens and stored.tokens() == text.tokens.tokens()
    return SourceText(stored.text, stored) if is_same else text


def _tokenised(text: SourceText, language: str) -> TokenizedText | str:
    """A text with its tokens, or the reason why it has none."""
    if text.tokens is not None:
        return text.tokens
    try:
        return tokenise(text.text, language)
    except AnnotatorError as error:
        return str(error)


def _problem(source: SourceInstance | SourceDocument, name: str, value: str, reason: str) -> Problem:
    return Problem(source.source, source.line, name, value, reason)
