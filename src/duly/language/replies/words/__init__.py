"""The reply words: one file per language, which is loaded when a reply in it is first read."""
