"""What the lists of one's own work share: how a text begins, and whether it holds some words."""

_EXCERPT_CHARS = 500


def beginning_of(instance_id: str) -> str:
    """The beginning of an instance's first text that is not empty, as an expression."""
    return f"""(SELECT substr(text, 1, {_EXCERPT_CHARS}) FROM segments JOIN documents ON documents.id = document_id
        WHERE segments.instance_id = {instance_id} AND documents.n_tokens > 0 ORDER BY position LIMIT 1)"""


def holds(words: str, *, key: str, instance_id: str) -> str:
    """Whether an instance's key or one of its texts holds the words, whatever the case, as a condition; "" is in each."""
    return f"""({words} = '' OR instr(lower({key}), lower({words})) > 0 OR EXISTS (
        SELECT 1 FROM segments JOIN documents ON documents.id = document_id
        WHERE segments.instance_id = {instance_id} AND instr(lower(text), lower({words})) > 0))"""
