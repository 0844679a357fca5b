"""Answers that models wrote, with the map of each of their subwords (migration m020)."""

# A JSON object: subwords of the answer; for each the scores of the tokens, and of the subwords before it. NULL: none was written.
WRITTEN_ANSWERS = (
    """ALTER TABLE attributions ADD COLUMN written TEXT
        CHECK (written IS NULL OR (json_valid(written) AND json_type(written) = 'object'))""",
)
