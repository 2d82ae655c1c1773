"""Why an answer ended: each route has its own name for the same reason."""

from __future__ import annotations

BY_END_TOKEN = ("stop", "end_turn", "eos", "eos_token", "completed")
"""The model ended it."""
AT_LIMIT = ("length", "limit", "max_tokens", "max_output_tokens")
"""The request's limit, or a full context, did."""
