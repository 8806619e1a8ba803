"""The vocabulary every room shares: frozen values, enums and protocols. No I/O, no clock."""
