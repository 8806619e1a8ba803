"""The sockets other rooms plug into: what a store must remember, and who wants to hear about it."""
