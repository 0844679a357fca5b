"""What models say, scored against gold: runs, seeds, faithfulness, tables and verdicts, as pure functions of values."""
