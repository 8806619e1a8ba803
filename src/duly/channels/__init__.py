"""The channels: one module per vendor, for the messages that go out and the answers that come in.

`make_channel` and `make_receiver` turn a section of the configuration into either.
"""

from duly.channels.configuration import CHATS, INBOUND_KEYS, KINDS, make_channel, make_receiver
from duly.channels.inbound import Receiver, sign_link, verify_link

__all__ = ["CHATS", "INBOUND_KEYS", "KINDS", "Receiver", "make_channel", "make_receiver", "sign_link", "verify_link"]
