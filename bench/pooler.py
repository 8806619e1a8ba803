"""What a pooler costs: the same work on a direct connection and through PgBouncer, interleaved.

`python -m bench.pooler` prints a table; `DULY_BENCH_FIRES` and `DULY_BENCH_ROUNDS` set how much of it.
"""

from __future__ import annotations

from statistics import median

from tests.pgbouncer import PgBouncer

from bench.engine import FIRES, ROUNDS, _postgres, _worker

_STEADY = 10  # seconds
_RATE = 200


def main() -> None:
    """Measure, and print."""
    found: dict[str, list[dict[str, float]]] = {"direct": [], "through PgBouncer": []}
    with _postgres() as server, PgBouncer(server, size=4) as pooler:
        for _ in range(ROUNDS):
            for way, rounds in found.items():
                figures: dict[str, float] = {}
                for scenario in (("fire", FIRES), ("steady", _RATE, _STEADY, server.folder)):
                    with server.database() as url:
                        target = server.tcp_url(url) if way == "direct" else pooler.url(url)
                        figures |= _worker(scenario[0], target, *scenario[1:])
                rounds.append(figures)
    print("| way | fires/s | processor time of one | p99 late at 200/s | processor | of the server |")
    print("|---|---|---|---|---|---|")
    for way, rounds in found.items():
        of = {name: median(each[name] for each in rounds) for name in rounds[0]}
        print(
            f"| {way} | {of['fire']:,.0f} | {of['cpu_us']:.0f} µs | {of['p99'] * 1e3:.1f} ms | {of['cpu']:.1%} | "
            f"{of['server']:.1%} |"
        )


if __name__ == "__main__":
    main()
