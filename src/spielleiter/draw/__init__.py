"""Drawing any scene: `terminal` for people at a console, `svg` for pages, notebooks and documents,
`png` for what cannot show SVG.

The renderers know cells, tokens, marks and trays, and no game.
"""
