"""The MCP face: tools, resources and a prompt over the use cases. It translates and decides nothing."""
