"""Subscribers to the events of `model.events`: the log and traces here, metrics and export later."""
