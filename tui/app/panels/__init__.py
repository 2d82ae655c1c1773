"""The panels of the monitor: each turns one scene into rows, and repaints only rows that changed."""
