"""The word lists of a project that suggestions for changed versions come from (docs/perturb.md)."""

from collections.abc import Mapping, Sequence

from annotator.domain.projects import Project
from annotator.domain.suites import FORMS
from annotator.perturb.passage import ProjectWords
from annotator.store import Store
from annotator.store.suites import list_word_lists
from annotator.text.characters import subtags


def project_words(store: Store, project: Project, language: str) -> ProjectWords:
    """The lists named synonyms, related, antonyms, names and places, where they are of the language.

    In the first three the forms of a word ("big | large | huge") stand for one another.
    """
    code = subtags(language)[0]
    lists = {
        word_list.name: word_list.words
        for word_list in list_word_lists(store, project.id)
        if subtags(word_list.language)[0] == code
    }
    return ProjectWords(
        synonyms=_each_other(lists.get("synonyms", ())),
        related=_each_other(lists.get("related", ())),
        antonyms=_each_other(lists.get("antonyms", ())),
        names=lists.get("names", ()),
        places=lists.get("places", ()),
    )


def _each_other(words: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Each form with the other forms of its words."""
    others_by_form: dict[str, dict[str, None]] = {}
    for word in words:
        forms = word.split(FORMS)
        for form in forms:
            others_by_form.setdefault(form, {}).update(dict.fromkeys(other for other in forms if other != form))
    return {form: tuple(others) for form, others in others_by_form.items() if others}
