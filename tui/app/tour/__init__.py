"""The tour: scenes with captions, one after the other, for a room that wants to understand."""
