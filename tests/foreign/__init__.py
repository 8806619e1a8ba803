"""Foreign tools against duly, and duly against foreign servers: `make conformance`. Not part of `make test`."""
