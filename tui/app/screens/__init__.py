"""Pages over the monitor: help, engines, the exact number, the own prompt, raw detail, explanations."""
