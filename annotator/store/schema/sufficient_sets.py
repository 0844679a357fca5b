"""The table of models' own rationale sets (migration m037)."""

SUFFICIENT_SETS = (
    # Of a model and not of a run: what is stored here is no answer to score, and lists of runs have no row of it. parameters: how
    # sets were looked for; label: the answer that they are enough for; examined: the sets with the model's probabilities, and
    # people's, or why there are none.
    """CREATE TABLE sufficient_sets (
        model_id INTEGER NOT NULL REFERENCES models (id),
        parameters TEXT NOT NULL CHECK (json_valid(parameters)),
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        label TEXT NOT NULL,
        examined TEXT NOT NULL CHECK (json_valid(examined)),
        PRIMARY KEY (model_id, parameters, instance_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX sufficient_sets_by_instance ON sufficient_sets (instance_id)",
)
