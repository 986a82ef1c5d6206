"""Speed, as ratios within one run: `make bench`. Results are kept under benchmarks/results/."""
