"""The tables of what leads did to many instances at once (migration m028), so that it can be undone."""

BULK_ACTIONS = (
    # NULL: imported before this was kept.
    "ALTER TABLE instances ADD COLUMN imported_at TEXT",
    # user_id NULL: the local operator.
    """CREATE TABLE bulk_actions (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        kind TEXT NOT NULL CHECK (kind IN ('give out', 'split', 'exhaustive', 'discard', 'put back', 'name')),
        detail TEXT NOT NULL CHECK (json_valid(detail)),
        n_instances INTEGER NOT NULL CHECK (n_instances >= 1),
        made_by TEXT NOT NULL,
        user_id INTEGER REFERENCES users (id),
        made_at TEXT NOT NULL,
        undone_by TEXT,
        undone_at TEXT,
        n_restored INTEGER CHECK (n_restored >= 0),
        CHECK ((undone_at IS NULL) = (undone_by IS NULL) AND (undone_at IS NULL) = (n_restored IS NULL))
    ) STRICT""",
    "CREATE INDEX bulk_actions_by_project ON bulk_actions (project_id, id)",
    # What the action changed of an instance, as it was before and as the action left it, in JSON.
    """CREATE TABLE bulk_members (
        action_id INTEGER NOT NULL REFERENCES bulk_actions (id),
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        before TEXT NOT NULL CHECK (json_valid(before)),
        after TEXT NOT NULL CHECK (json_valid(after)),
        PRIMARY KEY (action_id, instance_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX bulk_members_by_instance ON bulk_members (instance_id, action_id)",
)
