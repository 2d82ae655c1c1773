"""What to ask each engine and how its bytes become events; nothing here opens a socket or reads a clock."""
