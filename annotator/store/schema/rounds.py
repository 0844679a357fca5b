"""The tables of rounds, reviews and scores, of corrections, the lead's choice of gold, and threads (migration m002)."""

_ROUNDS = (
    # A round is an annotation before its reviewers. open_slots: how many more of them it wants (store/rounds.py, settle_round).
    """CREATE TABLE rounds (
        annotation_id INTEGER PRIMARY KEY REFERENCES annotations (id),
        project_id INTEGER NOT NULL REFERENCES projects (id),
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        number INTEGER NOT NULL CHECK (number >= 1),
        previous_id INTEGER REFERENCES annotations (id),
        opened_at TEXT NOT NULL,
        open_slots INTEGER NOT NULL DEFAULT 0 CHECK (open_slots >= 0),
        outcome TEXT CHECK (outcome IN ('accepted', 'returned', 'discarded')),
        decided_at TEXT,
        decided_by TEXT,
        reason TEXT NOT NULL DEFAULT '',
        verdict TEXT CHECK (verdict IS NULL OR json_valid(verdict)),
        CHECK ((outcome IS NULL) = (decided_at IS NULL)),
        CHECK (outcome IS NOT NULL OR verdict IS NULL)
    ) STRICT""",
    "CREATE INDEX rounds_wanting ON rounds (project_id, annotation_id) WHERE open_slots > 0",
    """CREATE INDEX rounds_correcting ON rounds (project_id, annotation_id)
        WHERE open_slots > 0 AND previous_id IS NOT NULL""",
    "CREATE INDEX rounds_undecided ON rounds (project_id, annotation_id) WHERE outcome IS NULL",
    "CREATE INDEX rounds_by_instance ON rounds (instance_id)",
    "CREATE INDEX rounds_by_project ON rounds (project_id, number, outcome)",
    """CREATE TABLE set_origins (
        annotation_id INTEGER NOT NULL REFERENCES annotations (id),
        position INTEGER NOT NULL CHECK (position >= 0),
        previous_position INTEGER NOT NULL CHECK (previous_position >= 0),
        is_carried INTEGER NOT NULL CHECK (is_carried IN (0, 1)),
        PRIMARY KEY (annotation_id, position)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE reviews (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        annotation_id INTEGER NOT NULL REFERENCES annotations (id),
        user_id INTEGER NOT NULL REFERENCES users (id),
        state TEXT NOT NULL CHECK (state IN ('leased', 'submitted', 'skipped', 'expired', 'ended')),
        lease_until TEXT NOT NULL,
        created_at TEXT NOT NULL,
        submitted_at TEXT,
        active_ms INTEGER NOT NULL DEFAULT 0 CHECK (active_ms >= 0),
        idle_ms INTEGER NOT NULL DEFAULT 0 CHECK (idle_ms >= 0),
        revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
        comprehensiveness INTEGER CHECK (comprehensiveness BETWEEN 1 AND 3),
        comment TEXT NOT NULL DEFAULT '',
        UNIQUE (annotation_id, user_id),
        CHECK (state <> 'submitted' OR comprehensiveness IS NOT NULL)
    ) STRICT""",
    "CREATE INDEX reviews_of_user ON reviews (project_id, user_id, state, id)",
    "CREATE INDEX reviews_by_lease ON reviews (project_id, lease_until) WHERE state = 'leased'",
    """CREATE TABLE scores (
        review_id INTEGER NOT NULL REFERENCES reviews (id),
        position INTEGER NOT NULL CHECK (position >= 0),
        sufficiency INTEGER CHECK (sufficiency BETWEEN 1 AND 3),
        compactness INTEGER CHECK (compactness BETWEEN 1 AND 4),
        comment TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (review_id, position)
    ) STRICT, WITHOUT ROWID""",
)

_GOLD_AND_TALK = (
    """CREATE TABLE gold_choices (
        instance_id INTEGER PRIMARY KEY REFERENCES instances (id),
        annotation_id INTEGER NOT NULL REFERENCES annotations (id),
        is_adjudicated INTEGER NOT NULL CHECK (is_adjudicated IN (0, 1)),
        chosen_by TEXT NOT NULL,
        reason TEXT NOT NULL,
        chosen_at TEXT NOT NULL
    ) STRICT""",
    # What a thread is about: the instance, an annotation of it, one set (position) of that, or the decision on that.
    """CREATE TABLE threads (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        annotation_id INTEGER REFERENCES annotations (id),
        about TEXT NOT NULL CHECK (about IN ('instance', 'annotation', 'set', 'decision')),
        position INTEGER CHECK (position >= 0),
        begun_by INTEGER REFERENCES users (id),
        waits_for_lead INTEGER NOT NULL DEFAULT 0 CHECK (waits_for_lead IN (0, 1)),
        CHECK ((about = 'instance') = (annotation_id IS NULL)),
        CHECK ((about = 'set') = (position IS NOT NULL))
    ) STRICT""",
    "CREATE INDEX threads_by_instance ON threads (instance_id)",
    "CREATE INDEX threads_waiting ON threads (project_id, id) WHERE waits_for_lead = 1",
    """CREATE TABLE comments (
        id INTEGER PRIMARY KEY,
        thread_id INTEGER NOT NULL REFERENCES threads (id),
        author TEXT NOT NULL,
        user_id INTEGER REFERENCES users (id),
        spoken_as TEXT NOT NULL CHECK (spoken_as IN ('annotator', 'reviewer', 'lead')),
        text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 10000),
        created_at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX comments_by_thread ON comments (thread_id)",
    """CREATE TRIGGER comments_are_not_changed BEFORE UPDATE ON comments
        BEGIN SELECT RAISE(ABORT, 'comments are append only'); END""",
    """CREATE TRIGGER comments_are_not_deleted BEFORE DELETE ON comments
        BEGIN SELECT RAISE(ABORT, 'comments are append only'); END""",
)

_CORRECTIONS = (
    "ALTER TABLE assignments ADD COLUMN follows_id INTEGER REFERENCES annotations (id)",
    "ALTER TABLE drafts ADD COLUMN origins TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(origins))",
    "ALTER TABLE drafts ADD COLUMN unlocked TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(unlocked))",
    # From here on returned work that rests too long may go to somebody else; what was returned before begins to rest now.
    """UPDATE assignments SET lease_until = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+7 days') WHERE state = 'returned'""",
    "CREATE INDEX assignments_by_return ON assignments (project_id, lease_until) WHERE state = 'returned'",
    "CREATE INDEX assignments_by_follows ON assignments (follows_id) WHERE follows_id IS NOT NULL",
)

REVIEWING = (*_ROUNDS, *_GOLD_AND_TALK, *_CORRECTIONS)
