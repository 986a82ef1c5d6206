"""The commands of this game: each module is one, found by its file name as those of `cli/` are."""
