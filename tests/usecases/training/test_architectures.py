"""What can be trained for which task: everything that is offered is taken, and everything else is refused."""

from typing import get_args

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import TASKS
from annotator.errors import ModelError
from annotator.store import Store
from annotator.training.loop import FittingOptions
from annotator.training.trainable_models import Architecture, NewModel
from annotator.usecases.project.projects import create_project
from annotator.usecases.training.architectures import architectures_for, check_architecture


@pytest.mark.parametrize("task", TASKS)
def test_what_is_offered_for_a_task_is_what_is_not_refused(store: Store, task: str) -> None:
    labels = [] if TASKS[task].result_kind == "answer" else ["a", "b"]
    project = create_project(store, LOCAL_OPERATOR, "P", TASKS[task], labels=labels)
    taken = []
    for architecture in get_args(Architecture):
        try:
            check_architecture(project, NewModel((), architecture=architecture), FittingOptions())
        except ModelError:
            continue
        taken.append(architecture)
    assert set(architectures_for(project, has_base=False)) == set(taken)
    assert set(architectures_for(project, has_base=True)) == set(taken) - {"decoder"}
