"""A project's word lists: writing, reading and taking them out."""

from collections.abc import Iterable

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.suites import WordList, WordListRole, words_of
from annotator.errors import NotFound
from annotator.language import _
from annotator.store import Store
from annotator.store import suites as word_list_store
from annotator.store.events import add_event
from annotator.usecases.access.rights import require


def word_lists(store: Store, actor: User, project: Project) -> list[WordList]:
    """The project's lists by name."""
    require(store, actor, project.id, "use models")
    return word_list_store.list_word_lists(store, project.id)


def save_word_list(
    store: Store, actor: User, project: Project, name: str, lines: Iterable[str], *, role: WordListRole = "slot",
    language: str | None = None,
) -> WordList:  # fmt: skip
    """Write a list, in place of the one of its name.

    lines:    a word each; see words_of
    language: the project's when it is not said
    Raises:   InvalidValue for a name that no slot could ask for, and for no words
    """
    made = WordList(name.strip(), language or project.language, role, words_of(lines))
    with store.transaction():
        require(store, actor, project.id, "use models")
        is_changed = word_list_store.save_word_list(store, project.id, made, created_by=actor.name)
        action = "change word list" if is_changed else "make word list"
        add_event(store, actor.name, action, "project", project.id, project_id=project.id, list=made.name, role=role,
                  language=made.language, words=len(made.words))  # fmt: skip
    return made


def remove_word_list(store: Store, actor: User, project: Project, name: str) -> None:
    """Take a list out; tests that were made with it keep their cases. Raises NotFound."""
    with store.transaction():
        require(store, actor, project.id, "use models")
        word_list = word_list_store.find_word_list(store, project.id, name)
        if word_list is None:
            raise NotFound(_("Project '{project}' has no word list '{name}'.", project=project.name, name=name))
        word_list_store.delete_word_list(store, project.id, name)
        add_event(store, actor.name, "remove word list", "project", project.id, project_id=project.id, list=name,
                  words=list(word_list.words), role=word_list.role, language=word_list.language)  # fmt: skip
