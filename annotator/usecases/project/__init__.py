"""A project's rules: settings, tasks, splits, word lists."""
