"""The program on a bad day: a disk that takes its time for each commit, and a clock that somebody sets, as a file says meanwhile.

python -m benchmarks.troubled [what `annotator` takes], with TROUBLE naming a file such as {"commit_s": 0.05, "clock_s": -86400}
"""

import datetime as dt
import functools
import json
import os
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from annotator.cli.main import main
from annotator.store.connection import database

VARIABLE = "TROUBLE"


def trouble(path: Path, **seconds: float) -> None:
    """Say what is wrong from now on: `commit_s`, how long a commit takes more; `clock_s`, by how much the clock is off."""
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(seconds), encoding="utf-8")
    fresh.replace(path)


def _of_now(name: str) -> float:
    says: Mapping[str, float] = json.loads(Path(os.environ[VARIABLE]).read_text(encoding="utf-8"))
    return says.get(name, 0.0)


class _SlowConnection(sqlite3.Connection):
    def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
        if sql == "COMMIT":
            time.sleep(_of_now("commit_s"))
        return super().execute(sql, *given)


class _WrongClock(dt.datetime):
    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> "_WrongClock":
        return super().now(tz) + dt.timedelta(seconds=_of_now("clock_s"))


if __name__ == "__main__":
    sqlite3.connect = functools.partial(sqlite3.connect, factory=_SlowConnection)  # type: ignore[assignment]
    database.dt = SimpleNamespace(datetime=_WrongClock, UTC=dt.UTC, timedelta=dt.timedelta)  # type: ignore[assignment, attr-defined]
    main()
