"""Computing attributions on the Saliency page as a script: what is asked of which model."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Selectbox

from annotator.attribution.methods import METHODS
from annotator.attribution.transformers_generation_attribution import WRITTEN_METHODS
from annotator.attribution.transformers_parameters import METHODS as TRANSFORMERS_METHODS
from annotator.domain.labels import LabelTable
from annotator.domain.models import MachineRationale, Output, Prediction, Quotes, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.models import RunFinder, store_outputs
from annotator.usecases.background import AskedAttribution, queue_of
from annotator.usecases.models.attributions import LoadOptions
from annotator.usecases.models.label_tables import ModelLabels, remember

SCRIPT = """
from annotator.web.session import current_visit, page_store
from annotator.web.sections import computation
with page_store() as store:
    visit = current_visit(store)
    computation.show(store, visit, visit.project)
"""


@pytest.fixture
def project(make_project: Callable[..., Project]) -> Project:
    return make_project(name="Tastes")


@pytest.fixture
def page(app_for: Callable[..., AppTest], project: Project) -> AppTest:
    """What stands under “Compute attributions”, for a researcher of the project."""
    return app_for(SCRIPT, project, "researcher").run()


def asked(store: Store, project: Project) -> AskedAttribution:
    (job,) = queue_of(store, LOCAL_OPERATOR, project).open
    return msgspec.json.decode(job.options, type=AskedAttribution)


def test_a_model_that_is_trained_for_the_labels_is_asked_with_no_prompt(
    store: Store, project: Project, page: AppTest
) -> None:
    assert not page.text_area
    page.button(key="compute_go").click().run()
    assert asked(store, project).options.load == LoadOptions()


def test_a_model_that_writes_is_asked_with_the_start_the_length_and_the_words_that_were_written(
    store: Store, project: Project, page: AppTest
) -> None:
    page.text_input(key="compute_model").input("transformers-writing:models/causal").run()
    page.text_area(key="compute_start").input("Review: {text}\nIn a word:")
    page.number_input(key="compute_longest").set_value(5)
    page.text_input(key=f"compute_words_{project.id}_positive").input("great")
    page.button(key="compute_go").click().run()
    request = asked(store, project)
    assert request.model == "transformers-writing:models/causal"
    assert request.options.load == LoadOptions(
        prompt="Review: {text}\nIn a word:", longest_answer=5, label_words={"positive": "great"}
    )


def test_of_a_model_that_writes_only_what_can_be_computed_is_offered(
    store: Store, project: Project, page: AppTest
) -> None:
    page.checkbox(key="compute_faithfulness").check().run()
    page.selectbox(key="compute_label").select("gold").run()
    page.text_input(key="compute_model").input("transformers-writing:models/causal").run()
    method = page.selectbox(key="compute_written_method")
    assert sorted(method.options) == [
        "Gradient × input (transformers)",
        "Integrated gradients (transformers)",
        "Occlusion",
    ]
    assert page.selectbox(key="compute_written_too_long").options == ["skip", "truncate the end"]
    assert [box.label for box in page.checkbox] == []
    assert "Label to explain" not in [box.label for box in page.selectbox]
    page.button(key="compute_go").click().run()
    request = asked(store, project)
    assert request.method in WRITTEN_METHODS
    assert (request.options.label, request.options.has_faithfulness) == ("predicted", False)  # what stood there before


def test_a_zero_shot_model_is_asked_with_the_prompt_and_the_words_that_were_written(
    store: Store, project: Project, page: AppTest
) -> None:
    page.text_input(key="compute_model").input("transformers-zero-shot:models/causal").run()
    page.text_area(key="compute_prompt").input("Review: {text}\nIt was {label}")
    page.text_input(key=f"compute_words_{project.id}_positive").input(" great ")
    page.button(key="compute_go").click().run()
    load = asked(store, project).options.load
    assert (load.prompt, load.label_words) == ("Review: {text}\nIt was {label}", {"positive": "great"})


def jobs_asked(store: Store, project: Project) -> list[AskedAttribution]:
    return [
        msgspec.json.decode(job.options, type=AskedAttribution) for job in queue_of(store, LOCAL_OPERATOR, project).open
    ]


def choose_method(page: AppTest, method: str, model: str = "transformers:models/bert") -> AppTest:
    page.text_input(key="compute_model").input(model)
    return page.selectbox(key="compute_method").select(method).run()


@pytest.mark.parametrize("method", [*METHODS, *TRANSFORMERS_METHODS])
def test_every_parameter_of_a_method_has_a_field_and_untouched_fields_leave_all_defaults(
    store: Store, project: Project, page: AppTest, method: str
) -> None:
    choose_method(page, method, "built-in")
    fields = {element.key for kind in (page.text_input, page.number_input, page.selectbox) for element in kind}
    declared = (METHODS | TRANSFORMERS_METHODS)[method].parameters
    assert {f"compute_{method}_{one.name}" for one in declared if one.name != "too_long"} <= fields
    page.button(key="compute_go").click().run()
    assert asked(store, project).options.parameters == {}


def test_what_is_chosen_of_a_method_is_asked_for(store: Store, project: Project, page: AppTest) -> None:
    method = "layer-integrated-gradients"
    choose_method(page, method)
    page.number_input(key=f"compute_{method}_steps").set_value(20)
    page.selectbox(key=f"compute_{method}_baseline").select("zero")
    page.text_input(key=f"compute_{method}_layer").input("2").run()
    page.button(key="compute_go").click().run()
    assert asked(store, project).options.parameters == {"layer": 2, "steps": 20, "baseline": "zero"}
    [job] = queue_of(store, LOCAL_OPERATOR, project).open
    assert job.title.endswith("of transformers:models/bert, layer 2, steps 20, baseline zero")


def test_a_model_can_be_asked_about_the_sets_that_another_gave_once_there_are_some(
    store: Store, project: Project, page: AppTest, import_rows: Callable[..., object]
) -> None:
    import_rows(project, [{"id": "a", "text": "good", "label": "positive"}])
    name = "llama3.2:3b · self-explanation (prompt sets1)"
    assert not any("llama" in option for option in page.selectbox(key="compute_method").options)
    quoted = MachineRationale("hard", ((0, 1),), quotes=Quotes(1, n_sets=1, sets=(((0, 1),),)))
    with store.transaction():
        run = RunFinder(store, project.id).id_of(Run(name, "quotes"))
        store_outputs(store, run, [Output(find_instance_ids(store, project.id, "a")[0], rationales=(quoted,))])
    choose_method(page.run(), f"sufficient-sets:{name}", "built-in")
    page.button(key="compute_go").click().run()
    request = asked(store, project)
    assert (request.method, request.sets_of) == ("sufficient-sets", name)
    [job] = queue_of(store, LOCAL_OPERATOR, project).open
    assert job.title == f"built-in, asked about the sets of {name}"


def test_normalised_aopc_is_asked_for_by_its_own_box(store: Store, project: Project, page: AppTest) -> None:
    page.checkbox(key="compute_normalised").check().run()
    page.button(key="compute_go").click().run()
    options = asked(store, project).options
    assert (options.is_normalised, options.most_tokens) == (True, 50)
    [job] = queue_of(store, LOCAL_OPERATOR, project).open
    assert job.title.endswith("of built-in, normalised AOPC")


def test_several_layers_are_a_run_each_and_only_the_first_begins_anew(
    store: Store, project: Project, page: AppTest
) -> None:
    method = "layer-integrated-gradients"
    choose_method(page, method)
    page.checkbox(key="compute_trains").check()
    page.text_input(key=f"compute_{method}_layer").input("embeddings, 0, 2, 02").run()
    page.button(key="compute_go").click().run()
    asked_for = [(one.options.parameters, one.options.trains) for one in jobs_asked(store, project)]
    assert asked_for == [({}, True), ({"layer": 0}, False), ({"layer": 2}, False)]


def test_a_layer_that_cannot_be_is_said_and_not_asked_for(project: Project, page: AppTest) -> None:
    choose_method(page, "attention")
    page.text_input(key="compute_attention_layer").input("last, second").run()
    words = page.error[0].value.replace("\\", "")
    assert "Allowed: last, all or an integer ≥ 0." in words
    assert page.button(key="compute_go").disabled


# Labels of a model that the project calls otherwise ------------------------------------------------------------------

TABLE = {"POS": "positive", "NEG": "negative", "mixed": ""}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What of a model's folder says its labels."""
    path = tmp_path / "three"
    path.mkdir()
    labels = {str(number): label for number, label in enumerate(TABLE)}
    (path / "config.json").write_text(json.dumps({"id2label": labels}), encoding="utf-8")
    return path


def name_model(page: AppTest, folder: Path) -> AppTest:
    return page.text_input(key="compute_model").input(f"transformers:{folder}").run()


def row(page: AppTest, project: Project, label: str) -> Selectbox:
    return page.selectbox(key=f"compute_labels_{project.id}_three_{label}")


def right(project: Project, *names: str) -> str:
    return f"compute_labels_{project.id}_three_{'_'.join(names)}_right"


def confirm(store: Store, project: Project, names: dict[str, str], *, has_answers: bool = False) -> None:
    """As if somebody had confirmed a table when they computed answers."""
    with store.transaction():
        table = LabelTable(names)
        remember(store, LOCAL_OPERATOR, project, ModelLabels.of_model("three", list(names)), table)
        if has_answers:
            [number] = find_instance_ids(store, project.id, "a")
            run_id = RunFinder(store, project.id).id_of(Run("three"))
            store_outputs(store, run_id, [Output(number, (Prediction("positive", {"positive": 1.0}),))])


def test_labels_that_differ_are_proposed_and_nothing_is_computed_before_they_are_confirmed(
    store: Store, project: Project, page: AppTest, folder: Path
) -> None:
    name_model(page, folder)
    assert {label: row(page, project, label).value for label in TABLE} == TABLE
    assert page.button(key="compute_go").disabled
    page.checkbox(key=right(project, "positive", "negative", "")).check().run()
    page.button(key="compute_go").click().run()
    assert asked(store, project).options.renamed == TABLE


def test_a_change_after_the_confirmation_is_to_be_confirmed_as_well(
    project: Project, page: AppTest, folder: Path
) -> None:
    name_model(page, folder)
    page.checkbox(key=right(project, "positive", "negative", "")).check().run()
    assert not page.button(key="compute_go").disabled
    row(page, project, "POS").select("").run()
    row(page, project, "mixed").select("positive").run()
    assert not page.checkbox(key=right(project, "", "negative", "positive")).value
    assert page.button(key="compute_go").disabled


def test_a_table_that_cannot_be_is_said_and_cannot_be_confirmed(project: Project, page: AppTest, folder: Path) -> None:
    name_model(page, folder)
    row(page, project, "NEG").select("positive").run()
    assert "Separate them\\." in page.error[0].value
    assert page.button(key="compute_go").disabled


def test_what_nothing_is_proposed_for_has_to_be_chosen(project: Project, page: AppTest, folder: Path) -> None:
    (folder / "config.json").write_text("{}", encoding="utf-8")  # LABEL_0 and LABEL_1
    name_model(page, folder)
    assert [row(page, project, label).value for label in ("LABEL_0", "LABEL_1")] == [None, None]
    assert not [box for box in page.checkbox if str(box.key).endswith("_right")]
    row(page, project, "LABEL_0").select("positive").run()
    row(page, project, "LABEL_1").select("negative").run()
    page.checkbox(key=right(project, "positive", "negative")).check().run()
    assert not page.button(key="compute_go").disabled


def test_what_was_confirmed_before_needs_no_confirmation(
    store: Store, project: Project, page: AppTest, folder: Path
) -> None:
    confirm(store, project, TABLE)
    name_model(page, folder)
    assert any("Confirmed by" in caption.value for caption in page.caption)
    page.button(key="compute_go").click().run()
    assert asked(store, project).options.renamed == TABLE


def test_other_labels_than_those_of_what_is_stored_are_asked_for_only_with_its_deletion(
    store: Store, project: Project, page: AppTest, folder: Path, import_rows: Callable[..., object]
) -> None:
    import_rows(project, [{"id": "a", "text": "good", "label": "positive"}])
    confirm(store, project, TABLE, has_answers=True)
    name_model(page, folder)
    for label, name in (("POS", "negative"), ("NEG", "positive")):
        row(page, project, label).select(name).run()
    page.checkbox(key=right(project, "negative", "positive", "")).check().run()
    assert page.button(key="compute_go").disabled
    page.checkbox(key=f"compute_labels_{project.id}_three_anew").check().run()
    page.button(key="compute_go").click().run()
    options = asked(store, project).options
    assert (options.is_anew, options.renamed["POS"]) == (True, "negative")


def test_labels_that_are_known_only_when_a_model_is_loaded_can_be_written(
    store: Store, project: Project, page: AppTest
) -> None:
    page.text_input(key="compute_model").input("transformers:owner/model").run()
    field = page.text_input(key="compute_labels_written")
    field.input("POS=positive, mixed").run()
    assert page.button(key="compute_go").disabled
    assert "“mixed”" in page.warning[0].value or "'mixed'" in page.warning[0].value
    page.text_input(key="compute_labels_written").input("POS=positive, mixed=").run()
    page.button(key="compute_go").click().run()
    assert asked(store, project).options.renamed == {"POS": "positive", "mixed": ""}


def test_labels_that_are_the_projects_are_not_asked_about(
    store: Store, project: Project, page: AppTest, folder: Path
) -> None:
    (folder / "config.json").write_text('{"id2label": {"0": "negative", "1": "positive"}}', encoding="utf-8")
    name_model(page, folder)
    page.button(key="compute_go").click().run()
    assert asked(store, project).options.renamed == {}
