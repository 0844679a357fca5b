"""What leads do all week: decisions, agreement, quality, statistics, the record."""
