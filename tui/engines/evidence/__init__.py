"""By what each engine is known, and what it tells about itself: one file per engine that tells much."""
