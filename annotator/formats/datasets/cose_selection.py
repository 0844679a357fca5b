"""Where a text that somebody selected in a question stands in it, though it was not always copied as it stands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.domain.numbers import counted
from annotator.formats.rows.findings import Findings
from annotator.language import _, listed

# Words of the page that the selection took in, before the question and after it.
_BEFORE = re.compile(r"\A(?:question)?\s*:\s*", re.IGNORECASE)
_AFTER = re.compile(r"\s*answer choices:\s*\Z", re.IGNORECASE)

Characters = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Selection:
    """What was selected, and the field and findings for what has to be said of it."""

    text: str
    field: str
    findings: Findings

    def find(self, question: str) -> Sequence[Characters]:
        """The character ranges of the selection in the question; none when it is empty or not there.

        Looked for as it is (without white space at its ends), without the words of the page around it, then with other
        white space and capitals, then in the pieces between its commas. Everything but the first is told in a warning.
        """
        wanted = self.text.strip()
        if not wanted:
            self._warn(_("Nothing marked: taken as no rationale."))
            return ()
        bare = _AFTER.sub("", _BEFORE.sub("", wanted))
        page = _("ignoring page text (Question:, Answer Choices:)")
        around = [page] if bare != wanted else []
        attempts: tuple[tuple[str, list[str]], ...] = (
            (_as_it_is(wanted), []),
            (_as_it_is(bare), around),
            (_loosely(bare), [*around, _("ignoring white space and capitals")]),
            (_in_pieces(bare), [*around, _("comma-separated parts")]),
        )
        for pattern, how in attempts:
            if pattern and (matches := list(re.finditer(pattern, question))):
                if how:
                    self._warn(_("No verbatim match in the question; matched {how}.", how=listed(how, "and")))
                return self._chosen(matches, question)
        self._warn(_("Not in the question: kept as metadata only."))
        return ()

    def _chosen(self, matches: "Sequence[re.Match[str]]", question: str) -> Sequence[Characters]:
        """The first match of whole words, else the first; its groups where it has some."""
        whole = [match for match in matches if not _cuts_a_word(match.span(), question)]
        match = (whole or matches)[0]
        if len(matches) > 1:
            number = match.start()
            choice = _("using the one at character {number}", number=number)
            self._warn(
                _(
                    "The selection occurs {times} in the question; {choice}.",
                    times=counted(len(matches), "time"),
                    choice=choice,
                )
            )
        spans = [match.span(number) for number in range(1, len(match.groups()) + 1)] or [match.span()]
        if any(_cuts_a_word(span, question) for span in spans):
            self._warn(_("Cuts a word; the whole word is marked."))
        return spans

    def _warn(self, reason: str) -> None:
        self.findings.warn(self.field, self.text, reason)


def _as_it_is(text: str) -> str:
    return re.escape(text)


def _loosely(text: str) -> str:
    characters = [re.escape(character) for character in text if not character.isspace()]
    return "(?i:" + r"\s*".join(characters) + ")" if characters else ""


def _in_pieces(text: str) -> str:
    """Each piece between commas as a group, in order; nothing for a text of one piece."""
    pieces = [piece.strip() for piece in text.split(",") if piece.strip()]
    return "(?s:.*?)".join(rf"\b({_loosely(piece)})" for piece in pieces) if len(pieces) > 1 else ""


def _cuts_a_word(span: Characters, question: str) -> bool:
    start, end = span
    return (start > 0 and (question[start - 1] + question[start]).isalnum()) or (
        end < len(question) and (question[end - 1] + question[end]).isalnum()
    )
