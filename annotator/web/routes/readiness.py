"""What is loaded while a person still reads, so that nobody waits for it after the server's start."""

from functools import cache
from threading import Thread


@cache
def make_tokeniser_ready(language: str) -> None:
    """Load the tokeniser of a language in the background, once: the first text that is written would wait seconds for it."""
    from annotator.usecases.perturb.versions import make_ready  # noqa: PLC0415

    Thread(target=make_ready, args=(language,), daemon=True).start()
