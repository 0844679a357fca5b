"""Which instances the rows of model output without keys are of: those that have their text."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, takewhile
from typing import NamedTuple

from annotator.domain.imports import KeyedInstance
from annotator.domain.models import InputText, SourceOutput
from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.errors import Problem
from annotator.formats.rows.findings import listed
from annotator.language import _, several, unsaid
from annotator.store import Store
from annotator.store.instances import get_instance, iterate_keyed_texts
from annotator.text.characters import core_of, letters_of

_EXCERPT = 80
_UNKNOWN = unsaid("No ID and unknown text. Add an ID, or import the text first.")
_UNKNOWN_IN_PROMPT = unsaid("No ID; its text is within a prompt. Add an ID or use --prompt {option}.")
_UNREADABLE = unsaid("An unknown subword prevents matching. Add an ID.")
_OTHER_SUBWORDS = unsaid(
    "No instance matches the subwords. {where}: {of_subwords} against {of_text}. Add an ID or import their text."
)
PROMPT = "prompt"  # the remedy of what is within a prompt
_PROPOSED = re.compile(r"""--prompt ('(?:[^']|'"'"')*')""")  # as shlex quotes it; it has braces, so it is quoted
_SEVERAL = unsaid("{n} have this text: {keys}. Add an ID or use --all-doubles.")
_SAME = unsaid("Duplicate of line {line}; imported once.")
_OTHER = unsaid("Conflicts with line {line}. Keep one, or add IDs.")
_ALIKE = unsaid("{n} match only without outer punctuation: {keys}. Add an ID.")


class TextMatch(NamedTuple):
    """The instances of a row. are_edges_open: the punctuation at the ends of their texts may differ."""

    instances: Sequence[KeyedInstance]
    are_edges_open: bool = False


class _Text(NamedTuple):
    instance: KeyedInstance
    exact: int
    is_discarded: bool


@dataclass(slots=True)
class TextIndex:
    """Finds instances by their texts, which are read when the first row asks for them.

    all_doubles: where several instances have a text, what is said of it is said of each
    """

    store: Store
    project: Project
    all_doubles: bool = False
    n_matched: int = 0
    n_trimmed: int = 0  # of those, by a text with other punctuation at its ends
    n_unknown: int = 0
    n_doubles: int = 0
    _is_read: bool = False
    _whole: dict[int, list[_Text]] = field(default_factory=dict)  # by their letters
    _selectable: dict[int, list[_Text]] = field(default_factory=dict)  # by those of what can be marked
    _cores: dict[int, list[_Text]] = field(default_factory=dict)  # of a single text, without punctuation at its ends
    _said: dict[int, tuple[int, int]] = field(default_factory=dict)  # line and content of what the file said of a text

    def match(self, row: SourceOutput, given: InputText) -> TextMatch | Problem | None:
        """The instances that a row is of: one, or all with its text where that was asked for; None where none has its text.

        Where none has it as it is, one may have it with other punctuation at its ends, if it is the only one.
        """
        self._read()
        with_text = self._with_text(row, given)
        if not with_text:
            return self._match_core(row, given)
        if len(with_text) > 1:
            self.n_doubles += 1
            if not self.all_doubles:
                keys = listed([text.instance.key for text in with_text])
                return _problem(row, _(_SEVERAL, n=counted(len(with_text), "instance"), keys=keys), remedy="doubles")
        again = self._again(row, with_text[0].instance.id)
        if again is None:
            self.n_matched += 1
        return again or TextMatch([text.instance for text in with_text])

    def _match_core(self, row: SourceOutput, given: InputText) -> TextMatch | Problem | None:
        """The only instance whose text differs in punctuation at its ends alone; a problem where there are several."""
        cores = [core for letters in given.letters if (core := core_of(letters))]
        texts = self._of_row(row, [text for core in cores for text in self._cores.get(hash(core), ())])
        if not texts:
            return None
        if len(texts) > 1:
            self.n_unknown += 1
            keys = listed([text.instance.key for text in texts])
            return _problem(row, _(_ALIKE, n=counted(len(texts), "instance"), keys=keys))
        again = self._again(row, texts[0].instance.id)
        if again is None:
            self.n_matched += 1
            self.n_trimmed += 1
        return again or TextMatch([texts[0].instance], are_edges_open=True)

    def begins(self, instance: KeyedInstance, given: InputText) -> bool:
        """Whether a text may be the beginning of an instance's, of which a model may not have seen the end."""
        segments = get_instance(self.store, instance.id).segments
        whole = letters_of("".join(segment.body.text for segment in segments))
        return not given.letters or any(whole.startswith(letters) for letters in given.letters)

    def unknown(self, row: SourceOutput, given: InputText) -> Problem:
        """No instance has the text of a row."""
        self.n_unknown += 1
        prompt = self._prompt_around(row, given) if given.letters else ""
        if prompt:
            option = shlex.quote(prompt.replace("\n", r"\n"))
            return _problem(row, _(_UNKNOWN_IN_PROMPT, option=option), remedy=PROMPT)
        if given.subwords and given.letters and letters_of(given.text) not in given.letters:
            return _problem(row, _difference(given), text=given.subwords)
        return _problem(row, _(_UNKNOWN) if given.letters else _(_UNREADABLE))

    def _prompt_around(self, row: SourceOutput, given: InputText) -> str:
        """The prompt that takes away what all texts of the file have around one that the project has; "" where none does."""
        self._read()
        before, after = given.common
        for first in _ends_of_words(before):
            for length in _ends_of_words(after[::-1]):
                inner = given.text[first : len(given.text) - length]
                texts = self._whole.get(hash(letters_of(inner)), ()) if first or length else ()
                if self._of_row(row, texts):
                    return f"{given.text[:first]}{{text}}{given.text[len(given.text) - length :]}"
        return ""

    def notes(self) -> list[str]:
        """What became of the rows without keys, in sentences."""
        if not (self.n_matched or self.n_unknown or self.n_doubles):
            return []
        words = [self._matched_words()]
        if self.n_unknown:
            words.append(several("{n} row's text is unknown.", "{n} rows' texts are unknown.", self.n_unknown))
        if self.n_doubles and not self.all_doubles:
            words.append(
                several(
                    "{n} row's text matches several instances.",
                    "{n} rows' texts match several instances.",
                    self.n_doubles,
                )
            )
        return [" ".join(words)]

    def _matched_words(self) -> str:
        """How many rows went to the instances with their texts."""
        rows = counted(self.n_matched, "row")
        if not self.n_trimmed:
            return _("{rows} without an ID matched by text.", rows=rows)
        return _(
            "{rows} without an ID matched by text, {n_trimmed} ignoring outer punctuation.",
            rows=rows,
            n_trimmed=f"{self.n_trimmed:,}",
        )

    def _with_text(self, row: SourceOutput, given: InputText) -> list[_Text]:
        """Of several the ones that stand so in the project to the letter, and that are not discarded, where there are some."""
        for texts in (self._whole, self._selectable):
            texts_of_row = self._of_row(row, [t for letters in given.letters for t in texts.get(hash(letters), ())])
            if len(texts_of_row) > 1:
                exact = _exact(given.text)
                texts_of_row = [text for text in texts_of_row if text.exact == exact] or texts_of_row
                texts_of_row = [text for text in texts_of_row if not text.is_discarded] or texts_of_row
            if texts_of_row:
                return texts_of_row
        return []

    @staticmethod
    def _of_row(row: SourceOutput, texts: Sequence[_Text]) -> list[_Text]:
        """Those of a row's split, each once."""
        fitting = [t for t in texts if row.split is None or row.split in (t.instance.split, t.instance.source_split)]
        return list({text.instance.id: text for text in fitting}.values())

    def _again(self, row: SourceOutput, instance_id: int) -> Problem | None:
        """What is wrong with a row whose text the file had before, for the same run and label."""
        content = hash((row.attributions, row.rationales, *map(repr, row.predictions)))
        line = row.line or 0
        # What a row says, as far as it may be said once of a text
        answers = [("answer", prediction.on, prediction.threshold) for prediction in row.predictions]
        scores = [("scores", attribution.label, attribution.layer) for attribution in row.attributions]
        for what in (*scores, *(("rationale", rationale.kind) for rationale in row.rationales)) or answers:
            name = hash((row.run, instance_id, what))
            first, before = self._said.setdefault(name, (line, content))
            if first != line:
                is_same = before == content
                return _problem(row, _(_SAME if is_same else _OTHER, line=first), is_warning=is_same)
        return None

    def _read(self) -> None:
        if self._is_read:
            return
        self._is_read = True
        for instance, is_discarded, segments in iterate_keyed_texts(self.store, self.project.id):
            letters = [letters_of(text) for _, text in segments]
            text = _Text(instance, _exact("\n".join(text for _, text in segments)), is_discarded)
            n = sum(is_selectable for is_selectable, _ in segments)
            for whole in dict.fromkeys(("".join(letters), "".join(letters[n:] + letters[:n]))):
                self._whole.setdefault(hash(whole), []).append(text)
            if len(segments) == 1 and (core := core_of(letters[0])):
                self._cores.setdefault(hash(core), []).append(text)
            if n < len(segments):
                self._selectable.setdefault(hash("".join(letters[:n])), []).append(text)


def _difference(given: InputText) -> str:
    """Where the subwords of a row and the text that stands beside them part, in a sentence."""
    pairs = zip(letters_of(given.text), letters_of(given.subwords), strict=False)
    n = sum(1 for _ in takewhile(lambda letters: letters[0] == letters[1], pairs))
    same = _until(given.text, n)
    more_of_text, more_of_subwords = (text[len(_until(text, n)) :].strip() for text in (given.text, given.subwords))
    values = {
        "of_subwords": repr(_excerpt(more_of_subwords)) if more_of_subwords else _("nothing"),
        "of_text": repr(_excerpt(more_of_text)) if more_of_text else _("nothing"),
    }
    if same.strip():
        return _(_OTHER_SUBWORDS, where=_("After {same}", same=repr(_excerpt(same))), **values)
    return _(_OTHER_SUBWORDS, where=_("At the start"), **values)


def _until(text: str, n: int) -> str:
    """The beginning of a text that has n of its letters.

    >>> _until("The film was", 7)
    'The film'
    """
    ends = accumulate(len(letters_of(character)) for character in text)
    return text[: sum(n_letters <= n for n_letters in ends)].rstrip()


def _excerpt(text: str) -> str:
    value = " ".join(text.split())
    return value if len(value) <= _EXCERPT else f"{value[: _EXCERPT - 1]}…"


def _ends_of_words(text: str) -> list[int]:
    """Where a part of a text that ends with a word may end, the longest first; also nothing of it."""
    return [
        n for n in range(len(text), -1, -1) if n in (0, len(text)) or not (text[n - 1].isalnum() and text[n].isalnum())
    ]


def _exact(text: str) -> int:
    """A text as it stands, but for its blanks."""
    return hash(" ".join(text.split()))


def proposed_prompt(problems: Sequence[Problem]) -> str:
    """The prompt that the first of the problems proposes, as it is typed; "" where none does."""
    reason = next((problem.reason for problem in problems if problem.remedy == PROMPT), "")
    option = _PROPOSED.search(reason)
    return shlex.split(option[1])[0] if option else ""


def _problem(
    row: SourceOutput, reason: str, *, is_warning: bool = False, remedy: str = "", text: str | None = None
) -> Problem:
    """text: that was compared, where it is another one than the row names."""
    named = row.input.text if row.input is not None else ""
    value = _excerpt(named if text is None else text)
    return Problem(row.source, row.line, "text", value, reason, is_warning=is_warning, remedy=remedy)
