"""Tokens for what a file brings: each text tokenised, or with the tokens that it has in the store. Nothing is read here."""

import json
from collections.abc import Mapping, Sequence

from annotator.domain.imports import KnownTexts, NewDocument, NewSegment, PreparedRow, PreparedRows
from annotator.domain.projects import Project
from annotator.domain.sources import SourceDocument, SourceInstance, SourceText
from annotator.domain.texts import TokenizedText
from annotator.errors import AnnotatorError, Problem
from annotator.store.imports import new_document
from annotator.store.packed_rows import fingerprint
from annotator.text.tokenisation import tokenise_all


def prepare_rows(batch: Sequence[SourceInstance], known: KnownTexts, project: Project, language: str) -> PreparedRows:
    """The rows of a batch with the tokens of their texts.

    language: of texts whose row names none
    """
    texts = [
        (number, name, _with_known_tokens(text, known.body_of(source, source.language or language, name)))
        for number, source in enumerate(batch)
        for name, text in source.segments.items()
        if isinstance(text, SourceText)
    ]
    bodies = _tokenised([(text, batch[number].language or language) for number, _, text in texts])
    documents: dict[tuple[int, str], NewDocument] = {}
    failed: dict[int, str] = {}
    for (number, name, _), body in zip(texts, bodies, strict=True):
        if isinstance(body, str):
            failed[number] = body
        else:
            documents[number, name] = new_document(None, body)
    rows = []
    for number, source in enumerate(batch):
        own = {name: documents[number, name] for name in source.segments if (number, name) in documents}
        rows.append(
            _problem(source, "text", source.key, failed[number])
            if number in failed
            else _prepared(source, own, known, project, source.language or language)
        )
    return PreparedRows(tuple(documents.values()), tuple(rows))


def prepare_documents(
    batch: Sequence[SourceDocument], known: Mapping[str, TokenizedText], language: str
) -> list[NewDocument | Problem]:
    """Documents with names of their own, with their tokens, or what is wrong with them.

    known:    the stored documents' texts by name
    language: of documents that name none
    """
    texts = [(_with_known_tokens(d.body, known.get(d.docid)), d.language or language) for d in batch]
    return [
        _problem(source, "document", source.docid, body) if isinstance(body, str) else new_document(source.docid, body)
        for source, body in zip(batch, _tokenised(texts), strict=True)
    ]


def fingerprint_of(source: SourceInstance, language: str, texts: Sequence[tuple[str, bytes]]) -> bytes:
    """What makes two rows of one key the same row: everything but the annotations. texts: (segment, document's print)."""
    target = source.target and (source.target.segment, source.target.start, source.target.end, source.target.unit)
    said = (language, source.result, source.parent_key, source.perturbation_kind, source.is_exhaustive, target)
    content = json.dumps((*said, dict(source.metadata)), sort_keys=True, ensure_ascii=False)
    return fingerprint(content, *(piece for text in texts for piece in text))


def _prepared(
    source: SourceInstance, own: Mapping[str, NewDocument], known: KnownTexts, project: Project, language: str
) -> PreparedRow | Problem:
    segments = []
    bodies = {name: document.body for name, document in own.items()}
    for name in project.task.in_numbering_order(list(source.segments)):
        spec = project.task.spec_of(name)
        is_selectable = spec is not None and spec.is_selectable
        text = source.segments[name]
        if not isinstance(text, str):
            segments.append(NewSegment(name, is_selectable, own[name].body.n_tokens, own[name].fingerprint))
        elif (document := known.named.get(text)) is not None:
            segments.append(NewSegment(name, is_selectable, document.n_tokens, document.fingerprint))
            if text in known.named_bodies:
                bodies[name] = known.named_bodies[text]
        else:
            return _problem(source, name, text, "There is no document of this name in the file or in the project.")
    digest = fingerprint_of(source, language, [(segment.name, segment.document) for segment in segments])
    return PreparedRow(source, language, tuple(segments), bodies, digest)


def _with_known_tokens(text: SourceText, stored: TokenizedText | None) -> SourceText:
    """A text without tokens gets those of the stored one, so that a newer tokeniser makes no other row of it."""
    is_same = text.tokens is None and stored is not None and stored.text == text.text
    return SourceText(text.text, stored) if is_same else text


def _tokenised(texts: Sequence[tuple[SourceText, str]]) -> list[TokenizedText | str]:
    """Each text (with its language) with its tokens, or the reason why it has none."""
    found: list[TokenizedText | str] = [text.tokens or "" for text, _ in texts]
    by_language: dict[str, list[int]] = {}
    for position, (text, language) in enumerate(texts):
        if text.tokens is None:
            by_language.setdefault(language, []).append(position)
    for language, positions in by_language.items():
        bodies = _of_language([texts[position][0].text for position in positions], language)
        for position, body in zip(positions, bodies, strict=True):
            found[position] = body
    return found


def _of_language(texts: Sequence[str], language: str) -> list[TokenizedText | str]:
    try:
        return list(tokenise_all(texts, language))
    except AnnotatorError:
        return [_alone(text, language) for text in texts]


def _alone(text: str, language: str) -> TokenizedText | str:
    try:
        return next(iter(tokenise_all([text], language)))
    except AnnotatorError as error:
        return str(error)


def _problem(source: SourceInstance | SourceDocument, name: str, value: str, reason: str) -> Problem:
    return Problem(source.source, source.line, name, value, reason)
