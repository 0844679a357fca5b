"""The pages of the reference that are made from the code itself: the Python interface and the metrics' functions."""

import inspect
from importlib import import_module
from pkgutil import iter_modules

import annotator
import annotator.api
import annotator.metrics

# What the parts of a Project are called; a part that is not here fails the building.
PARTS = {
    "ProjectContents": "What is in a project",
    "ProjectOrder": "Who gets what next",
    "ProjectFiles": "In and out",
    "ProjectNumbers": "Numbers",
    "ProjectModels": "Models",
    "OpenProject": "The project itself",
}
# What the interface gives, beside tables.
GIVEN = (
    "annotator.api.models.ShownInstance",
    "annotator.usecases.transfer.import_report.ImportReport",
    "annotator.usecases.transfer.export.Exported",
    "annotator.usecases.models.attributions.AttributingReport",
    "annotator.usecases.queue.orders.Preview",
    "annotator.usecases.queue.orders.NextText",
    "annotator.domain.project.queue_orders.QueueOrder",
    "annotator.domain.project.queue_orders.ModelOrder",
    "annotator.scoring.reports.ProjectReport",
    "annotator.domain.instances.Instance",
    "annotator.domain.instances.GoldInstance",
    "annotator.domain.instances.Annotation",
    "annotator.domain.texts.RationaleSet",
    "annotator.domain.models.StoredOutput",
    "annotator.domain.models.Output",
)


def python_interface() -> str:
    """`annotator.open`, a Database, a Project by its parts, what they give, and what they raise."""
    database = annotator.api.Database
    return "\n".join(
        [
            _rst(".. autofunction:: annotator.open"),
            "## Database\n",
            _rst(".. autoclass:: annotator.api.Database\n   :no-members:", *_methods(database, database.__mro__)),
            "## Project\n",
            _rst(".. autoclass:: annotator.api.Project\n   :no-members:"),
            *(
                _part(part)
                for part in annotator.api.Project.__mro__
                if part is not object and vars(part).keys() - _KEPT
            ),
            "## What they give\n",
            _rst(*(f".. autoclass:: {name}\n   :members:" for name in GIVEN)),
            "## Errors\n",
            _rst(".. automodule:: annotator.errors\n   :members:\n   :show-inheritance:\n   :member-order: bysource"),
        ]
    )


_KEPT = {"__module__", "__doc__", "__parameters__", "__firstlineno__", "__static_attributes__"}


def _part(part: type) -> str:
    return f"### {PARTS[part.__name__]}\n\n" + _rst(*_methods(annotator.api.Project, (part,)))


def _methods(owner: type, classes: tuple[type, ...]) -> list[str]:
    """Each public member that these classes define, in their order, as one of the owner's."""
    names = [name for of in classes if of is not object for name in vars(of) if not name.startswith("_")]
    return [f".. {_kind(owner, name)}:: annotator.api.{owner.__name__}.{name}" for name in dict.fromkeys(names)]


def _kind(owner: type, name: str) -> str:
    return "autoproperty" if isinstance(inspect.getattr_static(owner, name), property) else "automethod"


def metric_functions() -> str:
    """Every module of annotator/metrics with its public functions and classes."""
    return "\n".join(map(_module, metric_modules()))


def metric_modules() -> list[str]:
    """The modules of annotator/metrics that hold something public."""
    package = annotator.metrics
    names = (f"{package.__name__}.{found.name}" for found in iter_modules(package.__path__))
    return [name for name in names if not name.endswith("__main__") and public_names(name)]


def public_names(module_name: str) -> list[str]:
    """The functions and classes of a module that are its own and begin with no underscore."""
    module = import_module(module_name)
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module_name and callable(value)
    ]


def _module(name: str) -> str:
    members = ", ".join(public_names(name))
    options = f"   :members: {members}\n   :undoc-members:\n   :member-order: bysource"
    return f"## {name.rpartition('.')[2]}\n\n" + _rst(f".. automodule:: {name}\n{options}")


def _rst(*blocks: str) -> str:
    """Blocks of reStructuredText within Markdown."""
    return "```{eval-rst}\n" + "\n\n".join(blocks) + "\n```\n"


# The documents that this is added to.
PAGES = {"docs/reference/python": python_interface, "docs/reference/metric_functions": metric_functions}
