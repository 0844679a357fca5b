"""What authors and checkers of changed versions do."""
