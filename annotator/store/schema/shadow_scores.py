"""The table of what language models give as reviewers who decide nothing (migration m038)."""

SHADOW_SCORES = (
    # sets: [sufficiency, compactness] of each set, in their order
    """CREATE TABLE shadow_scores (
        model_id INTEGER NOT NULL REFERENCES models (id) ON DELETE CASCADE,
        annotation_id INTEGER NOT NULL REFERENCES annotations (id) ON DELETE CASCADE,
        sets TEXT NOT NULL CHECK (json_valid(sets)),
        comprehensiveness INTEGER NOT NULL CHECK (comprehensiveness BETWEEN 1 AND 3),
        PRIMARY KEY (model_id, annotation_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX shadow_scores_by_annotation ON shadow_scores (annotation_id)",
)
