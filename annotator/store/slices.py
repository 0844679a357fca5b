"""Slices of a project's instances as conditions, and what there is to slice by, with counts."""

from annotator.domain.measurements import Slice

NAME_OF_ANNOTATOR = "annotator"  # in an instance's metadata, beside what the file says of them
_TEXT_OF = "CASE {row}.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST({row}.value AS TEXT) END"
_SCALARS = "{row}.type IN ('text', 'integer', 'real', 'true', 'false')"


def fact_text(row: str) -> str:
    """The text of a value in JSON, as an expression; row: what json_each gave."""
    return _TEXT_OF.format(row=row)


def is_scalar(row: str) -> str:
    """Whether a value in JSON is a text, a number or a yes or no, as a condition."""
    return _SCALARS.format(row=row)


def annotators_of(instances: str) -> str:
    """What an instance's file says of its annotators, as rows `fact` with key and value, in a FROM clause."""
    of_one = "CASE annotator.type WHEN 'object' THEN annotator.value ELSE '{}' END"
    return f"json_each({instances}.metadata, '$.annotations') AS annotator, json_each({of_one}) AS fact"


def conditions_of(wanted: Slice) -> tuple[list[str], list[object]]:
    """The conditions on `instances`, and their values in order."""
    conditions: list[str] = []
    values: list[object] = []

    def add(condition: str, *given: object) -> None:
        conditions.append(condition)
        values.extend(given)

    if wanted.is_unlabelled:
        add("instances.result IS NULL")
    if wanted.label is not None:
        add("instances.result = ?", wanted.label)
    if wanted.split is not None:
        add("instances.split = ?", wanted.split)
    if wanted.length is not None:
        add("instances.n_selectable BETWEEN ? AND ?", *wanted.length)
    if wanted.fact is not None:
        add(
            f"""EXISTS (SELECT 1 FROM json_each(instances.metadata) AS fact
                WHERE fact.key = ? AND {is_scalar("fact")} AND {fact_text("fact")} = ?)""",
            *wanted.fact,
        )
    if wanted.group is not None:
        add(
            f"""EXISTS (SELECT 1 FROM {annotators_of("instances")}
                WHERE fact.key = ? AND fact.key <> '{NAME_OF_ANNOTATOR}'
                AND {is_scalar("fact")} AND {fact_text("fact")} = ?)""",
            *wanted.group,
        )
    return conditions, values
