"""What the columns of a plain row, and the fields of other people's rows, are called in our words."""

from annotator.domain.tasks import Task
from annotator.formats.rows.findings import either

NUMBER = "number"  # the remedy of a row without a key: that its text gets a number
KEY_NAMES = ("id", "key", "instance_id", "annotation_id", "sent_id")

# A plain column's other names; the first that stands in the row is taken.
FIELD_NAMES: dict[str, tuple[str, ...]] = {
    "key": KEY_NAMES,
    "split": ("split",),
    "language": ("language", "lang"),
    "annotator": ("annotator",),
    "annotator_label": ("annotator_label", "annotator_answer"),
    "rationales": ("rationales",),
    "rationale_index": ("rationale_index", "rationale_tokens"),
    "rationale_mask": ("rationale_mask", "rationale_binary"),
    "rationale_quotes": ("rationale_quotes",),
    "note": ("note",),
    "exhaustive": ("exhaustive",),
    "parent": ("parent", "parent_key"),
    "perturbation_kind": ("perturbation_kind",),
    "tokens": ("tokens",),
    "metadata": ("metadata", "meta"),
}
_RESULT_NAMES = {"label": ("label", "answer"), "answer": ("answer", "label")}

# By task and segment: what data sets call it. A segment's own name always comes first.
SEGMENT_NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "sentiment": {"text": ("sentence", "context", "review")},
    "similarity": {"sentence1": ("query", "text1"), "sentence2": ("title", "text2")},
    "reading": {"passage": ("context", "text", "document"), "question": ("query",)},
    "inference": {"premise": ("sentence1", "text1"), "hypothesis": ("sentence2", "text2")},
    "verification": {"document": ("text", "context", "passage"), "query": ("claim", "question")},
    "editing": {"text": ("sentence",)},
    "choice": {"question": ("text", "query"), "choices": ("options",)},
    "entity": {"text": ("sentence", "context")},
}


def field_names(task: Task) -> dict[str, tuple[str, ...]]:
    """The names of every plain field that is no segment, for a task; `target` only where the task has one."""
    names = {**FIELD_NAMES, "result": _RESULT_NAMES[task.result_kind]}
    return {**names, "target": ("target",)} if task.has_target else names


def our_name(task: Task, written: str) -> str | None:
    """What a person who chooses a column calls a field of ours, or a segment, in our words.

    >>> from annotator.domain.tasks import TASKS
    >>> our_name(TASKS["sentiment"], "id"), our_name(TASKS["sentiment"], "sentence"), our_name(TASKS["sentiment"], "x")
    ('key', 'text', None)
    """
    names = field_names(task)
    if written in names:
        return written
    return next((name for name, others in names.items() if written in others), None) or segment_of(task, written)


def segment_of(task: Task, name: str) -> str | None:
    """The segment that a column or field of this name holds.

    >>> from annotator.domain.tasks import TASKS
    >>> segment_of(TASKS["reading"], "context"), segment_of(TASKS["verification"], "document2")
    ('passage', 'document2')
    """
    if task.spec_of(name) is not None:
        return name
    aliases = SEGMENT_NAMES.get(task.name, {})
    return next((segment for segment, names in aliases.items() if name in names and task.spec_of(segment)), None)


def accepted_names(task: Task, segment: str) -> str:
    """The names under which a segment is looked for, for messages."""
    names = (segment, *SEGMENT_NAMES.get(task.name, {}).get(segment, ()))
    return either([f"'{name}'" for name in names])
