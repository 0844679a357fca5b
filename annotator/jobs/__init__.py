"""Long work: one process that does what the queue in the database asks for, and who starts it."""
