"""A table without a row has the types of one with rows, so that two can be put together."""

from pathlib import Path

import annotator


def test_counts_are_whole_numbers_and_dates_are_dates_where_there_is_no_row(tmp_path: Path) -> None:
    with annotator.open(tmp_path / "a.db", create=True) as database:
        project = database.create_project("Films", "sentiment", labels=["negative", "positive"])
        types = {"suites": project.suites().dtypes, "lists": project.lists().dtypes}
        pairs = project.agreement(pairs=True).dtypes
    assert types["suites"][["n_cases", "n_texts"]].astype(str).tolist() == ["Int64", "Int64"]
    assert str(types["lists"]["n"]) == "Int64"
    assert str(pairs["n_instances"]) == "Int64"
    assert {str(types[name]["created_at"]) for name in types} == {"datetime64[us, UTC]"}
