"""The overview: what happened, what runs and what comes, over all schedules that a caller may see."""
