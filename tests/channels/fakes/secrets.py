"""What the fakes take for secrets."""
# ruff: noqa: S105

from __future__ import annotations

TELEGRAM_TOKEN = "12345:fake-Token_for-tests"
DISCORD_TOKEN = "fake.discord.token"
SLACK_TOKEN = "xoxb-fake-token"
SLACK_APP_TOKEN = "xapp-1-fake-token"
SLACK_SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
WHATSAPP_TOKEN = "EAAfaketoken"
WHATSAPP_APP_SECRET = "meta-app-secret"
MATRIX_TOKEN = "syt_fake_token"
NTFY_TOKEN = "tk_fake"
WEBHOOK_SECRET = "webhook-secret"
