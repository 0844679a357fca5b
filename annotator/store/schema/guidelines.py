"""The tables of the versions of guidelines, and of who has read which."""

GUIDELINES = (
    """CREATE TABLE guidelines_versions (
        project_id INTEGER NOT NULL REFERENCES projects (id),
        number INTEGER NOT NULL CHECK (number >= 1),
        text TEXT NOT NULL,
        made_by TEXT NOT NULL,
        made_at TEXT NOT NULL,
        is_small INTEGER NOT NULL DEFAULT 0 CHECK (is_small IN (0, 1)),
        PRIMARY KEY (project_id, number)
    ) STRICT""",
    """CREATE TABLE guidelines_read (
        project_id INTEGER NOT NULL,
        user_id INTEGER NOT NULL REFERENCES users (id),
        number INTEGER NOT NULL,
        read_at TEXT NOT NULL,
        PRIMARY KEY (project_id, user_id, number),
        FOREIGN KEY (project_id, number) REFERENCES guidelines_versions (project_id, number)
    ) STRICT, WITHOUT ROWID""",
    # The version that its author had read; of what was handed in before there were versions nobody knows.
    "ALTER TABLE annotations ADD COLUMN guidelines INTEGER CHECK (guidelines IS NULL OR guidelines >= 1)",
    # What a project has is its version 1, by whoever changed it last.
    """INSERT INTO guidelines_versions (project_id, number, text, made_by, made_at)
        SELECT projects.id, 1, guidelines, coalesce(actor, ''), coalesce(at, projects.created_at) FROM projects
            LEFT JOIN events ON events.id = (
                SELECT max(id) FROM events WHERE project_id = projects.id AND subject = 'project' AND (action = 'create'
                    OR (action = 'change' AND EXISTS (SELECT 1 FROM json_each(detail, '$.changed') WHERE value = 'guidelines')))
            ) WHERE guidelines <> ''""",
)
