"""Runs every script of this folder that has a `main`, each in a process of its own, and prints one table.

python -m benchmarks              all of them
python -m benchmarks NAME ...     only these
"""

import multiprocessing
import sys
import traceback
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from time import perf_counter

from benchmarks import scripts
from benchmarks.measured import Measured, table


def main(wanted: Sequence[str]) -> int:
    """Run scripts one after the other; answers an exit code: 1 when one failed, 2 when there is no such script."""
    known = scripts.names()
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        print(f"There is no benchmark {', '.join(unknown)}. There are: {', '.join(known) or 'none'}.", file=sys.stderr)
        return 2
    rows: list[tuple[str, Measured]] = []
    n_failed = 0
    for name in wanted or known:
        print(f"== {name}", flush=True)
        before = perf_counter()
        try:
            rows += [(name, row) for row in _run_alone(name)]
        except Exception:  # noqa: BLE001  (whatever stopped this one, the others are still measured)
            traceback.print_exc()
            n_failed += 1
        print(f"== {name}: {perf_counter() - before:.1f} s", flush=True)
    if rows:
        print(f"\n{table(rows)}")
    return 1 if n_failed else 0


def _run_alone(name: str) -> list[Measured]:
    """Run a script in a fresh process, so that neither memory nor caches of one count for the next."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(scripts.run, name).result()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
