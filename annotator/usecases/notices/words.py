"""What a line of notices says, as plain text: the screen, the mail and the webhook say the same."""

from collections.abc import Callable, Mapping
from typing import cast

from annotator.domain.people import NoticeGroup, NoticeKind, Role, role_name
from annotator.language import _, several, unsaid

_DECISIONS = {
    "discard": unsaid("“{key}” leaves the data set, as you proposed"),
    "keep": unsaid("“{key}” stays in the data set, and is with you again"),
    "relabel": unsaid("Your label for “{key}” was taken over"),
}


def sentence(group: NoticeGroup) -> str:
    """The line without the project, which stands beside it: one text by its key, several by their number."""
    return _SENTENCES[group.kind](group)


def _returned(group: NoticeGroup) -> str:
    if group.key:
        return _("“{key}” came back to you", key=group.key)
    return several("{n} text came back to you", "{n} texts came back to you", group.n)


def _version_returned(group: NoticeGroup) -> str:
    return several(
        "{n} changed version of yours came back to you", "{n} changed versions of yours came back to you", group.n
    )


def _answer(group: NoticeGroup) -> str:
    if group.key:
        return _("There is an answer to you about “{key}”", key=group.key)
    return several("There is an answer to you", "There are {n} answers to you", group.n)


def _question(group: NoticeGroup) -> str:
    if group.key:
        return _("A question about “{key}” waits for you", key=group.key)
    return several("{n} question waits for you", "{n} questions wait for you", group.n)


def _decision(group: NoticeGroup) -> str:
    if group.key and group.detail in _DECISIONS:
        return _(_DECISIONS[group.detail], key=group.key)
    return several("{n} of your proposals was decided", "{n} of your proposals were decided", group.n)


def _stuck(_group: NoticeGroup) -> str:
    return _("Rounds are stuck: more scores are needed than people are left")


def _role(group: NoticeGroup) -> str:
    return _("You are {role} now", role=role_name(cast("Role", group.detail)))


_SENTENCES: Mapping[NoticeKind, Callable[[NoticeGroup], str]] = {
    "returned": _returned,
    "version returned": _version_returned,
    "answer": _answer,
    "question": _question,
    "decision": _decision,
    "stuck": _stuck,
    "role": _role,
}
