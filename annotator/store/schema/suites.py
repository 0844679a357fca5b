"""The tables of word lists and functional tests (migration m007)."""

SUITES = (
    """CREATE TABLE word_lists (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
        language TEXT NOT NULL,
        role TEXT NOT NULL CHECK (role IN ('keep', 'ignore', 'slot')),
        words TEXT NOT NULL CHECK (json_valid(words)),
        created_by TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (project_id, name)
    ) STRICT""",
    """CREATE TABLE suites (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
        created_by TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (project_id, name)
    ) STRICT""",
    # recipe: how the cases were made (templates, change, seed); '{}' of a test that came with a file.
    """CREATE TABLE suite_tests (
        id INTEGER PRIMARY KEY,
        suite_id INTEGER NOT NULL REFERENCES suites (id),
        position INTEGER NOT NULL CHECK (position >= 0),
        name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
        type TEXT NOT NULL CHECK (type IN ('MFT', 'INV', 'DIR')),
        category TEXT NOT NULL CHECK (length(category) BETWEEN 1 AND 200),
        recipe TEXT NOT NULL CHECK (json_valid(recipe)),
        n_cases INTEGER NOT NULL CHECK (n_cases >= 1),
        n_texts INTEGER NOT NULL CHECK (n_texts >= n_cases),
        created_by TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (suite_id, name),
        UNIQUE (suite_id, position)
    ) STRICT""",
    # A case is never changed: what models said of it stays true of it.
    """CREATE TABLE suite_cases (
        test_id INTEGER NOT NULL REFERENCES suite_tests (id),
        number INTEGER NOT NULL CHECK (number >= 0),
        name TEXT NOT NULL,
        texts TEXT NOT NULL CHECK (json_valid(texts)),
        expectation TEXT NOT NULL CHECK (expectation IN ('label', 'same', 'not_up', 'not_down')),
        labels TEXT NOT NULL CHECK (json_valid(labels)),
        is_forbidden INTEGER NOT NULL CHECK (is_forbidden IN (0, 1)),
        tolerance REAL NOT NULL CHECK (tolerance >= 0 AND tolerance < 1),
        applies TEXT NOT NULL CHECK (json_valid(applies)),
        edits TEXT NOT NULL CHECK (json_valid(edits)),
        PRIMARY KEY (test_id, number),
        UNIQUE (test_id, name)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TRIGGER suite_cases_are_not_changed BEFORE UPDATE ON suite_cases
        BEGIN SELECT RAISE(ABORT, 'cases are not changed'); END""",
    # seed: in words, '' for none. computed_by: the model that was asked here, NULL where a file brought the answers.
    """CREATE TABLE suite_runs (
        id INTEGER PRIMARY KEY,
        suite_id INTEGER NOT NULL REFERENCES suites (id),
        model TEXT NOT NULL CHECK (length(model) BETWEEN 1 AND 200),
        seed TEXT NOT NULL,
        computed_by TEXT,
        created_by TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (suite_id, model, seed)
    ) STRICT""",
    # answers: for each text of the case in order, its label and (where told) the probabilities.
    """CREATE TABLE suite_answers (
        run_id INTEGER NOT NULL REFERENCES suite_runs (id),
        test_id INTEGER NOT NULL,
        case_number INTEGER NOT NULL,
        answers TEXT NOT NULL CHECK (json_valid(answers)),
        PRIMARY KEY (run_id, test_id, case_number),
        FOREIGN KEY (test_id, case_number) REFERENCES suite_cases (test_id, number)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX suite_answers_by_case ON suite_answers (test_id, case_number)",
    # One byte a case in their order: 0 passed, 1 failed, 2 the test does not apply.
    """CREATE TABLE suite_verdicts (
        run_id INTEGER NOT NULL REFERENCES suite_runs (id),
        test_id INTEGER NOT NULL REFERENCES suite_tests (id),
        verdicts BLOB NOT NULL,
        PRIMARY KEY (run_id, test_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX suite_verdicts_by_test ON suite_verdicts (test_id)",
)
