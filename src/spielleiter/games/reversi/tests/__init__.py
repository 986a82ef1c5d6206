"""What is peculiar to Reversi; the suite over all games checks the rest."""
