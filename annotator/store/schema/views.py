"""The table of saved views."""

VIEWS = (
    # query: as in the page's address. user_id NULL: made by nobody who has an account; made_by keeps the name either way.
    """CREATE TABLE saved_views (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        name TEXT NOT NULL COLLATE NOCASE CHECK (length(name) BETWEEN 1 AND 100),
        query TEXT NOT NULL CHECK (length(query) <= 20000),
        made_by TEXT NOT NULL,
        user_id INTEGER REFERENCES users (id),
        created_at TEXT NOT NULL,
        changed_at TEXT NOT NULL,
        UNIQUE (project_id, name)
    ) STRICT""",
)
