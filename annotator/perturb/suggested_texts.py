"""Suggestions for a changed version of a text, by kind of perturbation."""

from collections.abc import Iterator
from importlib import import_module
from random import Random

from annotator.domain.perturbations import KINDS
from annotator.domain.texts import TokenizedText
from annotator.perturb.passage import Passage, ProjectWords, Reading
from annotator.perturb.registry import SUGGESTERS, Suggester, Suggestion
from annotator.text.characters import is_chinese, subtags

# The modules whose functions enter themselves in the register, in the order in which their suggestions come.
_SUBJECTS = ("insertions", "surface", "clauses", "negation", "replacements")
for _subject in _SUBJECTS:
    import_module(f"annotator.perturb.suggestions.{_subject}")

NO_WORDS = ProjectWords()
_CHANGE_THE_LABEL = frozenset(kind.name for kind in KINDS if kind.keeps_label is False)


def suggest(
    body: TokenizedText,
    language: str,
    kind: str,
    seed: int = 0,
    project_words: ProjectWords = NO_WORDS,
    *,
    most: int = 5,
) -> tuple[Suggestion, ...]:
    """Changes of a segment's text that suit a kind of perturbation, as edits of its text.

    Each function of the register gives at most `most`, drawn from the seed when it finds more, in order of the text; which of
    them comes first, says `suggesters_for`. The same arguments give the same suggestions. A kind that is the project's own gets
    those of all functions. Nothing here reads the meaning of a text: a person looks at each before it counts.

    Raises:  InvalidValue if `language` is no language code
    >>> from annotator.text.tokenisation import tokenise
    >>> body = tokenise("I don't like it.", "en")
    >>> [one.why for one in suggest(body, "en", "robustness") if one.maker == "expand_contraction"]
    ["don't → do not"]
    """
    reading = Reading(body, _code(language))
    return tuple(
        suggestion
        for suggester in suggesters_for(kind, language)
        for suggestion in _drawn(suggester, Passage(reading, project_words, Random(f"{seed} {suggester.name}")), most)  # noqa: S311
    )


def suggesters_for(kind: str, language: str) -> tuple[Suggester, ...]:
    """The functions that are asked for a kind and a language, in the order in which their suggestions come.

    Of a kind that is to change the label, those come first whose changes do.
    """
    chosen = [suggester for suggester in SUGGESTERS.values() if suggester.suits(kind, _code(language))]
    if kind in _CHANGE_THE_LABEL:
        chosen.sort(key=lambda suggester: -suggester.turns)
    return tuple(chosen)


def _code(language: str) -> str:
    return "zh" if is_chinese(language) else subtags(language)[0]


def _drawn(suggester: Suggester, passage: Passage, most: int) -> Iterator[Suggestion]:
    why_by_edits = {tuple(edits): why for edits, why in suggester.find(passage)}
    every = list(why_by_edits.items())
    chosen = sorted(passage.random.sample(range(len(every)), most)) if len(every) > most else range(len(every))
    for number in chosen:
        edits, why = every[number]
        yield Suggestion(edits, why, suggester.name)
