"""What a line of notices says, as plain text: the screen, the mail and the webhook say the same."""

from collections.abc import Callable, Mapping

from annotator.domain.notices import NoticeGroup, NoticeKind
from annotator.domain.numbers import counted

_DECISIONS = {
    "discard": "“{key}” leaves the data set, as you proposed",
    "keep": "“{key}” stays in the data set, and is with you again",
    "relabel": "Your label for “{key}” was taken over",
}


def sentence(group: NoticeGroup) -> str:
    """The line without the project, which stands beside it: one text by its key, several by their number."""
    return _SENTENCES[group.kind](group)


def _returned(group: NoticeGroup) -> str:
    which = f"“{group.key}”" if group.key else counted(group.n, "text")
    return f"{which} came back to you"


def _version_returned(group: NoticeGroup) -> str:
    n = counted(group.n, "changed version")
    return f"{n} of yours came back to you"


def _answer(group: NoticeGroup) -> str:
    if group.key:
        return f"There is an answer to you about “{group.key}”"
    return f"There are {group.n:,} answers to you" if group.n > 1 else "There is an answer to you"


def _question(group: NoticeGroup) -> str:
    if group.key:
        return f"A question about “{group.key}” waits for you"
    return f"{counted(group.n, 'question waits', 'questions wait')} for you"


def _decision(group: NoticeGroup) -> str:
    if group.key and group.detail in _DECISIONS:
        return _DECISIONS[group.detail].format(key=group.key)
    n = counted(group.n, "of your proposals was", "of your proposals were")
    return f"{n} decided"


def _stuck(_: NoticeGroup) -> str:
    return "Rounds are stuck: more scores are needed than people are left"


def _role(group: NoticeGroup) -> str:
    return f"You are {group.detail} now"


_SENTENCES: Mapping[NoticeKind, Callable[[NoticeGroup], str]] = {
    "returned": _returned,
    "version returned": _version_returned,
    "answer": _answer,
    "question": _question,
    "decision": _decision,
    "stuck": _stuck,
    "role": _role,
}
