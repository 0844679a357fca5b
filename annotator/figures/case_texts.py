"""The texts of a functional test's case under each other, the original first, with what differs from it marked."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from html import escape

from annotator.domain.suites import Text
from annotator.language import _

_WORDS = re.compile(r"[^\W\u2e80-\u9fff]+|\s+|.", re.DOTALL)
# Mixed from the text's own colour: a dialog stands outside of what tells light from dark, so light-dark() says light there.
_STYLE = """
.case-texts { font-size: .9375rem; line-height: 1.45; --quiet: color-mix(in srgb, currentColor 72%, transparent); }
.case-texts table { border-collapse: collapse; width: 100%; margin: 0; }
.case-texts th, .case-texts td { border: 0; padding: .1rem .75rem .1rem 0; text-align: left; vertical-align: top;
  font-weight: 400; overflow-wrap: anywhere; }
.case-texts th { width: 5.5rem; font-size: .75rem; line-height: 1.8; color: var(--quiet); white-space: nowrap; }
.case-texts td.answer { width: 11rem; font-size: .8125rem; color: var(--quiet); padding-right: 0; }
.case-texts td.answer .fails { color: color-mix(in srgb, currentColor 45%, #d62c2c); font-weight: 600; }
.case-texts .segment { font-size: .75rem; color: var(--quiet); padding-right: .4rem; }
.case-texts ins { text-decoration: underline; text-decoration-thickness: 2px; text-underline-offset: 3px;
  background: color-mix(in srgb, #3b78b0 22%, transparent); border-radius: 2px; }
.case-texts del { color: color-mix(in srgb, currentColor 45%, #c98500); text-decoration: line-through; }
.case-texts .is-out { opacity: .45; text-decoration: line-through; }
"""


def case_texts_html(
    texts: Sequence[Text],
    *,
    compares: bool,
    answers: Sequence[str] = (),
    fails: Sequence[bool] = (),
    is_out: bool = False,
) -> str:
    """The texts as a small table; every text is escaped.

    compares: the later texts are changed versions of the first
    answers:  what a model said of each, in words; fails: whether that text fails the case
    is_out:   struck out, since the case was dropped
    """
    rows = []
    for number, text in enumerate(texts):
        head = _head(number, len(texts)) if compares else ""
        body = _text(text, texts[0] if compares and number else None)
        answer_cell = (
            f'<td class="answer">{_answer(answers[number], number < len(fails) and fails[number])}</td>'
            if answers
            else ""
        )
        named = f'<th scope="row">{head}</th>' if compares else ""
        rows.append(f"<tr>{named}<td>{body}</td>{answer_cell}</tr>")
    out = ' class="is-out"' if is_out else ""
    return f'<style>{_STYLE}</style><div class="case-texts"><table{out}><tbody>{"".join(rows)}</tbody></table></div>'


def _head(number: int, n_texts: int) -> str:
    if not number:
        return _("original")
    return _("perturbed") if n_texts == 2 else _("perturbed {n}", n=number)


def _answer(words: str, has_failed: bool) -> str:
    return f'<span class="fails">✗ {escape(words)}</span>' if has_failed else escape(words)


def _text(text: Text, original: Text | None) -> str:
    if isinstance(text, str):
        return _marked(text, original if isinstance(original, str) else None)
    parts = []
    for name, part in text.items():
        before = original.get(name) if original is not None and not isinstance(original, str) else None
        parts.append(f'<div><span class="segment">{escape(name)}</span>{_marked(part, before)}</div>')
    return "".join(parts)


def _marked(text: str, original: str | None) -> str:
    return escape(text) if original is None else "".join(_differences(original, text))


def _differences(original: str, text: str) -> Iterator[str]:
    before, after = _WORDS.findall(original), _WORDS.findall(text)
    for kind, start, end, new_start, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        gone, come = escape("".join(before[start:end])), escape("".join(after[new_start:new_end]))
        if kind == "equal":
            yield come
            continue
        if gone:
            yield f"<del>{gone}</del>"
        if come:
            yield f"<ins>{come}</ins>"
