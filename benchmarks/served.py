"""A server of ours in a process of its own, for benchmarks that speak to it."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def served(database: Path, *, command: str = "demo") -> Iterator[str]:
    """The address of a server for this database, while the block lasts. As the demonstration it needs no passwords."""
    arguments = [sys.executable, "-m", "annotator.cli.main", "--db", str(database), command, "--port", "0"]
    if command == "demo":
        arguments.append("--no-browser")
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
    try:
        yield _address(process)
    finally:
        process.terminate()
        process.wait(20)
        if process.stdout is not None:
            process.stdout.close()


def _address(process: "subprocess.Popen[str]") -> str:
    if process.stdout is not None:
        for line in process.stdout:
            found = re.match(r"at (http://\S+)", line)
            if found:
                return found[1]
    raise RuntimeError("the server did not start")
