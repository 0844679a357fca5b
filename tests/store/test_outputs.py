"""What runs say, read by instance: everything of it, or the answers alone."""

from collections.abc import Callable

from annotator.domain.models import Attribution, Output, Prediction, Run
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.instances import queue_keys
from annotator.store.models import RunFinder, answers_of_run, iterate_outputs, store_outputs


def kept(store: Store, project: Project, method: str, outputs: list[Output]) -> int:
    with store.transaction():
        run = RunFinder(store, project.id).id_of(Run("m", method))
        store_outputs(store, run, outputs)
    return run


def test_a_run_is_read_in_batches_whatever_other_runs_say_between_its_instances(
    make_project: Callable[..., Project], import_rows: Callable[..., object], store: Store
) -> None:
    project = make_project()
    import_rows(project, [{"id": f"i{n}", "text": "one two"} for n in range(9)])
    numbers = [number for number, _, _ in queue_keys(store, project.id)]
    first = [Output(n, (), (Attribution((0.5, n / 3), "b"), Attribution((1.0, 2.0), "a"))) for n in numbers[::2]]
    second = [Output(n, (Prediction("yes"),), (Attribution((0.0, 9.0), "a"),)) for n in numbers[1::2]]
    one, other = kept(store, project, "ig", first), kept(store, project, "lime", second)
    for size in (1, 2, 3, 500):
        read = list(iterate_outputs(store, one, batch_size=size))
        assert [output.instance_id for output in read] == numbers[::2]
        assert [[a.label for a in output.attributions] for output in read] == [["a", "b"]] * 5
        assert [output.attributions[1].scores[1] for output in read] == [n / 3 for n in numbers[::2]]
        assert list(iterate_outputs(store, other, batch_size=size)) == second


def test_the_answers_of_a_run_are_those_to_the_full_input_alone(
    make_project: Callable[..., Project], import_rows: Callable[..., object], store: Store
) -> None:
    project = make_project()
    import_rows(project, [{"id": f"i{n}", "text": "one two"} for n in range(3)])
    first, second, third = (number for number, _, _ in queue_keys(store, project.id))
    answers = {
        first: Prediction(None, {"no": 0, "yes": 1}),
        third: Prediction("no", {"no": 0.75, "yes": 0.25}),
    }
    changed = Prediction("yes", {}, "rationale", 0.1)
    outputs = [
        Output(first, (answers[first], changed)),
        Output(second, (changed,)),
        Output(third, (answers[third], Prediction("yes", {}, "rest", 0.5))),
    ]
    run = kept(store, project, "", outputs)
    assert answers_of_run(store, run) == answers
    assert [type(p) for p in answers_of_run(store, run)[first].probabilities.values()] == [int, int]  # as they came
