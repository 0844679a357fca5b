"""What stands on the page Metrics: the numbers, the table, the charts."""
