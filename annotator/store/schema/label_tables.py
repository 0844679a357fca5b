"""What finds the confirmed labels of models in the record (migration m018)."""

LABEL_TABLES = ("CREATE INDEX events_of_label_tables ON events (project_id) WHERE action = 'map labels'",)
