r"""A text in a prompt, as a causal model is asked which label's words come next; and the subwords of these words.

The prompt, such as "{text}\nLabel: {label}", is tokenised together with the text, so that blanks fall where the model was
trained to have them; of the words of a label the subwords are those that follow the prompt when it is tokenised with them.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotator.attribution.base import Input
from annotator.attribution.transformers_subwords import (
    JOIN,
    Cutter,
    Encoded,
    body_of,
    check_windows,
    cut_into_subwords,
    placed,
    starts_of_segments,
    too_long,
)
from annotator.domain.models import Subword
from annotator.domain.projects import USUAL_PROMPT
from annotator.errors import InvalidValue, ModelError
from annotator.language import _, unknown

TEXT, LABEL = "{text}", "{label}"


@dataclass(frozen=True, slots=True)
class Prompt:
    """before, after: what stands around the text; words: what each of the labels is called.

    A blank before the label belongs to its words: for most models that is another subword than the word without it.

    is_ended: what the tokenizer puts after a text stays there, as encoders want it; where a text is gone on with it goes
    """

    labels: tuple[str, ...]
    before: str
    after: str
    words: tuple[str, ...]
    is_ended: bool = False

    @staticmethod
    def to_be_written_on(template: str, *, is_ended: bool = False) -> "Prompt":
        """Of a model that writes its answer: it goes on where the template ends, or where {label} stands at its end.

        Raises: InvalidValue for a template without text, or with {label} elsewhere
        """
        stem = template.removesuffix(LABEL)
        if stem.count(TEXT) != 1 or LABEL in stem:
            raise _invalid(template)
        before, after = stem.split(TEXT)
        return Prompt((), before, after.rstrip(" "), (), is_ended)

    @staticmethod
    def of(template: str, labels: Sequence[str], label_words: Mapping[str, str]) -> "Prompt":
        """Raises: InvalidValue for a template without text or label, or words for a label that there is not, or for two."""
        if template.count(TEXT) != 1 or not template.endswith(LABEL) or template.count(LABEL) != 1:
            raise _invalid(template)
        strange = [label for label in label_words if label not in labels]
        if strange:
            raise InvalidValue(unknown(_("label"), strange[0], ", ".join(labels)))
        before, after = template.removesuffix(LABEL).split(TEXT)
        blank = after[len(after.rstrip(" ")) :][:1]
        words = tuple(blank + label_words.get(label, label).strip() for label in labels)
        twice = next((word for word in words if words.count(word) > 1 or not word.strip()), None)
        if twice is not None:
            raise InvalidValue(
                _("Each label needs its own words; {words} match none or several.", words=f"{twice.strip()!r}")
            )
        return Prompt(tuple(labels), before, after.rstrip(" "), words)

    @property
    def template(self) -> str:
        """The prompt as a person writes it."""
        blank = " " if self.words[0].startswith(" ") else ""
        return f"{self.before}{TEXT}{self.after}{blank}{LABEL}"

    @property
    def digest(self) -> str:
        """What tells it from others; "" for the usual prompt with the labels themselves."""
        parts = [self.before, self.after, *self.words]
        if parts == ["", "\nLabel:", *(f" {label}" for label in self.labels)]:
            return ""
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:6]


def _invalid(template: str) -> InvalidValue:
    return InvalidValue(
        _(
            "Invalid prompt {template}: {text} once and {label} at the end, e.g. {usual_prompt}.",
            template=f"{template!r}",
            text=TEXT,
            label=LABEL,
            usual_prompt=f"{USUAL_PROMPT!r}",
        )
    )


def label_subwords(cutter: Cutter, prompt: Prompt) -> tuple[tuple[int, ...], ...]:
    """The subwords of each label's words, as they follow the prompt.

    Raises: ModelError where words melt with the end of the prompt, or two labels have the same subwords
    """
    stem = _subwords(cutter, prompt.after)
    of_labels: list[tuple[int, ...]] = []
    for word in prompt.words:
        subwords = _subwords(cutter, prompt.after + word)
        if subwords[: len(stem)] != stem or len(subwords) == len(stem):
            raise ModelError(
                _(
                    "'{model_name}' merges {words} with the prompt's end. Put a colon and space before {{label}}.",
                    model_name=cutter.model_name,
                    words=f"{word.strip()!r}",
                )
            )
        of_labels.append(subwords[len(stem) :])
    if len(set(of_labels)) < len(of_labels):
        raise ModelError(_("'{model_name}' can't distinguish two labels: same subwords.", model_name=cutter.model_name))
    return tuple(of_labels)


def _subwords(cutter: Cutter, text: str) -> tuple[int, ...]:
    return tuple(cutter.tokenizer(text, add_special_tokens=False)["input_ids"])


def encode_in_prompt(cutter: Cutter, prompt: Prompt, model_input: Input) -> Encoded:
    """The subwords of an input in its prompt, ready to be gone on with by a label's words.

    All that can be marked comes first (or last, as the cutter says), then what cannot, joined by line breaks. The prompt's
    subwords are special ones. Where it is too long what can be marked is cut at its end.

    Raises: ModelError as `encode` does
    """
    bodies = {segment.name: body_of(segment) for segment in model_input.segments}
    is_marked = {segment.name: segment.is_selectable for segment in model_input.segments}
    names = sorted((n for n in bodies if bodies[n].text), key=lambda n: is_marked[n] == cutter.question_first)
    text = prompt.before + JOIN.join(bodies[name].text for name in names) + prompt.after
    cut = cut_into_subwords(cutter, [text], None, shortened=False)
    first, end = len(prompt.before), len(text) - len(prompt.after)
    starts = [(first + at, name, length) for at, name, length in starts_of_segments(names, bodies)]
    sides_of_text = cut.sequence_ids(0)
    n_subwords = 1 + max((n for n, side in enumerate(sides_of_text) if side is not None), default=-1)
    n_subwords = len(sides_of_text) if prompt.is_ended else n_subwords  # what is put after a text would end it
    offsets = [tuple(offset) for offset in cut["offset_mapping"][:n_subwords]]
    subwords = [
        placed(subword, offset, starts)
        if names and max(offset[0], first) < min(offset[1], end)
        else Subword(subword, is_special=True)
        for subword, offset in zip(cut.tokens(0), offsets, strict=False)
    ]
    sides = [None if subword.segment is None else 0 if is_marked[subword.segment] else 1 for subword in subwords]
    question = None if all(is_marked.values()) else 1
    whole = Encoded(
        tuple(cut["input_ids"][:n_subwords]), None, tuple(sides), tuple(offsets), tuple(subwords), (text,), bodies, question,
        model_input.n_selectable, is_cut=False,
    )  # fmt: skip
    return _fitted(cutter, whole)


def _fitted(cutter: Cutter, whole: Encoded) -> Encoded:
    """What the model sees of an input."""
    n_over = 0 if cutter.limit is None else len(whole.ids) - cutter.limit
    if n_over <= 0:
        return whole
    match cutter.too_long:
        case "windows":
            check_windows(cutter, whole.texts, whole.question, whole.sides)
            return whole
        case "refuse":
            raise too_long(cutter, whole.texts, len(whole.ids))
    marked = [n for n, side in enumerate(whole.sides) if side == 0]
    if len(marked) < n_over:
        raise too_long(cutter, whole.texts, len(whole.ids))
    gone = set(marked[len(marked) - n_over :])

    def kept(values: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(value for n, value in enumerate(values) if n not in gone)

    return replace(
        whole, ids=kept(whole.ids), sides=kept(whole.sides), offsets=kept(whole.offsets), subwords=kept(whole.subwords),
        is_cut=True,
    )  # fmt: skip
