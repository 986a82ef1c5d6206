"""Speed, as ratios within one run: `make bench`. Results are kept under benchmarks/results/."""

HELP = {"help_option_names": ["-h", "--help"]}
"""Context settings of the commands here."""
