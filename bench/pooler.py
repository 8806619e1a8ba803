"""What a pooler costs: the same work on a direct connection and through PgBouncer, interleaved.

`python -m bench.pooler` prints a table; `DULY_BENCH_FIRES` and `DULY_BENCH_ROUNDS` set how much of it.
"""

from __future__ import annotations

from statistics import median

from tests.pgbouncer import PgBouncer

from bench.engine import FIRES, ROUNDS, SECONDS, _postgres, _worker

_RATE = 200
_LENT = 4  # connections to the server


def main() -> None:
    """Measure, and print."""
    found: dict[str, list[dict[str, float]]] = {"direct": [], "through PgBouncer": []}
    with _postgres() as server, PgBouncer(server, size=_LENT) as pooler:
        for _ in range(ROUNDS):
            for way, rounds in found.items():
                figures: dict[str, float] = {}
                for scenario, *numbers in (("fire", FIRES), ("steady", _RATE, SECONDS, server.folder)):
                    with server.database() as url:
                        before = pooler.processor_time()
                        figures |= _worker(
                            scenario, server.tcp_url(url) if way == "direct" else pooler.url(url), *numbers
                        )
                        figures["pooler"] = (pooler.processor_time() - before) / SECONDS  # of what is steady
                rounds.append(figures)
    print(f"| way | fires/s ({FIRES:,} due) | processor of one | p99 late at {_RATE}/s | processor | server | pooler |")
    print("|---|---|---|---|---|---|---|")
    for way, rounds in found.items():
        of = {name: median(each[name] for each in rounds) for name in rounds[0]}
        shares = " | ".join(f"{of[name]:.1%}" for name in ("cpu", "server", "pooler"))
        print(f"| {way} | {of['fire']:,.0f} | {of['cpu_us']:.0f} µs | {of['p99'] * 1e3:.1f} ms | {shares} |")


if __name__ == "__main__":
    main()
