"""The tables of second passes in which all evidence is marked (migration m029)."""

EVIDENCE = (
    # The pass that a choice of gold came from; NULL: the lead's own choice. By name: the pass may be gone.
    "ALTER TABLE gold_choices ADD COLUMN evidence_pass TEXT CHECK (evidence_pass <> '')",
    """CREATE TABLE evidence_passes (
        project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
        source_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
        is_automatic INTEGER NOT NULL CHECK (is_automatic IN (0, 1)),
        made_by TEXT NOT NULL,
        made_at TEXT NOT NULL,
        CHECK (project_id <> source_id)
    ) STRICT""",
    "CREATE INDEX evidence_passes_of_source ON evidence_passes (source_id)",
    # result, copy_result: the gold result when the text was copied, as each of the two projects calls it now; gold: its sets
    # then. taken: the version that was made of the copy's gold; former_choice: the lead's choice before it.
    """CREATE TABLE evidence_copies (
        copy_id INTEGER PRIMARY KEY REFERENCES instances (id) ON DELETE CASCADE,
        original_id INTEGER NOT NULL UNIQUE REFERENCES instances (id) ON DELETE CASCADE,
        result TEXT,
        copy_result TEXT,
        gold TEXT NOT NULL CHECK (json_valid(gold)),
        taken INTEGER REFERENCES annotations (id) ON DELETE SET NULL,
        former_choice TEXT CHECK (former_choice IS NULL OR json_valid(former_choice))
    ) STRICT""",
)
