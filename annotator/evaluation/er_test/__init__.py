"""ER-TEST's scores from files: contrast sets, functional tests, fairness."""
