"""toklane: one LLM request, live in the terminal."""
