"""The tests of the executor of Celery, with each version that is supported, over Redis and over RabbitMQ.

`python -m tests.foreign.celery_versions` for all of them, with `5.6 rabbitmq` for one. Each version is in an
environment of its own, made from a lock and thrown away.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.foreign.environments import make_environment, run, versions
from tests.foreign.rabbitmq import missing, rabbitmq

VERSIONS = ("5.5", "5.6", "5.7")
BROKERS = ("redis", "rabbitmq")
_TESTS = "tests/integration/executors"
_ABOUT_REDIS = ("delivered_again_while_it_runs", "a_batch_of_thousands", "standing_shows")
"""What only Redis has: visibility timeouts, and lists whose length a test reads."""


def main(words: list[str]) -> int:
    if unknown := [each for each in words if each not in (*VERSIONS, *BROKERS)]:
        sys.exit(f"{', '.join(unknown)} is none of {', '.join((*VERSIONS, *BROKERS))}")
    chosen = [each for each in VERSIONS if each in words] or list(VERSIONS)
    brokers = [each for each in BROKERS if each in words] or list(BROKERS)
    if "rabbitmq" in brokers and (fault := missing()) is not None:
        print(fault, file=sys.stderr)
        return 2
    failed = []
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="duly-celery-", ignore_cleanup_errors=True))
        )
        amqp = stack.enter_context(rabbitmq(folder)) if "rabbitmq" in brokers else ""
        for version in chosen:
            python = make_environment(folder, f"celery-{version}")
            for broker in brokers:
                print(f"\n{versions(python, 'celery', 'kombu', 'redis', 'amqp')}, over {broker}", flush=True)
                if _test(python, amqp if broker == "rabbitmq" else None):
                    failed.append(f"{version} over {broker}")
    print("\n" + ("failed: " + ", ".join(failed) if failed else "all is well"))
    return 1 if failed else 0


def _test(python: Path, amqp: str | None) -> int:
    options = ["-m", "pytest", "-q", "-p", "no:cacheprovider", _TESTS]
    if amqp is None:
        return run(python, *options)
    return run(python, *options, "-k", " and ".join(f"not {each}" for each in _ABOUT_REDIS), DULY_TEST_AMQP=amqp)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
