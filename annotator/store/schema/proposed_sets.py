"""The table of sets that were proposed to annotators (migration m010)."""

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
