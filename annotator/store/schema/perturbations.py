"""The tables of perturbations that people write (migration m008)."""

PERTURBATIONS = (
    # original_fingerprint, gold: of the original when this was written; instance_id: what it became.
    """CREATE TABLE perturbations (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        original_id INTEGER NOT NULL REFERENCES instances (id),
        author INTEGER NOT NULL REFERENCES users (id),
        kind TEXT NOT NULL CHECK (kind <> ''),
        state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'returned', 'approved', 'withdrawn')),
        version INTEGER NOT NULL CHECK (version >= 1),
        original_fingerprint BLOB NOT NULL CHECK (length(original_fingerprint) = 16),
        gold TEXT NOT NULL CHECK (json_valid(gold)),
        instance_id INTEGER UNIQUE REFERENCES instances (id),
        CHECK ((state = 'approved') = (instance_id IS NOT NULL))
    ) STRICT""",
    "CREATE INDEX perturbations_by_original ON perturbations (original_id)",
    "CREATE INDEX perturbations_by_author ON perturbations (project_id, author, id)",
    "CREATE INDEX perturbations_that_wait ON perturbations (project_id, id) WHERE state = 'waiting'",
    """CREATE TABLE perturbation_versions (
        perturbation_id INTEGER NOT NULL REFERENCES perturbations (id),
        number INTEGER NOT NULL CHECK (number >= 1),
        made_by INTEGER NOT NULL REFERENCES users (id),
        kind TEXT NOT NULL CHECK (kind <> ''),
        texts TEXT NOT NULL CHECK (json_valid(texts)),
        result TEXT,
        note TEXT NOT NULL DEFAULT '',
        reason TEXT NOT NULL DEFAULT '',
        made_at TEXT NOT NULL,
        PRIMARY KEY (perturbation_id, number)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE perturbation_checks (
        perturbation_id INTEGER NOT NULL,
        version INTEGER NOT NULL,
        checker INTEGER NOT NULL REFERENCES users (id),
        verdict TEXT NOT NULL CHECK (verdict IN ('approve', 'correct', 'reject')),
        reason TEXT NOT NULL DEFAULT '' CHECK (verdict = 'approve' OR reason <> ''),
        at TEXT NOT NULL,
        PRIMARY KEY (perturbation_id, version, checker),
        FOREIGN KEY (perturbation_id, version) REFERENCES perturbation_versions (perturbation_id, number)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX perturbation_checks_by_checker ON perturbation_checks (checker)",
    # What somebody is writing, kept at every pause.
    """CREATE TABLE perturbation_drafts (
        user_id INTEGER NOT NULL REFERENCES users (id),
        original_id INTEGER NOT NULL REFERENCES instances (id),
        kind TEXT NOT NULL,
        texts TEXT NOT NULL CHECK (json_valid(texts)),
        result TEXT,
        note TEXT NOT NULL DEFAULT '',
        saved_at TEXT NOT NULL,
        PRIMARY KEY (user_id, original_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX perturbation_drafts_by_original ON perturbation_drafts (original_id)",
)
