"""Protocols: bytes in any fragments ↔ messages. No socket, no clock and no game in here.

`xml` is the Software-Challenge's protocol. Its parts stand in files of their own: `element` (the
neutral value for one XML element), `lobby` (the messages), `dialect` (what differs between the
seasons, as data), `verdict` (how a game ended → result message) and `wire` (what a game's own
`wire.py` offers to servers and clients). `binary` is the course's protocol, whole in one file.
"""
