"""Schedules of other schedulers: cron, Celery's beat, django-celery-beat, APScheduler.

Each module reads one of them into entries, which `importing` brings into a namespace of their own. What cannot be
carried over is said, with the reason; and the first times of each entry are worked out by the old scheduler as well.
"""
