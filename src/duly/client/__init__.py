"""A typed client of the REST API, synchronous and asynchronous."""
