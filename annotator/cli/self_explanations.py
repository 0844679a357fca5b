"""`annotator prompts`, `explain-self` and `shadow-review`: asking language models for answers, reasons in quotes, and scores."""

import dataclasses
from pathlib import Path

import click

from annotator.cli.attribute import InstanceProgress
from annotator.cli.commands import answering, opened_project, option, print_json, project_option, respond, show_left_out
from annotator.cli.sufficient import show_report
from annotator.domain.numbers import counted
from annotator.domain.people import LOCAL_OPERATOR
from annotator.errors import InvalidValue

_LONGEST_FILE = 1_000_000

template_option = option(
    "--template", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with a prompt of your own. It holds {text}, and {labels} where the project has labels.",
)  # fmt: skip
sets_option = option(
    "--sets", "asks_sets", is_flag=True, help="Ask for several sets of quotes, each enough alone (docs/sufficient.md)."
)


@click.command("prompts")
@click.argument("path", type=click.Path(path_type=Path), required=False)
@project_option
@template_option
@sets_option
@option("--show-template", is_flag=True, help="Print the prompt as it is before texts are put in, and write nothing.")
@option("--split", help="Only this split.")
@option(
    "--batch", "batch_model", default="", metavar="MODEL",
    help="Write requests to this model for OpenAI's batch interface.",
)  # fmt: skip
@answering
def prompts(
    database: Path, /, *, path: Path | None, project_name: str, template: Path | None, asks_sets: bool,
    show_template: bool, split: str | None, batch_model: str, as_json: bool,
) -> None:  # fmt: skip
    """Write a prompt for each instance to the file PATH, one on each line.

    A prompt asks a language model for a label and for the words that are the reason. It holds no gold. The answers
    come back with `annotator import self-explanations PATH`. See docs/self_explanations.md.
    """
    from annotator.usecases.models.self_explanations import PromptOptions, chosen_template, write_prompts

    if path is None and not show_template:
        raise click.UsageError("Name the file to write, or ask for --show-template.")
    options = PromptOptions(read_template(template, asks_sets=asks_sets), split, batch_model.strip(), asks_sets)
    with opened_project(database, project_name) as (store, project):
        if show_template or path is None:
            click.echo(chosen_template(project, options.template, asks_sets=asks_sets), nl=False)
            return
        n = write_prompts(store, LOCAL_OPERATOR, project, path, options)
    respond(as_json, {"prompts": n, "path": str(path)}, f"Wrote {counted(n, 'prompt')} to {path}.")


@click.command("explain-self")
@project_option
@option("--model", required=True, help="The model, as its server calls it.")
@template_option
@sets_option
@option("--split", help="Only this split.")
@answering
def explain_self(
    database: Path, /, *, project_name: str, model: str, template: Path | None, asks_sets: bool, split: str | None,
    as_json: bool,
) -> int:  # fmt: skip
    """Ask a language model that this machine serves for its answers and its reasons, as quotes.

    It is asked at ANNOTATOR_MODEL_ADDRESS, such as http://127.0.0.1:11434/v1. What is stored is not asked again, so
    the command can be stopped and repeated. The exit code is 1 if texts had to be left out. See
    docs/self_explanations.md.

    With --sets it is asked for sets, then about each set alone, and about the text without all of them.
    """
    from annotator.usecases.models.attributions import left_out_summary
    from annotator.usecases.models.self_explanations import SelfExplanationOptions, self_explanation_summary
    from annotator.usecases.models.self_explanations import explain_self as ask
    from annotator.usecases.models.sufficient_sets import ask_itself

    options = SelfExplanationOptions(read_template(template, asks_sets=asks_sets), split, asks_sets)
    with opened_project(database, project_name) as (store, project), InstanceProgress() as progress:
        report = ask(store, LOCAL_OPERATOR, project, model, options, progress=progress.take)
        judged = ask_itself(store, LOCAL_OPERATOR, project, model, report.model, split, progress=progress.take)
    show_left_out(report.left_out, report.n_left_out, left_out_summary(report))
    if as_json:
        print_json({**dataclasses.asdict(report), "own_sets": judged and dataclasses.asdict(judged)})
    else:
        click.echo(self_explanation_summary(report))
        if judged is not None:
            show_report(judged)
    return 1 if report.n_left_out or (judged is not None and judged.n_left_out) else 0


@click.command("shadow-review")
@project_option
@option("--model", required=True, help="The model, as its server calls it.")
@answering
def shadow_review(database: Path, /, *, project_name: str, model: str, as_json: bool) -> int:
    """Ask a language model that this machine serves for a reviewer's scores of everything that people reviewed.

    It decides nothing. `annotator stats` and the Quality page tell how far it agrees with people, beside people's
    agreement with each other. Only rounds that are decided are scored; what is stored is not asked again. The exit
    code is 1 if any had to be left out. See docs/self_explanations.md.
    """
    from annotator.usecases.models.attributions import left_out_summary
    from annotator.usecases.models.shadow_review import shadow_review as ask
    from annotator.usecases.models.shadow_review import shadow_review_summary

    with opened_project(database, project_name) as (store, project), InstanceProgress() as progress:
        report = ask(store, LOCAL_OPERATOR, project, model, progress=progress.take)
    show_left_out(report.left_out, report.n_left_out, left_out_summary(report))
    respond(as_json, dataclasses.asdict(report), shadow_review_summary(report))
    return 1 if report.n_left_out else 0


def read_template(path: Path | None, *, asks_sets: bool) -> str | None:
    """The words of a prompt in a file; None where none is named."""
    if path is None:
        return None
    if asks_sets:
        raise click.UsageError("--sets chooses the standard prompt; leave out --template.")
    try:
        if path.stat().st_size > _LONGEST_FILE:
            raise InvalidValue(f"'{path}' is too large to be a prompt ({path.stat().st_size:,} bytes).")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidValue(f"'{path}' is not UTF-8; save the prompt as UTF-8.") from None
    except OSError as error:
        raise InvalidValue(f"'{path}' cannot be read: {error.strerror}.") from error
