"""The kinds of channels by name: what can be said of them without loading what connects to a vendor."""

from __future__ import annotations

KINDS = ("telegram", "discord", "slack", "whatsapp", "email", "matrix", "ntfy", "webhook", "apprise")
"""The channels that can be configured. The inbox needs no configuration: it is in the store."""

CHATS = ("telegram", "discord", "slack", "whatsapp", "matrix")
"""The channels on which people can write to duly, and so be paired."""

INBOUND_KEYS = {
    "telegram": ("webhook_secret",),
    "discord": ("public_key",),
    "slack": ("signing_secret",),
    "whatsapp": ("app_secret", "verify_token", "phone_number_id"),
}
"""The keys of a section that `make_receiver` reads, and `make_channel` does not."""
