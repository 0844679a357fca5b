"""Loading: what a model must bring, and every sentence for what does not."""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from annotator.attribution import transformers_sources
from annotator.attribution.base import Answerer, GivesLogits, HasCover, HasLimit, Predictor
from annotator.attribution.transformers_models import explainer, load
from annotator.errors import InvalidValue, ModelError
from annotator.training.trainable_models import NewModel, make
from tests.models.conftest import one_text


def copied(folder: Path, to: Path, **changes: object) -> str:
    """A copy of a model's folder with other values in its config.json."""
    shutil.copytree(folder, to)
    config = json.loads((to / "config.json").read_text())
    (to / "config.json").write_text(json.dumps(config | changes))
    return str(to)


def test_the_door_loads_neither_torch_nor_transformers_until_a_model_is_loaded():
    program = (
        "import sys, annotator.attribution.transformers_models as m; m.METHODS;"
        "print({'torch', 'transformers', 'captum'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_without_the_extra_the_message_says_how_to_install_it(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(f"No module named '{name}'")

    monkeypatch.setattr(transformers_sources, "import_module", missing)
    monkeypatch.setattr(transformers_sources, "find_spec", lambda _: None)
    with pytest.raises(ModelError, match=r"torch.*pip install 'rationale-annotator\[models\]'"):
        load("anything")


def test_a_folder_that_holds_no_model_is_refused(torch, tmp_path):
    with pytest.raises(ModelError, match=r"isn't a folder written by save_pretrained\."):
        load(str(tmp_path))


def test_a_config_without_a_model_type_is_refused(torch, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match=r"Can't load .*: Unrecognized model in"):
        load(str(tmp_path))


def test_a_config_that_is_no_json_is_refused(torch, tmp_path):
    (tmp_path / "config.json").write_text("{half")
    with pytest.raises(ModelError, match=r"Can't load .*config\.json' is not a valid JSON file"):
        load(str(tmp_path))


def test_a_file_and_a_missing_folder_are_told_apart_from_a_hub_name(torch, tmp_path):
    (tmp_path / "model.bin").write_text("")
    with pytest.raises(ModelError, match=r"isn't a folder written by save_pretrained\."):
        load(str(tmp_path / "model.bin"))
    with pytest.raises(ModelError, match=r"Hub names look like 'owner/model'\."):
        load(str(tmp_path / "nothing" / "here"))
    with pytest.raises(ModelError, match=r"Give a folder, or unset HF_HUB_OFFLINE\."):
        load("nobody/nothing-of-that-name", asks_hub=True)
    with pytest.raises(ModelError, match=r"Give a folder, or start with --allow-model-hub\."):
        load("nobody/nothing-of-that-name")


ASKS = """
import socket, sys

def ask(*given, **_):
    print("ASKED", flush=True)
    raise OSError("there is no network here")

socket.getaddrinfo = socket.create_connection = socket.socket.connect = ask
from annotator.attribution.loaders import LoadOptions, load_predictor
from annotator.errors import ModelError

for spec, allowed in zip(sys.argv[1::2], sys.argv[2::2]):
    print("LOADING", spec, allowed)
    try:
        print("loaded", load_predictor(spec, LoadOptions(asks_hub=allowed == "hub")).name)
    except ModelError as error:
        print(error)
"""


def where_nobody_can_be_reached(home: Path, program: str, *asked: tuple[str, str]) -> list[list[str]]:
    """What a process prints of each model that it loads; asked: the model, and "hub" where another host may be asked."""
    there = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    done = subprocess.run(
        [sys.executable, "-c", program, *(word for pair in asked for word in pair)],
        env=there | {"HF_HOME": str(home)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [printed.splitlines()[1:] for printed in done.stdout.split("LOADING")[1:]]


@pytest.fixture(scope="module")
def printed(folders, tmp_path_factory):
    """Of a folder, of a model that is nowhere, with and without leave to ask for it, and of one that was fetched before."""
    home = tmp_path_factory.mktemp("hub")
    fetched = home / "hub" / "models--own--bert"
    shutil.copytree(folders["bert"], fetched / "snapshots" / "abc")
    (fetched / "refs").mkdir()
    (fetched / "refs" / "main").write_text("abc")
    nowhere, names = "transformers:nobody/nothing-of-that-name", ("folder", "nowhere", "nowhere, asked for", "fetched")
    alone = where_nobody_can_be_reached(home, ASKS, (f"transformers:{folders['bert']}", ""), (nowhere, ""))
    asking = where_nobody_can_be_reached(home, ASKS, (nowhere, "hub"), ("transformers:own/bert", "hub"))
    return dict(zip(names, [*alone, *asking], strict=True))


@pytest.mark.parametrize(
    ("case", "said", "is_asked"),
    [
        ("folder", "loaded bert", False),
        ("nowhere", "No folder or downloaded model 'nobody/nothing-of-that-name'.", False),
        ("nowhere, asked for", "ASKED", True),  # so that the test would see it
    ],
)
def test_another_host_is_asked_for_a_model_only_where_that_is_allowed(printed, case, said, is_asked):
    assert printed[case][0].startswith(said)
    assert ("ASKED" in printed[case]) == is_asked


def test_what_was_fetched_before_is_read_also_where_no_other_host_can_be_reached(printed):
    *asked, loaded = printed["fetched"]
    assert loaded == "loaded own/bert"
    assert set(asked) == {"ASKED"}
    assert len(asked) <= 2  # whether the hub is there, and once by its own client; not again and again


def test_what_cannot_be_had_is_said_without_torch_and_transformers(tmp_path):
    program = "import sys\n" + ASKS + "print({'torch', 'transformers'} & set(sys.modules))"
    [printed] = where_nobody_can_be_reached(tmp_path, program, ("transformers:nobody/nothing", "hub"))
    asked, said, modules = printed
    assert asked == "ASKED"
    assert "and https://huggingface.co is unreachable. Give a folder." in said
    assert modules == "set()"


def test_a_hub_that_takes_no_connection_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(transformers_sources, "_PATIENCE_S", 0.01)
    monkeypatch.setattr(transformers_sources, "getproxies", dict)
    never = threading.Event()

    def wait(*_, **__):
        never.wait(60)
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", wait)
    assert not transformers_sources._is_reachable("https://huggingface.co")
    never.set()


def test_a_hub_may_be_elsewhere_or_behind_a_proxy(monkeypatch):
    asked = []

    class Connection:
        def close(self):
            pass

    def connect(address, **_):
        asked.append(address)
        return Connection()

    monkeypatch.setattr(socket, "create_connection", connect)
    monkeypatch.setattr(transformers_sources, "getproxies", dict)
    assert transformers_sources._is_reachable("https://huggingface.co")
    assert transformers_sources._is_reachable("http://mirror:8080")
    monkeypatch.setattr(transformers_sources, "getproxies", lambda: {"https": "http://proxy:3128"})
    monkeypatch.setattr(transformers_sources, "proxy_bypass", lambda _: False)
    assert transformers_sources._is_reachable("https://huggingface.co")
    assert asked == [("huggingface.co", 443), ("mirror", 8080), ("proxy", 3128)]


@pytest.mark.parametrize("file", ["pytorch_model.bin", "pytorch_model-00001-of-00002.bin", "weights.pt"])
def test_pickled_weights_are_refused_without_being_read(torch, folders, tmp_path, file):
    spec = copied(folders["bert"], tmp_path / "pickled")
    (tmp_path / "pickled" / "model.safetensors").unlink()

    class Runs:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    torch.save({"a": Runs()}, tmp_path / "pickled" / file)
    with pytest.raises(ModelError, match=rf"aren't safetensors \({file}\): they could run code\."):
        load(spec)
    with pytest.raises(
        ModelError,
        match=rf"Weights in .*pickled aren't safetensors \({file}\): they could run code\. .*save_pretrained",
    ):
        make(NewModel(("a", "b"), base=spec), [], 0)
    assert not (tmp_path / "ran").exists()


def test_a_folder_without_any_weights_is_refused(torch, folders, tmp_path):
    spec = copied(folders["bert"], tmp_path / "empty")
    (tmp_path / "empty" / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"has no safetensors weights; others can run code\."):
        load(spec)


def test_code_that_comes_with_a_model_is_not_run(folders, tmp_path):
    spec = copied(
        folders["bert"], tmp_path / "own", auto_map={"AutoConfig": "own.Own"}, model_type="something-of-its-own"
    )
    (tmp_path / "own" / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(
        ModelError,
        match=r"Can't load '.*own': The repository .*own contains custom code which must be executed to correctly load the model\.",
    ):
        load(spec)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("device", "threads", "said"), [("tpu", 1, "Use auto, cpu or cuda."), ("cpu", 0, "Threads is 0")]
)
def test_a_device_or_number_of_threads_that_is_none_is_refused(torch, folders, device, threads, said):
    with pytest.raises(InvalidValue, match=said):
        load(str(folders["bert"]), device=device, threads=threads)


def test_cuda_is_refused_where_there_is_none(torch, folders, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ModelError, match="No CUDA device"):
        load(str(folders["bert"]), device="cuda")
    assert load(str(folders["bert"]), device="auto").loaded.device == "cpu"


def test_the_number_of_torch_threads_is_set(torch, folders):
    before = torch.get_num_threads()
    try:
        load(str(folders["bert"]), threads=2)
        assert torch.get_num_threads() == 2
        load(str(folders["bert"]))
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_a_classifier_names_its_labels_in_the_order_of_its_outputs_and_keeps_every_optional_promise(loaded):
    model = loaded("bert")
    assert (model.name, model.labels) == ("bert", ("negative", "neutral", "positive"))
    assert isinstance(model, Predictor)
    assert isinstance(model, GivesLogits)
    assert isinstance(model, HasLimit)
    assert isinstance(model, HasCover)
    assert model.mask_token == "[MASK]"
    assert not isinstance(model, Answerer)
    assert model.about["model"] == "BertForSequenceClassification"
    assert not isinstance(loaded("gpt2"), HasCover)  # GPT-2 has no mask
    assert isinstance(loaded("reader"), Answerer)
    assert loaded("reader").labels == ()


def test_half_precision_weights_are_read_as_whole_ones_since_gradients_need_them(torch, folders, tmp_path):
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(folders["bert"], dtype=torch.float16)
    model.save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(folders["bert"]).save_pretrained(tmp_path)
    read = load(str(tmp_path)).loaded.model
    assert {p.dtype for p in read.parameters()} == {torch.float32}
    assert not read.training


def test_a_checkpoint_is_called_by_its_training_too(folders, tmp_path):
    shutil.copytree(folders["bert"], tmp_path / "my-training" / "checkpoint-500")
    assert load(str(tmp_path / "my-training" / "checkpoint-500")).name == "my-training/checkpoint-500"


def test_a_model_without_a_head_is_refused_since_its_answers_would_be_random(torch, folders, tmp_path):
    from transformers import AutoTokenizer, BertConfig, BertModel

    BertModel(BertConfig.from_pretrained(folders["bert"])).save_pretrained(tmp_path / "base")
    AutoTokenizer.from_pretrained(folders["bert"]).save_pretrained(tmp_path / "base")
    with pytest.raises(
        ModelError,
        match=r"is a BertModel\. Use \.\.\.ForSequenceClassification or \.\.\.ForQuestionAnswering, or load \.\.\.ForCausalLM as transformers-zero-shot:FOLDER\.",
    ):
        load(str(tmp_path / "base"))
    claims = copied(tmp_path / "base", tmp_path / "claims", architectures=["BertForSequenceClassification"])
    with pytest.raises(ModelError, match=r"Give a trained model's folder\."):
        load(claims)


def test_weights_of_another_number_of_labels_than_the_config_names_are_refused(folders, tmp_path):
    spec = copied(folders["bert"], tmp_path / "two", id2label={"0": "no", "1": "yes"}, label2id={"no": 0, "yes": 1})
    with pytest.raises(ModelError, match=r"Can't load '.*two': "):
        load(spec)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"id2label": {"0": "score"}, "label2id": {"score": 0}},
            'has one output. If sigmoid-trained, add "problem_type": "multi_label_classification" to config.json.',
        ),
        ({"problem_type": "multi_label_classification"}, "is multi-label, which isn't supported."),
        ({"id2label": {"0": "no", "1": "no", "2": "yes"}}, "are the same:"),
    ],
)
def test_a_head_that_is_no_choice_between_labels_is_refused(folders, tmp_path, changes, said):
    with pytest.raises(ModelError, match=said):
        load(copied(folders["bert"], tmp_path / "odd", **changes))


def test_damaged_weights_are_refused(folders, tmp_path):
    spec = copied(folders["bert"], tmp_path / "damaged")
    weights = tmp_path / "damaged" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:5000])
    with pytest.raises(ModelError, match=r"Can't load '.*damaged': "):
        load(spec)


def test_a_folder_without_its_tokenizer_is_refused(folders, tmp_path):
    # transformers 5 makes a tokenizer that knows special subwords alone, and says nothing
    spec = copied(folders["bert"], tmp_path / "alone")
    for path in (tmp_path / "alone").glob("tokenizer*"):
        path.unlink()
    with pytest.raises(ModelError, match=r"'alone' has no tokenizer in its folder\."):
        load(spec)


def test_a_tokenizer_without_places_is_refused_before_anything_is_computed(torch, folders, tmp_path):
    from transformers import ByT5Tokenizer

    spec = copied(folders["bert"], tmp_path / "slow")
    for path in (tmp_path / "slow").glob("tokenizer*"):
        path.unlink()
    ByT5Tokenizer().save_pretrained(tmp_path / "slow")
    with pytest.raises(ModelError, match=r"isn't fast\. Use one with tokenizer\.json\."):
        load(spec)


def test_another_models_tokenizer_is_refused(folders, tmp_path):
    spec = copied(folders["bert"], tmp_path / "mixed")
    for path in folders["roberta"].glob("tokenizer*"):
        shutil.copy(path, tmp_path / "mixed" / path.name)
    with pytest.raises(ModelError, match="Wrong tokenizer for '"):
        load(spec)


def test_a_model_that_was_not_loaded_here_is_refused_by_the_explainers(torch):
    class Other:
        name = "bag of words"
        labels = ("a", "b")

        def probabilities(self, inputs):
            raise AssertionError

    with pytest.raises(ModelError, match=r"needs a transformers model; 'bag of words' isn't one\."):
        explainer(Other(), "attention", {}, None)


def test_the_limit_is_what_the_positions_allow(loaded):
    # RoBERTa numbers positions from after the padding's number (1), so two of its 40 are never used
    assert loaded("bert").loaded.cutter.limit == 40
    assert loaded("roberta").loaded.cutter.limit == 38
    n = len(loaded("roberta", too_long="cut").loaded.encoded(one_text("cat " * 60)).ids)
    assert n == 38
    loaded("roberta", too_long="cut").probabilities([one_text("cat " * 60)])  # runs at the limit itself
