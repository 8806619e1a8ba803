"""The REST API: translates requests under `/api/v1` into use cases, and their results into JSON."""
