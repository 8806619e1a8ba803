"""Subscribers to the events of `model.events`: the log, metrics, and the export by OpenTelemetry."""
