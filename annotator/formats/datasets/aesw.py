"""The format `aesw`: sentences with an editor's marks, from which the rationale sets follow (Stevens and Su 2021)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET  # it gets single elements, before which no document type can stand

from annotator.domain.instances import CRITERION
from annotator.domain.sources import SourceAnnotation, SourceInstance, SourceItem, SourceText
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.datasets.aesw_markup import Markup, read_markup
from annotator.formats.rows.checks import Checker, KeyLines
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.spans import spans_of_tokens
from annotator.language import _, listed, unsaid
from annotator.text.alignment import is_unknown, treebank_words
from annotator.text.edits import (
    Criterion,
    EditedSentence,
    Piece,
    criterion_of,
    is_comma_edit,
    partly_covered,
    touched_tokens,
)

LABELS = ("correct", "needs edit")  # without and with edits: 0 and 1 in the released data
ANNOTATOR = "aesw"
SPLITS = ("train", "val", "test")
_SEGMENT = "text"
_BLANK = unsaid("White space only is deleted: the rationale is empty, so that there is no set for it.")


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The instances of a file of AESW, or of plain lines with one marked-up sentence each, and what is wrong with them.

    Raises: NotFound or InvalidValue when the file cannot be opened, or the task is not one of editing
    """
    if options.task.name != "editing":
        raise InvalidValue(
            _(
                "The format aesw gives instances of the task 'editing', but the project's is '{name}'. Make a project for it: "
                "annotator project create NAME --task editing.",
                name=options.task.name,
            )
        )
    markups = read_markup(path)
    reader = _AeswReader(options, options.split or (path.stem if path.stem in SPLITS else ""))
    yield from reader.label_warnings(path.name)
    for markup in markups:
        if isinstance(markup, Problem):
            yield markup
        else:
            yield from reader.instance(markup, Findings(path.name, markup.line))


@dataclass(slots=True)
class _AeswReader:
    options: ReadOptions
    split: str
    checker: Checker = field(init=False)
    labels: tuple[str, str] = field(init=False)
    keys: KeyLines = field(default_factory=KeyLines)

    def __post_init__(self) -> None:
        self.checker = Checker(self.options)
        self.labels = _labels(self.options.labels)

    def label_warnings(self, source: str) -> Iterator[Problem]:
        """Said once, when the project has two labels of its own, since only their order tells which is which."""
        if not set(self.labels) & set(LABELS):
            without, with_edits = self.labels
            reason = _(
                "The project's first label, '{without}', is given to sentences without edits and its second, '{with_edits}', to "
                "those with edits. If it is the other way round, change their order in the project.",
                without=without,
                with_edits=with_edits,
            )
            yield Problem(source, None, "label", ", ".join(self.labels), reason, is_warning=True)

    def instance(self, markup: Markup, findings: Findings) -> Iterator[SourceItem]:
        """The instance of one sentence, and what is wrong with it."""
        element = _parsed(markup, findings)
        sentence = None if element is None else _edited_sentence(element, findings)
        body = None if sentence is None else _words(sentence, findings)
        if element is not None and sentence is not None and body is not None:
            instance = self._instance(markup, dict(element.attrib), sentence, body, findings)
            self.checker.check(instance, findings)
            self.keys.refuse_twice(instance, findings, "sid")
            if not findings.is_refused:
                yield instance
        yield from findings.problems

    def _instance(
        self,
        markup: Markup,
        attributes: dict[str, str],
        sentence: EditedSentence,
        body: TokenizedText,
        findings: Findings,
    ) -> SourceInstance:
        criterion = criterion_of(sentence, is_unknown)
        is_told = criterion in {"spelling", "deleted"}
        return SourceInstance(
            key=self.options.key_prefix + _key(attributes.pop("sid", ""), markup, findings),
            segments={_SEGMENT: SourceText(sentence.before, body)},
            source=findings.source,
            line=markup.line,
            split=self.split,
            language=self.options.language,
            result=self.labels[0 if criterion is None else 1],
            annotations=(self._annotation(sentence, body, findings),) if is_told else (),
            metadata={**attributes, **_metadata(sentence, criterion)},
        )

    def _annotation(self, sentence: EditedSentence, body: TokenizedText, findings: Findings) -> SourceAnnotation:
        """The rationale sets that follow from the deletions."""
        deletions = sentence.deletions
        groups = [(deletion,) for deletion in deletions] if self.options.one_set_per_edit else [deletions]
        sets: list[list[int]] = []
        for ranges in groups:
            tokens = touched_tokens(body, ranges)
            if tokens and tokens not in sets:
                sets.append(tokens)
            elif any(start < end for start, end in ranges):  # an empty one has been reported already
                reason = (
                    _("It lies in the same word as another deletion and gets no second set.") if tokens else _(_BLANK)
                )
                findings.warn(
                    "del",
                    listed([_("characters {start} to {end}", start=start, end=end) for start, end in ranges]),
                    reason,
                )
        _warn_of_parts(sentence, body, findings)
        spans = tuple(spans_of_tokens(_SEGMENT, tokens) for tokens in sets)
        return SourceAnnotation(ANNOTATOR, self.labels[1], spans)


def _labels(known: tuple[str, ...]) -> tuple[str, str]:
    """The labels for sentences without and with edits: the project's own, where it has two and not ours."""
    if len(known) == 2 and not set(LABELS) <= set(known):
        first, second = known
        return (second, first) if first == LABELS[1] or second == LABELS[0] else (first, second)
    return LABELS


def _key(sid: str, markup: Markup, findings: Findings) -> str:
    """The sentence's own id, else one that is made of its line."""
    if sid.strip():
        return sid.strip()
    key = f"line{markup.line}" + (f".{markup.number}" if markup.number > 1 else "")
    if not markup.is_plain_line:
        reason = _(
            "The sentence has no sid; its key is '{key}'. Give it one, so that its key stays when lines move.", key=key
        )
        findings.warn("sid", sid, reason)
    return key


def _parsed(markup: Markup, findings: Findings) -> ET.Element | None:
    try:
        return ET.fromstring(markup.xml)  # noqa: S314  # no document type can stand within an element
    except ET.ParseError as error:
        near, reason = _explained(markup.xml, error)
        findings.refuse("sentence", near, reason)
        return None


_NOT_WELL_FORMED = unsaid("The markup is not well-formed XML; close every tag that is opened.")
_FAULTS = {
    7: unsaid("The tags do not match: every <del> needs its </del> and every <ins> its </ins>, in order."),
    11: unsaid("XML has no other names than &amp; &lt; &gt; &quot; &apos;; write the character itself."),
    4: unsaid("XML cannot read this: write &amp; for & and &lt; for <, and take out control characters."),
    14: unsaid("A character's number is not one that XML allows; write the character itself."),
    8: unsaid("An attribute appears twice in one tag; keep one of the two."),
    9: unsaid("Text follows the end of the sentence; one line holds one sentence."),
}


def _explained(xml: str, error: ET.ParseError) -> tuple[str, str]:
    """The text around the fault, and what to do about it."""
    row, column = error.position
    line = xml.split("\n")[row - 1]
    reason = _(_FAULTS.get(error.code, _NOT_WELL_FORMED))
    return line[max(0, column - 40) : column + 40], _(
        "{reason} (The parser says: {message}.)", reason=reason, message=error.msg.partition(":")[0]
    )


def _edited_sentence(element: ET.Element, findings: Findings) -> EditedSentence | None:
    pieces = [Piece("kept", element.text)] if element.text else []
    for child in element:
        if child.tag not in {"del", "ins"}:
            reason = _(
                "<{tag}> is not a mark; there are <del> and <ins>. Take the tag out, or write &lt; for its <.",
                tag=child.tag,
            )
            findings.refuse("sentence", ET.tostring(child, encoding="unicode", method="xml"), reason)
        for inner in child:
            reason = _(
                "<{inner}> stands inside <{outer}>; marks stand side by side, never one in another: close <{outer}> before it.",
                inner=inner.tag,
                outer=child.tag,
            )
            findings.refuse("sentence", f"<{inner.tag}>", reason)
        pieces.append(Piece("deleted" if child.tag == "del" else "inserted", child.text or ""))
        if child.tail:
            pieces.append(Piece("kept", child.tail))
    return None if findings.is_refused else EditedSentence(tuple(pieces))


def _words(sentence: EditedSentence, findings: Findings) -> TokenizedText | None:
    for mark in sentence.marks:
        if not mark.text:
            name = "<del>" if mark.kind == "deleted" else "<ins>"
            reason = _(
                "The {name} is empty: it changes nothing, but the sentence counts as edited. Take it out.", name=name
            )
            findings.warn("sentence", name, reason)
    try:
        return treebank_words(sentence.before)
    except InvalidValue as error:
        findings.refuse("sentence", sentence.before, str(error))
        return None


def _warn_of_parts(sentence: EditedSentence, body: TokenizedText, findings: Findings) -> None:
    """Say that words are selected of which only a part is deleted."""
    deletions = sentence.deletions
    for token in partly_covered(body, touched_tokens(body, deletions), deletions):
        reason = _("Only a part of this word is deleted; the whole word is in the rationale.")
        findings.warn("del", body.token(token), reason)
    if body.n_tokens and not sentence.after.strip():
        findings.warn("del", sentence.before, _("The whole sentence is deleted; the rationale is every word of it."))


def _metadata(sentence: EditedSentence, criterion: Criterion | None) -> dict[str, object]:
    """What the editor did, exact to the character; nothing for a sentence without edits."""
    if criterion is None:
        return {}
    edits = [[edit.start, edit.end, edit.replacement] for edit in sentence.edits]
    named = {"is_comma_edit": True} if is_comma_edit(sentence) else {}
    return {"text_after": sentence.after, CRITERION: criterion, "edits": edits, **named}
