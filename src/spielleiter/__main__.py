"""`python -m spielleiter` is `spielleiter`."""

from spielleiter.cli import main

main()
