"""The Saliency page's own routes (docs/saliency.md): list, instance, partner, numbers; saved lists have a module of their own.

The use cases bring NumPy, so they are imported when the first message comes, and the server starts without it.
"""

from typing import Any, get_args

from annotator.domain.measurements import Question, Which
from annotator.domain.numbers import whole_number
from annotator.domain.people import User
from annotator.errors import InvalidValue
from annotator.metrics.registry import definition_of
from annotator.usecases.databases import Store
from annotator.web.routes.messages import LAST_PAGE, get_route, number

_LONGEST_WORDS = 200


def _list(store: Store, user: User, query: Any) -> object:
    from annotator.usecases.inspect.saliency import count_not_listed, list_instances_by  # noqa: PLC0415

    page = number(query, "page", lowest=1, highest=LAST_PAGE) if query.get("page") else 1
    question = question_of(query)
    rows, n = list_instances_by(store, user, question, page)
    return {"rows": rows, "n": n, "page": page, "without": count_not_listed(store, user, question)}


def question_of(query: Any) -> Question:
    """Which instances an address, or another mapping of the same names to texts, asks for; raises InvalidValue."""
    which = query.get("which", "all")
    if which not in get_args(Which):
        raise InvalidValue(f"'which' in the address must be one of {', '.join(get_args(Which))}; it is '{which[:40]}'.")
    run, layer, name = _sorting(query.get("by", ""))
    return Question(
        number(query, "project"), run, layer, name, query.get("order", "lowest") != "highest", which,
        number(query, "answers") if query.get("answers") else None,
        number(query, "other") if query.get("other") else None,
        query.get("kind") or None, query.get("words", "")[:_LONGEST_WORDS].strip(),
        number(query, "list") if query.get("list") else None,
    )  # fmt: skip


def _sorting(by: str) -> tuple[int | None, int | None, str]:
    """RUN:LAYER:NAME, the layer "-" for none; "" for the order of import."""
    if not by:
        return None, None, ""
    run, _, rest = by.partition(":")
    layer, _, name = rest.partition(":")
    run_id, number = whole_number(run), whole_number(layer)
    if run_id is None or (number is None and layer != "-") or not name:
        raise InvalidValue(f"'by' in the address is RUN:LAYER:NAME, such as 3:-:sets.best_f1; it is '{by[:60]}'.")
    return run_id, number, name


def _instance(store: Store, user: User, query: Any) -> object:
    from annotator.usecases.inspect.saliency import PanelChoice, show_instance  # noqa: PLC0415

    panels = query.get("panels")
    chosen = None if panels is None else [PanelChoice.read(text) for text in panels.split(",") if text]
    return show_instance(store, user, number(query, "instance"), chosen)


def _partner(store: Store, user: User, query: Any) -> object:
    from annotator.usecases.inspect.saliency import PanelChoice, show_partner  # noqa: PLC0415

    chosen = [PanelChoice.read(text) for text in query.get("panels", "").split(",") if text]
    return show_partner(store, user, number(query, "instance"), number(query, "partner"), chosen)


def _numbers(store: Store, user: User, query: Any) -> object:
    """What lists can be sorted by, and what each number is."""
    from annotator.usecases.inspect.saliency import choices_of_numbers, first_of_groups  # noqa: PLC0415

    choices = choices_of_numbers(store, user, number(query, "project"))
    names = sorted({name for _, numbers in choices for _, name in numbers})
    found = {name: definition_of(name) for name in names}
    groups = first_of_groups(stored for stored, _ in choices)
    return {
        "runs": [
            {"run": stored.id, "model": stored.run.model, "method": stored.run.method, "seed": stored.run.seed,
             "parameters": stored.run.parameters, "group": groups[stored.id],
             "numbers": [{"layer": layer, "name": name} for layer, name in numbers]}
            for stored, numbers in choices
        ],
        "names": {name: {"title": one.title, "definition": one.definition, "direction": one.direction, "source": one.source}
                  for name, one in found.items()},
    }  # fmt: skip


routes = [
    get_route("saliency/list", _list),
    get_route("saliency/instance", _instance),
    get_route("saliency/partner", _partner),
    get_route("saliency/numbers", _numbers),
]
