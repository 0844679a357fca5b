"""The tables of audits: samples of accepted changed versions that third people judge (migration m029)."""

AUDITS = (
    # drawing: how the sample was asked for; population: accepted versions by kind when it was drawn.
    """CREATE TABLE audits (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
        drawing TEXT NOT NULL CHECK (json_valid(drawing)),
        population TEXT NOT NULL CHECK (json_valid(population)),
        made_by TEXT NOT NULL,
        made_at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX audits_of_project ON audits (project_id)",
    # instance_id: what the version had become. texts, result: what it said when it was judged; held_*: who has it before them.
    """CREATE TABLE audit_items (
        audit_id INTEGER NOT NULL REFERENCES audits (id) ON DELETE CASCADE,
        position INTEGER NOT NULL CHECK (position >= 0),
        perturbation_id INTEGER NOT NULL REFERENCES perturbations (id) ON DELETE CASCADE,
        version INTEGER NOT NULL CHECK (version >= 1),
        kind TEXT NOT NULL CHECK (kind <> ''),
        instance_id INTEGER NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
        held_by INTEGER REFERENCES users (id),
        held_until TEXT,
        auditor INTEGER REFERENCES users (id),
        is_right INTEGER CHECK (is_right IN (0, 1)),
        faults TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(faults)),
        comment TEXT NOT NULL DEFAULT '',
        texts TEXT CHECK (texts IS NULL OR texts <> ''),
        result TEXT,
        judged_at TEXT,
        PRIMARY KEY (audit_id, perturbation_id),
        UNIQUE (audit_id, position),
        CHECK ((is_right IS NULL) = (auditor IS NULL)),
        CHECK ((is_right IS NULL) = (judged_at IS NULL)),
        CHECK ((is_right IS NULL) = (texts IS NULL)),
        CHECK (is_right IS NOT 1 OR faults = '[]'),
        CHECK (is_right IS NOT 0 OR faults <> '[]')
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX audit_items_of_perturbation ON audit_items (perturbation_id)",
)
