"""The tables of sets that were proposed to annotators (migration m010), and of what help they had (m036)."""

PROPOSED_SETS = (
    # name: the kind of the changed version, or the word list. Of work that was handed in the state is the last word.
    """CREATE TABLE proposed_sets (
        id INTEGER PRIMARY KEY,
        assignment_id INTEGER NOT NULL REFERENCES assignments (id),
        source TEXT NOT NULL CHECK (source IN ('carried', 'lexicon', 'complement')),
        name TEXT NOT NULL,
        spans TEXT NOT NULL CHECK (json_valid(spans)),
        state TEXT NOT NULL CHECK (state IN ('unasked', 'undecided', 'accepted', 'edited', 'rejected')),
        UNIQUE (assignment_id, source, name, spans),
        CHECK (state <> 'unasked' OR source = 'complement')
    ) STRICT""",
)

# arm: what the project, or the lot, decided for a piece of work before it began; NULL where it is older than that. origin: what
# help had to do with a set, written when it was handed in. The log is added to and never changed; spans: '' of a model's answer.
HELP = (
    "ALTER TABLE assignments ADD COLUMN arm TEXT CHECK (arm IN ('all', 'none', 'helped', 'blind'))",
    """ALTER TABLE rationale_sets ADD COLUMN origin TEXT
        CHECK (origin IN ('free', 'free-after-help', 'accepted', 'edited', 'carried'))""",
    """CREATE TABLE help_log (
        id INTEGER PRIMARY KEY,
        assignment_id INTEGER NOT NULL REFERENCES assignments (id),
        at TEXT NOT NULL,
        source TEXT NOT NULL CHECK (source IN ('carried', 'lexicon', 'complement', 'starting', 'model')),
        name TEXT NOT NULL,
        spans TEXT NOT NULL CHECK (spans = '' OR json_valid(spans)),
        step TEXT NOT NULL CHECK (step IN ('shown', 'unasked', 'undecided', 'accepted', 'edited', 'rejected')),
        CHECK (spans <> '' OR source = 'model')
    ) STRICT""",
    "CREATE INDEX help_log_by_assignment ON help_log (assignment_id)",
    "ALTER TABLE proposed_sets RENAME TO proposed_sets_before",
    PROPOSED_SETS[0].replace("'complement')", "'complement', 'model')", 1),
    "INSERT INTO proposed_sets SELECT * FROM proposed_sets_before",
    "DROP TABLE proposed_sets_before",
)
