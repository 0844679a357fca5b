"""The gold of a project as one table, for what scores models against it."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from annotator.domain.projects import GoldPolicy, Project
from annotator.scoring.gold import GoldTable, gold_row
from annotator.store import Store
from annotator.store.instances import keys_of_originals
from annotator.usecases.gold import gold_instances


def gold_table(store: Store, project: Project, policy: GoldPolicy, split: str | None = None) -> GoldTable:
    """A project's gold as metrics take it, or that of a split, whose k is that of the whole all the same.

    With the tokens of originals and perturbed versions, which are compared.
    """
    originals = keys_of_originals(store, project.id)
    with _no_looking_for_cycles():
        whole = GoldTable(
            [
                gold_row(
                    item,
                    project.task,
                    keep_tokens=item.instance.parent_key is not None or item.instance.key in originals,
                    is_exhaustive=project.settings.is_exhaustive,
                )
                for item in gold_instances(store, project, policy)
            ]
        )
        return whole.of_split(split)


@contextmanager
def _no_looking_for_cycles() -> Iterator[None]:
    """While hundreds of thousands of rows are made that stay, Python would go through all of them again and again.

    That is a third of the time. What is not referred to any more is freed as ever; rows hold no cycles.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
