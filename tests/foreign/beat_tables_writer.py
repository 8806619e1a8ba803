"""A Django project with django-celery-beat: migrations make the tables, models fill them, its scheduler tells times.

Run by `tests.foreign.beat_tables` in the environment that has Django, with a database and a time. In the year 1 it
writes; at another it prints, as JSON, the times after that one.
"""

from __future__ import annotations

import json
import random
import sys
from copy import copy
from datetime import UTC, datetime, timedelta
from typing import Any

import django
from django.conf import settings

ZONES = ("UTC", "Europe/Rome", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe")
FIELDS = {"minute": (0, 59), "hour": (0, 23), "day_of_month": (1, 28), "month_of_year": (1, 12), "day_of_week": (0, 6)}
NUMBER = 60


def main() -> None:
    database, after = json.loads(sys.argv[1]), datetime.fromisoformat(sys.argv[2])
    settings.configure(
        DATABASES={"default": database},
        INSTALLED_APPS=["django_celery_beat"],
        USE_TZ=True,
        TIME_ZONE="UTC",
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    )
    django.setup()
    from django.core.management import call_command
    from django_celery_beat.models import PeriodicTask

    if after.year != 1:
        print(json.dumps({task.name: times_of(task, after) for task in PeriodicTask.objects.all()}))
        return
    call_command("migrate", verbosity=0)
    write(random.Random(30))


def write(chance: random.Random) -> None:
    """Make a task of each kind through the models, and many with a crontab."""
    from django_celery_beat import models

    def task(name: str, **fields: Any) -> None:
        made = models.PeriodicTask(name=name, task=f"proj.{name}", **fields)
        made.full_clean()
        made.save()

    for number in range(NUMBER):
        fields = {name: field(chance, *bounds) for name, bounds in FIELDS.items()}
        crontab = models.CrontabSchedule.objects.create(timezone=ZONES[number % len(ZONES)], **fields)
        task(f"crontab{number}", crontab=crontab, args=json.dumps([number]), kwargs=json.dumps({"a": {"b": number}}))
    hourly = models.CrontabSchedule.objects.create(minute="0", timezone="UTC")
    for every, period in ((10, "seconds"), (7, "minutes"), (3, "hours"), (2, "days"), (5, "microseconds")):
        task(period, interval=models.IntervalSchedule.objects.create(every=every, period=period))
    at = datetime(2099, 3, 1, 8, tzinfo=UTC)
    task("clocked", clocked=models.ClockedSchedule.objects.create(clocked_time=at), one_off=True)
    task("solar", solar=models.SolarSchedule.objects.create(event="sunset", latitude=45, longitude=9))
    task("off", crontab=hourly, enabled=False)
    task("queued", crontab=hourly, queue="reports", priority=3, expire_seconds=600, description="Every hour")
    task("routed", crontab=hourly, exchange="e", routing_key="r", headers='{"x": 1}', start_time=at)


def field(chance: random.Random, low: int, high: int) -> str:
    first, last = sorted((chance.randint(low, high), chance.randint(low, high)))
    texts = ["*", "*", f"{first}-{last}", f"*/{chance.randint(1, 7)}", f"{first},{last}", str(first)]
    return chance.choice(texts)


def times_of(task: Any, after: datetime) -> list[str]:
    """The first times after one, as the scheduler of django-celery-beat works them out from its entry."""
    from celery import Celery
    from django_celery_beat.schedulers import ModelEntry

    if task.clocked or task.solar:
        return [task.clocked.clocked_time.isoformat()] if task.clocked else []
    schedule = ModelEntry(task, app=Celery(set_as_current=False)).schedule
    found = []
    at = after
    for _ in range(3):
        asked = copy(schedule)
        zone = getattr(schedule, "tz", None) or UTC
        asked.tz = zone
        asked.nowfun = lambda at=at, zone=zone: at.astimezone(zone)
        at = (at + asked.remaining_estimate(at.astimezone(zone))).astimezone(UTC)
        at = (at + timedelta(microseconds=500_000)).replace(microsecond=0)
        found.append(at.isoformat())
    return found


main()
