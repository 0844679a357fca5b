"""The fields of a method's own parameters, generated from what the method declares."""

from itertools import product

import streamlit as st

from annotator.errors import InvalidValue
from annotator.language import _, unsaid
from annotator.usecases.models.attributions import FOLLOWS_MODEL, Parameter, Value, offered_parameters
from annotator.usecases.models.parameter_words import choice_words
from annotator.web.frame import as_text

_TITLES = {  # of the parameters that a method may declare, by what is stored
    "baseline": unsaid("Baseline"),
    "evaluations": unsaid("Evaluations"),
    "features": unsaid("Features"),
    "from": unsaid("From"),
    "heads": unsaid("Heads"),
    "kernel_width": unsaid("Kernel width"),
    "layer": unsaid("Layer"),
    "magnitude": unsaid("Magnitude"),
    "merge": unsaid("Merge"),
    "output": unsaid("Output"),
    "penalty": unsaid("Penalty"),
    "perturbed": unsaid("Perturbed"),
    "removal": unsaid("Removal"),
    "samples": unsaid("Samples"),
    "steps": unsaid("Steps"),
}

Settings = dict[str, Value]


def ask(method: str) -> list[Settings] | None:
    """What was chosen, one for each run that is wanted; None where a field cannot be read.

    Only what differs from the method's defaults is told, so that the same choice is the same run.
    """
    parameters = offered_parameters(method)
    with st.container(horizontal=True, gap="small"):
        given = [(parameter, _field(method, parameter)) for parameter in parameters]
    try:
        values = [_read(parameter, text) for parameter, text in given]
    except InvalidValue as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return None
    return [_settings(parameters, chosen) for chosen in product(*values)]


def _settings(parameters: tuple[Parameter, ...], chosen: tuple[Value, ...]) -> Settings:
    pairs = zip(parameters, chosen, strict=True)
    return {parameter.name: value for parameter, value in pairs if value != _start(parameter)}


def _start(parameter: Parameter) -> Value:
    """What stands in the field at first; where the model decides, the word for that."""
    default = parameter.default
    return default if isinstance(default, str | int) else FOLLOWS_MODEL


def _field(method: str, parameter: Parameter) -> Value:
    title, says = _(_TITLES[parameter.name]), _(parameter.says)
    key, start = f"compute_{method}_{parameter.name}", _start(parameter)
    if not parameter.choices:
        help_words = as_text(_("{says}. It is {may_be}.", says=says, may_be=parameter.may_be))
        return st.number_input(title, parameter.least, None, int(start), key=key, help=help_words, width=200)
    if parameter.is_number:
        sentence = _(
            "{says}. It is {may_be}. Several, with commas between them, give a run each.",
            says=says,
            may_be=parameter.may_be,
        )
        return st.text_input(title, str(start), key=key, help=as_text(sentence), width=200)
    options = dict.fromkeys((str(start), *parameter.choices))
    return st.selectbox(
        title,
        list(options),
        list(options).index(str(start)),
        key=key,
        help=as_text(_("{says}.", says=says)),
        width=200,
        format_func=choice_words,
    )


def _read(parameter: Parameter, given: Value) -> list[Value]:
    """The values of a field: one, or of a text with commas several."""
    parts = [part.strip() for part in str(given).split(",")]
    known = [part for part in parts if part] or [str(_start(parameter))]
    values: list[Value] = [part if part == _start(parameter) else parameter.read(part) for part in known]
    return list(dict.fromkeys(values))
