"""What lists say of a text: what is asked of it and how it begins, since many claims may be about one abstract; what it holds."""

from annotator.domain.instances import ASKED_NAMES, PREMISE_CHARACTERS, READ_AFTER

_ASKED_CHARACTERS, _TEXT_CHARACTERS = 200, 500

# As `Segment.is_asked`.
_IS_ASKED = f"(name IN {ASKED_NAMES} OR NOT (is_selectable OR name = 'choices'))"
_PART = """(SELECT {shown} FROM segments JOIN documents ON documents.id = document_id
    WHERE segments.instance_id = {instance} AND {which} AND documents.n_tokens > 0 ORDER BY position LIMIT 1)"""
_PREMISE = f"""CASE WHEN length(text) > {PREMISE_CHARACTERS} THEN rtrim(substr(text, 1, {PREMISE_CHARACTERS})) || '…'
    ELSE text END"""


def excerpt_of(instance: str) -> str:
    """SQL for the excerpt of the instance with that id (a column, or ?); `Instance.excerpt` is the same of one that was read."""
    beginning = f"substr(text, 1, {_ASKED_CHARACTERS})"
    question = _PART.format(instance=instance, which=_IS_ASKED, shown=beginning)
    hypothesis = _PART.format(instance=instance, which=f"name = '{READ_AFTER}'", shown=beginning)
    is_text = f"is_selectable AND NOT {_IS_ASKED}"
    text = _PART.format(instance=instance, which=is_text, shown=f"substr(text, 1, {_TEXT_CHARACTERS})")
    premise = _PART.format(instance=instance, which=is_text, shown=_PREMISE)
    return f"coalesce({premise} || ' · ' || {hypothesis}, {question} || ' · ' || {text}, {question}, {text}, '')"


def holds(words: str, *, key: str, instance_id: str) -> str:
    """Whether an instance's key or one of its texts holds the words, whatever the case, as a condition; "" is in each."""
    return f"""({words} = '' OR instr(casefold({key}), casefold({words})) > 0 OR EXISTS (
        SELECT 1 FROM segments JOIN documents ON documents.id = document_id
        WHERE segments.instance_id = {instance_id} AND instr(casefold(text), casefold({words})) > 0))"""
