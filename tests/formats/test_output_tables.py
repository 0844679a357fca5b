"""Model output in tables: a row a text, with an answer, probabilities by column, or lists in cells."""

from pathlib import Path

from annotator.domain.models import SourceOutput
from annotator.domain.tasks import get_task
from annotator.errors import Problem
from annotator.formats.base import OutputOptions
from annotator.formats.model_output.own_lines import read


def items(folder: Path, content: str, name: str = "m.csv", model: str = "m", **options: object) -> list[object]:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    given = OutputOptions(get_task("sentiment"), ("negative", "positive"), model=model, **options)  # type: ignore[arg-type]
    return list(read(path, given))


def outputs(found: list[object]) -> list[SourceOutput]:
    return [item for item in found if isinstance(item, SourceOutput)]


def refusals(found: list[object]) -> list[tuple[str, str]]:
    return [(p.field, p.reason) for p in found if isinstance(p, Problem) and not p.is_warning]


def test_the_column_of_a_label_holds_its_probability(tmp_path):
    [output] = outputs(items(tmp_path, "sentence,pred,p_negative,Positive,label\nGood.,positive,0.1,0.9,negative\n"))
    assert output.input is not None
    assert output.input.text == "Good."
    [prediction] = output.predictions
    assert (prediction.result, prediction.probabilities) == ("positive", {"negative": 0.1, "positive": 0.9})


def test_without_a_prediction_the_label_is_what_is_predicted_and_a_number_is_a_class(tmp_path):
    found = items(tmp_path, "id\tlabel\nx\t1\ny\tnegative\nz\t\n", "m.tsv")
    assert [(o.key, o.predictions[0].result) for o in outputs(found)] == [("x", "positive"), ("y", "negative")]
    assert [reason for _, reason in refusals(found)] == [
        "The row says nothing; it needs scores, a rationale, or what was predicted."
    ]


def test_lists_in_cells_may_be_json_or_what_python_prints(tmp_path):
    rows = """id,tokens,scores,method\na,"['it', ""isn't""]","[1, -2.5]",lime\nb,"[""it""]",[0.5],lime\n"""
    first, second = outputs(items(tmp_path, rows))
    [part] = first.attributions[0].parts
    assert ([piece.text for piece in part.pieces or ()], part.scores) == (["it", "isn't"], (1.0, -2.5))
    assert second.attributions[0].parts[0].scores == (0.5,)


def test_fair_rationales_files_name_their_model_and_method(tmp_path):
    rows = (
        """originaldata_id,tokens_input,tokens_merged,lrp,label\nr2,"['a']","['a', 'cat.']","[0.1, -0.2]",positive\n"""
    )
    found = items(tmp_path, rows, "lrp_org_tiny-bert_sst2_attention.csv", model="")
    [output] = outputs(found)
    assert (output.run.model, output.run.method) == ("org_tiny-bert_sst2", "lrp")
    assert output.predictions[0].result == "positive"
    assert output.input is not None
    assert "acat." in output.input.letters
    told = "The file's name tells the model 'org_tiny-bert_sst2' and the method 'lrp'."
    assert told in [item.reason for item in found if isinstance(item, Problem)]


def test_models_of_one_base_that_learned_other_data_sets_stay_two(tmp_path):
    rows = """id,tokens_merged,lrp\nr2,"['a']",[0.1]\n"""
    names = ("lrp_bert-base-uncased_sst2_attention.csv", "lrp_bert-base-uncased_dynasent_attention.csv")
    models = [outputs(items(tmp_path, rows, name, model=""))[0].run.model for name in names]
    assert models == ["bert-base-uncased_sst2", "bert-base-uncased_dynasent"]


def test_cells_that_hold_no_list_and_scores_that_are_no_number_are_refused_by_name(tmp_path):
    rows = (
        'id,tokens,scores,method\na,nothing,[1],x\nb,"[""b""]",[nan],x\nc,"[""c""]",[one],x\n'
        + "d,"
        + "[" * 5000
        + ",[1],x\n"
    )
    reasons = refusals(items(tmp_path, rows))
    assert [field for field, _ in reasons] == ["tokens", "scores[0]", "scores", "tokens"]
    assert reasons[1][1] == "A score must be a finite number."


def test_a_table_without_texts_and_answers_says_both_at_once(tmp_path):
    assert [reason for _, reason in refusals(items(tmp_path, "__proto__,b\n1,2\n"))] == [
        "No column holds the key or the text of each row; call it 'id' or 'text'.",
        "No column holds what the model says; call the one with its answers 'prediction', and one with a list of scores for "
        "each row 'scores'.",
    ]
