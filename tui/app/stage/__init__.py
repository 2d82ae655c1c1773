"""The stage: few and huge things on the screen, for a room with a projector."""
