"""Our own routes beside the pages: each module has a list `routes`."""

from starlette.routing import Route

from annotator.web.routes import (
    account,
    crowd,
    documents,
    health,
    palette,
    panel,
    perturb,
    qualification,
    review,
    saliency,
    saved_lists,
    scripts,
    sign_in,
    single_sign_on,
    static,
    talk,
)


def all_routes() -> list[Route]:
    """Every route of ours, in the order in which they are tried."""
    return [
        *health.routes, *sign_in.routes, *single_sign_on.routes, *account.routes, *crowd.routes, *panel.routes, *palette.routes,
        *review.routes, *qualification.routes, *talk.routes, *saliency.routes, *saved_lists.routes, *perturb.routes,
        *scripts.routes, *static.routes, *documents.routes,
    ]  # fmt: skip
