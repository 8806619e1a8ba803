"""The loops that move runs along: tick, work, heartbeat, rescue, prune. Decisions are in `planning`."""
