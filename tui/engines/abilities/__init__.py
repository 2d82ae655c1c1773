"""What can be told of a request on each engine, by whose word, and what would make the rest measurable."""
