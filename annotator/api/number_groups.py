"""Numbers of groups of instances: by label, split, a name of the metadata, and so on."""

from dataclasses import replace
from typing import TypedDict

from annotator.domain.measurements import grouping_in_words
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project as Rules
from annotator.errors import InvalidValue, NotFound
from annotator.scoring.reports import ProjectReport
from annotator.scoring.runs import ScoringOptions
from annotator.usecases.databases import Store
from annotator.usecases.inspect.group_scores import group_counts
from annotator.usecases.inspect.metric_values import groupings_of


class GroupedReports(TypedDict):
    """What `annotator evaluate project --group-by WHAT --json` prints: the report of each group."""

    group_by: str
    groups: dict[str | None, ProjectReport]


def options_of_groups(
    store: Store, rules: Rules, options: ScoringOptions, by: str | None, group: str | None
) -> dict[str | None, ScoringOptions]:
    """How each group that was asked for is scored, by its name; all instances, by None, where nothing is grouped.

    Raises: InvalidValue for what the project's instances cannot be grouped by; NotFound for a group that is not there
    """
    if by is None:
        if group is not None:
            raise InvalidValue(f"'group' is '{group}', but nothing says by what: name that in 'by', as by='label'.")
        return {None: options}
    known = groupings_of(store, LOCAL_OPERATOR, rules)
    if by not in known:
        raise InvalidValue(f"'by' must be one of {', '.join(known)}; it is '{by}'.")
    options = replace(options, by=by)
    groups = list(group_counts(store, LOCAL_OPERATOR, rules, options))
    if not groups:
        raise NotFound(f"No instance with gold of '{rules.name}' is in a group by {grouping_in_words(by)}.")
    if group is not None and group not in groups:
        names = ", ".join(f"'{name}'" for name in groups)
        raise NotFound(f"'group' must be one of {names} (by {grouping_in_words(by)}); it is '{group}'.")
    return {name: replace(options, group=name) for name in (groups if group is None else [group])}
