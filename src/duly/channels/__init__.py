"""The channels: one module per vendor for the way out, and one for the way in where answers come back.

`make_channel` and `make_receiver` turn a section of the configuration into either.
"""

from duly.channels.make import KINDS, make_channel
from duly.channels.receivers import INBOUND_KEYS, Receiver, make_receiver

__all__ = ["INBOUND_KEYS", "KINDS", "Receiver", "make_channel", "make_receiver"]
