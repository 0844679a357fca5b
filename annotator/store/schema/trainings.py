"""The tables of what models that were trained here learned from (migration m013)."""

TRAININGS = (
    # By the model's name, since a model that was trained has no answers yet. split NULL: all instances; held_out: see domain; n:
    # of its members, kept since screens show it with each text.
    """CREATE TABLE trainings (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        model TEXT NOT NULL CHECK (length(model) BETWEEN 1 AND 200),
        digest TEXT NOT NULL,
        seed INTEGER NOT NULL,
        split TEXT,
        trained_at TEXT NOT NULL,
        n INTEGER NOT NULL CHECK (n >= 0),
        held_out TEXT CHECK (held_out IS NULL OR json_valid(held_out)),
        UNIQUE (project_id, model)
    ) STRICT""",
    """CREATE TABLE training_members (
        training_id INTEGER NOT NULL REFERENCES trainings (id),
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        PRIMARY KEY (training_id, instance_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX training_members_by_instance ON training_members (instance_id)",
    # Trainings of before are known from the record of events alone.
    "CREATE INDEX events_of_trainings ON events (project_id) WHERE action = 'train model'",
)
