"""Our own routes beside the pages: each module has a list `routes`."""

from starlette.routing import Route

from annotator.web.routes import (
    crowd,
    documents,
    guidelines,
    health,
    panel,
    perturb,
    preview,
    review,
    saliency,
    saved_lists,
    scripts,
    sign_in,
    static,
    talk,
)


def all_routes() -> list[Route]:
    """Every route of ours, in the order in which they are tried."""
    return [
        *health.routes,
        *sign_in.routes,
        *crowd.routes,
        *panel.routes,
        *review.routes,
        *talk.routes,
        *guidelines.routes,
        *saliency.routes,
        *saved_lists.routes,
        *preview.routes,
        *perturb.routes,
        *scripts.routes,
        *static.routes,
        *documents.routes,
    ]
