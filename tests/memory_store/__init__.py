"""A store of dicts, readable in one sitting: the reference for the real stores, and fast enough for the simulator."""
