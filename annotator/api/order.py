"""In which order a project gives out its texts: what it is, what another one would bring, and setting it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotator.api.open_project import OpenProject
from annotator.api.refusals import speaks_python
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.queue_orders import FirstKind, ModelOrder, Order, QueueOrder

if TYPE_CHECKING:
    from annotator.usecases.queue.orders import Preview


@speaks_python
class ProjectOrder(OpenProject):
    """The part of a Project that says who gets what next."""

    def order(self) -> QueueOrder:
        """The order that is set."""
        return self.rules.settings.queue_order

    def set_order(
        self,
        first: FirstKind | None = None,
        model: str | Sequence[str] = (),
        *,
        percent: float = 100,
        split: str | None = None,
        method: str = "",
        number: str = "",
        layer: int | None = None,
        label: str | None = None,
        rest: Order = "sequential",
        seed: int = 0,
        preview: bool = False,
    ) -> "Preview":
        """Give the texts their positions anew; answers the first ten with their reasons. What people hold stays with them.

        first:   what comes first by the stored answers of a model, or of several; None: nothing in particular
        rest:    how the other texts follow; seed: of all that is drawn. Other arguments: as options of `annotator order`
        preview: say what it would bring, and change nothing
        """
        from annotator.usecases.queue.orders import preview_order, set_order  # noqa: PLC0415

        models = (model,) if isinstance(model, str) else tuple(model)
        put_first = None if first is None else ModelOrder(first, models, percent, split, method, layer, number, label)
        act = preview_order if preview else set_order
        return act(self.database.store, LOCAL_OPERATOR, self.id, QueueOrder(rest, seed, put_first))
