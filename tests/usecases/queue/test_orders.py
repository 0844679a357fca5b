"""Which texts come first by what models answered, what that leaves as it is, and what is said about it."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from annotator.domain.models import MachineRationale, Output, Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.queue_orders import ModelOrder, QueueOrder
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import AnnotatorError, Conflict, InvalidValue, NotAllowed, NotFound
from annotator.store import Store, open_store
from annotator.store.instances import find_instance_ids
from annotator.store.models import RunFinder, forget_model, write_outputs
from annotator.store.trained_models import save_training
from annotator.usecases.annotate.work import next_work
from annotator.usecases.databases import find_project
from annotator.usecases.inspect.measurement import measure
from annotator.usecases.project.labels import replace_label
from annotator.usecases.project.projects import change_project, create_project
from annotator.usecases.queue.orders import Preview, present_order, preview_order, set_order
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from tests.usecases.review.test_reviews import annotate

# The labels of the texts t1 to t4 are negative, positive, negative, positive (conftest).
P_POSITIVE = {"t1": 0.4, "t2": 0.6, "t3": 0.9, "t4": 0.95}


@pytest.fixture
def answers(store: Store, project: Project) -> Callable[..., None]:
    """Store what a model answers: by text the probability of “positive”, or the answer alone."""

    def run(p_positive: Mapping[str, float | str], model: str = "bert", seed: int | None = None) -> None:
        outputs = []
        for key, value in p_positive.items():
            probabilities = {} if isinstance(value, str) else {"positive": value, "negative": 1 - value}
            result = value if isinstance(value, str) else None
            outputs.append(Output(number_of(store, project, key), (Prediction(result, probabilities),)))
        with store.transaction():
            write_outputs(store, RunFinder(store, project.id).id_of(Run(model, seed=seed)), outputs)

    return run


def number_of(store: Store, project: Project, key: str) -> int:
    [number] = find_instance_ids(store, project.id, key, None)
    return number


def by_model(kind: str = "least confident", *models: str, **more: object) -> QueueOrder:
    return QueueOrder("sequential", 0, ModelOrder(kind, models or ("bert",), **more))  # type: ignore[arg-type]


def keys(preview: Preview) -> list[str]:
    return [text.key for text in preview.texts]


def queue(store: Store) -> list[str]:
    return [row["key"] for row in store.rows("SELECT key FROM instances ORDER BY queue_position")]


def previewed(store: Store, project: Project, order: QueueOrder) -> Preview:
    return preview_order(store, LOCAL_OPERATOR, project.id, order)


def ordered(store: Store, project: Project, order: QueueOrder) -> Preview:
    return set_order(store, LOCAL_OPERATOR, project.id, order)


def test_the_least_confident_texts_come_first_by_the_probability_of_their_label(
    store: Store, project: Project, answers: Callable[..., None]
) -> None:
    answers(P_POSITIVE)  # of the label: .6 .6 .1 .95
    preview = previewed(store, project, by_model())
    assert keys(preview)[0] == "t3"
    assert keys(preview)[-1] == "t4"
    assert set(keys(preview)[1:3]) == {"t1", "t2"}, "which are equal, and parted by the project's seed"
    assert preview.texts[0].reason == "0.100 for its label “negative”; predicts “positive”"
    assert keys(previewed(store, project, by_model("most confident")))[0] == "t4"


def test_equal_texts_are_parted_by_the_seed_alone(store: Store, project: Project, answers: Callable[..., None]) -> None:
    answers({"t1": 0.5, "t2": 0.5, "t3": 0.5, "t4": 0.5})
    first = ModelOrder("least confident", ("bert",))
    drawn = {seed: keys(previewed(store, project, QueueOrder("sequential", seed, first))) for seed in range(6)}
    assert len({tuple(order) for order in drawn.values()}) > 1
    assert drawn[3] == keys(previewed(store, project, QueueOrder("random", 3, first)))


def test_a_preview_changes_nothing_and_setting_the_order_gives_what_it_showed(
    store: Store, project: Project, annotator: User, answers: Callable[..., None]
) -> None:
    answers(P_POSITIVE)
    before = queue(store)
    preview = previewed(store, project, by_model())
    assert queue(store) == before
    assert ordered(store, project, by_model()).texts == preview.texts
    assert queue(store) == keys(preview)
    work = next_work(store, annotator, project.id).work
    assert work is not None
    assert work.instance.key == keys(preview)[0]


def test_seeds_are_averaged_and_a_text_that_one_seed_lacks_is_named(
    store: Store, project: Project, answers: Callable[..., None]
) -> None:
    answers({"t1": 0.1, "t2": 0.5, "t3": 0.5, "t4": 0.9}, seed=1)
    answers({"t1": 0.9, "t2": 0.5, "t4": 0.9}, seed=2)
    preview = previewed(store, project, by_model())
    assert preview.texts[-1].reason == "0.900 (0.900 to 0.900 over 2) for its label “positive”; 2 predict “positive”"
    [first] = [text for text in preview.texts if text.key == "t1"]
    assert first.reason.startswith(
        "0.500 (0.100 to 0.900 over 2) for its label “negative”; 1 predicts “negative”, 1 “positive”"
    )
    assert preview.notes == ("1 waiting text has only some of the 2 models and seeds: those count.",)


def test_texts_without_a_probability_keep_their_position_behind_and_are_counted(
    store: Store, project: Project, answers: Callable[..., None]
) -> None:
    answers({"t3": 0.9, "t2": "positive"})
    preview = ordered(store, project, by_model())
    assert keys(preview) == ["t3", "t1", "t2", "t4"]
    assert [text.reason == "" for text in preview.texts] == [False, True, True, True]
    assert (preview.n_free, preview.n_known, preview.n_first) == (4, 1, 1)
    assert preview.notes == ("3 waiting texts lack what this order needs and stay behind.",)


def test_of_a_share_only_that_many_come_first_rounded_up_and_the_rest_follows_as_before(
    store: Store, project: Project, answers: Callable[..., None]
) -> None:
    answers(P_POSITIVE)
    preview = ordered(store, project, by_model(percent=26))  # ceil(4 · 26 / 100) = 2
    assert preview.n_first == 2
    assert queue(store)[0] == "t3"
    assert queue(store)[2:] == sorted(queue(store)[2:])


def test_a_text_without_a_label_is_ranked_by_the_models_own_answer(
    store: Store, project: Project, import_rows: Callable[..., object], answers: Callable[..., None]
) -> None:
    import_rows(project, [{"id": "u", "text": "No label here."}])
    answers({"u": 0.45, "t4": 0.9})
    preview = previewed(store, project, by_model())
    assert preview.texts[0].reason == "0.550 for its own prediction; predicts “negative”"
    assert "1 waiting text has no label: its prediction's probability counts." in preview.notes


def test_disagreement_is_the_share_of_pairs_that_differ_and_then_the_divergence(
    store: Store, project: Project, answers: Callable[..., None]
) -> None:
    answers({"t1": 0.9, "t2": 0.6, "t3": 0.9, "t4": 0.9}, "bert", 1)
    answers({"t1": 0.9, "t2": 0.4, "t3": 0.1, "t4": 0.6}, "bert", 2)
    preview = previewed(store, project, by_model("models disagree"))
    assert keys(preview) == ["t3", "t2", "t4", "t1"]
    assert preview.texts[0].reason == (
        "1 predicts “positive”, 1 “negative”; 1.00 of pairs differ; divergence 0.531 bits"
    )


def test_one_model_with_one_seed_cannot_disagree(store: Store, project: Project, answers: Callable[..., None]) -> None:
    answers(P_POSITIVE)
    with pytest.raises(InvalidValue, match=r"Disagreement needs two models or seeds\. Add a --model\."):
        previewed(store, project, by_model("models disagree"))


def test_only_texts_whose_label_is_not_the_answer_are_disputed_the_surest_first(
    store: Store, project: Project, answers: Callable[..., None]
) -> None:
    answers({"t1": 0.6, "t2": 0.7, "t3": 0.9, "t4": 0.45})  # wrong: t1 (.4), t3 (.1), t4 (.45)
    preview = previewed(store, project, by_model("label disputed"))
    assert keys(preview) == ["t3", "t1", "t4", "t2"]
    assert preview.n_first == 3
    assert preview.texts[0].reason == "labelled “negative”; predicts “positive”; 0.100 for its label"
    assert preview.notes == ("1 waiting text doesn't fit this order and comes behind.",)


def test_what_a_model_found_nothing_in_is_drawn_at_random_by_its_answer(
    store: Store, project: Project, answers: Callable[..., None]
) -> None:
    answers({"t1": "negative", "t2": "negative", "t3": "positive", "t4": "negative"})
    first = ModelOrder("nothing found", ("bert",), label="negative")
    drawn = {tuple(keys(previewed(store, project, QueueOrder("sequential", seed, first)))) for seed in range(12)}
    assert {order[-1] for order in drawn} == {"t3"}
    assert len(drawn) > 2
    assert (
        previewed(store, project, QueueOrder("sequential", 0, first)).texts[0].reason == "the prediction is “negative”"
    )


def test_what_a_model_selected_nothing_of_comes_first(
    store: Store, project: Project, answers: Callable[..., None]
) -> None:
    run = Run("bert", "lei")
    with store.transaction():
        write_outputs(
            store,
            RunFinder(store, project.id).id_of(run),
            [
                Output(number_of(store, project, "t1"), rationales=(MachineRationale("hard", ((0, 2),)),)),
                Output(number_of(store, project, "t4"), rationales=(MachineRationale("hard", ()),)),
            ],
        )
    preview = previewed(store, project, by_model("nothing found", method="lei"))
    assert keys(preview) == ["t4", "t1", "t2", "t3"]
    assert preview.texts[0].reason == "no token selected by lei"
    assert preview.n_first == 1
    assert "2 waiting texts lack what this order needs and stay behind." in preview.notes


def test_the_least_plausible_texts_that_still_want_an_annotator_come_first(
    store: Store,
    make_project: Callable[..., Project],
    add_person: Callable[..., User],
    import_rows: Callable[..., object],
) -> None:
    project = make_project(name="Two", annotators_per_instance=2)
    rows = [{"id": key, "text": "So good it hurts .", "label": "positive"} for key in ("p1", "p2", "p3")]
    import_rows(project, rows)
    ann = add_person("ann", project, "annotator")
    for _ in range(2):
        annotate(store, ann, project, RationaleSet.of((0, 2)))
    with store.transaction():
        write_outputs(
            store,
            RunFinder(store, project.id).id_of(Run("bert", "lei")),
            [
                Output(number_of(store, project, "p1"), rationales=(MachineRationale("hard", ((0, 2),)),)),
                Output(number_of(store, project, "p2"), rationales=(MachineRationale("hard", ((3, 4),)),)),
            ],
        )
    with pytest.raises(NotFound, match=r"isn't stored\. Measure it, or choose:"):
        previewed(store, project, by_model("least plausible", method="lei", number="sets.best_f1"))
    measure(store, LOCAL_OPERATOR, project)
    preview = previewed(store, project, by_model("least plausible", method="lei", number="sets.best_f1"))
    assert keys(preview) == ["p2", "p1", "p3"]
    assert preview.texts[0].reason.endswith(" 0")
    assert "1 waiting text lacks what this order needs and stays behind." in preview.notes
    annotate(store, ann, project, RationaleSet.of((0, 2)))
    notes = previewed(store, project, by_model("least plausible", method="lei", number="sets.best_f1")).notes
    assert any(note.startswith("The numbers of 1 run are out of date. Measure again first.") for note in notes)


def test_a_new_order_never_moves_what_somebody_holds(
    store: Store, project: Project, annotator: User, add_person: Callable[..., User], answers: Callable[..., None]
) -> None:
    answers(P_POSITIVE)
    before = next_work(store, annotator, project.id)
    ordered(store, project, by_model())
    after = next_work(store, annotator, project.id)
    assert before.work is not None
    assert before.ahead is not None
    assert after.work is not None
    assert after.work.assignment.id == before.work.assignment.id
    assert after.ahead is not None
    assert after.ahead.assignment.id == before.ahead.assignment.id
    others = next_work(store, add_person("ben", project, "annotator"), project.id).work
    assert others is not None
    assert others.instance.key == "t3"


def test_what_is_imported_later_comes_behind_and_the_order_can_be_drawn_anew(
    store: Store, project: Project, import_rows: Callable[..., object], answers: Callable[..., None]
) -> None:
    answers(P_POSITIVE)
    ordered(store, project, by_model(percent=50))
    import_rows(project, [{"id": "new", "text": "Fresh.", "label": "positive"}])
    assert queue(store)[0] == "t3"
    assert queue(store)[-1] == "new"
    answers({"new": 0.01})
    ordered(store, project, by_model(percent=50))
    assert queue(store)[0] == "new"


@pytest.mark.parametrize("rest", ["sequential", "random"])
def test_what_is_imported_later_never_comes_before_what_a_model_put_first(
    store: Store, project: Project, import_rows: Callable[..., object], answers: Callable[..., None], rest: str
) -> None:
    answers(P_POSITIVE)
    set_order(store, LOCAL_OPERATOR, project.id, QueueOrder(rest, 7, by_model().first))  # type: ignore[arg-type]
    first = queue(store)
    import_rows(project, [{"id": f"new{number}", "text": f"Fresh {number}."} for number in range(30)])
    assert queue(store)[:4] == first


def test_the_order_stays_when_its_model_is_gone_and_the_lead_is_told(
    store: Store, project: Project, answers: Callable[..., None]
) -> None:
    answers(P_POSITIVE)
    ordered(store, project, by_model())
    first = queue(store)
    with store.transaction():
        forget_model(store, project.id, "bert")
    assert queue(store) == first
    present = present_order(store, LOCAL_OPERATOR, project.id)
    assert (present.gone, present.n_waiting) == (("bert",), 4)
    with pytest.raises(NotFound, match=r"No predictions of 'bert'\. Available:"):
        ordered(store, project, by_model())


def test_new_answers_make_an_order_by_answers_old_and_new_annotations_do_not(
    store: Store, project: Project, annotator: User, answers: Callable[..., None], import_rows: Callable[..., object]
) -> None:
    answers(P_POSITIVE)
    ordered(store, project, by_model())
    annotate(store, annotator, project, RationaleSet.of((0, 2)))
    assert not present_order(store, LOCAL_OPERATOR, project.id).is_old
    import_rows(project, [{"id": "new", "text": "Fresh.", "label": "positive"}])
    assert present_order(store, LOCAL_OPERATOR, project.id).is_old


def test_an_order_follows_a_label_that_is_replaced(
    store: Store, project: Project, answers: Callable[..., None]
) -> None:
    answers({"t1": "negative", "t2": "positive"})
    ordered(store, project, by_model("nothing found", label="negative"))
    replace_label(store, LOCAL_OPERATOR, find_project(store, project.name), "negative", "bad")
    present = present_order(store, LOCAL_OPERATOR, project.id)
    assert present.order.first == by_model("nothing found", label="bad").first
    assert keys(ordered(store, project, present.order))[0] == "t1"


def test_while_the_order_changes_nobody_gets_a_text_that_another_has(
    store: Store, project: Project, database: Path, add_person: Callable[..., User], import_rows: Callable[..., object],
    answers: Callable[..., None],
) -> None:  # fmt: skip
    import_rows(project, [{"id": f"x{n}", "text": f"Text {n}.", "label": "positive"} for n in range(40)])
    answers({f"x{n}": n / 40 for n in range(40)})
    people = [add_person(name, project, "annotator") for name in ("ann", "ben")]

    def work(person: User) -> list[int]:
        with open_store(database) as own:
            return [annotate(own, person, project, RationaleSet.of((0, 1))).instance.id for _ in range(15)]

    def change() -> None:
        with open_store(database) as own:
            for kind in ("least confident", "most confident") * 4:
                ordered(own, project, by_model(kind))

    with ThreadPoolExecutor(3) as pool:
        works = [pool.submit(work, person) for person in people]
        changes = pool.submit(change)
    changes.result()
    done = [number for future in works for number in future.result()]
    assert len(done) == len(set(done)) == 30


def test_setting_the_former_order_gives_the_former_positions(
    store: Store, project: Project, answers: Callable[..., None]
) -> None:
    answers(P_POSITIVE)
    before = store.rows("SELECT id, queue_position FROM instances ORDER BY id")
    ordered(store, project, by_model())
    former = present_order(store, LOCAL_OPERATOR, project.id).before
    assert former == QueueOrder()
    ordered(store, project, former)
    assert [tuple(row) for row in store.rows("SELECT id, queue_position FROM instances ORDER BY id")] == [
        tuple(row) for row in before
    ]


def test_the_second_of_two_leads_is_told_that_the_order_changed_and_by_whom(
    store: Store, project: Project, add_person: Callable[..., User], answers: Callable[..., None]
) -> None:
    answers(P_POSITIVE)
    lea, leo = (add_person(name, project, "lead") for name in ("lea", "leo"))
    shown = preview_order(store, leo, project.id, by_model("most confident"))
    set_order(store, lea, project.id, by_model(), revision=shown.revision)
    first = queue(store)
    with pytest.raises(
        Conflict, match=r"Not saved: lea changed this meanwhile\. Copy your changes, reload and redo them\."
    ):
        set_order(store, leo, project.id, shown.order, revision=shown.revision)
    assert queue(store) == first
    assert present_order(store, leo, project.id).set_by == "lea"


def test_rules_that_were_read_before_do_not_undo_the_order(
    store: Store, project: Project, answers: Callable[..., None]
) -> None:
    answers(P_POSITIVE)
    ordered(store, project, by_model())
    first = queue(store)
    change_project(store, LOCAL_OPERATOR, project)
    assert find_project(store, project.name).settings.model_order == by_model().first
    assert queue(store) == first


def test_old_training_is_told_with_counts(
    store: Store, project: Project, annotator: User, answers: Callable[..., None]
) -> None:
    answers(P_POSITIVE)
    with store.transaction():
        ids = [number_of(store, project, key) for key in ("t3", "t4")]
        save_training(
            store, project.id, "bert", digest="", seed=0, split=None, held_out=None, instance_ids=ids, trained_at="2020"
        )
    annotate(store, annotator, project, RationaleSet.of((0, 2)))
    notes = previewed(store, project, by_model()).notes
    assert notes == (
        "bert was trained on 2 waiting texts and may be overconfident there.",
        "1 text was annotated after bert was trained. Retrain it first.",
    )


REFUSED: list[tuple[Callable[[], QueueOrder], type[AnnotatorError], str]] = [
    (lambda: by_model("least confident", "gpt"), NotFound, r"No predictions of 'gpt'\. Available:"),
    (lambda: by_model(split="dev"), InvalidValue, r"No splits in 'Project'\. Remove the split 'dev'\."),
    (lambda: by_model(percent=0), InvalidValue, "--percent is 0"),
    (lambda: by_model("least confident", "bert", "bert"), InvalidValue, r"A model is repeated \(bert, bert\)\."),
    (
        lambda: by_model("nothing found"),
        InvalidValue,
        r"“Model found nothing” needs either --label \(prediction\) or --method \(empty rationales\)\.",
    ),
    (
        lambda: by_model("nothing found", label="maybe"),
        NotFound,
        r"'bert' never predicted “maybe”\. Choose with --label: 'negative', 'positive'\.",
    ),
    (lambda: by_model("nothing found", method="lime"), NotFound, "No 'lime' output of 'bert'. Available:"),
    (lambda: by_model("least plausible"), InvalidValue, "Plausibility needs --method and --number."),
    (lambda: QueueOrder(seed=-1), InvalidValue, "Seed is -1; use 0 to"),
    (
        lambda: QueueOrder(first=ModelOrder("least confident", ())),
        InvalidValue,
        "Choose a model with stored predictions: --model.",
    ),
]


@pytest.mark.parametrize(("order", "kind", "sentence"), REFUSED)
def test_an_order_that_cannot_be_is_refused_and_nothing_moves(
    store: Store,
    project: Project,
    answers: Callable[..., None],
    order: Callable[[], QueueOrder],
    kind: type[AnnotatorError],
    sentence: str,
) -> None:
    answers(P_POSITIVE)
    before = queue(store)
    with pytest.raises(kind, match=sentence):
        ordered(store, project, order())
    assert queue(store) == before


def test_answers_without_probabilities_have_no_confidence(
    store: Store, project: Project, answers: Callable[..., None]
) -> None:
    answers({"t1": "positive"})
    with pytest.raises(InvalidValue, match=r"'bert' has no probabilities\. Choose another order\."):
        previewed(store, project, by_model())


def test_a_project_without_texts_has_nothing_to_put_first(store: Store, make_project: Callable[..., Project]) -> None:
    preview = previewed(store, make_project(name="Empty"), by_model())
    assert (preview.texts, preview.notes) == ((), ("No text for a model to put first.",))


def test_an_order_that_puts_nothing_first_is_not_set_and_the_reason_is_said(
    store: Store, project: Project, answers: Callable[..., None]
) -> None:
    answers({"t1": 0.1})  # as its label says
    with pytest.raises(InvalidValue, match=r"1 waiting text doesn't fit this order and comes behind\."):
        ordered(store, project, by_model("label disputed"))
    assert present_order(store, LOCAL_OPERATOR, project.id).order == QueueOrder()


def test_annotators_neither_see_nor_change_the_order(
    store: Store, project: Project, annotator: User, answers: Callable[..., None]
) -> None:
    answers(P_POSITIVE)
    for act in (preview_order, set_order):
        with pytest.raises(
            NotAllowed, match=r"annotator-a can't manage 'Project'\. An administrator can grant a role \(lead\)\."
        ):
            act(store, annotator, project.id, by_model())
    with pytest.raises(
        NotAllowed, match=r"annotator-a can't manage 'Project'\. An administrator can grant a role \(lead\)\."
    ):
        present_order(store, annotator, project.id)


def test_our_own_export_carries_the_order_and_the_positions(
    store: Store, project: Project, answers: Callable[..., None], tmp_path: Path
) -> None:
    answers(P_POSITIVE)
    ordered(store, project, by_model(percent=50))
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, find_project(store, project.name), "jsonl", path)
    with open_store(tmp_path / "other.db", create=True) as other:
        copy = create_project(other, LOCAL_OPERATOR, "Copy", project.task)
        import_file(other, LOCAL_OPERATOR, copy, "jsonl", path)
        assert queue(other) == queue(store)
        present = present_order(other, LOCAL_OPERATOR, copy.id)
        assert present.order == by_model(percent=50)
        assert (present.n_waiting, present.gone) == (2, ())


def test_an_export_does_not_put_its_texts_first_in_a_project_that_has_its_own_order(
    store: Store, project: Project, make_project: Callable[..., Project], import_rows: Callable[..., object],
    answers: Callable[..., None], tmp_path: Path,
) -> None:  # fmt: skip
    answers(P_POSITIVE)
    ordered(store, project, by_model())
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, find_project(store, project.name), "jsonl", path)
    other = make_project(name="Other")
    import_rows(other, [{"id": "mine", "text": "Mine.", "label": "positive"}])
    import_file(store, LOCAL_OPERATOR, other, "jsonl", path)
    assert keys(previewed(store, other, QueueOrder())) == ["mine", "t1", "t2", "t3", "t4"]
