"""The channels: one module per vendor, for the messages that go out and the answers that come in.

`kinds` says which there are. `configuration` makes them: it loads every vendor, so it is imported where one is needed.
"""
