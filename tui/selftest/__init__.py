"""The instrument measures itself against a server whose times are known."""
