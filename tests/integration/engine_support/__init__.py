"""Real processes, real stores, and a witness that cannot be talked into anything."""
