"""Carrying runs out: Python jobs here; prompts, webhooks and Celery join later."""
