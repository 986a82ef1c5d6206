"""Drawing any scene: `terminal` for people at a console, `svg` for pages, notebooks and documents.

The renderers know cells, tokens, marks and trays, and no game.
"""
