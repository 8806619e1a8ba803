"""The vocabulary of all packages: frozen values, enums and protocols. No I/O, no clock."""
