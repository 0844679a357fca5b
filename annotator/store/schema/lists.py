"""The tables of saved lists (migration m006)."""

LISTS = (
    # user_id NULL: made by nobody who has an account; made_by keeps the name either way.
    """CREATE TABLE saved_lists (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        name TEXT NOT NULL COLLATE NOCASE CHECK (length(name) BETWEEN 1 AND 100),
        note TEXT NOT NULL DEFAULT '' CHECK (length(note) <= 2000),
        made_by TEXT NOT NULL,
        user_id INTEGER REFERENCES users (id),
        created_at TEXT NOT NULL,
        changed_at TEXT NOT NULL,
        UNIQUE (project_id, name)
    ) STRICT""",
    # position: the order of the list; what was taken off leaves a gap.
    """CREATE TABLE list_members (
        list_id INTEGER NOT NULL REFERENCES saved_lists (id),
        position INTEGER NOT NULL CHECK (position >= 0),
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        PRIMARY KEY (list_id, position),
        UNIQUE (list_id, instance_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX list_members_by_instance ON list_members (instance_id)",
)
