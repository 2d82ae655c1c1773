"""The words of the stage: plain verbs over the figures and inside the lane."""

CAPTIONS = {"prefill": "READING", "decode": "WRITING", "waiting": "WAITING", "load": "LOADING"}
"""Words inside the lane, by phase."""
IN_VAIN = ("WAITED", "text")
GAPS = "gaps between tokens"
"""Names their bars, where no gutter does."""
HEADINGS = (
    ("WAITING SO FAR", "text"),
    ("FIRST WORD AFTER", "text"),
    ("READS", "prefill"),
    ("WRITES", "decode"),
)
