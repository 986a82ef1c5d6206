"""Games as tables for learning: positions, policies and values, in files of NumPy or Parquet.

docs/researcher/datasets.md has the schema.
"""

from spielleiter.datasets.files import FORMATS, read, write
from spielleiter.datasets.samples import Sample, from_record
from spielleiter.datasets.self_play import SelfPlayGames

__all__ = ["FORMATS", "Sample", "SelfPlayGames", "from_record", "read", "write"]
