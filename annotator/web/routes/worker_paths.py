"""What a worker of a crowd door may reach: the one page with the panel, the panel's own messages, and the end of the visit.

Everything else is refused, whatever it may be: a path that is not here, a new one too, is not for workers. What strangers may
see (the panel's files, the sign-in page) they may see as well.
"""

from annotator.domain.people import User
from annotator.errors import NotAllowed
from annotator.language import _, unsaid

PAGE = "/annotate"
WORKER_PATHS = frozenset({
    "/", PAGE, "/sign-out", "/_stcore/stream",
    "/api/panel/next", "/api/panel/original", "/api/panel/seen", "/api/panel/proposed", "/api/panel/draft",
    "/api/panel/submit", "/api/panel/skip", "/api/panel/discard", "/api/panel/withdraw", "/api/panel/back",
    "/api/training/next", "/api/training/seen", "/api/training/draft", "/api/training/submit",
    "/api/guidelines/read",
})  # fmt: skip
_REFUSED = unsaid("This is not part of the work that you came for. Go back to the page with the text.")


def require_open_to(user: User, path: str) -> None:
    """Raise NotAllowed for a worker at a path that is not for workers; everybody else may ask anywhere."""
    if user.is_worker and path not in WORKER_PATHS:
        raise NotAllowed(_(_REFUSED))
