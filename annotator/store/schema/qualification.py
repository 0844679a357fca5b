"""The tables of training and calibration (migration m024): rules, items with known gold, tries, and what people answered.

They stand apart from annotations and reviews, so that no query about those has to know of them.
"""

QUALIFICATION = (
    # Versions, the newest holds; a try keeps to those that it began under.
    """CREATE TABLE qualification_rules (
        project_id INTEGER NOT NULL REFERENCES projects (id),
        audience TEXT NOT NULL CHECK (audience IN ('annotators', 'reviewers')),
        number INTEGER NOT NULL CHECK (number >= 1),
        rules TEXT NOT NULL CHECK (json_valid(rules)),
        made_by TEXT NOT NULL,
        made_at TEXT NOT NULL,
        PRIMARY KEY (project_id, audience, number)
    ) STRICT""",
    # known: the gold as it was when the lead last took it; spoiling: how a reviewer's item is worsened, by its seed
    """CREATE TABLE qualification_items (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        purpose TEXT NOT NULL CHECK (purpose IN ('annotators', 'reviewers', 'checks')),
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        spoiling TEXT NOT NULL DEFAULT '' CHECK (spoiling IN ('', 'token too much', 'token missing', 'set left out')),
        seed INTEGER NOT NULL DEFAULT 0,
        known TEXT NOT NULL CHECK (json_valid(known)),
        added_by TEXT NOT NULL,
        added_at TEXT NOT NULL,
        is_removed INTEGER NOT NULL DEFAULT 0 CHECK (is_removed IN (0, 1)),
        UNIQUE (project_id, purpose, instance_id, spoiling)
    ) STRICT""",
    """CREATE TABLE qualification_attempts (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        audience TEXT NOT NULL CHECK (audience IN ('annotators', 'reviewers')),
        user_id INTEGER NOT NULL REFERENCES users (id),
        number INTEGER NOT NULL CHECK (number >= 1),
        rules_number INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'passed', 'failed', 'ended')),
        items TEXT NOT NULL CHECK (json_valid(items)),
        begun_at TEXT NOT NULL,
        ended_at TEXT,
        UNIQUE (project_id, audience, user_id, number),
        FOREIGN KEY (project_id, audience, rules_number) REFERENCES qualification_rules (project_id, audience, number)
    ) STRICT""",
    """CREATE UNIQUE INDEX qualification_attempts_open ON qualification_attempts (project_id, audience, user_id)
        WHERE state = 'open'""",
    # What a lead allowed somebody beyond the rules.
    """CREATE TABLE qualification_grants (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        audience TEXT NOT NULL CHECK (audience IN ('annotators', 'reviewers')),
        user_id INTEGER NOT NULL REFERENCES users (id),
        kind TEXT NOT NULL CHECK (kind IN ('another try', 'let through')),
        granted_by TEXT NOT NULL,
        granted_at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX qualification_grants_of_user ON qualification_grants (project_id, audience, user_id)",
    # attempt_id: of training; NULL: a blind check, whose number is drawn from the same row of numbers as assignments'.
    # known, measures: what it was measured against, and how it came out; answered: the feedback was not read to its end yet.
    """CREATE TABLE exercises (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        user_id INTEGER NOT NULL REFERENCES users (id),
        item_id INTEGER NOT NULL REFERENCES qualification_items (id),
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        attempt_id INTEGER REFERENCES qualification_attempts (id),
        state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'done', 'passed over')),
        revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
        answer TEXT CHECK (answer IS NULL OR json_valid(answer)),
        known TEXT CHECK (known IS NULL OR json_valid(known)),
        measures TEXT CHECK (measures IS NULL OR json_valid(measures)),
        created_at TEXT NOT NULL,
        answered_at TEXT,
        active_ms INTEGER NOT NULL DEFAULT 0 CHECK (active_ms >= 0),
        CHECK (state NOT IN ('answered', 'done') OR (answer IS NOT NULL AND known IS NOT NULL AND measures IS NOT NULL))
    ) STRICT""",
    "CREATE INDEX exercises_of_user ON exercises (user_id, project_id, instance_id)",
    "CREATE INDEX exercises_of_attempt ON exercises (attempt_id) WHERE attempt_id IS NOT NULL",
)
