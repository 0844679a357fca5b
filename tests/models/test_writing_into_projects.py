"""A model that writes its answers, through the use case: what is stored, counted, gone on with, exported and shown."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.attribution.loaders import LoadOptions
from annotator.domain.models import Attribution, Written
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused, InvalidValue, NotAllowed
from annotator.store import Store
from annotator.store.models import iterate_outputs, list_runs
from annotator.usecases.inspect.saliency import show_instance
from annotator.usecases.models.attribution_batches import label_in
from annotator.usecases.models.attributions import AttributingOptions, AttributingReport, attribute
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.upkeep import check

TEXTS = {
    "right": "film great plot year film music",
    "wrong": "film plot dull year film music",
    "none": "week film plot year film music",
}
WORDS = {"good": "great", "bad": "dull"}


@pytest.fixture
def films(store: Store, import_rows: Callable[..., object]) -> Project:
    made = create_project(store, LOCAL_OPERATOR, "Films", get_task("sentiment"), labels=["good", "bad"])
    import_rows(made, [{"id": key, "text": text, "label": "good"} for key, text in TEXTS.items()])
    return made


def run(
    store: Store,
    project: Project,
    folder: Path,
    method: str = "occlusion",
    actor: User = LOCAL_OPERATOR,
    **more: object,
) -> AttributingReport:
    words = more.pop("words", WORDS)
    load = LoadOptions(device="cpu", prompt="{text} :", longest_answer=3, label_words=words)  # type: ignore[arg-type]
    options = AttributingOptions(load=load, **more)  # type: ignore[arg-type]
    return attribute(store, actor, project, f"transformers-writing:{folder}", method, options)


def of_method(store: Store, project: Project, method: str) -> list[Attribution]:
    (stored,) = [one for one in list_runs(store, project.id) if one.run.method == method]
    return [attribution for output in iterate_outputs(store, stored.id) for attribution in output.attributions]


def test_what_is_written_is_stored_with_its_maps_and_is_an_answer_where_it_is_a_labels_words(
    store: Store, films: Project, copier_folder: Path
) -> None:
    report = run(store, films, copier_folder)
    assert (report.n_attributions, report.n_answers, report.n_unscored, report.n_left_out) == (3, 2, 1, 0)
    maps = of_method(store, films, "occlusion")
    assert [one.written.text for one in maps if one.written] == ["great", "dull", "week"]
    assert [len(one.scores) for one in maps] == [6, 6, 6]
    (answers,) = [one for one in list_runs(store, films.id) if not one.run.method]
    labels = [output.predictions[0].label for output in iterate_outputs(store, answers.id)]
    assert labels == ["good", "bad"]  # “week” is no label's word: it counts neither as right nor as wrong
    assert check(store) == []


def test_the_same_command_goes_on_and_computes_nothing_twice(store: Store, films: Project, copier_folder: Path) -> None:
    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    load = LoadOptions(device="cpu", prompt="{text} :", longest_answer=3, label_words=WORDS)
    options = AttributingOptions(load=load, batch_size=1)
    with pytest.raises(KeyboardInterrupt):
        attribute(
            store, LOCAL_OPERATOR, films, f"transformers-writing:{copier_folder}", "occlusion", options, progress=stop
        )
    assert len(of_method(store, films, "occlusion")) == 1
    second, third = run(store, films, copier_folder), run(store, films, copier_folder)
    assert (second.n_known, second.n_attributions) == (1, 2)
    assert (third.n_known, third.n_attributions) == (3, 0)
    assert run(store, films, copier_folder, is_anew=True).n_attributions == 3


def test_a_task_of_answers_takes_what_is_written_as_the_answer(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], copier_folder: Path
) -> None:
    made = make_project("reading", name="Reading")
    import_rows(made, [{"id": "r", "passage": "film great year people", "question": "plot music", "answer": "great"}])
    report = run(store, made, copier_folder, words={})
    assert (report.n_answers, report.n_unscored) == (1, 0)
    (answers,) = [one for one in list_runs(store, made.id) if not one.run.method]
    (output,) = iterate_outputs(store, answers.id)
    assert output.predictions[0].result == "great"
    assert len(of_method(store, made, "occlusion")[0].scores) == 4  # the passage's tokens: the question is not marked


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"label": "good"}, "explained for what it wrote, not for 'good'. Leave --label out"),
        ({"has_faithfulness": True}, "gives no probabilities, from which faithfulness is measured"),
        ({"renamed": {"a": "good"}}, "has no labels of its own"),
        ({"words": {"fine": "great"}}, "There is no label 'fine' to give words to. There are good, bad"),
    ],
)
def test_what_such_a_model_cannot_be_asked_for_is_refused_before_anything_is_stored(
    store: Store, films: Project, copier_folder: Path, options: dict[str, object], said: str
) -> None:
    with pytest.raises(InvalidValue, match=said):
        run(store, films, copier_folder, **options)
    assert list_runs(store, films.id) == []


def test_nobody_without_the_right_can_have_it_written(
    store: Store, films: Project, copier_folder: Path, add_person: Callable[..., User]
) -> None:
    with pytest.raises(NotAllowed):
        run(store, films, copier_folder, actor=add_person("ann", films, "annotator"))
    assert list_runs(store, films.id) == []


def test_our_own_export_holds_the_maps_of_all_pieces_and_gives_them_back(
    store: Store, films: Project, copier_folder: Path, tmp_path: Path
) -> None:
    run(store, films, copier_folder)
    export_file(store, LOCAL_OPERATOR, films, "jsonl", tmp_path / "films.jsonl")
    again = create_project(store, LOCAL_OPERATOR, "Again", get_task("sentiment"))
    import_file(store, LOCAL_OPERATOR, again, "jsonl", tmp_path / "films.jsonl")
    assert of_method(store, again, "occlusion") == of_method(store, films, "occlusion")
    assert check(store) == []


def test_a_written_answer_that_does_not_fit_is_refused_with_its_line(
    store: Store, films: Project, copier_folder: Path, tmp_path: Path
) -> None:
    run(store, films, copier_folder)
    export_file(store, LOCAL_OPERATOR, films, "jsonl", tmp_path / "films.jsonl")
    records = [json.loads(line) for line in (tmp_path / "films.jsonl").read_text().splitlines()]
    place = next(n for n, record in enumerate(records) if record.get("method") == "occlusion")
    records[place]["attributions"][0]["written"]["scores"][0].append(0.5)
    (tmp_path / "changed.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    again = create_project(store, LOCAL_OPERATOR, "Again", get_task("sentiment"))
    with pytest.raises(ImportRefused) as refused:
        import_file(store, LOCAL_OPERATOR, again, "jsonl", tmp_path / "changed.jsonl")
    (problem,) = refused.value.problems
    assert problem.line == place + 1
    assert "scores of 7 tokens, but the attribution has 6 scores" in problem.reason
    assert list_runs(store, again.id) == []


def test_the_check_finds_maps_of_pieces_that_are_of_another_number_of_tokens(
    store: Store, films: Project, copier_folder: Path
) -> None:
    run(store, films, copier_folder)
    with store.transaction():
        store.run(
            "UPDATE attributions SET written = json_remove(written, '$.scores[0][0]') WHERE written LIKE '%dull%'"
        )
    (problem,) = check(store)
    assert "wrong" in problem


def test_saliency_shows_the_answer_with_the_map_of_each_piece(
    store: Store, films: Project, copier_folder: Path
) -> None:
    run(store, films, copier_folder)
    (stored,) = [one for one in list_runs(store, films.id) if one.run.method]
    (first, _, third) = [output.instance_id for output in iterate_outputs(store, stored.id)]
    (panel,) = [one for one in show_instance(store, LOCAL_OPERATOR, first, None).panels if one.method]
    assert panel.written is not None
    assert panel.written.pieces == ("great",)
    assert panel.written.scores[0] == panel.scores
    assert panel.answer is not None
    (unscored,) = [one for one in show_instance(store, LOCAL_OPERATOR, third, None).panels if one.method]
    assert unscored.answer is None


def test_a_label_is_known_by_whole_words_at_the_beginning() -> None:
    labels = ("good", "not good", "c++")
    assert label_in(" “Good”, I think", labels, {}) == "good"
    assert label_in("not good at all", labels, {}) == "not good"
    assert label_in("it is good", labels, {}) is None
    assert label_in("goods", labels, {}) is None
    assert label_in("C++ is one", labels, {}) == "c++"
    assert label_in("great", labels, {"good": "great"}) == "good"
    assert label_in("good", labels, {"good": "great"}) is None


@pytest.mark.parametrize(
    ("pieces", "scores", "earlier"),
    [
        ((), (), ()),
        (("a",), (), ((),)),
        (("a",), ((1.0,),), ((1.0,),)),
        (("a", "b"), ((1.0,), (1.0, 2.0)), ((), (0.0,))),
    ],
)
def test_a_written_answer_has_a_row_of_each_kind_for_each_piece(
    pieces: tuple[str, ...], scores: object, earlier: object
) -> None:
    with pytest.raises(InvalidValue, match="written answer"):
        Written(pieces, scores, earlier)  # type: ignore[arg-type]
