"""Players that are programs: found, started in a sandbox, seated, and ended after the game."""
