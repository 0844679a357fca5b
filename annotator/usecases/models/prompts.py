"""Prompts that ask any language model for a label and the quotes that are its reasons; they go out as a file."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.instances import Instance
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.self_explanations import (
    batch_request,
    check_template,
    prompt_name,
    prompt_of,
    request_name,
    standard_template,
)
from annotator.errors import InvalidValue
from annotator.formats.rows.files import new_file
from annotator.language import _
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.instances import iterate_instance_batches
from annotator.store.models import splits_of
from annotator.usecases.access.rights import require
from annotator.usecases.gold import require_split


@dataclass(frozen=True, slots=True)
class PromptOptions:
    """Which prompts are written, and how.

    template:    None: the standard one
    batch_model: lines as the OpenAI batch interface takes them, for this model; "": plain ones
    """

    template: str | None = None
    split: str | None = None
    batch_model: str = ""


def write_prompts(
    store: Store, actor: User, project: Project, path: Path, options: PromptOptions = PromptOptions()
) -> int:
    """Write a line with a prompt for each instance that is not discarded; how many there are.

    Raises: InvalidValue for a template or a split that cannot be; ExportRefused where the file cannot be written
    """
    require(store, actor, project.id, "use models")
    template = chosen_template(project, options.template)
    n = 0
    with store.snapshot(), new_file(path) as file:
        for instance in instances_asked(store, project, options.split):
            line = json.dumps(_line(project, instance, template, options.batch_model), ensure_ascii=False)
            file.write(line.encode() + b"\n")
            n += 1
    with store.transaction():
        add_event(
            store, actor.name, "write prompts", "project", project.id, project_id=project.id, file=path.name, instances=n,
            prompt=prompt_name(project, template),
        )  # fmt: skip
    return n


def chosen_template(project: Project, template: str | None) -> str:
    """The template that was asked for, else the standard one; raises InvalidValue where it cannot be used."""
    chosen = standard_template(project) if template is None else template
    check_template(project, chosen)
    return chosen


def instances_asked(store: Store, project: Project, split: str | None) -> Iterator[Instance]:
    """The instances that are not discarded; raises InvalidValue for a split that is not there, or where there is none."""
    if not splits_of(store, project.id):
        raise InvalidValue(
            _("The project '{name}' has no instances yet; a lead of it imports them.", name=project.name)
        )
    require_split(store, [project], split)
    for batch in iterate_instance_batches(store, project.id, split=split, batch_size=100):
        yield from (instance for instance in batch if instance.state != "discarded")


def _line(project: Project, instance: Instance, template: str, batch_model: str) -> object:
    version, prompt = prompt_name(project, template), prompt_of(project, instance, template)
    name = request_name(instance.key, instance.split, version)
    if batch_model:
        return batch_request(name, batch_model, prompt)
    return {
        "custom_id": name, "key": instance.key, "split": instance.split, "prompt_version": version, "prompt": prompt,
    }  # fmt: skip
