"""A campaign over real Celery workers: what is handed over is accepted once, whatever is killed, frozen or lost."""
