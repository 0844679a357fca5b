"""The tables of people, projects, texts, work and events, and the counts that triggers keep (migration m001)."""

_PEOPLE = (
    """CREATE TABLE users (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (length(name) BETWEEN 1 AND 100),
        password_hash TEXT,
        is_administrator INTEGER NOT NULL DEFAULT 0 CHECK (is_administrator IN (0, 1)),
        is_disabled INTEGER NOT NULL DEFAULT 0 CHECK (is_disabled IN (0, 1)),
        created_at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE sign_in_links (
        token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
        user_id INTEGER REFERENCES users (id),
        created_at TEXT NOT NULL,
        expires_at TEXT NOT NULL,
        used_at TEXT
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE sessions (
        token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
        user_id INTEGER NOT NULL REFERENCES users (id),
        csrf TEXT NOT NULL,
        created_at TEXT NOT NULL,
        expires_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX sessions_by_user ON sessions (user_id)",
    """CREATE TABLE sign_in_failures (
        name TEXT NOT NULL COLLATE NOCASE,
        at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX sign_in_failures_by_name ON sign_in_failures (name, at)",
)

_PROJECTS = (
    """CREATE TABLE projects (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
        task TEXT NOT NULL,
        segments TEXT NOT NULL CHECK (json_valid(segments)),
        result_kind TEXT NOT NULL CHECK (result_kind IN ('label', 'answer')),
        labels TEXT NOT NULL CHECK (json_valid(labels)),
        language TEXT NOT NULL,
        settings TEXT NOT NULL CHECK (json_valid(settings)),
        guidelines TEXT NOT NULL DEFAULT '',
        question TEXT NOT NULL DEFAULT '',
        licence TEXT NOT NULL DEFAULT '',
        citation TEXT NOT NULL DEFAULT '',
        created_at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE memberships (
        project_id INTEGER NOT NULL REFERENCES projects (id),
        user_id INTEGER NOT NULL REFERENCES users (id),
        role TEXT NOT NULL CHECK (role IN ('annotator', 'reviewer', 'researcher', 'lead')),
        PRIMARY KEY (project_id, user_id, role)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX memberships_by_user ON memberships (user_id)",
)

_TEXTS = (
    # A document with a name of its own (docid) is found by it; one without is found by what it holds.
    """CREATE TABLE documents (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        docid TEXT,
        text TEXT NOT NULL,
        n_tokens INTEGER NOT NULL CHECK (n_tokens >= 0),
        token_offsets BLOB NOT NULL CHECK (length(token_offsets) = 8 * n_tokens),
        sentence_starts BLOB NOT NULL CHECK (length(sentence_starts) % 4 = 0),
        fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 16)
    ) STRICT""",
    "CREATE UNIQUE INDEX documents_by_docid ON documents (project_id, docid) WHERE docid IS NOT NULL",
    "CREATE UNIQUE INDEX documents_by_content ON documents (project_id, fingerprint) WHERE docid IS NULL",
    """CREATE TABLE instances (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        key TEXT NOT NULL CHECK (key <> ''),
        split TEXT NOT NULL,
        source_split TEXT NOT NULL,
        language TEXT NOT NULL,
        result TEXT,
        target_start INTEGER,
        target_end INTEGER,
        parent_key TEXT,
        perturbation_kind TEXT,
        state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'held', 'complete', 'discarded')),
        is_exhaustive INTEGER CHECK (is_exhaustive IN (0, 1)),
        metadata TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata)),
        n_tokens INTEGER NOT NULL CHECK (n_tokens >= 0),
        n_selectable INTEGER NOT NULL CHECK (n_selectable BETWEEN 0 AND n_tokens),
        queue_position INTEGER NOT NULL,
        open_slots INTEGER NOT NULL CHECK (open_slots >= 0),
        fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 16),
        UNIQUE (project_id, key, split),
        CHECK ((target_start IS NULL) = (target_end IS NULL)),
        CHECK (target_start IS NULL OR (0 <= target_start AND target_start < target_end AND target_end <= n_tokens))
    ) STRICT""",
    """CREATE INDEX instances_in_queue ON instances (project_id, queue_position)
        WHERE open_slots > 0 AND state = 'open'""",
    "CREATE INDEX instances_by_state ON instances (project_id, state, id)",
    "CREATE INDEX instances_by_project ON instances (project_id, id)",
    "CREATE INDEX instances_by_parent ON instances (project_id, parent_key) WHERE parent_key IS NOT NULL",
    """CREATE TABLE segments (
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        position INTEGER NOT NULL CHECK (position >= 0),
        name TEXT NOT NULL CHECK (name <> ''),
        is_selectable INTEGER NOT NULL CHECK (is_selectable IN (0, 1)),
        document_id INTEGER NOT NULL REFERENCES documents (id),
        PRIMARY KEY (instance_id, position),
        UNIQUE (instance_id, name)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX segments_by_document ON segments (document_id)",
)

_WORK = (
    """CREATE TABLE assignments (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        user_id INTEGER NOT NULL REFERENCES users (id),
        round INTEGER NOT NULL DEFAULT 1 CHECK (round >= 1),
        state TEXT NOT NULL
            CHECK (state IN ('leased', 'returned', 'submitted', 'skipped', 'expired', 'proposed', 'ended')),
        lease_until TEXT NOT NULL,
        created_at TEXT NOT NULL,
        first_view_at TEXT,
        first_action_at TEXT,
        submitted_at TEXT,
        active_ms INTEGER NOT NULL DEFAULT 0 CHECK (active_ms >= 0),
        idle_ms INTEGER NOT NULL DEFAULT 0 CHECK (idle_ms >= 0),
        edits INTEGER NOT NULL DEFAULT 0 CHECK (edits >= 0),
        UNIQUE (instance_id, user_id, round)
    ) STRICT""",
    "CREATE INDEX assignments_of_user ON assignments (project_id, user_id, state, id)",
    "CREATE INDEX assignments_by_lease ON assignments (project_id, lease_until) WHERE state = 'leased'",
    """CREATE TABLE drafts (
        assignment_id INTEGER PRIMARY KEY REFERENCES assignments (id),
        revision INTEGER NOT NULL CHECK (revision >= 1),
        result TEXT,
        sets TEXT NOT NULL CHECK (json_valid(sets)),
        note TEXT NOT NULL DEFAULT '',
        no_rationale INTEGER NOT NULL DEFAULT 0 CHECK (no_rationale IN (0, 1)),
        saved_at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE queue_cursors (
        project_id INTEGER NOT NULL REFERENCES projects (id),
        user_id INTEGER NOT NULL REFERENCES users (id),
        position INTEGER NOT NULL,
        PRIMARY KEY (project_id, user_id)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE annotations (
        id INTEGER PRIMARY KEY,
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        assignment_id INTEGER REFERENCES assignments (id),
        user_id INTEGER REFERENCES users (id),
        annotator TEXT NOT NULL,
        round INTEGER NOT NULL CHECK (round >= 1),
        state TEXT NOT NULL CHECK (state IN
            ('draft', 'reference', 'submitted', 'accepted', 'returned', 'discarded', 'withdrawn')),
        result TEXT,
        note TEXT NOT NULL DEFAULT '',
        created_at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX annotations_by_instance ON annotations (instance_id)",
    "CREATE UNIQUE INDEX annotations_by_assignment ON annotations (assignment_id) WHERE assignment_id IS NOT NULL",
    """CREATE UNIQUE INDEX annotations_of_sources ON annotations (instance_id, annotator, round)
        WHERE assignment_id IS NULL""",
    """CREATE TABLE rationale_sets (
        annotation_id INTEGER NOT NULL REFERENCES annotations (id),
        position INTEGER NOT NULL CHECK (position >= 0),
        spans TEXT NOT NULL CHECK (json_valid(spans)),
        PRIMARY KEY (annotation_id, position)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE proposals (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        assignment_id INTEGER REFERENCES assignments (id),
        proposed_by TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('discard', 'contest')),
        reason TEXT NOT NULL,
        comment TEXT NOT NULL DEFAULT '',
        state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'confirmed', 'rejected')),
        created_at TEXT NOT NULL,
        decided_by TEXT,
        decided_at TEXT,
        CHECK ((state = 'open') = (decided_at IS NULL))
    ) STRICT""",
    "CREATE INDEX proposals_open ON proposals (project_id, id) WHERE state = 'open'",
    "CREATE INDEX proposals_by_instance ON proposals (instance_id)",
    "CREATE INDEX proposals_by_assignment ON proposals (assignment_id)",
    """CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        actor TEXT NOT NULL,
        action TEXT NOT NULL,
        project_id INTEGER REFERENCES projects (id),
        subject TEXT NOT NULL,
        subject_id INTEGER,
        detail TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(detail))
    ) STRICT""",
    "CREATE INDEX events_by_project ON events (project_id, id)",
    "CREATE INDEX events_by_subject ON events (subject, subject_id)",
    """CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
        BEGIN SELECT RAISE(ABORT, 'events are append only'); END""",
    """CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
        BEGIN SELECT RAISE(ABORT, 'events are append only'); END""",
)

_COUNTS = (
    """CREATE TABLE instance_counts (
        project_id INTEGER NOT NULL,
        state TEXT NOT NULL,
        n INTEGER NOT NULL CHECK (n >= 0),
        PRIMARY KEY (project_id, state)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE assignment_counts (
        project_id INTEGER NOT NULL,
        user_id INTEGER NOT NULL,
        state TEXT NOT NULL,
        n INTEGER NOT NULL CHECK (n >= 0),
        PRIMARY KEY (project_id, user_id, state)
    ) STRICT, WITHOUT ROWID""",
)

# 'queued' counts the instances that the queue can give out; the other rows count by state.
_QUEUED = "{row}.open_slots > 0 AND {row}.state = 'open'"


def _add(state: str, sign: str, when: str, row: str) -> str:
    return f"""INSERT INTO instance_counts SELECT {row}.project_id, {state}, 1 WHERE {when}
        ON CONFLICT DO UPDATE SET n = n {sign} 1;"""


def _instance_triggers() -> tuple[str, ...]:
    new, old = _QUEUED.format(row="NEW"), _QUEUED.format(row="OLD")
    more = _add("NEW.state", "+", "TRUE", "NEW") + _add("'queued'", "+", new, "NEW")
    less = _add("OLD.state", "-", "TRUE", "OLD") + _add("'queued'", "-", old, "OLD")
    return (
        f"CREATE TRIGGER instance_counted AFTER INSERT ON instances BEGIN {more} END",
        f"CREATE TRIGGER instance_uncounted AFTER DELETE ON instances BEGIN {less} END",
        f"""CREATE TRIGGER instance_recounted AFTER UPDATE OF state, open_slots ON instances
            WHEN OLD.state <> NEW.state OR ({old}) <> ({new}) BEGIN {less} {more} END""",
    )


def _assignment_triggers() -> tuple[str, ...]:
    def change(row: str, sign: str) -> str:
        return f"""INSERT INTO assignment_counts VALUES ({row}.project_id, {row}.user_id, {row}.state, 1)
            ON CONFLICT DO UPDATE SET n = n {sign} 1;"""

    return (
        f"CREATE TRIGGER assignment_counted AFTER INSERT ON assignments BEGIN {change('NEW', '+')} END",
        f"CREATE TRIGGER assignment_uncounted AFTER DELETE ON assignments BEGIN {change('OLD', '-')} END",
        f"""CREATE TRIGGER assignment_recounted AFTER UPDATE OF state ON assignments WHEN OLD.state <> NEW.state
            BEGIN {change("OLD", "-")} {change("NEW", "+")} END""",
    )


FIRST_TABLES = (*_PEOPLE, *_PROJECTS, *_TEXTS, *_WORK, *_COUNTS, *_instance_triggers(), *_assignment_triggers())
