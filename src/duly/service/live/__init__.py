"""Changes as they happen, for callers who keep listening."""
