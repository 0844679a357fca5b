"""The tables of what models answer and give as their reasons (migration m003)."""

MODELS = (
    """CREATE TABLE models (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
        created_at TEXT NOT NULL,
        UNIQUE (project_id, name)
    ) STRICT""",
    # method '': the model's own answers.
    """CREATE TABLE runs (
        id INTEGER PRIMARY KEY,
        model_id INTEGER NOT NULL REFERENCES models (id),
        method TEXT NOT NULL,
        parameters TEXT NOT NULL CHECK (json_valid(parameters)),
        seed INTEGER,
        unit TEXT NOT NULL CHECK (unit IN ('logit', 'probability', 'none')),
        is_signed INTEGER CHECK (is_signed IN (0, 1)),
        created_at TEXT NOT NULL
    ) STRICT""",
    "CREATE UNIQUE INDEX runs_by_name ON runs (model_id, method, parameters, coalesce(seed, -1), seed IS NULL)",
    # threshold -1: the method's own rationale, and not one of a stated share of tokens. label: the result, else the label of the
    # highest probability, so that right, wrong and disagreeing answers are found without reading probabilities.
    """CREATE TABLE predictions (
        run_id INTEGER NOT NULL REFERENCES runs (id),
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        input TEXT NOT NULL CHECK (input IN ('full', 'rationale', 'rest')),
        threshold REAL NOT NULL DEFAULT -1 CHECK (threshold = -1 OR threshold BETWEEN 0 AND 1),
        result TEXT,
        label TEXT NOT NULL,
        probabilities TEXT NOT NULL CHECK (json_valid(probabilities)),
        PRIMARY KEY (run_id, instance_id, input, threshold),
        CHECK (result IS NOT NULL OR probabilities <> '{}')
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX predictions_by_instance ON predictions (instance_id)",
    # hard: starts and ends of spans in turn; ranked: token indices by importance. Both as unsigned 32-bit little-endian.
    """CREATE TABLE machine_rationales (
        run_id INTEGER NOT NULL REFERENCES runs (id),
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        kind TEXT NOT NULL CHECK (kind IN ('hard', 'ranked')),
        tokens BLOB NOT NULL CHECK (length(tokens) % 4 = 0),
        PRIMARY KEY (run_id, instance_id, kind)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX machine_rationales_by_instance ON machine_rationales (instance_id)",
    # scores: 64-bit floats, little-endian, one a selectable token or one a token, NaN where there is none. layer -1: of none.
    """CREATE TABLE attributions (
        id INTEGER PRIMARY KEY,
        run_id INTEGER NOT NULL REFERENCES runs (id),
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        label TEXT NOT NULL DEFAULT '',
        layer INTEGER NOT NULL DEFAULT -1 CHECK (layer >= -1),
        scores BLOB NOT NULL CHECK (length(scores) % 8 = 0),
        ranking BLOB CHECK (length(ranking) % 4 = 0),
        pieces TEXT CHECK (pieces IS NULL OR json_valid(pieces)),
        convergence REAL,
        UNIQUE (instance_id, run_id, label, layer)
    ) STRICT""",
    "CREATE INDEX attributions_by_run ON attributions (run_id, instance_id)",
    # Numbers of a run for each instance, and from which gold and when they were made. layer -1: of none.
    """CREATE TABLE measurements (
        run_id INTEGER PRIMARY KEY REFERENCES runs (id),
        gold_policy TEXT NOT NULL,
        parameters TEXT NOT NULL CHECK (json_valid(parameters)),
        last_event_id INTEGER NOT NULL,
        made_at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE metric_values (
        run_id INTEGER NOT NULL REFERENCES measurements (run_id),
        layer INTEGER NOT NULL CHECK (layer >= -1),
        name TEXT NOT NULL,
        instance_id INTEGER NOT NULL REFERENCES instances (id),
        value REAL NOT NULL,
        PRIMARY KEY (run_id, layer, name, instance_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX metric_values_in_order ON metric_values (run_id, layer, name, value, instance_id)",
    "CREATE INDEX metric_values_by_instance ON metric_values (instance_id)",
)
